package delta_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/answers"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// readingInWords is everything that is made of a reply: what is refused and why,
// what is mended and how, and what a merge makes of that.
func readingInWords(slate *delta.Artifact, reply []byte) string {
	x, err := delta.ReadDeltas(reply, replyEnvelope)
	if err != nil {
		return answers.Text(err)
	}
	var out strings.Builder
	list := func(title string, all []delta.Entry) {
		for i := range all {
			e := &all[i]
			fmt.Fprintf(&out, "%s %s %s", title, answers.Text(e.Delta), e.Message)
			if e.Invalid != nil {
				fmt.Fprintf(&out, " %s", answers.Text(error(e.Invalid)))
			}
			out.WriteByte('\n')
		}
	}
	list("read", x.Entries)
	for _, m := range x.Misses {
		fmt.Fprintf(&out, "missed %s\n", answers.Text(m))
	}
	for _, m := range x.Ignored {
		fmt.Fprintf(&out, "ignored %s\n", answers.Text(m))
	}
	mended := x.OnlyMended()
	list("mended", mended.Entries)
	accepted := x.AcceptMended()
	fmt.Fprintf(&out, "usable %d, then %d, missed then %d\n", x.Usable(), accepted.Usable(), len(accepted.Misses))
	r := delta.Merge(slate, accepted.Entries, delta.Options{})
	fmt.Fprintf(&out, "merged %s, warnings %s\n", answers.Text(r.Outcomes), answers.Text(r.Warnings))
	found, err := delta.LintDeltas(reply, replyEnvelope)
	fmt.Fprintf(&out, "found %s %v", answers.Text(found), err)
	return out.String()
}

// every gives each kind of slip and the replies that it makes of a delta.
func every(each func(kind, raw string, reply []byte)) {
	for _, s := range slices.Concat(slips(), heldOut()) {
		rng := rand.New(rand.NewPCG(7, uint64(len(s.name))))
		for _, raw := range meant {
			if reply, ok := s.write(raw, rng); ok {
				each(s.name, raw, reply)
			}
		}
	}
	for _, s := range laterHeldOut() {
		for _, raw := range meant {
			for _, reply := range s.replies(raw) {
				each(s.name, raw, []byte(reply))
			}
		}
	}
	for _, s := range lastHeldOut() {
		for _, r := range s.replies {
			each(s.name, r.want, []byte(r.reply))
		}
	}
}

// D20. What is made of every kind of slip: what is read, refused, ignored and
// mended, in which words, and what a merge makes of it.
func TestExtract_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/replies.golden", 1)
	slate := mergeAll(t, nil, hypotheses(3)...).Artifact
	for _, escape := range []string{
		`\u00e9`, `\u00e9x`, `\u00E9\u00e9`, `\ud83d\ude00`, `\ud83d\ude00x`, `\ud83d`, `\ud83dx`, `\ud83d\u0041`, `\ude00`, `\u00`, `\u00g0`, `\u`, `\u{1F600}`, `\u{110000}`, `\u{`, `\U0001F600`, `\U0001`, `\x41`, `\x4`, `\x`,
		`\101`, `\0`, `\'`, `\"`, `\\`, `\n\t\r\b\f\v\a`, `\/`, `\ `, `\\u00e9`, `\alpha`, `\N{DASH}`, `&eacute;`, `&#233;`, `&#xE9;`, `&#x110000;`, `&amp;quot;`, `&lt;b&gt;`, "\u2028", "\x01", "\t", "“a” ‘b’", "''", "' '", strings.Repeat("[{", 200),
	} {
		for _, quote := range []string{`"`, `'`, "`"} {
			reply := fenced(`{operation: "EDIT", 'target_id': "H1", "section": "hypothesis_slate", "payload": {"claim": ` + quote + "caf" + escape + quote + ` , mechanism: ` + quote + escape + quote + `}, "rationale": "r",}`)
			book.Note("an escape between "+quote, string(reply), readingInWords(slate, reply))
		}
	}
	n := map[string]int{}
	every(func(kind, _ string, reply []byte) {
		if n[kind]++; n[kind] <= 4 {
			book.Note(kind, string(reply), readingInWords(slate, reply))
		}
	})
	book.Check(t)
}

// D20. What is made of replies in which one thing more is wrong.
func TestExtract_AnswersToTyposAsBefore(t *testing.T) {
	book := answers.New("testdata/typos.golden", 1)
	slate := mergeAll(t, nil, hypotheses(3)...).Artifact
	rng := rand.New(rand.NewPCG(8, 8))
	n := 0
	every(func(_, _ string, reply []byte) {
		if n++; n%2 != 0 || len(reply) < 40 {
			return
		}
		typo := answers.Typos[rng.IntN(len(answers.Typos))]
		wrong := typo.Make(rng, string(reply))
		book.Note(typo.Name, wrong, readingInWords(slate, []byte(wrong)))
	})
	book.Check(t)
}

