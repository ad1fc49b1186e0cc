package delta_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func findings(found []brenner.Diagnostic) map[brenner.Code]string {
	m := map[brenner.Code]string{}
	for _, f := range found {
		m[f.Code] += f.Subject + " "
	}
	return m
}

func TestLint_EveryRuleIsACodedFindingWithAFix(t *testing.T) {
	// D21: of an artifact that breaks each rule once.
	a := mergeAll(t, nil,
		say("h1", 0, "Ann", "ADD", "-", "H", `{"claim":"c","mechanism":"m","odd":1}`),
		say("p1", 0, "Ann", "ADD", "-", "P", `{"condition":"k","predictions":{"H1":"Same","H2":"same "}}`),
		say("t1", 0, "Ann", "ADD", "-", "T", `{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"e"}}`),
		say("e1", 1, "Ann", "EDIT", "H1", "H", `{"name":"ann"}`), say("e2", 1, "Bob", "EDIT", "H1", "H", `{"name":"bob"}`),
	).Artifact
	found := delta.Lint(a)
	want := map[brenner.Code]string{
		brenner.CodeBelowMinimum:           "hypothesis_slate predictions_table discriminative_tests assumption_ledger adversarial_critique ",
		brenner.CodeNoThirdAlternative:     "hypothesis_slate ",
		brenner.CodeNoScaleCheck:           "assumption_ledger ",
		brenner.CodeThreadEmpty:            "RT ",
		brenner.CodeFieldConflict:          "H1 ",
		brenner.CodeUnknownField:           "H1 ",
		brenner.CodeNoAnchors:              "H1 ",
		brenner.CodeNotDiscriminative:      "P1 T1 ",
		brenner.CodeNoPotencyCheck:         "T1 ",
		brenner.CodeNoScore:                "T1 ",
		brenner.CodeNoRealThirdAlternative: "adversarial_critique ",
		brenner.CodeDanglingReference:      "P1 ",
	}
	if d := cmp.Diff(want, findings(found)); d != "" {
		t.Error(d)
	}
	for _, f := range found {
		if f.Hint == "" || f.Message == "" || f.Severity == "" {
			t.Errorf("%+v has no fix", f)
		}
	}
}

func TestLint_IsSilentOnACompleteArtifact(t *testing.T) {
	// D21: nothing to say, nothing said.
	r := mergeAll(t, nil, sound()...)
	if found := delta.Lint(r.Artifact); len(found) != 0 || len(r.Warnings) != 0 {
		t.Errorf("%+v %+v", found, r.Warnings)
	}
}

