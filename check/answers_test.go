package check

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/internal/answers"

	"github.com/go-json-experiment/json/jsontext"
)

// C24, C25, C28. What is found in kinds of assumptions, of texts under a brief,
// and of pieces that overlap: how sure, where, in which words.
func TestCheck_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/answers.golden", 3)
	for _, k := range kindsOfAssumptions {
		for n := 1; n <= 12; n++ {
			a, b := k.pair(n)
			for _, modules := range [][2]brenner.Module{{"m", "m"}, {"m", "n"}} {
				all := []Assumption{assume("a@1", modules[0], a), assume("b@1", modules[1], b), assume("c@1", "m", "!"+a)}
				report, err := Assumptions(all, Options{Embed: bag})
				book.Note(k.name, a+" ⟷ "+b, answers.Or(report, err))
				claimed, err := Collect(all[:2], Options{})
				if err != nil {
					t.Fatal(err)
				}
				report = claimed.About(ref("b@1"))
				book.Note(k.name, a+" ⟷ "+b, answers.Text(report)+critiques(report))
			}
		}
	}
	r := rand.New(rand.NewPCG(67, 67))
	subject := Subject{
		Ref: ref("memo@3"), Summary: "Gradients scale, n = 12.", Briefs: []brenner.Ref{ref("brief@1"), ref("brief@2")},
		Paragraphs: Paragraphs(text("Gradient scaling in discs is measured.\n\nNext come Human Clinical\nTrials.\n\nPatients at the hospital join studies.\n\nIt is obviously so, as everybody knows.\n")),
	}
	for range 60 {
		for _, other := range []any{nil, "", "x", []any{}, []any{"wing"}, map[string]any{"must": "/(/"}, map[string]any{"text": "t", "must_not": "discs"}, 7.0, "/scal.ng/i"} {
			changed := answers.Replaced(r, scaling, other)
			b, err := ParseBrief(ref("brief@2"), jsontext.Value(changed))
			if err != nil {
				book.Note("a brief that is refused", changed, answers.Text(err))
				continue
			}
			report, err := Alignment(b, []Subject{subject, {Ref: ref("x@1"), Summary: "as everybody knows"}}, Options{Embed: bag})
			book.Note("a brief", changed, answers.Or(report, err)+critiques(report))
		}
	}
	assumption := `{"statement":"Tokens expire after 15 minutes","subject":"token","relation":"at_most","value":"15 min","denied":false,"status":"open"}`
	for range 40 {
		for _, other := range []any{nil, "", "x", true, []any{}, "retracted", "is not", 7.0} {
			changed := answers.Replaced(r, assumption, other)
			a, held, err := ParseAssumption(ref("a@1"), "m", jsontext.Value(changed))
			book.Note("an assumption", changed, answers.Or(a, err)+fmt.Sprint(held))
		}
	}
	for _, typ := range ClaimingTypes() {
		for _, c := range []artifact.Content{text("Tokens expire after 15 minutes. Cells divide.\n\n- Retry 3 times.\n"), document(`{"claims":["Tokens expire after 15 hours"],"n":{"statement":"Cells do not divide"}}`)} {
			all, err := Claims(ref("a@1"), "m", typ, c)
			book.Note("claims of a "+string(typ), string(c.Data), answers.Or(all, err))
			book.Note("paragraphs", string(c.Data), answers.Lines(Paragraphs(c)))
		}
	}
	texts := []string{"clones keep the fate of their founder", "Clones keep the fate of their founder.", "Wash them three times in buffer.", "Fix the discs for twenty minutes.", "Fix the discs for ten minutes.", "Mount and look at once.", "short"}
	for range 80 {
		var pieces []Piece
		for i := range 2 + r.IntN(6) {
			pieces = append(pieces, piece(fmt.Sprintf("p%d@1", i), texts[r.IntN(len(texts))], texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]))
		}
		for name, o := range map[string]Options{"overlaps by words": {}, "overlaps by meaning": {Embed: bag}} {
			groups, err := Overlaps(pieces, o)
			book.Note(name, answers.Text(pieces), answers.Or(groups, err))
		}
	}
	for _, s := range []string{"", "/", "//", "/a", "/a/", "/a/i", "/(/", "plain", "/a/x", "a*b", "/^x$/m", "[", "/a/ii"} {
		p, err := ParsePattern(s)
		book.Note("a pattern", s, answers.Or(p.String(), err))
	}
	book.Check(t)
}

func critiques(r Report) (out string) {
	for _, f := range r.Findings {
		out += "\n" + string(f.Critique())
	}
	return out
}
