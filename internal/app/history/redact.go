package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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

	"github.com/go-json-experiment/json/jsontext"
)

// Redact implements api.Journal. Content is kept once, whoever wrote it, and so
// are the texts of records: that others lose it too is said, and asked for,
// before it is done (J7). A text stands in the tables too, which are made anew;
// that takes as long as a replay, and writers wait (X9).
func (s *Service) Redact(ctx context.Context, req api.RedactRequest) (api.RedactResult, error) {
	guard := kernel.To(policy.Admin, "redaction")
	if req.DryRun {
		return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.RedactResult, error) {
			r, err := s.foreseeRedaction(c, req)
			r.out.DryRun = true
			return r.out, err
		})
	}
	return kernel.Write(ctx, s.caller, "journal.redact", req, guard, func(ch *kernel.Change) (api.RedactResult, error) {
		if brenner.SaysNothing(req.Reason) {
			return api.RedactResult{}, brenner.Errorf(brenner.CodeReasonRequired, "what is redacted is gone for good: a redaction must be given a reason")
		}
		if err := kernel.CheckText(req.Reason); err != nil {
			return api.RedactResult{}, err
		}
		r, err := s.foreseeRedaction(ch.Call, req)
		if err != nil {
			return api.RedactResult{}, err
		}
		if err := cmp.Or(r.confirm(req), r.checkReason(req.Reason)); err != nil {
			return api.RedactResult{}, err
		}
		return r.carryOut(ch, req.Reason)
	})
}

// redaction is one under way.
type redaction struct {
	*kernel.Call
	kinds *kernel.Kinds
	goes  []*going
	by    map[brenner.Digest]*going
	out   api.RedactResult
}

// going is one content that goes.
type going struct {
	digest   brenner.Digest
	text     string // what it says, if it is short enough to be a text of a record
	versions []brenner.Ref
	records  []int64
	// along are texts that are made of it, and go with it.
	along []brenner.Digest
}

// foreseeRedaction says which versions and records have a content, and what
// rests on them.
func (s *Service) foreseeRedaction(c *kernel.Call, req api.RedactRequest) (*redaction, error) {
	r := &redaction{Call: c, kinds: s.Kinds(), by: map[brenner.Digest]*going{}, out: api.RedactResult{Versions: []brenner.Ref{}}}
	if keeps, ok := s.Store().(store.Retainer); ok {
		r.out.Retained = keeps.Retains()
	}
	if len(req.Also) > brenner.MaxBatchItems {
		return r, brenner.Errorf(brenner.CodeLimitExceeded, "more than %d contents", brenner.MaxBatchItems).At("/also")
	}
	var err error
	if r.out.Digest, err = r.target(req); err != nil {
		return r, err
	}
	for i, d := range append([]brenner.Digest{r.out.Digest}, req.Also...) {
		if err := d.Check(); err != nil {
			return r, err
		}
		if r.by[d] != nil {
			continue
		}
		small, _, err := c.SmallBlob(c.Ctx, d, brenner.MaxTaskSpecBytes)
		if err != nil {
			return r, err
		}
		g := &going{digest: d, text: string(small)}
		r.goes, r.by[d] = append(r.goes, g), g
		if i > 0 {
			r.out.Also = append(r.out.Also, d)
		}
	}
	for _, find := range []func() error{r.findVersions, r.findClosed, r.findTexts, r.findShared, r.findContaining, r.findSummaries, r.findSharing} {
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
	for _, g := range r.goes {
		places := names(g.versions)
		for _, seq := range g.records {
			places = append(places, fmt.Sprintf("record %d", seq))
		}
		if len(places) < 2 || req.Everywhere {
			continue
		}
		what := "versions"
		if len(g.records) > 0 {
			what = "versions and records"
		}
		return brenner.Errorf(brenner.CodeRedactsMore, "%d %s have these bytes and would lose them: %s; %d rest on them",
			len(places), what, kernel.FirstFew(places), r.out.Resting).
			WithHint("look at them first; then say that it is to go everywhere").WithDetails(r.out)
	}
	return nil
}

// checkReason refuses a reason that says what is to go: it would stay in the journal
// with it, or go too.
func (r *redaction) checkReason(reason string) error {
	for _, g := range r.goes {
		text := strings.TrimSpace(g.text)
		if text != "" && (strings.TrimSpace(reason) == text || len(text) >= shortestFound && strings.Contains(reason, text)) {
			return brenner.Errorf(brenner.CodeInvalidValue, "the reason says what is to go, and would keep it in the journal").
				At("/reason").WithHint("say why in other words")
		}
	}
	return nil
}

// carryOut writes that it is gone, and takes it out of the tables: once, however
// much goes.
func (r *redaction) carryOut(ch *kernel.Change, reason string) (api.RedactResult, error) {
	said := false
	for _, g := range r.goes {
		said = said || len(g.records) > 0
		for _, d := range append(g.along, g.digest) {
			seq, err := ledger.ContentRedacted.Append(ch, ledger.Redacted{Digest: d, Reason: reason, Versions: kernel.OrEmpty(g.versions), Records: g.records})
			if err != nil {
				return api.RedactResult{}, err
			}
			r.out.Seq = seq
		}
	}
	if !said {
		return r.out, nil
	}
	return r.out, ch.Rebuild(func(journal.Record) error { return ch.Ctx.Err() })
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
		g := r.by[v.Content]
		if g == nil {
			return nil
		}
		g.versions = append(g.versions, v.Ref())
		r.out.Versions = append(r.out.Versions, v.Ref())
		if v.Status == artifact.Canonical {
			r.out.InForce = append(r.out.InForce, v.Ref())
		}
		return nil
	})
}

