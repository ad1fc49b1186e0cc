package delta_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
)

// say builds the JSON of a delta: an id, an instant in seconds after noon, an
// agent, an operation, a target (or "-" for none), a section by its prefix and
// a payload.
func say(id string, second int, agent, op, target, section, payload string) string {
	if target == "-" {
		target = "null"
	} else {
		target = `"` + target + `"`
	}
	for _, s := range delta.Schemas() {
		if s.Prefix == section {
			section = string(s.Section)
		}
	}
	return fmt.Sprintf(`{"delta_id":%q,"timestamp":"2026-01-01T12:00:%02dZ","agent":%q,"operation":%q,"target_id":%s,"section":%q,"payload":%s,"rationale":"r"}`,
		id, second, agent, op, target, section, payload)
}

// hypotheses is n ADDs, the first of them a third alternative.
func hypotheses(n int) []string {
	var all []string
	for i := range n {
		all = append(all, say(fmt.Sprintf("h%d", i+1), i, "Ann", "ADD", "-", "H",
			fmt.Sprintf(`{"name":"n%d","claim":"c%d","mechanism":"m","third_alternative":%t}`, i+1, i+1, i == 0)))
	}
	return all
}

func mergeAll(t testing.TB, base *delta.Artifact, raws ...string) delta.Result {
	t.Helper()
	return delta.Merge(base, entries(t, raws...), delta.Options{})
}

func textOf(t testing.TB, a *delta.Artifact, id delta.ItemID, field string) string {
	t.Helper()
	it, ok := a.Item(id)
	if !ok {
		t.Fatalf("there is no %s", id)
	}
	return it.Text(field)
}

func TestMerge_UnknownAgentIsRefusedOnlyWhenThereIsAList(t *testing.T) {
	// D7: UNKNOWN_AGENT.
	all := entries(t, say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"a"}`), say("2", 1, "Eve", "EDIT", "RT", "RT", `{"statement":"b"}`))
	r := delta.Merge(nil, all, delta.Options{Contributors: []brenner.ActorName{"Ann"}})
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Rejected, brenner.CodeUnknownAgent)
	r = delta.Merge(nil, all, delta.Options{})
	wantOutcome(t, r, 1, delta.Applied, "")
	if r = delta.Merge(nil, all, delta.Options{Contributors: []brenner.ActorName{}}); r.Recorded() != 0 {
		t.Error("an empty list lets somebody in")
	}
}

func TestMerge_UnknownPayloadFieldsAreKeptAndWarnedAbout(t *testing.T) {
	// D1: kept, with a hint where the name is a usual mistake.
	r := mergeAll(t, nil, say("1", 0, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m","statement":"s","__proto__":{"x":[1]}}`))
	wantOutcome(t, r, 0, delta.Applied, "")
	wantWarning(t, r, brenner.CodeUnknownField)
	if got := textOf(t, r.Artifact, "H1", "__proto__"); got != `{"x":[1]}` {
		t.Errorf("kept as %s", got)
	}
	hints := ""
	for _, w := range r.Warnings {
		hints += w.Hint
	}
	if !strings.Contains(hints, "did you mean claim?") {
		t.Errorf("hints: %s", hints)
	}
}

