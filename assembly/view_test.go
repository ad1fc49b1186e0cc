package assembly

import (
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/policy"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// C9: a view is data, and what its author left out has a stated default.
func TestParse_ReadsAViewAndFillsInDefaults(t *testing.T) {
	v, err := Parse("writer", []byte(`{"types":[{"type":"integrated_memo","variant":"full","max":3},{"type":"critique"}],
		"budget":{"unit":"bytes","size":9000,"reserve":0,"family":""},"modules":"cross","weights":{"links":5}}`), artifact.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Role, want.Modules, want.Weights.Links = "writer", CrossModules, 5
	want.Types = []TypeRule{{"integrated_memo", Full, 3}, {"critique", Summary, 8}}
	want.Budget = Budget{Unit: InBytes, Size: 9000}
	if d := cmp.Diff(want, v); d != "" {
		t.Error(d)
	}
}

// C9: what parses prints back to the same view.
func TestParse_PrintsBack(t *testing.T) {
	views := Builtin()
	if len(views) == 0 {
		t.Fatal("no view: this test would pass on nothing")
	}
	for _, v := range views {
		back, err := Parse("", canon.MustMarshal(v), artifact.Builtin())
		if err != nil {
			t.Fatalf("%s: %v", v.Role, err)
		}
		if d := cmp.Diff(v, back); d != "" {
			t.Errorf("%s: %s", v.Role, d)
		}
	}
}

func TestParse_RefusesWithAPointer(t *testing.T) {
	const types = `"types":[{"type":"critique"}]`
	for _, tt := range []struct {
		raw     string
		code    brenner.Code
		pointer string
	}{
		{`{`, brenner.CodeInvalidJSON, ""},
		{`{"role":"writer","role":"writer",` + types + `}`, brenner.CodeInvalidJSON, "/role"},
		{`{"color":"red",` + types + `}`, brenner.CodeInvalidJSON, "/color"},
		{`{"types":[{"type":"critique","how":1}]}`, brenner.CodeInvalidJSON, "/types/0/how"},
		{`{}`, brenner.CodeInvalidView, "/types"},
		{`{"role":"pi",` + types + `}`, brenner.CodeInvalidView, "/role"},
		{`{"types":[{"type":"critique"},{"type":"dream"}]}`, brenner.CodeInvalidView, "/types/1/type"},
		{`{"types":[{"type":"raw_log"}]}`, brenner.CodeInvalidView, "/types/0/type"},
		{`{"types":[{"type":"role_policy"}]}`, brenner.CodeInvalidView, "/types/0/type"},
		{`{"types":[{"type":"critique"},{"type":"critique"}]}`, brenner.CodeInvalidView, "/types/1/type"},
		{`{"types":[{"type":"critique","variant":"half"}]}`, brenner.CodeInvalidView, "/types/0/variant"},
		{`{"types":[{"type":"critique","max":-1}]}`, brenner.CodeInvalidView, "/types/0/max"},
		{`{"types":[{"type":"critique","max":501}]}`, brenner.CodeInvalidView, "/types/0/max"},
		{`{"budget":{"size":0},` + types + `}`, brenner.CodeInvalidView, "/budget/size"},
		{`{"budget":{"size":10000001},` + types + `}`, brenner.CodeInvalidView, "/budget/size"},
		{`{"budget":{"reserve":-1},` + types + `}`, brenner.CodeInvalidView, "/budget/reserve"},
		{`{"budget":{"unit":"words"},` + types + `}`, brenner.CodeInvalidView, "/budget/unit"},
		{`{"budget":{"unit":"bytes","family":"gpt"},` + types + `}`, brenner.CodeInvalidView, "/budget/family"},
		{`{"budget":{"family":"eliza"},` + types + `}`, brenner.CodeInvalidView, "/budget/family"},
		{`{"modules":"two",` + types + `}`, brenner.CodeInvalidView, "/modules"},
		{`{"weights":{"tags":-1},` + types + `}`, brenner.CodeInvalidView, "/weights/tags"},
		{`{"weights":{"semantic":1001},` + types + `}`, brenner.CodeInvalidView, "/weights/semantic"},
		{`{"bullets":{"max":-1},` + types + `}`, brenner.CodeInvalidView, "/bullets/max"},
		{`{"bullets":{"stages":["QUARANTINED"]},` + types + `}`, brenner.CodeInvalidView, "/bullets/stages/0"},
		{`{"bullets":{"domains":["ok","No"]},` + types + `}`, brenner.CodeInvalidView, "/bullets/domains/1"},
		{`{"overview":"none",` + types + `}`, brenner.CodeInvalidView, "/overview"},
		{`{"pinned":"",` + types + `}`, brenner.CodeInvalidView, "/pinned"},
	} {
		_, err := Parse("writer", []byte(tt.raw), artifact.Builtin())
		e, ok := err.(*brenner.Error)
		if !ok || e.Code != tt.code || e.Pointer != tt.pointer {
			t.Errorf("%s: %v at %q, want %s at %q", tt.raw, err, pointerOf(e), tt.code, tt.pointer)
		}
	}
}

func pointerOf(e *brenner.Error) string {
	if e == nil {
		return ""
	}
	return e.Pointer
}

func TestParse_ReportsEveryFinding(t *testing.T) {
	_, err := Parse("", []byte(`{"types":[{"type":"dream"}],"modules":"two"}`), artifact.Builtin())
	e, ok := err.(*brenner.Error)
	if !ok {
		t.Fatal(err)
	}
	var places []string
	for _, d := range e.Diagnostics {
		places = append(places, d.Pointer)
	}
	if got := strings.Join(places, " "); got != "/role /types/0/type /modules" {
		t.Error(got)
	}
}

// C20: a budget that leaves its reserve and family open keeps a quarter for
// later reads, and counts bytes as bytes.
func TestParse_FillsABudgetThatIsLeftOpen(t *testing.T) {
	v, err := Parse("writer", []byte(`{"budget":{"unit":"bytes","size":4000},"types":[{"type":"critique"}]}`), artifact.Builtin())
	if want := (Budget{Unit: InBytes, Size: 4000, Reserve: 1000}); err != nil || v.Budget != want {
		t.Errorf("got %+v, %v; want %+v", v.Budget, err, want)
	}
}

// C9: every built-in role has a view, of types that the registry knows.
// C7: and that its policy lets it read.
func TestBuiltin_ViewsStayWithinThePolicies(t *testing.T) {
	types, err := artifact.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	policies := map[brenner.Role]policy.Policy{}
	for _, p := range policy.Builtin() {
		policies[p.Role] = p
	}
	seen := map[brenner.Role]bool{}
	for _, v := range Builtin() {
		seen[v.Role] = true
		content := artifact.Content{Format: artifact.JSON, Data: canon.MustMarshal(v)}
		if err := types.Validate(artifact.TypeContextView, content); err != nil {
			t.Errorf("the view of %s is not the content of a context_view: %v", v.Role, err)
		}
		for _, r := range append(slices.Clone(v.Types), TypeRule{Type: artifact.TypeProjectBrief}) {
			req := policy.Request{Actor: "ann", Role: v.Role, Action: policy.Read, Type: r.Type}
			if d := policy.Decide(policies, req); !d.Allowed {
				t.Errorf("the view of %s receives %s: %s", v.Role, r.Type, d.Reason)
			}
		}
	}
	for role, p := range policies {
		if !seen[role] && len(p.Read) > 0 { // who reads nothing sees nothing
			t.Errorf("%s has a policy and no view", role)
		}
	}
}

// C9: a role other than the PI receives every type that its policy reads, so
// that nothing it may read is out of its sight; the brief is the overview, and
// tasks have their own place.
func TestBuiltin_ViewsReceiveWhatThePoliciesRead(t *testing.T) {
	policies := map[brenner.Role]policy.Policy{}
	for _, p := range policy.Builtin() {
		policies[p.Role] = p
	}
	for _, v := range Builtin() {
		for _, typ := range artifact.Builtin() {
			readable := policy.Decide(policies, policy.Request{Actor: "ann", Role: v.Role, Action: policy.Read, Type: typ.Name}).Allowed
			elsewhere := typ.Name == artifact.TypeProjectBrief || typ.Name == artifact.TypeTask
			if _, received := v.Rule(typ.Name); typ.Contextual && readable && !elsewhere && !received && v.Role != brenner.PI {
				t.Errorf("%s may read a %s and does not receive any", v.Role, typ.Name)
			}
		}
	}
}

// C10: who looks at the whole gets memos and the summary, not notes.
func TestBuiltin_HigherRolesGetMemosNotNotes(t *testing.T) {
	for _, v := range Builtin() {
		if v.Role != brenner.PI && v.Role != policy.Writer {
			continue
		}
		fine := []brenner.TypeName{artifact.TypePaperNote}
		if v.Role == brenner.PI {
			fine = append(fine, artifact.TypeAnalysisResult)
		}
		for _, fine := range fine {
			if _, received := v.Rule(fine); received {
				t.Errorf("the view of %s receives %s", v.Role, fine)
			}
		}
		for _, drawn := range []brenner.TypeName{artifact.TypeIntegratedMemo, artifact.TypeProjectSummary} {
			if r, _ := v.Rule(drawn); r.Variant != Full {
				t.Errorf("the view of %s has %s as %q", v.Role, drawn, r.Variant)
			}
		}
	}
}

// C22: fine artifacts come as summaries, whoever looks.
func TestBuiltin_NotesComeAsSummaries(t *testing.T) {
	rules := 0
	for _, v := range Builtin() {
		for _, fine := range []brenner.TypeName{artifact.TypePaperNote, artifact.TypeAnalysisResult, artifact.TypeAssumption, artifact.TypeCritique} {
			if r, received := v.Rule(fine); received {
				rules++
				if r.Variant != Summary {
					t.Errorf("the view of %s has %s in full", v.Role, fine)
				}
			}
		}
	}
	if rules == 0 {
		t.Fatal("no rule: this test would pass on nothing")
	}
}

// C23: one module, unless the work is cross-cutting and the view lets it be.
// C23.a.
func TestScope_OneModuleUnlessAllowed(t *testing.T) {
	m := func(names ...brenner.Module) []brenner.Module { return names }
	one, cross := View{Role: "writer", Modules: OneModule}, View{Role: "pi", Modules: CrossModules}
	for _, tt := range []struct {
		view    View
		modules []brenner.Module
		cross   bool
		want    Scope
		code    brenner.Code
	}{
		{one, m("a"), false, Scope{Modules: m("a", "project")}, ""},
		{one, nil, false, Scope{Modules: m("project")}, ""},
		{one, m("a", "a"), false, Scope{Modules: m("a", "project")}, ""},
		{one, m("a"), true, Scope{Modules: m("a", "project")}, ""},
		{one, m("b", "a"), true, Scope{}, brenner.CodeCrossModule},
		{one, nil, true, Scope{Modules: m("project")}, ""},
		{cross, m("b", "a"), false, Scope{}, brenner.CodeCrossModule},
		{cross, m("b", "a"), true, Scope{Modules: m("a", "b", "project")}, ""},
		{cross, m("a"), false, Scope{Modules: m("a", "project")}, ""},
		{cross, nil, false, Scope{Modules: m("project")}, ""},
		{cross, nil, true, Scope{All: true, Modules: []brenner.Module{}}, ""},
	} {
		got, err := tt.view.Scope(tt.modules, tt.cross, "project")
		if brenner.CodeOf(err) != tt.code {
			t.Errorf("%s %v %v: %v, want %q", tt.view.Modules, tt.modules, tt.cross, err, tt.code)
			continue
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s %v %v: %s", tt.view.Modules, tt.modules, tt.cross, d)
		}
	}
	if !(Scope{All: true}).Covers("x") || (Scope{Modules: m("a")}).Covers("b") || !(Scope{Modules: m("a")}).Covers("a") {
		t.Error("a scope covers what it names")
	}
}

// C20: the budget is a bound, in bytes or in tokens times a factor.
// C3: what an agent reads later is charged to the same budget.
func TestBudget_ChargesToTheBound(t *testing.T) {
	b := Budget{Unit: InTokens, Size: 100, Reserve: 40, Family: Claude}
	if used, err := b.Charge(60, 40); used != 100 || err != nil {
		t.Errorf("got %d, %v", used, err)
	}
	used, err := b.Charge(60, 41)
	if used != 60 || brenner.CodeOf(err) != brenner.CodeContextOverflow {
		t.Errorf("got %d, %v", used, err)
	}
}

// C20: rounding never lets more through than the budget has.
func TestBudget_RoomIsTheGreatestCountThatFits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := Budget{Unit: InTokens, Size: rapid.IntRange(1, 5000).Draw(rt, "size"), Family: rapid.SampledFrom(Families()).Draw(rt, "family")}
		b.Reserve = rapid.IntRange(0, b.Size).Draw(rt, "reserve")
		if n := b.room(); b.scale(n) > b.Size-b.Reserve || b.scale(n+1) <= b.Size-b.Reserve {
			rt.Errorf("%+v: room for %d", b, n)
		}
	})
}

func TestBudget_EveryFamilyHasAMeasure(t *testing.T) {
	for _, f := range Families() {
		b := Budget{Unit: InTokens, Family: f}
		if b.Encoding() == "" || b.Percent() < 100 {
			t.Errorf("%s: %q times %d %%", f, b.Encoding(), b.Percent())
		}
	}
	if b := (Budget{Unit: InBytes}); b.Encoding() != "" || b.Percent() != 100 || b.Measure(Bytes{}, "añ") != 3 {
		t.Error("bytes are bytes")
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range Builtin() {
		f.Add(canon.MustMarshal(v))
	}
	f.Add([]byte(`{"types":[{"type":"critique","max":1e3}]}`))
	known := artifact.Builtin()
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := Parse("", raw, known)
		if err != nil {
			return
		}
		back, err := Parse(v.Role, canon.MustMarshal(v), known)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(v, back); d != "" {
			t.Fatal(d)
		}
	})
}