// findClosed finds the roles whose policy goes (J7): where no other version of
// the artifact says whose it was, it may have been anybody's.
func (r *redaction) findClosed() error {
	for _, ref := range r.out.InForce {
		a, err := r.Artifact(r.Ctx, ref.Artifact)
		if err != nil {
			return err
		}
		if a.Type != artifact.TypeRolePolicy {
			continue
		}
		goes := func(d brenner.Digest) bool { return r.by[d] != nil }
		role, err := kernel.RoleOfPolicy(r.Ctx, r.Reader, a.ID, goes)
		if err != nil {
			return err
		}
		if role != "" {
			r.out.Closes = append(r.out.Closes, role)
			continue
		}
		r.out.Closes = slices.Sorted(maps.Keys(r.Settings.Policies))
		break
	}
	r.out.Closes = slices.DeleteFunc(r.out.Closes, func(role brenner.Role) bool { return role == brenner.PI })
	return nil
}

// findTexts finds the records that say it, older ones that hold it inline, and
// what was taken out of it. Redaction is rare: it reads the whole journal.
func (r *redaction) findTexts() error {
	var inline [][]byte // as they stand in a record that holds them
	for _, g := range r.goes {
		if quoted := canon.MustMarshal(g.text); len(quoted) > 2 {
			inline = append(inline, quoted[1:len(quoted)-1])
		}
	}
	return journal.Each(r.Ctx, r.Reader, 0, func(row store.Record) error {
		if err := r.findTakenOut(row); err != nil {
			return err
		}
		named := slices.ContainsFunc(r.goes, func(g *going) bool { return bytes.Contains(row.Data, []byte(g.digest)) })
		held := slices.IndexFunc(inline, func(text []byte) bool { return bytes.Contains(row.Data, text) })
		if !named && held < 0 {
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
			if g := r.by[q.Digest]; g != nil && !q.Inline {
				r.out.Texts = append(r.out.Texts, api.RecordText{Record: rec.Seq, Kind: rec.Kind, Member: memberOf(q)})
				g.saidBy(rec.Seq, quotes)
			}
		}
		if held >= 0 && !rec.Texts {
			r.out.Inline = append(r.out.Inline, api.RecordText{Record: rec.Seq, Kind: rec.Kind, Member: inlineIn(rec, inline[held])})
		}
		return nil
	})
}

// findTakenOut finds the contents that were taken out of those that go, as the
// deltas of a reply are: they go too, and no compile takes them in any more.
func (r *redaction) findTakenOut(row store.Record) error {
	ref, taken, err := r.kinds.TakenOut(row)
	i := slices.IndexFunc(r.goes, func(g *going) bool { return slices.Contains(g.versions, ref) })
	if err != nil || i < 0 {
		return err
	}
	for _, d := range taken {
		if r.by[d] == nil {
			r.goes[i].along, r.by[d] = append(r.goes[i].along, d), r.goes[i]
			r.out.Also = append(r.out.Also, d)
		}
	}
	return nil
}

// findShared keeps of what was taken out of those that go the contents that other
// versions have, as evidence may be: they are more than a part of what goes.
func (r *redaction) findShared() error {
	if len(r.out.Also) == 0 {
		return nil
	}
	return r.Each(r.Ctx, store.TableVersions, func(row any) error {
		v := row.(store.Version)
		g := r.by[v.Content]
		if g == nil || !slices.Contains(g.along, v.Content) {
			return nil
		}
		same := func(d brenner.Digest) bool { return d == v.Content }
		g.along, r.out.Also = slices.DeleteFunc(g.along, same), slices.DeleteFunc(r.out.Also, same)
		delete(r.by, v.Content)
		return nil
	})
}

