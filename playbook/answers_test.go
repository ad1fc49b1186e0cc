package playbook

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/answers"
)

// learntSentences are lessons near enough to each other to be compared.
var learntSentences = []string{
	"Run the linter before committing.", "Run the linter prior to committing.", "Run the linter after committing.", "Never run the linter before committing.",
	"Retry at most 3 times.", "Retry at most 5 times.", "Retry no more than three times.", "Wait 90 seconds before retrying.", "Wait 1.5 minutes before retrying.",
	"Only the integrator may merge.", "The integrator may merge.", "Everybody may merge.",
}

// B2, B3, B6, B7, B9, C36. What becomes of a book under any acts: what is learnt and
// folded, what rises and falls, what is refused and why, what is listed.
func TestBook_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/answers.golden", 4)
	r := rand.New(rand.NewPCG(61, 61))
	for range 40 {
		d := newDesk(t, Settings{})
		var steps strings.Builder
		note := func(kind string, what any, err error) {
			fmt.Fprintf(&steps, "%s\n", kind)
			book.Note(kind, steps.String(), answers.Or(what, err))
		}
		id := func() BulletID { return BulletID(fmt.Sprintf("prompts.%d", 1+r.IntN(d.book.Len()+1))) }
		for range 30 {
			who := []Actor{agent, {Name: "gemini"}, {Name: "claude"}, reviewer, person}[r.IntN(5)]
			act := d.act(who)
			act.Occasion = []string{"", "t-1", "t-2"}[r.IntN(3)]
			act.Context = []string{"", "i-1", "i-2"}[r.IntN(3)]
			if r.IntN(6) == 0 {
				act.Reason = ""
			}
			keep := func(kind string, c Change, err error) {
				note(kind, c, err)
				if err == nil {
					d.did(c, nil)
				}
			}
			switch r.IntN(11) {
			case 0:
				c, err := d.book.Promote(act)
				keep("a pass", c, err)
			case 1:
				c, err := d.book.Feedback(id(), Sections[r.IntN(len(Sections))], r.IntN(4) > 0, act)
				keep("feedback", c, err)
			case 2:
				c, err := d.book.Release(id(), act)
				keep("a release", c, err)
			case 3:
				if len(d.journal) > 0 {
					u := d.journal[r.IntN(len(d.journal))]
					c, err := d.book.Undo(u.Ref(), d.records(u.Touches()...), act)
					keep("an undo", c, err)
				}
			case 4:
				c, err := d.book.Same(id(), id(), act)
				keep("two are the same", c, err)
			case 5:
				in := Insight{Section: Sections[r.IntN(len(Sections))], Content: learntSentences[r.IntN(len(learntSentences))], Confidence: 0.8, Vector: at(math.Cos(float64(r.IntN(8)) / 5))}
				c, err := d.book.Amend(id(), in, CurateOptions{Act: act, Embedding: Explicit(2)})
				keep("an amendment", c, err)
			case 6:
				c, err := d.book.Approve(id(), act)
				keep("an approval", c, err)
			case 7:
				if r.IntN(3) == 0 {
					c, err := d.book.Reject(id(), act)
					keep("a rejection", c, err)
				}
				c, err := d.book.ForceStage(id(), []Stage{Shadow, Staging, Prod, Quarantined, Retired, "moon"}[r.IntN(6)], act)
				keep("a stage by force", c, err)
			default:
				var batch []Insight
				for range 1 + r.IntN(4) {
					batch = append(batch, Insight{
						Section: Sections[r.IntN(len(Sections))], Content: learntSentences[r.IntN(len(learntSentences))],
						Confidence: []float64{0.5, 0.69, 0.7, 0.9}[r.IntN(4)], Vector: at(math.Cos(float64(r.IntN(20)) / 12)), Tags: []string{"a", "b"}[:r.IntN(3)],
					})
				}
				o := CurateOptions{Act: act, Embedding: Explicit(2), Guard: Guard{Off: r.IntN(4) == 0}}
				c, err := d.book.Curate(batch, o)
				keep("a batch", c.Change, err)
				note("its outcomes", c.Outcomes, err)
			}
		}
		for _, o := range []RankOptions{
			{},
			{Query: at(0.9)},
			{Query: at(-0.5), Most: 3},
			{Stages: []Stage{Shadow}},
			{Sections: []Section{Helpful}, Stages: []Stage{Shadow, Staging, Prod, Quarantined}},
			{Query: []float32{1}},
			{Query: []float32{0, 0}},
			{Query: at(0.3), Stages: []Stage{Shadow, Staging}, Shares: func(c string) bool { return strings.Contains(c, "linter") }},
		} {
			ranked, err := d.book.Rank(o)
			note("a ranking", ranked, err)
		}
		for _, b := range d.book.Bullets() {
			gate, has := b.Gate()
			note("a bullet", []any{b, gate, has, b.Standing(), b.Support(), b.Opposition(), b.Live(), b.Digest(), b.ID.Domain()}, nil)
		}
		note("what waits", d.book.ReviewQueue(), nil)
		note("as text", string(ExportMarkdown("prompts", d.book.Bullets())), nil)
		note("as lines", string(ExportJSONL(d.book.Bullets())), nil)
	}
	written := "# Helpful\n\n- Run the linter. (0.8) #tests\n- Retry at most 3 times\n\n## Harmful\n\n* Skip the tests [confidence: 0.4]\n"
	lines := `{"section":"helpful","content":"a lesson","confidence":0.9,"tags":["x"],"task":"t-1","vector":[0.6,0.8]}` + "\n" + `{"section":"harmful","content":"another","agent":"codex"}` + "\n"
	for _, text := range []string{written, lines, "[" + strings.Split(lines, "\n")[0] + "]"} {
		for range 80 {
			typo := answers.Typos[r.IntN(len(answers.Typos))]
			wrong := typo.Make(r, text)
			for _, f := range []Format{FormatAuto, FormatJSON, FormatJSONL, FormatMarkdown, "xml"} {
				all, err := Parse([]byte(wrong), f)
				book.Note("read as "+string(f), wrong, answers.Or(all, err))
			}
		}
	}
	for _, s := range []string{"prompts.1", "prompts.0", "prompts.", ".1", "prompts.01", "a.b.2", "prompts.1#2", "prompts.1#", "prompts.1#0", "x", "prompts.99999999999999999999"} {
		id, err := ParseBulletID(s)
		book.Note("an id", s, answers.Or(id, err))
		ref, err := ParseRecordRef(s)
		book.Note("a record", s, answers.Or(ref.String(), err))
	}
	for _, x := range []BulletID{"a.1", "a.2", "a.10", "b.1"} {
		for _, y := range []BulletID{"a.1", "a.2", "a.10", "b.1"} {
			book.Note("which is first", fmt.Sprint(x, y), fmt.Sprint(x.Less(y), compareIDs(x, y)))
		}
	}
	for _, v := range [][]float32{nil, {1}, {0, 0}, {1, 0}, {float32(math.Inf(1)), 0}, {float32(math.NaN()), 1}, make([]float32, brenner.MaxVectorDimension), make([]float32, brenner.MaxVectorDimension+1)} {
		for _, dim := range []int{0, 1, 2} {
			err := CheckVector(v, dim)
			book.Note("a vector", fmt.Sprint(len(v), dim), fmt.Sprint(err))
		}
	}
	book.Check(t)
}
