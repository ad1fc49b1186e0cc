package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// Redact implements api.Journal. Content is kept once, whoever wrote it, and so
// are the texts of records: that others lose it too is said, and asked for,
// before it is done (J7). A text stands in the tables too, which are made anew;
// that takes as long as a replay, and writers wait (X9).
func (s *Service) Redact(ctx context.Context, req api.RedactRequest) (api.RedactResult, error) {
	guard := kernel.To(policy.Admin, "redaction")
	if req.DryRun {
		return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.RedactResult, error) {
			r, err := foreseeRedaction(c, s.Kinds(), req)
			r.out.DryRun = true
			return r.out, err
		})
	}
	return kernel.Write(ctx, s.caller, "journal.redact", req, guard, func(ch *kernel.Change) (api.RedactResult, error) {
		if strings.TrimSpace(req.Reason) == "" {
			return api.RedactResult{}, brenner.Errorf(brenner.CodeReasonRequired, "a redaction must be given a reason")
		}
		if err := kernel.CheckText(req.Reason); err != nil {
			return api.RedactResult{}, err
		}
		r, err := foreseeRedaction(ch.Call, s.Kinds(), req)
		if err != nil {
			return api.RedactResult{}, err
		}
		if err := r.confirm(req); err != nil {
			return api.RedactResult{}, err
		}
		return r.carryOut(ch, req.Reason)
	})
}

// redaction is one under way.
type redaction struct {
	*kernel.Call
	kinds *kernel.Kinds
	text  string // what goes, if it is short enough to be a text of a record
	// along are texts that are made of it, and go with it.
	along []brenner.Digest
	out   api.RedactResult
}

// foreseeRedaction says which versions and records have a content, and what
// rests on them.
func foreseeRedaction(c *kernel.Call, kinds *kernel.Kinds, req api.RedactRequest) (*redaction, error) {
	r := &redaction{Call: c, kinds: kinds, out: api.RedactResult{Versions: []brenner.Ref{}}}
	var err error
	if r.out.Digest, err = r.target(req); err != nil {
		return r, err
	}
	small, _, err := c.SmallBlob(c.Ctx, r.out.Digest, brenner.MaxTaskSpecBytes)
	if err != nil {
		return r, err
	}
	r.text = string(small)
	for _, find := range []func() error{r.findVersions, r.findTexts, r.findContaining} {
		if err := find(); err != nil {
			return r, err
		}
	}
	links, err := c.LinksTo(c.Ctx, r.out.Versions)
	if err != nil {
		return r, err
	}
	resting := make([]brenner.Ref, len(links))
	for i, l := range links {
		resting[i] = l.From
	}
	slices.SortFunc(resting, brenner.Ref.Compare)
	resting = slices.Compact(resting)
	r.out.Resting = len(resting)
	r.out.Rest = resting[:min(len(resting), brenner.MaxPage)]
	return r, nil
}

// confirm refuses what was not asked for: that others lose something.
func (r *redaction) confirm(req api.RedactRequest) error {
	places := names(r.out.Versions)
	for _, seq := range r.records() {
		places = append(places, fmt.Sprintf("record %d", seq))
	}
	if len(places) < 2 || req.Everywhere {
		return nil
	}
	what := "versions"
	if len(r.out.Texts) > 0 {
		what = "versions and records"
	}
	return brenner.Errorf(brenner.CodeRedactsMore, "%d %s have these bytes and would lose them: %s; %d rest on them",
		len(places), what, kernel.FirstFew(places), r.out.Resting).
		WithHint("look at them first; then say that it is to go everywhere").WithDetails(r.out)
}

// carryOut writes that it is gone, and takes it out of the tables.
func (r *redaction) carryOut(ch *kernel.Change, reason string) (api.RedactResult, error) {
	records := r.records()
	for _, d := range append(r.along, r.out.Digest) {
		seq, err := ledger.ContentRedacted.Append(ch, ledger.Redacted{Digest: d, Reason: reason, Versions: r.out.Versions, Records: records})
		if err != nil {
			return api.RedactResult{}, err
		}
		r.out.Seq = seq
	}
	if len(records) == 0 {
		return r.out, nil
	}
	return r.out, ch.Rebuild(func(journal.Record) error { return ch.Ctx.Err() })
}

// records are those that say it.
func (r *redaction) records() []int64 {
	var out []int64
	for _, t := range r.out.Texts {
		out = append(out, t.Record)
	}
	return slices.Compact(out)
}

func names(refs []brenner.Ref) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.String()
	}
	return out
}

// target is the content that is to go.
func (r *redaction) target(req api.RedactRequest) (brenner.Digest, error) {
	switch {
	case req.Digest != "":
		return req.Digest, req.Digest.Check()
	case req.Record != 0:
		return r.quoted(req.Record, req.Member)
	case req.Ref.Version == 0:
		return "", brenner.Errorf(brenner.CodeInvalidID, "name the version whose content is to go").
			WithHint("write it as ID@VERSION")
	}
	v, err := r.Version(r.Ctx, req.Ref)
	if err != nil || req.Member == "" {
		return v.Content, err
	}
	return r.quoted(v.Seq, req.Member)
}