func TestMerge_OrderAtOneInstant(t *testing.T) {
	// D3: KILL before ADD before EDIT, then priority, agent, seq, delta id.
	t.Run("a kill frees its place for an add", func(t *testing.T) {
		base := mergeAll(t, nil, hypotheses(6)...).Artifact
		r := mergeAll(t, base, say("add", 9, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m"}`), say("kill", 9, "Zoe", "KILL", "H2", "H", `{}`))
		wantOutcome(t, r, 0, delta.Applied, "")
	})
	t.Run("an edit meets an item added at that instant", func(t *testing.T) {
		r := mergeAll(t, nil, say("edit", 0, "Ann", "EDIT", "X1", "X", `{"name":"edited"}`), say("add", 0, "Zoe", "ADD", "-", "X", `{"name":"n","observation":"o"}`))
		if got := textOf(t, r.Artifact, "X1", "name"); got != "edited" {
			t.Errorf("name %q", got)
		}
	})
	t.Run("the agent of higher priority prevails", func(t *testing.T) {
		deltas := entries(t,
			say("add-a", 0, "Ann", "ADD", "-", "X", `{"name":"ann","observation":"o"}`),
			say("add-z", 0, "Zoe", "ADD", "-", "X", `{"name":"zoe","observation":"o"}`),
			say("edit-a", 1, "Ann", "EDIT", "RT", "RT", `{"statement":"ann"}`),
			say("edit-z", 1, "Zoe", "EDIT", "RT", "RT", `{"statement":"zoe"}`),
			say("kill-a", 2, "Ann", "KILL", "X1", "X", `{}`),
			say("kill-z", 2, "Zoe", "KILL", "X1", "X", `{}`),
		)
		for _, c := range []struct {
			priority           []brenner.ActorName
			first, said, death string
		}{
			{[]brenner.ActorName{"Zoe", "Ann"}, "zoe", "zoe", "Zoe"},
			{[]brenner.ActorName{"Ann", "Zoe"}, "ann", "ann", "Ann"},
			{[]brenner.ActorName{"Zoe"}, "zoe", "zoe", "Zoe"},
			{nil, "ann", "CONFLICT", "Ann"},
		} {
			a := delta.Merge(nil, deltas, delta.Options{Priority: c.priority}).Artifact
			x1, _ := a.Item("X1")
			if got := []string{x1.Text("name"), textOf(t, a, "RT", "statement"), string(x1.Killed().By)}; got[0] != c.first || got[1] != c.said || got[2] != c.death {
				t.Errorf("priority %v: %v, want %v", c.priority, got, c)
			}
		}
	})
	t.Run("seq and delta id decide among adds of one agent", func(t *testing.T) {
		add := func(id string, seq int) string {
			return fmt.Sprintf(`{"seq":%d,`, seq) + say(id, 0, "Ann", "ADD", "-", "X", `{"name":"`+id+`","observation":"o"}`)[1:]
		}
		a := mergeAll(t, nil, add("b", 2), add("c", 1), add("a", 2)).Artifact
		if got := textOf(t, a, "X1", "name") + textOf(t, a, "X2", "name") + textOf(t, a, "X3", "name"); got != "cab" {
			t.Errorf("order %s", got)
		}
	})
}

func TestMerge_SixDeltasInAll720Orders(t *testing.T) {
	// D3: one digest, whatever the order.
	deltas := entries(t,
		say("1", 0, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m","third_alternative":true}`),
		say("2", 0, "Bob", "EDIT", "H1", "H", `{"claim":"bob","anchors":["§1"]}`),
		say("3", 0, "Cy", "EDIT", "H1", "H", `{"claim":"cy","anchors":["§2"],"replace":true}`),
		say("4", 0, "Ann", "ADD", "-", "H", `{"claim":"d","mechanism":"m"}`),
		say("5", 0, "Bob", "KILL", "H2", "H", `{"reason":"no"}`),
		say("6", 0, "Cy", "EDIT", "H2", "H", `{"claim":"late"}`),
	)
	digests := map[brenner.Digest]int{}
	permute(deltas, 0, func() {
		r := delta.Merge(nil, deltas, delta.Options{})
		digests[canon.Sum(append(canon.MustMarshal(r.Artifact), canon.MustMarshal(r.Warnings)...))]++
	})
	if len(digests) != 1 {
		t.Errorf("%d digests", len(digests))
	}
	for _, n := range digests {
		if n != 720 {
			t.Errorf("%d orders", n)
		}
	}
}

func permute[T any](s []T, i int, visit func()) {
	if i == len(s) {
		visit()
		return
	}
	for j := i; j < len(s); j++ {
		s[i], s[j] = s[j], s[i]
		permute(s, i+1, visit)
		s[i], s[j] = s[j], s[i]
	}
}

func TestMerge_IDsAreNeverReused(t *testing.T) {
	// D4: killed items count.
	base := mergeAll(t, nil, say("1", 0, "Ann", "ADD", "-", "X", `{"name":"a","observation":"o"}`), say("2", 1, "Ann", "KILL", "X1", "X", `{}`)).Artifact
	r := mergeAll(t, base, say("3", 2, "Ann", "ADD", "-", "X", `{"name":"a","observation":"o"}`))
	if r.Outcomes[0].Item != "X2" {
		t.Errorf("%+v", r.Outcomes[0])
	}
	// D4: so do those that were given where this artifact does not go on from, also in a
	// later merge and where the document was written and read in between.
	reserved, highest := r.Artifact.Reserving([]delta.ItemID{"X1", "X5", "X4", "H2"})
	if !slices.Equal(highest, []delta.ItemID{"H2", "X5"}) {
		t.Errorf("reserved are %v", highest)
	}
	next := mergeAll(t, reserved, say("4", 3, "Ann", "ADD", "-", "X", `{"name":"b","observation":"o"}`))
	read, err := delta.ReadArtifact(canon.MustMarshal(next.Artifact))
	if err != nil {
		t.Fatal(err)
	}
	last := mergeAll(t, read, say("5", 4, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m"}`))
	if next.Outcomes[0].Item != "X6" || last.Outcomes[0].Item != "H3" {
		t.Errorf("%+v, %+v", next.Outcomes[0], last.Outcomes[0])
	}
	if !last.Artifact.Records("", "4") || base.Records("", "3") || last.Artifact.Records("m", "4") {
		t.Error("what an artifact records is not what it says")
	}
}

func TestMerge_ProvisionalIDsResolveEverywhere(t *testing.T) {
	// D4: in targets, map keys and conflicts_with, whatever the order, in the
	// scope of the agent.
	named := func(id, name string) string {
		return `{"provisional_id":"` + name + `",` + say(id, 9, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m"}`)[1:]
	}
	r := mergeAll(t, nil,
		say("p", 1, "Ann", "ADD", "-", "P", `{"condition":"k","predictions":{"H-NEW":"up","H-OTHER":"down"}}`),
		say("x", 1, "Ann", "ADD", "-", "X", `{"name":"n","observation":"o","conflicts_with":["H-NEW"]}`),
		say("e", 2, "Ann", "EDIT", "H-NEW", "H", `{"claim":"edited"}`),
		say("b", 2, "Bob", "EDIT", "H-NEW", "H", `{"claim":"bob"}`),
		say("w", 2, "Ann", "EDIT", "H-NEW", "X", `{"name":"wrong section"}`),
		named("h", "H-NEW"),
		strings.Replace(named("h2", "H-NEW"), `:09Z`, `:10Z`, 1),
	)
	wantOutcome(t, r, 2, delta.Applied, "")
	wantOutcome(t, r, 3, delta.Waiting, brenner.CodeTargetAwaited)
	wantOutcome(t, r, 4, delta.Rejected, brenner.CodeInvalidTarget)
	wantOutcome(t, r, 6, delta.Rejected, brenner.CodeDeltaIDReused)
	// D11: an edit older than its target's ADD counts as just after it.
	if got := textOf(t, r.Artifact, "H1", "claim"); got != "edited" {
		t.Errorf("claim %q", got)
	}
	x1, _ := r.Artifact.Item("X1")
	p1, _ := r.Artifact.Item("P1")
	if x1.List("conflicts_with")[0] != "H1" || p1.Pairs("predictions")[0] != (delta.Pair{Key: "H1", Value: "up"}) {
		t.Errorf("%v %v", x1.List("conflicts_with"), p1.Pairs("predictions"))
	}
	// The other name is bound by a later merge, and shows in the old row.
	wantWarning(t, r, brenner.CodeDanglingReference)
	later := mergeAll(t, r.Artifact, named("h3", "H-OTHER"))
	p1, _ = later.Artifact.Item("P1")
	if got := p1.Pairs("predictions"); got[1] != (delta.Pair{Key: "H2", Value: "down"}) {
		t.Errorf("%v", got)
	}
}

func TestMerge_ListsUnionAndReplace(t *testing.T) {
	// D5: union in order of the first surviving add; replace all, or one.
	edit := func(id string, second int, payload string) string {
		return say(id, second, "Ann", "EDIT", "RT", "RT", payload)
	}
	for name, c := range map[string]struct {
		edits           []string
		anchors, labels string
	}{
		"union":          {[]string{edit("1", 1, `{"anchors":["b","a"]}`), edit("2", 2, `{"anchors":["a","c"]}`)}, "b a c", ""},
		"replace":        {[]string{edit("1", 1, `{"anchors":["a","b"],"labels":["x"]}`), edit("2", 2, `{"anchors":["c"],"replace":true}`)}, "c", "x"},
		"replace every":  {[]string{edit("1", 1, `{"anchors":["a"],"labels":["x"]}`), edit("2", 2, `{"anchors":["c"],"labels":["y"],"replace":true}`)}, "c", "y"},
		"replace one":    {[]string{edit("1", 1, `{"anchors":["a"],"labels":["x"]}`), edit("2", 2, `{"anchors":["c"],"labels":["y"],"anchors_replace":true}`)}, "c", "x y"},
		"replace late":   {[]string{edit("2", 2, `{"anchors":["c"],"replace":true}`), edit("3", 3, `{"anchors":["a"]}`), edit("1", 1, `{"anchors":["a","b"]}`)}, "c a", ""},
		"replace keeps":  {[]string{edit("1", 1, `{"anchors":["a","b"]}`), edit("2", 2, `{"anchors":["b","c"],"replace":true}`)}, "b c", ""},
		"clear":          {[]string{edit("1", 1, `{"anchors":["a"]}`), edit("2", 2, `{"anchors":[],"replace":true}`)}, "", ""},
		"replace: false": {[]string{edit("1", 1, `{"anchors":["a"]}`), edit("2", 2, `{"anchors":["b"],"replace":false}`)}, "a b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := mergeAll(t, nil, c.edits...).Artifact
			rt, _ := a.Item("RT")
			if got := strings.Join(rt.List("anchors"), " "); got != c.anchors {
				t.Errorf("anchors %q, want %q", got, c.anchors)
			}
			if got := strings.Join(rt.List("labels"), " "); got != c.labels {
				t.Errorf("labels %q, want %q", got, c.labels)
			}
		})
	}
}

func TestMerge_MapsMergeByKey(t *testing.T) {
	// D5: a score of one part leaves the others alone.
	r := mergeAll(t, nil,
		say("1", 0, "Ann", "ADD", "-", "T", `{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"e"},"score":{"likelihood_ratio":3,"cost":1,"speed":2,"ambiguity":1}}`),
		say("2", 1, "Bob", "EDIT", "T1", "T", `{"score":{"cost":0},"expected_outcomes":{"H2":"f"}}`))
	t1, _ := r.Artifact.Item("T1")
	if t1.Score() != 6 || len(t1.Pairs("expected_outcomes")) != 2 {
		t.Errorf("score %v, outcomes %v", t1.Score(), t1.Pairs("expected_outcomes"))
	}
}

func TestMerge_KillKeepsTheItemAndItsFirstKiller(t *testing.T) {
	// D6: also when the earlier kill arrives later; a reason is optional.
	base := mergeAll(t, nil, say("1", 0, "Ann", "ADD", "-", "X", `{"name":"a","observation":"o"}`), say("2", 5, "Bob", "KILL", "X1", "X", `{"reason":"late"}`)).Artifact
	r := mergeAll(t, base, say("3", 3, "Cy", "KILL", "X1", "X", `{}`), say("4", 4, "Cy", "KILL", "X1", "X", `{}`))
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Skipped, "")
	x1, _ := r.Artifact.Item("X1")
	if d := x1.Killed(); d.By != "Cy" || d.Reason != "" || !strings.Contains(delta.Render(r.Artifact), "**Reason**: not given") {
		t.Errorf("%+v", d)
	}
	if mergeAll(t, r.Artifact, say("5", 9, "Bob", "KILL", "X1", "X", `{}`)).Artifact != r.Artifact {
		t.Error("killing a killed item made a version")
	}
}

func TestMerge_SameIdentityOtherContentIsRefused(t *testing.T) {
	// D8: identity is (message, delta_id) where there is a message.
	one := entries(t, say("d-001", 0, "Ann", "ADD", "-", "X", `{"name":"a","observation":"o"}`))[0]
	two := entries(t, say("d-001", 1, "Ann", "ADD", "-", "X", `{"name":"b","observation":"o"}`))[0]
	r := delta.Merge(nil, []delta.Entry{one, two}, delta.Options{})
	wantOutcome(t, r, 1, delta.Rejected, brenner.CodeDeltaIDReused)
	wantOutcome(t, delta.Merge(r.Artifact, []delta.Entry{two}, delta.Options{}), 0, delta.Rejected, brenner.CodeDeltaIDReused)
	one.Message, two.Message = "m1", "m2"
	r = delta.Merge(nil, []delta.Entry{one, two, one}, delta.Options{})
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Applied, "")
	wantOutcome(t, r, 2, delta.Duplicate, "")
	// The outcome of a repeated ADD says which item it made.
	if again := delta.Merge(r.Artifact, []delta.Entry{two}, delta.Options{}); again.Outcomes[0].Item != "X2" || r.Outcomes[2].Item != "X1" {
		t.Errorf("%+v", again.Outcomes)
	}
}

func TestMerge_LateDeltasTakeTheirPlace(t *testing.T) {
	// D9: a late older EDIT is superseded; a late KILL hides later edits.
	base := mergeAll(t, nil, say("1", 0, "Ann", "ADD", "-", "X", `{"name":"a","observation":"o"}`), say("2", 8, "Ann", "EDIT", "X1", "X", `{"name":"new"}`)).Artifact
	r := mergeAll(t, base, say("3", 4, "Bob", "EDIT", "X1", "X", `{"name":"old"}`))
	wantOutcome(t, r, 0, delta.Superseded, "")
	if textOf(t, r.Artifact, "X1", "name") != "new" || r.Artifact.Version() != 2 {
		t.Error("an older edit overwrote a newer value")
	}
	r = mergeAll(t, r.Artifact, say("4", 5, "Cy", "KILL", "X1", "X", `{}`))
	if got := textOf(t, r.Artifact, "X1", "name"); got != "old" {
		t.Errorf("name %q after the late kill", got)
	}
	x1, _ := r.Artifact.Item("X1")
	var ids []string
	for _, w := range x1.History("name") {
		ids = append(ids, w.DeltaID)
	}
	if strings.Join(ids, " ") != "1 3 2" {
		t.Errorf("history %v", ids)
	}
}

func TestMerge_ConflictIsExplicitAndSettled(t *testing.T) {
	// D10: all candidates, sorted; settled by a later EDIT or by Resolve.
	base := mergeAll(t, nil,
		say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"ann"}`),
		say("2", 0, "Bob", "EDIT", "RT", "RT", `{"statement":"bob"}`),
		say("3", 0, "Cy", "EDIT", "RT", "RT", `{"statement":"bob"}`))
	a := base.Artifact
	wantOutcome(t, base, 0, delta.Conflicted, "")
	wantWarning(t, base, brenner.CodeFieldConflict)
	all := a.Conflicts()
	if len(all) != 1 || all[0].Name() != "statement" || len(all[0].Candidates) != 3 || string(all[0].Candidates[0].Value) != `"ann"` {
		t.Fatalf("%+v", all)
	}
	if md := delta.Render(a); !strings.Contains(md, "**Statement**: CONFLICT\nCONFLICT: ann (Ann, 2026-01-01T12:00:00Z, 1)\n") {
		t.Errorf("rendered\n%s", md)
	}
	if r := mergeAll(t, a, say("4", 1, "Ann", "EDIT", "RT", "RT", `{"statement":"settled"}`)); len(r.Artifact.Conflicts()) != 0 {
		t.Error("a later edit does not settle it")
	}
	for name, c := range map[string]struct {
		r    delta.Resolution
		want string
		code brenner.Code
	}{
		"take an agent":   {delta.Resolution{Item: "RT", Field: "statement", Take: "Ann"}, "ann", ""},
		"take a delta":    {delta.Resolution{Item: "RT", Field: "statement", Take: "2"}, "bob", ""},
		"a value":         {delta.Resolution{Item: "RT", Field: "statement", Value: jsontext.Value(`"other"`)}, "other", ""},
		"neither":         {delta.Resolution{Item: "RT", Field: "statement"}, "", brenner.CodeUsage},
		"both":            {delta.Resolution{Item: "RT", Field: "statement", Take: "1", Value: jsontext.Value(`"x"`)}, "", brenner.CodeUsage},
		"nobody":          {delta.Resolution{Item: "RT", Field: "statement", Take: "Zoe"}, "", brenner.CodeNotFound},
		"no item":         {delta.Resolution{Item: "H9", Field: "claim", Take: "Ann"}, "", brenner.CodeNotFound},
		"no conflict":     {delta.Resolution{Item: "RT", Field: "context", Take: "Ann"}, "", brenner.CodeNotFound},
		"a wrong value":   {delta.Resolution{Item: "RT", Field: "statement", Value: jsontext.Value(`7`)}, "", brenner.CodeInvalidDelta},
		"a broken value":  {delta.Resolution{Item: "RT", Field: "statement", Value: jsontext.Value(`{`)}, "", brenner.CodeInvalidJSON},
		"candidates late": {delta.Resolution{Item: "RT", Field: "statement", Take: "Ann", Now: instant("2020-01-01T00:00:00Z")}, "ann", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.r.Now.IsZero() {
				c.r.Now = instant("2026-02-01T00:00:00Z")
			}
			c.r.By, c.r.DeltaID, c.r.Rationale = "Pi", "resolve-1", "decided"
			e, err := a.Resolve(c.r)
			if brenner.CodeOf(err) != c.code {
				t.Fatalf("%v, want %s", err, c.code)
			}
			if err != nil {
				return
			}
			r := delta.Merge(a, []delta.Entry{e}, delta.Options{})
			wantOutcome(t, r, 0, delta.Applied, "")
			if got := textOf(t, r.Artifact, "RT", "statement"); got != c.want || len(r.Artifact.Conflicts()) != 0 {
				t.Errorf("statement %q, want %q", got, c.want)
			}
		})
	}
	t.Run("at the end of time nothing is later", func(t *testing.T) {
		late := func(s string) string {
			return strings.Replace(s, "2026-01-01T12:00:00Z", "9999-12-31T23:59:59.999999999Z", 1)
		}
		r := mergeAll(t, nil, late(say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"a"}`)), late(say("2", 0, "Bob", "EDIT", "RT", "RT", `{"statement":"b"}`)))
		_, err := r.Artifact.Resolve(delta.Resolution{Item: "RT", Field: "statement", Take: "Ann", By: "Pi", DeltaID: "r"})
		if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
			t.Error(err)
		}
	})
	t.Run("a key of a map", func(t *testing.T) {
		r := mergeAll(t, nil,
			say("0", 0, "Ann", "ADD", "-", "P", `{"condition":"k","predictions":{"H1":"same"}}`),
			say("1", 1, "Ann", "EDIT", "P1", "P", `{"predictions":{"H1":"up"}}`), say("2", 1, "Bob", "EDIT", "P1.H1", "P", `{"outcome":"down"}`))
		e, err := r.Artifact.Resolve(delta.Resolution{Item: "P1", Field: "predictions.H1", Take: "Bob", By: "Pi", DeltaID: "r"})
		if err != nil {
			t.Fatal(err)
		}
		p1, _ := delta.Merge(r.Artifact, []delta.Entry{e}, delta.Options{}).Artifact.Item("P1")
		if p1.Pairs("predictions")[0].Value != "down" {
			t.Errorf("%v", p1.Pairs("predictions"))
		}
	})
	t.Run("later seq of one message wins", func(t *testing.T) {
		es := entries(t, `{"seq":1,`+say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"first"}`)[1:], `{"seq":2,`+say("2", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"second"}`)[1:])
		es[0].Message, es[1].Message = "m", "m"
		if got := textOf(t, delta.Merge(nil, es, delta.Options{}).Artifact, "RT", "statement"); got != "second" {
			t.Errorf("statement %q", got)
		}
		es[1].Message = "n"
		if got := textOf(t, delta.Merge(nil, es, delta.Options{}).Artifact, "RT", "statement"); got != "CONFLICT" {
			t.Errorf("statement %q from two messages", got)
		}
	})
}

