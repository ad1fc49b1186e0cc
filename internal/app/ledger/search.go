package ledger

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/retrieval"
)

const (
	// snippetBytes is about how long the passage of a hit is.
	snippetBytes = 160
	// siftedAtOnce is how many hits are held against conditions at a time, and
	// maxSifted how many at most.
	siftedAtOnce = 64
	maxSifted    = 4096
	// maxSince is how long ago a search looks back to at most; a day says more.
	maxSince = 10 * 365 * day
	day      = 24 * time.Hour
)

// searchKeys are the conditions that can be written among the words.
// They go by the names of the arguments too.
var searchKeys = []string{"type", "types", "module", "modules", "state", "status", "statuses", "tag", "author", "since"}

// SearchArtifacts implements api.Artifacts.
func (s *Service) SearchArtifacts(ctx context.Context, req api.SearchArtifactsRequest) (api.SearchResult, error) {
	return kernel.Read(ctx, s.caller.For(req.Task), "search", nil, kernel.ItemByItem(), func(c *kernel.Call) (api.SearchResult, error) {
		q, err := newSearch(c, req)
		if err != nil {
			return api.SearchResult{}, err
		}
		if err := c.KnownModules(q.Modules); err != nil {
			return api.SearchResult{}, q.among(err, "module")
		}
		modules, none := c.InScope(q.Modules)
		if none {
			return api.SearchResult{Items: []api.SearchHit{}, Elsewhere: c.OutOfScope()}, nil
		}
		q.Modules = modules
		out, err := q.run()
		for i := range out.Items {
			if h := &out.Items[i]; err == nil && h.Type == artifact.TypeStalemate {
				h.Stands, err = s.Disputes.Stands(c, h.ID)
			}
		}
		return out, err
	})
}

// search is a search under way.
type search struct {
	*kernel.Call
	api.SearchArtifactsRequest
	asked retrieval.Asked
	since time.Time
	limit int
	// filtered says that there are conditions, be there words or not.
	filtered bool
	may      map[store.Kind]bool
	// spelled are the words that were read as others.
	spelled []retrieval.Spelled
}

// newSearch takes apart what is asked for.
func newSearch(c *kernel.Call, req api.SearchArtifactsRequest) (*search, error) {
	s := &search{Call: c, SearchArtifactsRequest: req, may: map[store.Kind]bool{}}
	var err error
	if s.limit, err = kernel.PageSize(req.Limit); err != nil {
		return nil, err
	}
	if err := kernel.CheckText(req.Text); err != nil {
		return nil, err
	}
	s.asked = retrieval.Ask(req.Text, searchKeys...)
	if common := s.asked.Common; s.asked.Empty() && common != "" {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "nothing is looked for but what nearly every text has: %s", brenner.Clip(common, 60)).At("/text").
			WithHint("add a word that fewer texts have; in a phrase beside one, a common word counts")
	}
	s.Types, s.Modules, s.Statuses = slices.Clone(req.Types), slices.Clone(req.Modules), slices.Clone(req.Statuses)
	for _, f := range s.asked.Filters {
		switch f.Key {
		case "type", "types":
			s.Types = append(s.Types, brenner.TypeName(f.Value))
		case "module", "modules":
			s.Modules = append(s.Modules, brenner.Module(f.Value))
		case "state", "status", "statuses":
			s.Statuses = append(s.Statuses, artifact.Status(f.Value))
		case "tag":
			s.Tag = f.Value
		case "author":
			s.Author = brenner.ActorName(f.Value)
		case "since":
			s.Since = f.Value
		}
	}
	s.filtered = len(s.Types)+len(s.Modules)+len(s.Statuses) > 0 || s.Tag != "" || s.Author != "" || s.Since != ""
	if err := c.KnownActor(s.Author, "/author"); err != nil {
		return nil, err
	}
	if s.Types, err = readableTypes(c, s.Types); err != nil {
		return nil, s.among(err, "type")
	}
	if err := checkStatuses(s.Statuses); err != nil {
		return nil, err
	}
	s.since, err = sinceWhen(s.Since, c.Now)
	return s, err
}

// among is a refusal as it reads where the condition stands among the words: there
// it is mended, and another argument beside it changes nothing.
func (s *search) among(err error, key string) error {
	var refused *brenner.Error
	condition := func(f retrieval.Filter) bool { return strings.TrimSuffix(f.Key, "s") == key }
	if !errors.As(err, &refused) || !slices.ContainsFunc(s.asked.Filters, condition) {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(refused.Actions), brenner.Action.Repeats)
	return refused.At("/text").Try(others...)
}