// saidBy notes a record that says it, and what is made of the words of a lesson:
// its vector.
func (g *going) saidBy(seq int64, quotes []kernel.Quote) {
	if len(g.records) == 0 || g.records[len(g.records)-1] != seq {
		g.records = append(g.records, seq)
	}
	for _, q := range quotes {
		if q.At == "/vector" && q.Digest != g.digest && !slices.Contains(g.along, q.Digest) {
			g.along = append(g.along, q.Digest)
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
	var words [][]byte
	for _, g := range r.goes {
		if text := strings.TrimSpace(g.text); len(text) >= shortestFound {
			words = append(words, []byte(text))
		}
	}
	if len(words) == 0 {
		return nil
	}
	err := r.EachBlob(r.Ctx, func(d brenner.Digest, data []byte) error {
		if r.by[d] == nil && slices.ContainsFunc(words, func(w []byte) bool { return bytes.Contains(data, w) }) {
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

// findSummaries finds the versions of what goes whose summary says some of it: one is
// often the first line of the content.
func (r *redaction) findSummaries() error {
	for _, g := range r.goes {
		if len(g.versions) == 0 {
			continue
		}
		versions, err := r.VersionsOf(r.Ctx, g.versions)
		if err != nil {
			return err
		}
		content, err := r.Blob(r.Ctx, g.digest)
		if errors.Is(err, brenner.CodeRedacted) {
			continue
		}
		if err != nil {
			return err
		}
		for _, v := range versions {
			said := strings.TrimSpace(strings.TrimSuffix(v.Summary, "…"))
			if len(said) >= shortestFound && r.by[canon.Sum([]byte(v.Summary))] == nil && bytes.Contains(content, []byte(said)) {
				r.out.Summaries = append(r.out.Summaries, v.Ref())
			}
		}
	}
	return nil
}

// shortestFound is the shortest text that others are searched for.
const shortestFound = 4

var errEnough = errors.New("enough was found")

// findSharing finds the other versions of the same artifacts that have passages of what
// goes: what leaked into one version mostly stands in those before and after it.
func (r *redaction) findSharing() error {
	for _, g := range r.goes {
		if len(g.versions) == 0 {
			continue
		}
		content, err := r.Blob(r.Ctx, g.digest)
		if errors.Is(err, brenner.CodeRedacted) {
			continue
		}
		if err != nil {
			return err
		}
		known, passages := map[brenner.Digest]bool{}, map[string]bool{}
		eachPassage(content, func(said string) bool { passages[said] = true; return true })
		for _, id := range artifactsOf(g.versions) {
			versions, err := ledger.AllVersions(r.Call, id)
			if err != nil {
				return err
			}
			for _, v := range versions {
				if r.by[v.Content] != nil {
					continue
				}
				shares, looked := known[v.Content]
				if !looked {
					other, err := r.Blob(r.Ctx, v.Content)
					if err != nil && !errors.Is(err, brenner.CodeRedacted) {
						return err
					}
					eachPassage(other, func(said string) bool { shares = passages[said]; return !shares })
					known[v.Content] = shares
				}
				if shares && !slices.Contains(r.out.Sharing, v.Ref()) {
					r.out.Sharing = append(r.out.Sharing, v.Ref())
				}
			}
		}
	}
	return nil
}

// shortestPassage is the shortest line that is looked for in other versions.
const shortestPassage = 8

// eachPassage visits the lines of a content, of JSON those of its texts, that are long
// enough to be known again, until fn says stop.
func eachPassage(content []byte, fn func(string) bool) {
	lines := func(text string) bool {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= shortestPassage && !fn(line) {
				return false
			}
		}
		return true
	}
	if !jsontext.Value(content).IsValid() {
		lines(string(content))
		return
	}
	dec := jsontext.NewDecoder(bytes.NewReader(content))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return
		}
		in, n := dec.StackIndex(dec.StackDepth())
		name := in == '{' && n%2 == 1
		if tok.Kind() == '"' && !name && !lines(tok.String()) {
			return
		}
	}
}

// artifactsOf lists the artifacts of some versions, each once.
func artifactsOf(refs []brenner.Ref) []brenner.ArtifactID {
	var out []brenner.ArtifactID
	for _, ref := range refs {
		if !slices.Contains(out, ref.Artifact) {
			out = append(out, ref.Artifact)
		}
	}
	return out
}
