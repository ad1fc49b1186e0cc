package history

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json/jsontext"
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
		out, err := findRecords(c, s.Room, req, limit)
		if out.More {
			out.Cursor = kernel.MakeCursor(out.Last)
		}
		return out, err
	})
}

// findRecords looks through the journal until a page is full, the end is
// reached, or enough was looked at for one call.
func findRecords(c *kernel.Call, room *Room, req api.RecordsRequest, limit int) (api.RecordList, error) {
	first, last, more := stretch(c, req)
	q := store.RecordQuery{Kind: req.Kind, Actor: req.Actor, After: first - 1, Before: last + 1, Newest: req.Newest, Limit: limit + 1}
	out := api.RecordList{Records: []api.RecordInfo{}, Last: req.After}
	if req.Newest {
		out.Last = req.Before
	}
	look, err := newLook(c, room, req)
	if err != nil {
		return api.RecordList{}, err
	}
	for ; ; q.Limit = min(2*q.Limit, brenner.MaxPage) {
		rows, err := c.FindRecords(c.Ctx, q)
		if err != nil {
			return api.RecordList{}, err
		}
		may, err := look.among(rows)
		if err != nil {
			return api.RecordList{}, err
		}
		for i, row := range rows {
			var rec journal.Record
			if may[i] {
				if rec, err = readWhole(c, look.kinds, row); err != nil {
					return api.RecordList{}, err
				}
			}
			if may[i] && look.finds(rec) {
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
	return name == "" || bytes.Contains(data, []byte(`"`+name+`"`)) || bytes.Contains(data, []byte(`"`+name+`@`))
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

// look is a search for what records name and say.
type look struct {
	*kernel.Call
	kinds    *kernel.Kinds
	outlines *outlines
	about    string
	// text is what is looked for as it stands in a record, in lower case; part is the longest stretch of it without a
	// quotation mark, which cannot begin in one string of a record and end in another.
	text string
	part []byte
	// lowered is what was looked through last, in lower case.
	lowered []byte
}

// smallText bounds the texts that are looked at many at once; a record with a longer one is read.
const smallText = 8 << 10

func newLook(c *kernel.Call, room *Room, req api.RecordsRequest) (*look, error) {
	quoted := strings.ToLower(string(canon.MustMarshal(req.Text)))
	l := &look{Call: c, kinds: room.Kinds(), outlines: &room.outlines, about: req.About, text: quoted[1 : len(quoted)-1]}
	for part := range strings.SplitSeq(l.text, `"`) {
		if len(part) > len(l.part) {
			l.part = []byte(part)
		}
	}
	return l, l.outlines.open(c)
}

// among tells which records have to be read: by their outlines, or by the bytes of a record and
// of its texts, most are seen not to say what is looked for.
func (l *look) among(rows []store.Record) ([]bool, error) {
	may, saying := make([]bool, len(rows)), map[brenner.Digest][]int{}
	drawn, unread := make([]*outline, len(rows)), make([]int, len(rows))
	for i, row := range rows {
		if !mentions(row.Data, l.about) {
			continue
		}
		if o := l.outlines.find(row.Seq); o != nil && !o.may(l.part) {
			continue
		}
		if may[i] = l.mayBeIn(withoutTexts(row.Data)); may[i] {
			continue
		}
		drawn[i] = new(outline)
		drawn[i].add(l.lowered)
		for _, d := range l.kinds.MayQuote(row) {
			saying[d] = append(saying[d], i)
			unread[i]++
		}
	}
	if len(saying) > 0 {
		if err := l.amongTexts(saying, drawn, unread); err != nil {
			return nil, err
		}
	}
	for i, o := range drawn {
		if o != nil && unread[i] == 0 {
			l.outlines.keep(l.Call, rows[i].Seq, o)
		}
	}
	for _, of := range saying { // what says it, and what was not there to be looked at
		for _, i := range of {
			may[i] = true
		}
	}
	return may, nil
}

// amongTexts leaves of some texts those that may say what is looked for, and draws all that it has read.
func (l *look) amongTexts(saying map[brenner.Digest][]int, drawn []*outline, unread []int) error {
	var quoted []byte
	return l.Blobs(l.Ctx, slices.Collect(maps.Keys(saying)), smallText, func(d brenner.Digest, data []byte) error {
		var bad error
		if quoted, bad = jsontext.AppendQuote(quoted[:0], data); bad != nil {
			return nil //nolint:nilerr // what is no text, its record tells
		}
		found := l.mayBeIn(quoted)
		for _, i := range saying[d] {
			drawn[i].add(l.lowered)
			unread[i]--
		}
		if !found {
			delete(saying, d)
		}
		return nil
	})
}

// withoutTexts is a record without the member by which it says that its texts are contents, as one that is whole.
func withoutTexts(data []byte) []byte {
	if rest, ok := bytes.CutSuffix(data, []byte(`,"texts":true}`)); ok {
		return append(slices.Clip(rest), '}')
	}
	return data
}

// mayBeIn looks at everything that is searched: it makes no copy of what is plain ASCII.
func (l *look) mayBeIn(data []byte) bool {
	l.lowered = append(l.lowered[:0], data...)
	var all byte
	for i, b := range l.lowered {
		if 'A' <= b && b <= 'Z' {
			l.lowered[i] = b + 'a' - 'A'
		}
		all |= b
	}
	if all >= utf8.RuneSelf {
		l.lowered = bytes.ToLower(data)
	}
	return bytes.Contains(l.lowered, l.part)
}

// finds tells the records that say what is looked for.
func (l *look) finds(rec journal.Record) bool {
	return l.text == "" || strings.Contains(strings.ToLower(string(canon.MustMarshal(rec))), l.text)
}