// mutate changes some JSON at random places: values of other types, members
// gone, members twice.
func mutate(rng *rand.Rand, v any) any {
	if rng.IntN(12) == 0 {
		return []any{nil, true, 1.5, -1.0, "", "x", []any{}, map[string]any{}, "H1", strings.Repeat("y", 50)}[rng.IntN(10)]
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			switch rng.IntN(40) {
			case 0:
			case 1:
				out[k+"x"] = mutate(rng, x)
			default:
				out[k] = mutate(rng, x)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, x := range v {
			if rng.IntN(30) > 0 {
				out = append(out, mutate(rng, x))
			}
			if rng.IntN(60) == 0 {
				out = append(out, x)
			}
		}
		return out
	}
	return v
}

// judge gives any JSON to everything that reads JSON. What is accepted as an
// artifact must be written back byte for byte.
func judge(t testing.TB, raw []byte) {
	t.Helper()
	delta.LintJSON(raw)
	x, err := delta.ReadDeltas(raw, replyEnvelope)
	if err == nil {
		r := delta.Merge(nil, x.Entries, delta.Options{})
		delta.Render(r.Artifact)
		delta.Lint(r.Artifact)
	}
	a, err := delta.ReadArtifact(raw)
	if err != nil {
		if code := brenner.CodeOf(err); code != brenner.CodeInvalidSessionArtifact && code != brenner.CodeLimitExceeded && code != brenner.CodeInvalidText {
			t.Fatalf("%v\n%s", err, raw)
		}
		return
	}
	if want, _ := canon.Transform(raw); !bytes.Equal(canon.MustMarshal(a), want) {
		t.Fatalf("read and written otherwise\n%s", raw)
	}
	delta.Render(a)
	delta.Lint(a)
}

func seedJSON(t testing.TB) []byte {
	return canon.MustMarshal(mergeAll(t, seedBase(t), seedExample1, seedExample2, seedExample3,
		say("e1", 1, "Ann", "EDIT", "H1", "H", `{"name":"ann"}`), say("e2", 1, "Bob", "EDIT", "H1", "H", `{"name":"bob"}`)).Artifact)
}

func TestAnyJSON_NeverCrashesAnything(t *testing.T) {
	// D21: lint never crashes on any JSON, nor does anything else.
	whole := seedJSON(t)
	var doc any
	if err := json.Unmarshal(whole, &doc); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	refused := 0
	tried := soaked(600, 30_000)
	t.Logf("%d mutations", tried)
	for range tried {
		raw := canon.MustMarshal(mutate(rng, doc))
		judge(t, raw)
		if _, err := delta.ReadArtifact(raw); err != nil {
			refused++
		}
	}
	if refused < tried/3 {
		t.Errorf("only %d of the mutations were refused", refused)
	}
	judge(t, whole)
	for _, raw := range []string{`null`, `0`, `[]`, `{}`, `{"format":"brenner.session_artifact/1"}`, `[null]`, `"x"`, ``, `{`, "\xff"} {
		judge(t, []byte(raw))
	}
}

func TestReadArtifact_RefusesWhatDoesNotFollowFromTheDeltas(t *testing.T) {
	whole := string(seedJSON(t))
	for name, c := range map[string]struct{ old, new, pointer string }{
		"another claim":    {`"claim":"Cell fate is determined by ancestry."`, `"claim":"forged"`, "/sections/hypothesis_slate/items/0"},
		"another killer":   {`"killed_by":"GreenDog"`, `"killed_by":"RedCreek"`, "/sections/hypothesis_slate/items/1"},
		"another id":       {`"id":"H4"`, `"id":"H5"`, "/sections/hypothesis_slate/highest"},
		"id twice":         {`"id":"H4"`, `"id":"H3"`, "/sections/hypothesis_slate"},
		"wrong section":    {`"id":"H4"`, `"id":"X4"`, "/sections/hypothesis_slate/items/3/id"},
		"highest too low":  {`"hypothesis_slate":{"highest":4`, `"hypothesis_slate":{"highest":3`, "/sections/hypothesis_slate/highest"},
		"delta twice":      {`"delta_id":"b2"`, `"delta_id":"b1"`, "/sections/hypothesis_slate/items/1/deltas/0/delta/delta_id"},
		"another format":   {`artifact/1"`, `artifact/2"`, "/format"},
		"negative version": {`"version":2`, `"version":-2`, "/metadata/version"},
		"bad date":         {`"created_at":"2025-12-30T09:00:00Z"`, `"created_at":"2025-12-30T10:00:00+01:00"`, "/metadata"},
		"bad contributor":  {`"contributors":["Ann"`, `"contributors":["A n"`, "/metadata"},
		"no ADD":           {`"operation":"ADD","payload":{"anchors":["§205"]`, `"operation":"EDIT","payload":{"anchors":["§205"]`, "/sections/hypothesis_slate/items/0/deltas/0/delta/target_id"},
		"about another":    {`"target_id":"T1"`, `"target_id":"T2"`, "/sections/discriminative_tests/items/0/deltas/1/delta/target_id"},
		"received later":   {`"at":"2025-12-30T12:10:00Z"`, `"at":"2025-12-30T12:10:01Z"`, "/sections/hypothesis_slate/items/1"},
		"not an instant":   {`"at":"2025-12-30T12:10:00Z"`, `"at":"noon"`, "/sections/hypothesis_slate/items/1/kills/0/at"},
		"extra member":     {`"format":`, `"more":1,"format":`, "/more"},
	} {
		t.Run(name, func(t *testing.T) {
			forged := strings.Replace(whole, c.old, c.new, 1)
			if forged == whole {
				t.Fatalf("%s is not in\n%s", c.old, whole)
			}
			_, err := delta.ReadArtifact([]byte(forged))
			if brenner.CodeOf(err) != brenner.CodeInvalidSessionArtifact || err.(*brenner.Error).Pointer != c.pointer {
				t.Errorf("%v at %q, want %q", err, err.(*brenner.Error).Pointer, c.pointer)
			}
		})
	}
}

func TestReadArtifact_HighestNumber(t *testing.T) {
	// D4: ids are never reused, and none grows beyond nine digits, whatever a
	// document says was the highest: a merge of as many deltas as it may have
	// still finds numbers, and beyond that the document is refused.
	const most = 999_999_999 - brenner.MaxDeltas
	whole := string(seedJSON(t))
	with := func(highest int) []byte {
		forged := strings.Replace(whole, `"hypothesis_slate":{"highest":4`, fmt.Sprintf(`"hypothesis_slate":{"highest":%d`, highest), 1)
		if forged == whole {
			t.Fatal("the seed has another highest number")
		}
		return []byte(forged)
	}
	a, err := delta.ReadArtifact(with(most))
	if err != nil {
		t.Fatal(err)
	}
	r := mergeAll(t, a, say("new", 5, "Ann", "ADD", "-", "H", `{"name":"n","claim":"c","mechanism":"m"}`))
	want := delta.ItemID(fmt.Sprintf("H%d", most+1))
	if o := r.Outcomes[0]; o.Status != delta.Applied || o.Item != want {
		t.Fatalf("%+v, want %s", o, want)
	}
	if it, ok := r.Artifact.Item(want); !ok || it.ID() != want {
		t.Errorf("%s is not found", want)
	}
	again, err := delta.ReadArtifact(canon.MustMarshal(a))
	if err != nil || again.Version() != a.Version() {
		t.Errorf("what was read is not written as it was: %v", err)
	}
	for _, highest := range []int{most + 1, 1 << 40, -1} {
		_, err := delta.ReadArtifact(with(highest))
		if brenner.CodeOf(err) != brenner.CodeInvalidSessionArtifact || err.(*brenner.Error).Pointer != "/sections/hypothesis_slate/highest" {
			t.Errorf("highest %d: %v", highest, err)
		}
	}
}

func FuzzAnyJSON(f *testing.F) {
	f.Add(seedJSON(f))
	f.Add([]byte(`[{"delta_id":"d","timestamp":"2025-12-30T12:00:00Z","agent":"A","operation":"ADD","section":"hypothesis_slate","payload":{"claim":null}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) { judge(t, raw) })
}

func TestReferences_DanglingAndCircular(t *testing.T) {
	// D24: both are warnings.
	refer := func(id string, second int, target, session, item string) string {
		return say(id, second, "Ann", "EDIT", target, "H", `{"references":[{"session":"`+session+`","item":"`+item+`","relation":"extends"}]}`)
	}
	base, err := delta.New("RS-1", "", nil, instant("2026-01-01T00:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	base = mergeAll(t, base, hypotheses(3)...).Artifact
	for name, c := range map[string]struct {
		edits []string
		code  brenner.Code
	}{
		"fine":            {[]string{refer("1", 9, "H1", "RS-1", "H2"), refer("2", 9, "H2", "RS-1", "H3")}, ""},
		"dangling":        {[]string{refer("1", 9, "H1", "RS-1", "H9")}, brenner.CodeDanglingReference},
		"itself":          {[]string{refer("1", 9, "H1", "RS-1", "H1")}, brenner.CodeReferenceCycle},
		"circle":          {[]string{refer("1", 9, "H1", "RS-1", "H2"), refer("2", 9, "H2", "RS-1", "H3"), refer("3", 9, "H3", "RS-1", "H1")}, brenner.CodeReferenceCycle},
		"another session": {[]string{refer("1", 9, "H1", "RS-2", "H9")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := mergeAll(t, base, c.edits...)
			got := brenner.Code("")
			for _, w := range r.Warnings {
				if w.Code == brenner.CodeDanglingReference || w.Code == brenner.CodeReferenceCycle {
					if got != "" {
						t.Errorf("reported twice: %v", r.Warnings)
					}
					got = w.Code
				}
			}
			if got != c.code {
				t.Errorf("warned %q, want %q", got, c.code)
			}
		})
	}
	t.Run("through another session", func(t *testing.T) {
		other, _ := delta.New("RS-2", "", nil, instant("2026-01-01T00:00:00Z"))
		other = mergeAll(t, other, append(hypotheses(1), refer("1", 9, "H1", "RS-1", "H1"))...).Artifact
		a := mergeAll(t, base, refer("1", 9, "H1", "RS-2", "H1"), refer("2", 9, "H2", "RS-2", "H7"), refer("3", 9, "H3", "RS-3", "H7")).Artifact
		lookup := func(id brenner.SessionID) *delta.Artifact {
			if id == "RS-2" {
				return other
			}
			return nil
		}
		got := findings(delta.CheckReferences(a, lookup))
		if got[brenner.CodeReferenceCycle] != "H1 " || got[brenner.CodeDanglingReference] != "H2 " {
			t.Errorf("%v", got)
		}
	})
}

func TestCompare_ListsWhatShowsDifferently(t *testing.T) {
	from := seedBase(t)
	to := mergeAll(t, from, seedExample1, seedExample2, seedExample3,
		say("e", 1, "Zoe", "EDIT", "T1", "T", `{"expected_outcomes":{"H2":"moves"},"labels":["x"]}`)).Artifact
	got := string(canon.MustMarshal(delta.Compare(from, to)))
	want, err := canon.Transform([]byte(`{"from_version":1,"to_version":2,"contributors":["GreenDog","RedCreek","Zoe"],"items":[
		{"item":"H2","killed":true},
		{"item":"H4","added":true,"fields":[
			{"field":"name","after":"Epigenetic memory"},
			{"field":"claim","after":"Cells use chromatin state inheritance for fate determination"},
			{"field":"mechanism","after":"Histone modifications inherited through division encode positional memory"},
			{"field":"anchors","after":["inference"]}]},
		{"item":"T1","fields":[
			{"field":"expected_outcomes.H2","before":"changes fate","after":"moves"},
			{"field":"potency_check","after":"Include late-transplant control (both H1 and H2 predict no change) AND verify cell viability post-transplant via vital dye"},
			{"field":"labels","after":["x"]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
	if same := delta.Compare(to, to); len(same.Items) != 0 || len(same.Contributors) != 0 {
		t.Errorf("%+v", same)
	}
}