// drawn is one case of a generator, always the same for a number.
func drawn[V any](number int, draw func(*rapid.T) V) V {
	return rapid.Custom(draw).Example(number)
}

type drawnCase struct {
	batches [][]delta.Entry
	opts    delta.Options
}

// artifacts gives the artifacts of random merges, each with the one before it and
// what the merge said.
func artifacts(n int, each func(name string, from *delta.Artifact, batch []delta.Entry, r delta.Result)) {
	for i := range n {
		c := drawn(i, func(rt *rapid.T) drawnCase {
			g := &caseGen{T: rt}
			batches := make([][]delta.Entry, 3)
			for i := range batches {
				batches[i] = make([]delta.Entry, 6)
				for j := range batches[i] {
					batches[i][j] = g.entry()
				}
			}
			return drawnCase{batches, g.options()}
		})
		var base *delta.Artifact
		var carried []delta.Entry
		for j, batch := range c.batches {
			batch = slices.Concat(batch, carried)
			r := delta.Merge(base, batch, c.opts)
			each(fmt.Sprintf("case %d.%d\n%s", i, j, dump(batch)), base, batch, r)
			base, carried = r.Artifact, waiting(r, batch)
		}
	}
}

// asked are the questions that can be put to a merge and its artifact.
var asked = []struct {
	name string
	ask  func(from *delta.Artifact, batch []delta.Entry, r delta.Result) string
}{
	{"outcomes", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string { return answers.Lines(r.Outcomes) }},
	{"warnings", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string { return answers.Lines(r.Warnings) }},
	{"to their authors", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string { return answers.Text(r.About) }},
	{"findings", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		return answers.Lines(delta.Lint(r.Artifact))
	}},
	{"document", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string { return delta.Render(r.Artifact) }},
	{"plain", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string { return delta.RenderPlain(r.Artifact) }},
	{"JSON", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		return string(canon.MustMarshal(r.Artifact))
	}},
	{"comparison", func(from *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		if from == nil {
			return ""
		}
		return answers.Text(delta.Compare(from, r.Artifact)) + "\n" + answers.Text(delta.Compare(r.Artifact, from)) + answers.Text(delta.ContributorsSince(from, r.Artifact))
	}},
	{"changes", func(from *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		if from == nil {
			return "" // there is nothing that it could have changed since
		}
		part := delta.Part{Since: from}
		return answers.Lines(delta.Changes(r.Artifact, part)) + delta.RenderPart(r.Artifact, part)
	}},
	{"a part", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		part := delta.Part{Sections: []delta.Section{delta.HypothesisSlate, delta.PredictionsTable}, Items: []delta.ItemID{"H1", "P1", "X1"}}
		return delta.RenderPart(r.Artifact, part) + answers.Lines(delta.Passages(r.Artifact, part))
	}},
	{"brief", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		return answers.Lines(delta.Brief(r.Artifact, nil, delta.Part{}))
	}},
	{"note", func(_ *delta.Artifact, batch []delta.Entry, r delta.Result) string {
		what, why := delta.ChangeNote(batch, r)
		return delta.Summary(r.Artifact) + "\n" + what + "\n" + why
	}},
	{"names", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		return answers.Text(r.Artifact.NamesIn("see new-H0, Ann:new-H1 and Bob:new-X0; new-P1. xnew-H2 new-H2x"))
	}},
	{"items", func(from *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		var out strings.Builder
		for _, s := range delta.Sections() {
			for _, it := range r.Artifact.Items(s) {
				sole, only := it.Sole()
				fmt.Fprintf(&out, "%s %s by %v, killed %s, score %v, refers %s, sole %t %s", it.ID(), it.Section(), it.Authors(), answers.Text(it.Killed()), it.Score(), answers.Text(it.References()), only, answers.Text(sole))
				if from != nil {
					fmt.Fprintf(&out, ", since %v", it.AuthorsSince(from))
				}
				for _, f := range []string{"claim", "name", "labels", "predictions", "conflicts_with", "expected_outcomes", "score", "third_alternative"} {
					fmt.Fprintf(&out, "\n  %s %q %t %q %v %s", f, it.Text(f), it.Flag(f), it.List(f), it.Pairs(f), answers.Text(it.History(f)))
				}
				if p, ok := r.Artifact.Passage(it.ID()); ok {
					fmt.Fprintf(&out, "\n  %s", answers.Text(p))
				}
				if s == delta.PredictionsTable {
					for _, h := range []string{"H1", "H2", "H9"} {
						fmt.Fprintf(&out, "\n  %s %q", h, r.Artifact.Prediction(it, h))
					}
				}
				out.WriteByte('\n')
			}
		}
		return out.String()
	}},
	{"conflicts", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		var out strings.Builder
		all := r.Artifact.Conflicts()
		for i := range all {
			c := &all[i]
			fmt.Fprintln(&out, c.Name(), answers.Text(*c))
			for _, d := range []delta.Resolution{
				{Take: string(c.Candidates[0].Agent)},
				{Take: c.Candidates[len(c.Candidates)-1].DeltaID},
				{Take: "nobody"},
				{Value: jsontext.Value(`"decided"`)},
				{Value: jsontext.Value(`{`)},
				{Value: jsontext.Value(`7`)},
				{Take: "Ann", Value: jsontext.Value(`"both"`)},
				{},
			} {
				d.Item, d.Field, d.By, d.Now, d.DeltaID, d.Rationale = c.Item, c.Name(), "Pi", time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC), "decision", "so"
				e, err := r.Artifact.Resolve(d)
				if err != nil {
					fmt.Fprintln(&out, " ", answers.Text(err))
					continue
				}
				decided := delta.Merge(r.Artifact, []delta.Entry{e}, delta.Options{})
				fmt.Fprintln(&out, " ", answers.Text(e.Delta), delta.FormatInstant(e.Received), answers.Text(decided.Outcomes), len(decided.Artifact.Conflicts()))
			}
		}
		_, err := r.Artifact.Resolve(delta.Resolution{Item: "H1", Field: "nothing", Take: "Ann", By: "Pi", DeltaID: "x"})
		return out.String() + answers.Text(err)
	}},
	{"read back", func(_ *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		a, err := delta.ReadDocument([]byte(delta.Render(r.Artifact)), importer)
		if err != nil {
			return answers.Text(err)
		}
		return string(canon.MustMarshal(a))
	}},
	{"references", func(from *delta.Artifact, _ []delta.Entry, r delta.Result) string {
		return answers.Lines(delta.CheckReferences(r.Artifact, func(brenner.SessionID) *delta.Artifact { return from }))
	}},
}

