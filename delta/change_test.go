package delta_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/delta"

	"pgregory.net/rapid"
)

// mergedBy merges deltas that agents sent at an hour of one day into an artifact.
func mergedBy(t *testing.T, base *delta.Artifact, hour int, blocks ...[2]string) *delta.Artifact {
	t.Helper()
	var entries []delta.Entry
	at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
	for i, b := range blocks {
		message := b[0] + delta.FormatInstant(at)
		d, err := delta.Parse([]byte(b[1]), delta.Envelope{Message: message, Agent: brenner.ActorName(b[0]), Timestamp: delta.FormatInstant(at)}, i+1)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, delta.Entry{Delta: d, Message: message})
	}
	res := delta.Merge(base, entries, delta.Options{})
	for _, o := range res.Outcomes {
		if o.Status != delta.Applied {
			t.Fatalf("%s: %s %s", o.DeltaID, o.Status, o.Message)
		}
	}
	return res.Artifact
}

// C34: what changed since a version is given field by field, a short text with
// what stood there, and what stayed is not given again.
func TestChanges_GiveTheFieldsThatSaySomethingElse(t *testing.T) {
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	one := mergedBy(t, empty, 1,
		[2]string{"Ann", `{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"Cold","claim":"it is the cold","mechanism":"a long way down","anchors":["a1","a2"]},"rationale":"r"}`},
		[2]string{"Ann", `{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"Heat","claim":"it is the heat","mechanism":"m"},"rationale":"r"}`},
		[2]string{"Ann", `{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"Wind","claim":"it is the wind","mechanism":"m"},"rationale":"r"}`},
		[2]string{"Ann", `{"operation":"ADD","section":"predictions_table","target_id":null,"payload":{"condition":"at night","predictions":{"H1":"falls","H2":"rises"}},"rationale":"r"}`})
	two := mergedBy(t, one, 2,
		[2]string{"Bob", `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"it is the frost","anchors":["a3"]},"rationale":"r"}`},
		[2]string{"Bob", `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"measured"},"rationale":"r"}`},
		[2]string{"Bob", `{"operation":"EDIT","section":"predictions_table","target_id":"P1","payload":{"predictions":{"H3":"stays"}},"rationale":"r"}`},
		[2]string{"Bob", `{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"Snow","claim":"it is the snow","mechanism":"white"},"rationale":"r"}`})
	got := delta.Join(delta.Changes(two, delta.Part{Since: one}))
	for _, want := range []string{
		"### H1: Cold · changed by Bob\nClaim: it is the frost\nWas: it is the cold\nAnchors: now also a3\n",
		"### H2: Heat [KILLED] · changed by Bob\nKilled by: Bob\nReason: measured\n",
		"### H4: Snow · by Bob\nClaim: it is the snow\nMechanism: white\n",
		"Predictions: H3 = stays\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, none := range []string{"a long way down", "a1", "H3: Wind", "at night\nP", "falls"} {
		if strings.Contains(got, none) {
			t.Errorf("%q in\n%s", none, got)
		}
	}
	three := mergedBy(t, two, 3, [2]string{"Ann", `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"` + strings.Repeat("so much more ", 30) + `"},"rationale":"r"}`})
	four := mergedBy(t, three, 4, [2]string{"Bob", `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"less"},"rationale":"r"}`})
	if got := delta.Join(delta.Changes(four, delta.Part{Since: three})); strings.Contains(got, "Was") || !strings.Contains(got, "Claim: less\n") {
		t.Errorf("a long text is quoted beside the one in its place:\n%s", got)
	}
	if got := delta.Changes(four, delta.Part{Since: four}); len(got) != 0 {
		t.Errorf("nothing has changed: %v", got)
	}
}