// quoted is a text of a record.
func (r *redaction) quoted(seq int64, member string) (brenner.Digest, error) {
	rows, err := r.Records(r.Ctx, max(seq, 1)-1, 1)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 || rows[0].Seq != seq {
		return "", brenner.Errorf(brenner.CodeNotFound, "the journal has no record %d", seq).At("/record").Try(brenner.Do("journal"))
	}
	rec, err := journal.Parse(rows[0])
	if err != nil {
		return "", err
	}
	quotes, err := r.kinds.Quotes(rec)
	if err != nil {
		return "", err
	}
	quotes = slices.DeleteFunc(quotes, func(q kernel.Quote) bool { return strings.HasPrefix(q.At, "/result/") })
	var there []string
	for _, q := range quotes {
		there = append(there, memberOf(q))
	}
	i := slices.Index(there, strings.TrimPrefix(member, "/"))
	if member == "" && len(quotes) == 1 {
		i = 0
	}
	switch {
	case len(quotes) == 0:
		return "", brenner.Errorf(brenner.CodeNotFound, "record %d (%s) has no text of its own", seq, rec.Kind).At("/record")
	case i < 0:
		return "", brenner.Errorf(brenner.CodeInvalidValue, "record %d (%s) has the texts %s", seq, rec.Kind, strings.Join(there, ", ")).
			At("/member").WithHint("say which is to go").Try(brenner.Again().Asking("member"))
	case quotes[i].Inline:
		return "", brenner.Errorf(brenner.CodeStatusConflict, "record %d (%s) is from before texts were contents of their own: it holds its %s itself, and cannot be changed", seq, rec.Kind, there[i]).
			WithHint("what can be done is in the document about threats: a new project from what may stay")
	}
	return quotes[i].Digest, nil
}

func memberOf(q kernel.Quote) string { return strings.TrimPrefix(q.At, "/") }

// findVersions finds the versions that have a content, in order, and which of
// them are in force. Redaction is rare: it reads the whole table.
func (r *redaction) findVersions() error {
	return r.Each(r.Ctx, store.TableVersions, func(row any) error {
		v := row.(store.Version)
		if v.Content != r.out.Digest {
			return nil
		}
		r.out.Versions = append(r.out.Versions, v.Ref())
		if v.Status == artifact.Canonical {
			r.out.InForce = append(r.out.InForce, v.Ref())
		}
		return nil
	})
}

// findTexts finds the records that say it, and older ones that hold it inline.
// Redaction is rare: it reads the whole journal.
func (r *redaction) findTexts() error {
	quoted := canon.MustMarshal(r.text)
	inline := quoted[1 : len(quoted)-1] // as it stands in a record that holds it
	return journal.Each(r.Ctx, r.Reader, 0, func(row store.Record) error {
		named := bytes.Contains(row.Data, []byte(r.out.Digest))
		held := len(inline) > 0 && bytes.Contains(row.Data, inline)
		if !named && !held {
			return r.Ctx.Err()
		}
		rec, err := journal.Parse(row)
		if err != nil {
			return err
		}
		quotes, err := r.kinds.Quotes(rec)
		if err != nil {
			return err
		}
		for _, q := range quotes {
			if q.Digest == r.out.Digest && !q.Inline {
				r.out.Texts = append(r.out.Texts, api.RecordText{Record: rec.Seq, Kind: rec.Kind, Member: memberOf(q)})
				r.alongWith(quotes)
			}
		}
		if held && !rec.Texts {
			r.out.Inline = append(r.out.Inline, api.RecordText{Record: rec.Seq, Kind: rec.Kind, Member: inlineIn(rec, inline)})
		}
		return nil
	})
}

// alongWith adds what is made of the words of a lesson: its vector.
func (r *redaction) alongWith(quotes []kernel.Quote) {
	for _, q := range quotes {
		if q.At == "/vector" && q.Digest != r.out.Digest && !slices.Contains(r.along, q.Digest) {
			r.along = append(r.along, q.Digest)
		}
	}
}

// inlineIn says where in a record a text is held.
func inlineIn(rec journal.Record, inline []byte) string {
	if rec.Request != nil && bytes.Contains(rec.Request.Result, inline) && !bytes.Contains(rec.Payload, inline) {
		return "result"
	}
	return "payload"
}

// findContaining finds other contents that have the words among theirs.
func (r *redaction) findContaining() error {
	if len(strings.TrimSpace(r.text)) < shortestFound {
		return nil
	}
	words := []byte(r.text)
	err := r.EachBlob(r.Ctx, func(d brenner.Digest, data []byte) error {
		if d != r.out.Digest && bytes.Contains(data, words) {
			r.out.Containing = append(r.out.Containing, d)
		}
		if len(r.out.Containing) == brenner.MaxBatchFindings {
			return errEnough
		}
		return r.Ctx.Err()
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// shortestFound is the shortest text that others are searched for.
const shortestFound = 4

var errEnough = errors.New("enough was found")