func TestMerge_ResearchThreadIsEditedOnly(t *testing.T) {
	// D12: target RT or null; without rationale a warning.
	r := mergeAll(t, nil, say("1", 0, "Ann", "EDIT", "-", "RT", `{"statement":"s"}`), say("2", 1, "Ann", "EDIT", "RT", "RT", `{"context":"c"}`))
	if textOf(t, r.Artifact, "RT", "statement")+textOf(t, r.Artifact, "RT", "context") != "sc" {
		t.Error("the thread was not filled in")
	}
	for _, w := range r.Warnings {
		if w.Code == brenner.CodeRationaleMissing {
			t.Error("warned although there is a rationale")
		}
	}
	wantWarning(t, mergeAll(t, nil, strings.Replace(say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"s"}`), `,"rationale":"r"`, "", 1)), brenner.CodeRationaleMissing)
}

func TestMerge_SeventhLiveHypothesisIsRejected(t *testing.T) {
	// D13: killed ones do not count; third alternative by flag, label or name.
	r := mergeAll(t, nil, hypotheses(7)...)
	wantOutcome(t, r, 5, delta.Applied, "")
	wantOutcome(t, r, 6, delta.Rejected, brenner.CodeSectionLimitExceeded)
	r = mergeAll(t, r.Artifact, say("k", 20, "Ann", "KILL", "H2", "H", `{}`), say("n", 21, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m"}`))
	wantOutcome(t, r, 1, delta.Applied, "")
	if r.Outcomes[1].Item != "H7" {
		t.Errorf("%+v", r.Outcomes[1])
	}
	for _, third := range []string{`"third_alternative":true`, `"labels":["Third Alternative"]`, `"name":"The third alternative: neither"`} {
		r := mergeAll(t, nil, say("1", 0, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m",`+third+`}`))
		for _, w := range r.Warnings {
			if w.Code == brenner.CodeNoThirdAlternative {
				t.Errorf("%s is not taken for a third alternative", third)
			}
		}
	}
}

func TestMerge_LastThirdAlternativeCannotBeKilled(t *testing.T) {
	// D14: unless the final state has another; the last of several kills is struck.
	base := mergeAll(t, nil, hypotheses(3)...).Artifact
	kill := say("k", 9, "Bob", "KILL", "H1", "H", `{}`)
	r := mergeAll(t, base, kill, say("x", 9, "Bob", "KILL", "H2", "H", `{}`))
	wantOutcome(t, r, 0, delta.Rejected, brenner.CodeNoThirdAlternative)
	wantOutcome(t, r, 1, delta.Applied, "")
	replacement := say("n", 20, "Bob", "ADD", "-", "H", `{"claim":"c","mechanism":"m","third_alternative":true}`)
	wantOutcome(t, mergeAll(t, base, kill, replacement), 0, delta.Applied, "")
	two := mergeAll(t, base, replacement).Artifact
	r = mergeAll(t, two, kill, say("k4", 30, "Bob", "KILL", "H4", "H", `{}`), say("k5", 31, "Cy", "KILL", "H4", "H", `{}`))
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Rejected, brenner.CodeNoThirdAlternative)
	wantOutcome(t, r, 2, delta.Rejected, brenner.CodeNoThirdAlternative)
	// Spared, H4 turns out to be one no more: the kill before is struck too.
	r = mergeAll(t, two, kill, say("k4", 30, "Bob", "KILL", "H4", "H", `{}`), say("e", 31, "Cy", "EDIT", "H4", "H", `{"third_alternative":false}`))
	wantOutcome(t, r, 0, delta.Rejected, brenner.CodeNoThirdAlternative)
	wantOutcome(t, r, 1, delta.Rejected, brenner.CodeNoThirdAlternative)
	wantOutcome(t, r, 2, delta.Applied, "")
}

func TestMerge_ASparedThirdAlternativeTakesItsPlace(t *testing.T) {
	// D13, D14: every KILL of the one that is spared is refused, and what had
	// its place finds the slate full.
	base := mergeAll(t, nil, hypotheses(5)...).Artifact
	add := `{"claim":"c","mechanism":"m"`
	r := mergeAll(t, base,
		say("k1", 10, "Bob", "KILL", "H1", "H", `{}`),
		say("a", 11, "Bob", "ADD", "-", "H", add+`}`),
		say("b", 12, "Bob", "ADD", "-", "H", add+`}`),
		say("k2", 13, "Bob", "KILL", "H1", "H", `{}`))
	wantOutcome(t, r, 0, delta.Rejected, brenner.CodeNoThirdAlternative)
	wantOutcome(t, r, 1, delta.Applied, "")
	wantOutcome(t, r, 2, delta.Rejected, brenner.CodeSectionLimitExceeded)
	wantOutcome(t, r, 3, delta.Rejected, brenner.CodeNoThirdAlternative)
}

func TestMerge_NumberOfKillsDecidesNothing(t *testing.T) {
	// D14: a replacement saves one kill and three hundred alike, and without one
	// they are refused alike.
	base := mergeAll(t, nil, hypotheses(3)...).Artifact
	for _, n := range []int{1, 99, 100, 101, 300} {
		var kills []string
		for i := range n {
			kills = append(kills, say(fmt.Sprint("k", i), 10+i%40, "Bob", "KILL", "H1", "H", `{}`))
		}
		r := mergeAll(t, base, kills...)
		for i := range n {
			wantOutcome(t, r, i, delta.Rejected, brenner.CodeNoThirdAlternative)
		}
		r = mergeAll(t, base, append(kills, say("n", 59, "Bob", "ADD", "-", "H", `{"claim":"c","mechanism":"m","third_alternative":true}`))...)
		wantOutcome(t, r, 0, delta.Applied, "")
		wantOutcome(t, r, n, delta.Applied, "")
	}
}

// D14, D23: however often a third alternative is killed and a place taken, the
// deltas are not folded anew each time.
func TestMerge_SparingIsBounded(t *testing.T) {
	base := mergeAll(t, nil, hypotheses(5)...).Artifact
	var many []string
	for i := range 3000 {
		at := 10 + 3*i
		many = append(many,
			say(fmt.Sprint("k", i), at, "Bob", "KILL", "H1", "H", `{}`),
			say(fmt.Sprint("a", i), at+1, "Bob", "ADD", "-", "H", `{"claim":"c","mechanism":"m"}`),
			say(fmt.Sprint("x", i), at+2, "Bob", "KILL", fmt.Sprint("H", 6+i), "H", `{}`))
	}
	r := mergeAll(t, base, many...)
	h1, _ := r.Artifact.Item("H1")
	if h1.Killed() != nil {
		t.Error("the last third alternative is dead")
	}
}

func TestMerge_PredictionCells(t *testing.T) {
	// D15: P1.H2 shares the clock of predictions.H2; a killed hypothesis is N/A.
	base := mergeAll(t, nil, append(hypotheses(3),
		say("p", 5, "Ann", "ADD", "-", "P", `{"condition":"late | early","predictions":{"H1":"a","H2":"b","H3":"c"}}`))...).Artifact
	r := mergeAll(t, base,
		say("1", 6, "Bob", "EDIT", "P1.H2", "P", `{"outcome":"cell"}`),
		say("2", 7, "Bob", "EDIT", "P1", "P", `{"predictions":{"H2":"row"}}`),
		say("3", 8, "Bob", "KILL", "P1.H1", "P", `{"reason":"moot"}`),
		say("4", 9, "Bob", "KILL", "H3", "H", `{}`))
	wantOutcome(t, r, 0, delta.Superseded, "")
	p1, _ := r.Artifact.Item("P1")
	for key, want := range map[string]string{"H1": "", "H2": "row", "H3": "N/A"} {
		if got := r.Artifact.Prediction(p1, key); got != want {
			t.Errorf("cell %s is %q, want %q", key, got, want)
		}
	}
	if strings.Contains(string(canon.MustMarshal(r.Artifact)), "N/A") {
		t.Error("N/A is stored")
	}
	if md := delta.Render(r.Artifact); !strings.Contains(md, "| P1 | late \\| early | ~~a~~ [KILLED] | row | N/A (foretold: ~~c~~) |") {
		t.Errorf("rendered\n%s", md)
	}
	// A later edit brings the cell back: there is no ADD of a cell.
	r = mergeAll(t, r.Artifact, say("5", 10, "Bob", "EDIT", "P1.H1", "P", `{"outcome":"back"}`))
	if p1, _ = r.Artifact.Item("P1"); r.Artifact.Prediction(p1, "H1") != "back" {
		t.Error("the cell stays dead")
	}
}

func TestItems_TestsAreRankedByScore(t *testing.T) {
	// D16: highest first, ties by number; ids do not change.
	test := func(id string, second int, score string) string {
		return say(id, second, "Ann", "ADD", "-", "T", `{"name":"`+id+`","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"e"},"score":{"cost":`+score+`}}`)
	}
	a := mergeAll(t, nil, test("a", 0, "1"), test("b", 1, "3"), test("c", 2, "1")).Artifact
	order := func(a *delta.Artifact) (ids string) {
		for _, it := range a.Items(delta.DiscriminativeTests) {
			ids += string(it.ID()) + " "
		}
		return ids
	}
	if got := order(a); got != "T2 T1 T3 " {
		t.Errorf("order %s", got)
	}
	a = mergeAll(t, a, say("e", 3, "Bob", "EDIT", "T3", "T", `{"score":{"speed":3}}`)).Artifact
	if got := order(a); got != "T3 T2 T1 " {
		t.Errorf("order after the edit %s", got)
	}
	if md := delta.Render(a); strings.Index(md, "### T3: c") > strings.Index(md, "### T2: b") {
		t.Error("rendered in another order")
	}
}

func TestMerge_PostconditionsAreWarnings(t *testing.T) {
	// D17: on the final state.
	r := mergeAll(t, nil, say("1", 0, "Ann", "ADD", "-", "A", `{"name":"n","statement":"s","scale_check":true}`))
	wantWarning(t, r, brenner.CodeNoThirdAlternative)
	wantWarning(t, r, brenner.CodeBelowMinimum)
	for _, w := range r.Warnings {
		if w.Code == brenner.CodeNoScaleCheck {
			t.Error("there is a scale check")
		}
	}
	wantWarning(t, mergeAll(t, r.Artifact, say("2", 1, "Ann", "KILL", "A1", "A", `{}`)), brenner.CodeNoScaleCheck)
}

func TestMerge_VersionAndMetadata(t *testing.T) {
	// D18: version+1 only if something was recorded.
	a := mergeAll(t, nil, say("1", 5, "Bob", "EDIT", "RT", "RT", `{"statement":"s"}`)).Artifact
	r := mergeAll(t, a, say("2", 3, "Ann", "EDIT", "RT", "RT", `{"context":"c"}`))
	m := r.Artifact.Metadata()
	if m.Version != 2 || m.UpdatedAt != "2026-01-01T12:00:05Z" || m.CreatedAt != "2026-01-01T12:00:05Z" || strings.Join(names(m.Contributors), " ") != "Ann Bob" {
		t.Errorf("%+v", m)
	}
	if r = mergeAll(t, a, say("3", 9, "Eve", "EDIT", "H1", "H", `{"claim":"c"}`)); r.Artifact != a {
		t.Error("a merge that recorded nothing made a version")
	}
}

func TestMerge_AnotherPriorityListShowsEverythingAnew(t *testing.T) {
	// D10: the list in force decides, also about what was merged before.
	a := mergeAll(t, nil, say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"ann"}`), say("2", 0, "Bob", "EDIT", "RT", "RT", `{"statement":"bob"}`)).Artifact
	one := entries(t, say("3", 1, "Cy", "EDIT", "RT", "RT", `{"context":"c"}`))
	r := delta.Merge(a, one, delta.Options{Priority: []brenner.ActorName{"Bob"}})
	if got := textOf(t, r.Artifact, "RT", "statement"); got != "bob" || textOf(t, a, "RT", "statement") != "CONFLICT" {
		t.Errorf("statement %q", got)
	}
	if again := delta.Merge(r.Artifact, nil, delta.Options{}); textOf(t, again.Artifact, "RT", "statement") != "bob" {
		t.Error("the list was forgotten")
	}
}

func TestMerge_TooManyDeltasAreRefusedTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: a million deltas")
	}
	r := delta.Merge(nil, make([]delta.Entry, brenner.MaxDeltas+1), delta.Options{})
	wantOutcome(t, r, brenner.MaxDeltas, delta.Rejected, brenner.CodeLimitExceeded)
	if r.Recorded() != 0 {
		t.Error("some were recorded")
	}
}

func TestMerge_StaysNearLinearInItsWork(t *testing.T) {
	// D23: time is the benchmark's business; here allocations, which do not
	// depend on how busy the machine is, grow no faster than the deltas.
	small, large := mixed(1_000), mixed(10_000)
	a := testing.AllocsPerRun(1, func() { delta.Merge(nil, small, delta.Options{}) })
	b := testing.AllocsPerRun(1, func() { delta.Merge(nil, large, delta.Options{}) })
	if b > 12*a {
		t.Errorf("%v allocations for 1,000 deltas, %v for 10,000", a, b)
	}
	base := delta.Merge(nil, large, delta.Options{}).Artifact
	one := entries(t, say("one", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"s"}`))
	if c := testing.AllocsPerRun(1, func() { delta.Merge(base, one, delta.Options{}) }); c > b/50 {
		t.Errorf("%v allocations for one more delta, %v for all", c, b)
	}
}