// sinceWhen reads a day, a moment, or how long ago.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	ago, ok := howLong(text)
	switch {
	case !ok || ago < 0:
		return time.Time{}, brenner.Errorf(brenner.CodeInvalidValue, "%.40q is no day, moment or length of time", text).At("/since").
			WithHint("write a day (2026-11-01), a moment (2026-11-01T12:00:00Z), or how long ago (7d, 12h)")
	case ago > maxSince:
		return time.Time{}, brenner.Errorf(brenner.CodeInvalidValue, "%.40q is longer ago than the %d days that a search looks back", text, maxSince/day).At("/since").
			WithHint("write a day (2006-11-01) or a moment for what is older")
	}
	return now.Add(-ago), nil
}

// howLong reads a length of time: a number of days, or what has smaller units. Of
// days that are too many for one it gives one that is too long to look back.
func howLong(text string) (time.Duration, bool) {
	if number, inDays := strings.CutSuffix(text, "d"); inDays {
		days, err := strconv.ParseFloat(number, 64)
		plain := strings.Trim(number, ".0123456789") == ""
		return time.Duration(min(days, float64(maxSince/day+1)) * float64(day)), plain && err == nil
	}
	ago, err := time.ParseDuration(text)
	return ago, err == nil
}

// run ranks, and asks for more hits while too few of them are left. Conditions
// without a word list what meets them.
func (s *search) run() (api.SearchResult, error) {
	out := api.SearchResult{Items: []api.SearchHit{}, Elsewhere: s.OutOfScope()}
	out.AsText, out.Unsearched = s.asked.Unread, s.unsearched()
	find := s.rank
	if s.asked.Empty() {
		if !s.filtered {
			return out, nil
		}
		find = s.newest
	}
	// One more than is shown says that there are more; an artifact is found by two versions.
	for most := 2 * (s.limit + 1); ; most = min(8*most, maxSifted) {
		found, err := find(most)
		if err != nil {
			return out, err
		}
		all := len(found.Hits) < most
		s.spelled = found.Spelled
		hits, err := s.sift(found.Hits)
		if err != nil {
			return out, err
		}
		if len(hits) <= s.limit && !all && most < maxSifted {
			continue
		}
		if len(hits) < s.limit && !all {
			out.Sifted = maxSifted
		}
		if more := len(hits) - s.limit; more > 0 {
			hits, out.More, out.AtLeast = hits[:s.limit], more, !all
		}
		out.Behind = found.Behind
		return s.show(out, hits, found.Spelled)
	}
}

// rank gives what has the words, best first.
func (s *search) rank(most int) (store.Ranking, error) {
	return s.Rank(s.Ctx, store.RankQuery{
		Terms: s.asked.Terms, Prefixes: s.asked.Prefixes, Respell: true, Types: s.Types, Modules: s.Modules,
		Drafts: true, Feedback: true, Own: true, Limit: most,
	})
}

// newest gives what there is, what changed last first: of each artifact the
// versions it is found by, and a head that is out of use if that is asked for.
func (s *search) newest(most int) (store.Ranking, error) {
	statuses := s.Statuses
	if len(statuses) == 0 {
		statuses = slices.DeleteFunc(artifact.Statuses(), func(st artifact.Status) bool { return !st.Live() })
	}
	rows, err := s.Reader.Artifacts(s.Ctx, store.ArtifactQuery{
		Types: s.Types, Modules: s.Modules, Statuses: statuses, Tag: s.Tag, Recent: true, Limit: most,
	})
	var out store.Ranking
	for _, a := range rows {
		found := findable(a)
		if !a.HeadStatus.Live() {
			found = append(found, store.Indexed{Version: a.Head})
		}
		for _, v := range found {
			out.Hits = append(out.Hits, store.RankedHit{Artifact: a, Version: v.Version, Draft: v.Draft})
		}
	}
	return out, err
}

// unsearched are the statuses asked for whose versions are not all looked through:
// the index has the version in force and a live head (findable). Without words the
// heads that are deprecated are listed.
func (s *search) unsearched() []artifact.Status {
	var out []artifact.Status
	for _, st := range s.Statuses {
		listed := st == artifact.Deprecated && s.asked.Empty()
		if (!st.Live() || st == artifact.Alternative) && !listed && !slices.Contains(out, st) {
			out = append(out, st)
		}
	}
	return out
}

// wanted reports whether a version has a status that is asked for; none asked for
// is any that is in use.
func (s *search) wanted(v store.Version) bool {
	if len(s.Statuses) == 0 {
		return v.Status.Live()
	}
	return slices.Contains(s.Statuses, v.Status)
}

// hit is one that is left, with the rows it was judged by.
type hit struct {
	store.RankedHit
	version store.Version
}