// D2, D3, D9, D10, D15, D16, D19. What random merges give, and everything that
// can be asked of the artifact.
func TestMerge_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/merges.golden", 4)
	artifacts(40, func(name string, from *delta.Artifact, batch []delta.Entry, r delta.Result) {
		for _, q := range asked {
			book.Note(q.name, name, q.ask(from, batch, r))
		}
	})
	for _, a := range []*delta.Artifact{seedBase(t), everything(t)} {
		batch := entries(t, seedExample1, seedExample2, seedExample3)
		r := delta.Merge(a, batch, delta.Options{Contributors: []brenner.ActorName{"RedCreek", "GreenDog"}})
		for _, q := range asked {
			book.Note(q.name+" of the specification's examples", q.name, q.ask(a, batch, r))
		}
	}
	book.Check(t)
}

// D19. What a document is read as in which something was changed by hand, or why
// it is refused.
func TestReadDocument_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/documents.golden", 2)
	rng := rand.New(rand.NewPCG(9, 9))
	n := 0
	change := func(doc string) {
		for range 8 {
			typo := answers.Typos[rng.IntN(len(answers.Typos))]
			text := typo.Make(rng, doc)
			a, err := delta.ReadDocument([]byte(text), importer)
			book.Note(typo.Name, text, answers.Or(a, err))
		}
	}
	artifacts(12, func(_ string, _ *delta.Artifact, _ []delta.Entry, r delta.Result) {
		if n++; n%2 == 0 {
			change(delta.Render(r.Artifact))
		}
	})
	for range 12 {
		change(delta.Render(everything(t)))
		change(delta.Render(seedBase(t)))
	}
	book.Check(t)
}

// D18. What is said of the JSON of an artifact in which something was changed.
func TestLintJSON_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/changed.golden", 1)
	raws := []string{string(canon.MustMarshal(everything(t))), string(seedJSON(t))}
	rng := rand.New(rand.NewPCG(10, 10))
	for range 60 {
		for i, raw := range raws {
			typo := answers.Typos[rng.IntN(len(answers.Typos))]
			wrong := typo.Make(rng, raw)
			book.Note(typo.Name, wrong, answers.Lines(delta.LintJSON([]byte(wrong))))
			others := []any{nil, true, 1.5, -1.0, "", "x", []any{}, map[string]any{}, "H1", "2026-01-01T00:00:00Z", "line\nline"}
			changed := answers.Replaced(rng, raw, others[rng.IntN(len(others))])
			book.Note(fmt.Sprintf("a value changed, %d", i+1), changed, answers.Lines(delta.LintJSON([]byte(changed))))
		}
	}
	book.Check(t)
}