// C34: of a long text in which little changed the part that did is given, with what
// stood there, and not the rest again.
func TestChanges_GiveThePartOfALongText(t *testing.T) {
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	say := func(base *delta.Artifact, hour int, claim string) *delta.Artifact {
		return mergedBy(t, base, hour, [2]string{"Ann", `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"` + claim + `"},"rationale":"r"}`})
	}
	one := mergedBy(t, empty, 1, [2]string{"Ann", `{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"Cold","claim":"c","mechanism":"m"},"rationale":"r"}`})
	head, tail := strings.Repeat("Es wird kälter. ", 40), strings.Repeat(" So viel dazu.", 40)
	one = say(one, 2, head+"Nachts am meisten."+tail)
	for claim, want := range map[string]string{
		head + "Tags am meisten." + tail: "Claim: [610 characters as before] wird kälter. Es wird kälter. [-Nachts-]{+Tags+} am meisten. So viel dazu. [545 characters as before]\n",
		head + strings.TrimSpace(tail):   "Claim: [610 characters as before] wird kälter. Es wird kälter. [-Nachts am meisten.-] So viel dazu. So viel [537 characters as before]\n",
		head + "Nachts am meisten.":      "Claim: [626 characters as before] wird kälter. Nachts am meisten. [-So viel dazu.",
		"Neu. " + head:                   "Claim: {+Neu.+} Es wird kälter. Es wird\n    [586 characters as before] wird kälter. Es wird kälter. [-Nachts am meisten. So viel",
	} {
		if got := delta.Join(delta.Changes(say(one, 3, claim), delta.Part{Since: one})); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	// The sentence is shown in which something changed.
	sentence := "Over the whole of the year the nights at the weir are the coldest of all that were measured there so far."
	now := say(say(one, 3, head+sentence+tail), 4, head+strings.Replace(sentence, "weir", "mill", 1)+tail)
	was := say(one, 3, head+sentence+tail)
	if got := delta.Join(delta.Changes(now, delta.Part{Since: was})); !strings.Contains(got, "] Over the whole of the year the nights at the [-weir-]{+mill+} are the coldest of all that were measured there so far. [") {
		t.Errorf("no whole sentence in\n%s", got)
	}
	// D19: a text that uses our signs is shown with others, one that uses all of them whole,
	// and so is a text of which little stayed.
	for _, c := range [][2]string{{"[--nachts]", "<del>Nachts</del><ins>[--nachts]</ins> am"}, {"<del> [-", "⟦was: Nachts⟧⟦now: <del> [-⟧ am"}} {
		if got := delta.Join(delta.Changes(say(one, 3, head+c[0]+" am meisten."+tail), delta.Part{Since: one})); !strings.Contains(got, c[1]) {
			t.Errorf("no %q in\n%s", c[1], got)
		}
	}
	for _, claim := range []string{head + "[-Nachts-]<ins>⟦was: ⟧Tags am meisten." + tail, strings.Repeat("Alles neu. ", 80) + tail} {
		now := say(one, 3, claim)
		got := delta.Changes(now, delta.Part{Since: one})
		if len(got) != 1 || got[0].InPart || !strings.Contains(got[0].Text, "Claim: "+strings.TrimSpace(claim)+"\n") {
			t.Errorf("not whole: %+v", got)
		}
	}
	if got := delta.Changes(say(one, 3, head+"Tags am meisten."+tail), delta.Part{Since: one}); len(got) != 1 || !got[0].InPart {
		t.Errorf("in part: %+v", got)
	}
}

// C34: of a long cell of a map, and of a long field that its section does not know,
// the passages that changed are given too.
func TestChanges_GiveThePartOfALongCell(t *testing.T) {
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.TrimSpace(strings.Repeat("it falls by one degree an hour, ", 20))
	one := mergedBy(t, empty, 1,
		[2]string{"Ann", `{"operation":"ADD","section":"predictions_table","target_id":null,"payload":{"condition":"at night","predictions":{"H1":"` + long + ` until four","H2":"rises"},"note":"` + long + ` until five"},"rationale":"r"}`})
	two := mergedBy(t, one, 2,
		[2]string{"Bob", `{"operation":"EDIT","section":"predictions_table","target_id":"P1","payload":{"predictions":{"H1":"` + long + ` until six","H2":"stays"},"note":"` + long + ` until ten"},"rationale":"r"}`})
	got := delta.Join(delta.Changes(two, delta.Part{Since: one}))
	for _, want := range []string{
		"Predictions: H1 = [619 characters as before] one degree an hour, until [-four-]{+six+}; H2 = stays\nWas: H2 = rises\n",
		"Also: note = [619 characters as before] one degree an hour, until [-five-]{+ten+}\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// signs are how a text is shown that changed in part.
var signs = regexp.MustCompile(`\[([0-9]+) characters as before\]|\[-(.*?)-\]|\{\+(.*?)\+\}`)

// C34, D19: whoever has a text as it was makes the text as it is out of what is shown.
func TestChanges_GiveEnoughToKnowTheText(t *testing.T) {
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	flat := func(words []string) string { return strings.Join(words, " ") }
	partly := 0
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.SampledFrom([]string{"kalt", "ä", "so", "degree", "(about", "4.2)", "…", "now", "[", "{x}"})
		before := rapid.SliceOfN(word, 150, 300).Draw(r, "before")
		now := slices.Clone(before)
		for range rapid.IntRange(1, 4).Draw(r, "edits") {
			at := rapid.IntRange(0, len(now)-1).Draw(r, "at")
			to := min(len(now), at+rapid.IntRange(0, 8).Draw(r, "gone"))
			now = slices.Concat(now[:at], rapid.SliceOfN(word, 0, 8).Draw(r, "came"), now[to:])
		}
		if flat(before) == flat(now) {
			return
		}
		add := func(claim string) string {
			return `{"operation":"EDIT","section":"research_thread","target_id":"RT","payload":{"context":"` + claim + `"},"rationale":"r"}`
		}
		one := mergedBy(t, empty, 1, [2]string{"Ann", add(flat(before))})
		all := delta.Changes(mergedBy(t, one, 2, [2]string{"Ann", add(flat(now))}), delta.Part{Since: one})
		if len(all) != 1 {
			r.Fatalf("%d passages", len(all))
		}
		shown := strings.TrimSpace(all[0].Text[strings.Index(all[0].Text, "Context: ")+len("Context: "):])
		if !all[0].InPart {
			if !strings.HasPrefix(shown, flat(now)) {
				r.Fatalf("not whole: %s", shown)
			}
			return
		}
		partly++
		left, made := []rune(flat(before)), ""
		take := func(n int) string {
			for len(left) > 0 && left[0] == ' ' {
				left = left[1:]
			}
			out := string(left[:n])
			left = left[n:]
			return out
		}
		at := 0
		for _, m := range append(signs.FindAllStringSubmatchIndex(shown, -1), []int{len(shown), len(shown), -1, -1, -1, -1, -1, -1}) {
			kept := strings.TrimSpace(shown[at:m[0]])
			if got := take(len([]rune(kept))); got != kept {
				r.Fatalf("%q is shown where %q stood: %s", kept, got, shown)
			}
			made += " " + kept
			switch at = m[1]; {
			case m[2] >= 0:
				n, _ := strconv.Atoi(shown[m[2]:m[3]])
				made += " " + take(n)
			case m[4] >= 0:
				gone := shown[m[4]:m[5]]
				if got := take(len([]rune(gone))); got != gone {
					r.Fatalf("%q is gone where %q stood: %s", gone, got, shown)
				}
			case m[6] >= 0:
				made += " " + shown[m[6]:m[7]]
			}
		}
		if got := flat(strings.Fields(made)); got != flat(now) || strings.TrimSpace(string(left)) != "" {
			r.Fatalf("what is shown makes\n%s\nnot\n%s\nleft %q of\n%s", got, flat(now), string(left), shown)
		}
	})
	if partly < 20 {
		t.Errorf("only %d texts were shown in part", partly)
	}
}

// C34: a brief has a line for every item: what lives and how far it was put to the
// test, what was killed, by whom and why.
func TestBrief_SaysWhereADocumentStands(t *testing.T) {
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	doc := mergedBy(t, empty, 1,
		[2]string{"Ann", `{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"Cold","claim":"it is\nthe cold","mechanism":"the mechanism"},"rationale":"r"}`},
		[2]string{"Ann", `{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"Heat","claim":"it is the heat","mechanism":"m"},"rationale":"r"}`},
		[2]string{"Cay", `{"operation":"ADD","section":"discriminative_tests","target_id":null,"payload":{"name":"Look","procedure":"look","discriminates":"both","expected_outcomes":{"H1":"a","H2":"b"}},"rationale":"r"}`})
	doc = mergedBy(t, doc, 2, [2]string{"Bob", `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"measured twice"},"rationale":"r"}`})
	got := delta.Join(delta.Brief(doc, nil, delta.Part{}))
	for _, want := range []string{
		"- H1: Cold: it is the cold · by Ann\n",
		"- H2: Heat: it is the heat · killed by Bob: measured twice\n",
		"- T1: Look · by Cay · was not run\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "the mechanism") {
		t.Errorf("a brief that is none:\n%s", got)
	}
}

// Of two texts that begin alike and go on differently what is shown begins where they part.
func TestChangeOf_BeginsWhereTextsPart(t *testing.T) {
	same := strings.Repeat("the parser reads every line of the file again ", 8)
	got := delta.ChangeOf(same+"and keeps [-nothing-] of it", same+"because {+the cache+} was emptied when it was opened by another")
	if got != `"… line of the file again <del>and keeps [-nothing-] of it</del><ins>because {+the cache+} was emptied when it was opened by another</ins>"` {
		t.Error(got)
	}
	long := strings.Repeat("and what it finds is kept for nobody, since nobody asks for it ", 12)
	if got := delta.ChangeOf(same+"once", same+long); !strings.HasPrefix(got, `"… the file again once" → "… the file again and what it finds`) {
		t.Error(got)
	}
	if got := delta.ChangeOf("cells keep a state", "nothing at all is kept by cells"); got != `"cells keep a state" → "nothing at all is kept by cells"` {
		t.Error(got)
	}
}