// D4: a provisional id of another agent is written AGENT:NAME, in targets, map
// keys and lists, before and after its ADD has come; the bare name is the
// author's own, and whoever meant another's is told how to write it.
func TestMerge_AnothersProvisionalIDIsNamedWithItsAgent(t *testing.T) {
	delta1 := func(id, agent, rest string) string {
		return `{"delta_id":"` + id + `","timestamp":"2026-01-01T00:00:0` + id[1:] + `Z","agent":"` + agent + `",` + rest + `}`
	}
	add := delta1("d3", "BlueLake", `"operation":"ADD","section":"hypothesis_slate","provisional_id":"H-PARSER","payload":{"claim":"c","mechanism":"m"}`)
	test := func(key string) string {
		return `"operation":"ADD","section":"discriminative_tests","payload":{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":{"` + key + `":"slow"}}`
	}
	early := mergeAll(t, nil,
		delta1("d1", "PurpleMountain", test("BlueLake:H-PARSER")),
		delta1("d2", "PurpleMountain", `"operation":"EDIT","target_id":"BlueLake:H-PARSER","section":"hypothesis_slate","payload":{"name":"Parser"}`), add)
	h, _ := early.Artifact.Item("H1")
	test1, _ := early.Artifact.Item("T1")
	if h == nil || h.Text("name") != "Parser" || test1.Pairs("expected_outcomes")[0].Key != "H1" || len(early.About) != 0 {
		t.Errorf("outcomes %+v, about %v", early.Outcomes, early.About)
	}
	bare := mergeAll(t, early.Artifact, delta1("d4", "PurpleMountain", test("H-PARSER")),
		delta1("d5", "PurpleMountain", `"operation":"EDIT","target_id":"H-PARSER","section":"hypothesis_slate","payload":{"name":"x"}`))
	if n := bare.About[0]; len(n) != 1 || n[0].Code != brenner.CodeDanglingReference || !strings.Contains(n[0].Hint, "BlueLake:H-PARSER") {
		t.Errorf("about the key: %v", n)
	}
	if o := bare.Outcomes[1]; o.Status != delta.Waiting || !strings.Contains(o.Hint, "BlueLake:H-PARSER") {
		t.Errorf("about the target: %+v", o)
	}
}

