package history

import (
	"cmp"
	"context"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// Records implements api.Journal.
func (s *Service) Records(ctx context.Context, req api.RecordsRequest) (api.RecordList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "journal"), func(c *kernel.Call) (api.RecordList, error) {
		limit, err := kernel.PageSize(req.Limit)
		if err != nil {
			return api.RecordList{}, err
		}
		if req.After < 0 || req.Before < 0 {
			return api.RecordList{}, brenner.Errorf(brenner.CodeInvalidValue, "a position in the journal is not negative")
		}
		if err := cmp.Or(kernel.CheckText(req.Text), s.Kinds().Known(req.Kind), c.KnownActor(req.Actor, "/actor")); err != nil {
			return api.RecordList{}, err
		}
		if req.Cursor != "" {
			at, err := kernel.OpenCursor[int64](req.Cursor)
			if err != nil {
				return api.RecordList{}, err
			}
			if req.Newest {
				req.Before = at
			} else {
				req.After = at
			}
		}
		out, err := findRecords(c, s.Kinds(), req, limit)
		if out.More {
			out.Cursor = kernel.MakeCursor(out.Last)
		}
		return out, err
	})
}

// findRecords looks through the journal until a page is full, the end is
// reached, or enough was looked at for one call.
func findRecords(c *kernel.Call, kinds *kernel.Kinds, req api.RecordsRequest, limit int) (api.RecordList, error) {
	first, last, more := stretch(c, req)
	q := store.RecordQuery{Kind: req.Kind, Actor: req.Actor, After: first - 1, Before: last + 1, Newest: req.Newest, Limit: limit + 1}
	if req.About != "" || req.Text != "" {
		q.Limit = brenner.MaxPage
	}
	out := api.RecordList{Records: []api.RecordInfo{}, Last: req.After}
	if req.Newest {
		out.Last = req.Before
	}
	for {
		rows, err := c.FindRecords(c.Ctx, q)
		if err != nil {
			return api.RecordList{}, err
		}
		for _, row := range rows {
			named := mentions(row.Data, req.About)
			var rec journal.Record
			if named {
				if rec, err = readWhole(c, kinds, row); err != nil {
					return api.RecordList{}, err
				}
			}
			if named && (req.Text == "" || contains(rec, req.Text)) {
				if len(out.Records) == limit {
					out.More = true
					return out, nil
				}
				out.Records = append(out.Records, api.RecordInfo{
					Seq: rec.Seq, At: rec.At, Actor: rec.Actor, Role: rec.Role, Auth: rec.Auth, Kind: rec.Kind, Payload: rec.Payload,
				})
			}
			out.Last = row.Seq
		}
		if len(rows) < q.Limit {
			break
		}
		if req.Newest {
			q.Before = out.Last
		} else {
			q.After = out.Last
		}
	}
	if out.More = more; more && req.Newest {
		out.Last = first
	} else if more {
		out.Last = last
	}
	return out, nil
}

// stretch says which part of the journal a call looks at, and whether there is
// more of what it is asked about: a search has no index to go by, which every
// write would pay for, and so goes stretch by stretch.
func stretch(c *kernel.Call, req api.RecordsRequest) (first, last int64, more bool) {
	first, last = req.After+1, c.Position
	if req.Before > 0 {
		last = min(last, req.Before-1)
	}
	searching := req.Kind != "" || req.Actor != "" || req.About != "" || req.Text != ""
	if !searching || last-first < brenner.MaxRecordsSearched {
		return first, last, false
	}
	if req.Newest {
		return last - brenner.MaxRecordsSearched + 1, last, true
	}
	return first, first + brenner.MaxRecordsSearched - 1, true
}

// mentions tells the records that name something, by their bytes: a name is a
// JSON string, alone or before a version.
func mentions(data []byte, name string) bool {
	record := string(data)
	return name == "" || strings.Contains(record, `"`+name+`"`) || strings.Contains(record, `"`+name+`@`)
}

// readWhole reads a record with its texts.
func readWhole(c *kernel.Call, kinds *kernel.Kinds, row store.Record) (journal.Record, error) {
	rec, err := journal.Parse(row)
	if err != nil {
		return rec, err
	}
	rec, _, err = kinds.Whole(c.Ctx, c.Reader, rec)
	return rec, err
}

// contains tells the records that say something.
func contains(rec journal.Record, text string) bool {
	quoted := string(canon.MustMarshal(text)) // as it stands in a record
	return strings.Contains(strings.ToLower(string(canon.MustMarshal(rec))), strings.ToLower(quoted[1:len(quoted)-1]))
}