// inForceFirst puts, where a draft was found and the version in force too, the
// latter in its place: what stands is shown before what may come.
func inForceFirst(hits []store.RankedHit) []store.RankedHit {
	out := make([]store.RankedHit, 0, len(hits))
	place := make(map[brenner.ArtifactID]int, len(hits))
	for _, h := range hits {
		at, seen := place[h.ID]
		if seen && out[at].Draft && !h.Draft {
			h.Score, out[at].Score = out[at].Score, h.Score
			h, out[at] = out[at], h
		}
		place[h.ID] = len(out)
		out = append(out, h)
	}
	return out
}

// inForceToo puts before each draft that was found without the version in force the latter,
// where that has one of the words too: which of them is shown does not depend on how many
// hits were asked for.
func (s *search) inForceToo(hits []store.RankedHit) ([]store.RankedHit, error) {
	met := make(map[brenner.Ref]bool, len(hits))
	for _, h := range hits {
		met[brenner.Ref{Artifact: h.ID, Version: h.Version}] = true
	}
	var refs []brenner.Ref
	for _, h := range hits {
		if ref := (brenner.Ref{Artifact: h.ID, Version: h.Canonical}); h.Draft && h.Canonical != 0 && !met[ref] {
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return hits, nil
	}
	rows, err := s.VersionsOf(s.Ctx, refs)
	if err != nil {
		return nil, err
	}
	has := map[brenner.ArtifactID][]string{}
	for _, v := range rows {
		err := s.Passing(func() error {
			text, err := s.textOf(v)
			has[v.Artifact] = s.lookedFor(retrieval.Words(v.Summary + "\n" + text))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]store.RankedHit, 0, len(hits)+len(refs))
	for _, h := range hits {
		if words := has[h.ID]; h.Draft && len(words) > 0 {
			force := h
			force.Version, force.Draft, force.Parts = h.Canonical, false, retrieval.Parts{Words: words}
			out = append(out, force)
		}
		out = append(out, h)
	}
	return out, nil
}

// lookedFor keeps of some words those that are looked for, each once.
func (s *search) lookedFor(words []string) []string {
	var out []string
	for _, w := range words {
		is := slices.ContainsFunc(s.asked.Terms, func(t retrieval.Term) bool { return t.Word == w }) ||
			slices.ContainsFunc(s.asked.Prefixes, func(p string) bool { return strings.HasPrefix(w, p) }) ||
			slices.ContainsFunc(s.spelled, func(r retrieval.Spelled) bool { return slices.Contains(r.As, w) })
		if is && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// sift keeps the hits that meet the conditions, the best first, one of an artifact.
func (s *search) sift(hits []store.RankedHit) ([]hit, error) {
	var out []hit
	seen := map[brenner.ArtifactID]bool{}
	hits = inForceFirst(hits)
	hits = slices.DeleteFunc(hits, func(h store.RankedHit) bool {
		return !s.readable(h.Artifact) || !chosen(h.Artifact, s.Statuses, s.Tag) || !s.mayHavePhrases(h.Parts.Words)
	})
	hits, err := s.inForceToo(hits)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(hits, siftedAtOnce) {
		refs := make([]brenner.Ref, len(some))
		for i, h := range some {
			refs[i] = brenner.Ref{Artifact: h.ID, Version: h.Version}
		}
		rows, err := s.VersionsOf(s.Ctx, refs)
		if err != nil {
			return nil, err
		}
		versions := make(map[brenner.Ref]store.Version, len(rows))
		for _, v := range rows {
			versions[v.Ref()] = v
		}
		for i, h := range some {
			v := versions[refs[i]]
			if seen[h.ID] || !s.wanted(v) || s.Author != "" && v.Creator != s.Author || v.Created.Before(s.since) {
				continue
			}
			fits, err := s.hasPhrases(v)
			if err != nil {
				return nil, err
			}
			if !fits {
				continue
			}
			seen[h.ID] = true
			out = append(out, hit{h, v})
		}
	}
	return out, nil
}

// readable reports whether the caller may be shown words of an artifact.
func (s *search) readable(a store.Artifact) bool {
	kind := store.Kind{Module: a.Module, Type: a.Type}
	may, asked := s.may[kind]
	if !asked {
		may = s.May(policy.Read, a.Type, a.Module)
		s.may[kind] = may
	}
	return may
}

// mayHavePhrases reports whether a text that has these words may have the
// phrases.
func (s *search) mayHavePhrases(words []string) bool {
	if len(s.asked.Terms) > brenner.MaxSearchWords {
		return true // not all of them were looked for
	}
	for _, p := range s.asked.Phrases {
		for _, w := range retrieval.Words(p) {
			if !slices.Contains(words, w) {
				return false
			}
		}
	}
	return true
}

// hasPhrases reports whether every phrase stands in a version.
func (s *search) hasPhrases(v store.Version) (bool, error) {
	if len(s.asked.Phrases) == 0 {
		return true, nil
	}
	fits := true
	err := s.Passing(func() error {
		text, err := s.textOf(v)
		if err != nil {
			return err
		}
		summary, text := retrieval.Plain(v.Summary), retrieval.Plain(text)
		for _, p := range s.asked.Phrases {
			fits = fits && (retrieval.HasPhrase(summary, p) || retrieval.HasPhrase(text, p))
		}
		return nil
	})
	return fits, err
}

// textOf is what a version says besides its summary; nothing where that was
// redacted.
func (s *search) textOf(v store.Version) (string, error) {
	data, err := s.Blob(s.Ctx, v.Content)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return "", nil
	}
	return v.Document(data).Text, err
}

// inSession gives the text of the document of a session that shows the words
// best: what stands in it, or else what was killed or replaced; and says of the
// words that stand nowhere in it where they are (D7).
func (s *search) inSession(h hit, text string) (best, remark string, err error) {
	data, err := s.Blob(s.Ctx, h.version.Content)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return text, "", nil
	}
	if err != nil {
		return "", "", err
	}
	doc, err := delta.ReadArtifact(data)
	if err != nil {
		return text, "", nil //nolint:nilerr // what was written by hand has no items: it is shown as it is
	}
	stands, gone := doc.Standing()
	lives := retrieval.Words(stands + "\n" + h.version.Summary)
	var remarks, shown []string
	for _, w := range h.Parts.Words {
		if slices.Contains(lives, w) {
			continue
		}
		for _, g := range gone {
			if cut := retrieval.Excerpt(g.Text, []string{w}, 1); len(cut.Marked) > 0 {
				remarks = append(remarks, strconv.Quote(cut.Marked[0])+" "+g.Words())
				shown = append(shown, g.Text)
				break
			}
		}
	}
	remark = strings.Join(remarks, ", ")
	if slices.ContainsFunc(h.Parts.Words, func(w string) bool { return slices.Contains(lives, w) }) {
		return stands, remark, nil
	}
	if len(shown) > 0 {
		return strings.Join(shown, "\n"), remark, nil
	}
	return text, remark, nil
}

// show gives hits as they are listed: with the passage that has the words.
func (s *search) show(out api.SearchResult, hits []hit, spelled []retrieval.Spelled) (api.SearchResult, error) {
	read := map[string]string{} // words that no text has, and how what they were read as is written
	found := make([]store.Version, len(hits))
	for i, h := range hits {
		found[i] = h.version
	}
	gone, err := redactedOf(s.Call, found)
	if err != nil {
		return out, err
	}
	for _, h := range hits {
		one := api.SearchHit{ArtifactItem: itemOf(h.Artifact), Found: h.Version, Draft: h.Draft, Score: h.Score}
		one.Summary, one.Status = h.version.Summary, h.version.Status
		err := s.Passing(func() error {
			text, err := s.textOf(h.version)
			if err != nil {
				return err
			}
			one.Redacted = gone[h.version.Content]
			if h.Artifact.Type == artifact.TypeSessionArtifact {
				if text, one.Stands, err = s.inSession(h, text); err != nil {
					return err
				}
			}
			if shown := retrieval.Words(one.Summary); slices.ContainsFunc(h.Parts.Words, func(w string) bool { return !slices.Contains(shown, w) }) {
				cut := retrieval.Excerpt(text, h.Parts.Words, snippetBytes)
				one.Snippet, one.Marked = cut.Text, cut.Marked
			}
			for _, w := range spelled {
				if cut := retrieval.Excerpt(h.version.Summary+"\n"+text, w.As, 1); read[w.Word] == "" && len(cut.Marked) > 0 {
					read[w.Word] = strings.ToLower(cut.Marked[0])
				}
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		if h.Artifact.Head > h.Version && h.Artifact.Head != h.Artifact.Canonical && h.Artifact.HeadStatus.Live() {
			one.Newer = h.Artifact.Head
		}
		out.Items = append(out.Items, one)
	}
	refs := make([]brenner.Ref, len(out.Items))
	for i, h := range out.Items {
		refs[i] = h.Ref()
	}
	befell, err := Befell(s.Call, refs)
	if err != nil {
		return out, err
	}
	for i := range out.Items {
		for _, b := range befell[refs[i]] {
			b.Says = "" // a search is charged for what it found
			out.Items[i].Befell = append(out.Items[i].Befell, b)
		}
	}
	// Only what a hit says is told of the words of the index: others may be of
	// what the caller may not read (C33).
	for _, w := range spelled {
		if as := read[w.Word]; as != "" {
			written := retrieval.Excerpt(s.Text, []string{w.Word}, 1).Marked
			if len(written) > 0 {
				out.Spelled = append(out.Spelled, api.Spelled{Word: written[0], As: as})
			}
		}
	}
	return out, nil
}