// D5: null in an EDIT takes a key out of a map of outcomes, by the clock of the
// key; a later write puts it back. In an ADD there is nothing to take out.
func TestMerge_NullTakesAKeyOutOfAMap(t *testing.T) {
	test := func(op, id, at, target, outcomes string) string {
		return `{"delta_id":"` + id + `","timestamp":"2026-01-01T00:00:0` + at + `Z","agent":"Ann","operation":"` + op + `"` + target +
			`,"section":"discriminative_tests","payload":{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":` + outcomes + `}}`
	}
	add := test("ADD", "a", "1", "", `{"H1":"slow","H2":"fast"}`)
	gone := test("EDIT", "b", "2", `,"target_id":"T1"`, `{"H2":null}`)
	shown := func(deltas ...string) string {
		it, _ := mergeAll(t, nil, deltas...).Artifact.Item("T1")
		return fmt.Sprint(it.Pairs("expected_outcomes"))
	}
	if got := shown(add, gone); got != "[{H1 slow}]" {
		t.Errorf("taken out: %s", got)
	}
	if got := shown(gone, test("EDIT", "c", "3", `,"target_id":"T1"`, `{"H2":"back"}`), add); got != "[{H1 slow} {H2 back}]" {
		t.Errorf("put back: %s", got)
	}
	if got := shown(add, test("EDIT", "c", "1.5", `,"target_id":"T1"`, `{"H2":"older"}`), gone); got != "[{H1 slow}]" {
		t.Errorf("an older write: %s", got)
	}
	if res := delta.Merge(nil, entries(t, test("ADD", "a", "1", "", `{"H1":null}`)), delta.Options{}); res.Outcomes[0].Status != delta.Rejected {
		t.Errorf("an ADD with null: %+v", res.Outcomes)
	}
	both := mergeAll(t, nil, add, gone).Artifact
	again, err := delta.ReadArtifact(canon.MustMarshal(both))
	if err != nil || strings.Contains(delta.Render(again), "fast") || strings.Contains(delta.RenderPlain(again), "fast") {
		t.Errorf("read back: %v\n%s", err, delta.Render(both))
	}
}
