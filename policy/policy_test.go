package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func builtin() map[brenner.Role]Policy {
	m := map[brenner.Role]Policy{}
	for _, p := range Builtin() {
		m[p.Role] = p
	}
	return m
}

func agent(role brenner.Role, a Action, t brenner.TypeName) Request {
	return Request{Actor: "ann", Role: role, Action: a, Type: t}
}

// C7: what a role reads is decided by type, and what is not listed is denied.
// C8: likewise for what it writes.
func TestDecide_BuiltinTable(t *testing.T) {
	for _, tt := range []struct {
		r    Request
		want brenner.Code // "" = allowed
	}{
		{agent(HypothesisGenerator, Read, artifact.TypePaperNote), ""},
		{agent(HypothesisGenerator, Read, artifact.TypeManuscriptSection), brenner.CodeReadDenied},
		{agent(HypothesisGenerator, Write, artifact.TypePaperNote), ""},
		{agent(HypothesisGenerator, Write, artifact.TypeCritique), brenner.CodeWriteDenied},
		{agent(HypothesisGenerator, Write, artifact.TypeProjectBrief), brenner.CodeWriteDenied},
		{agent(HypothesisGenerator, Link, artifact.TypePaperNote), ""},
		{agent(HypothesisGenerator, Link, artifact.TypeCritique), brenner.CodeWriteDenied},
		{agent(HypothesisGenerator, Delta, ""), ""},
		{agent(TestDesigner, Write, artifact.TypeAnalysisResult), ""},
		{agent(TestDesigner, Delta, ""), ""},
		{agent(AdversarialCritic, Write, artifact.TypeCritique), ""},
		{agent(AdversarialCritic, Read, artifact.TypeManuscriptSection), ""},
		{agent(Integrator, Write, artifact.TypeIntegratedMemo), ""},
		{agent(Integrator, Write, artifact.TypeProjectSummary), ""},
		{agent(Integrator, Promote, artifact.TypeIntegratedMemo), brenner.CodeWriteDenied},
		{agent(Writer, Write, artifact.TypeManuscriptSection), ""},
		{agent(Writer, Read, artifact.TypeIntegratedMemo), ""},
		{agent(Writer, Read, artifact.TypePaperNote), brenner.CodeReadDenied},
		{agent(Writer, Delta, ""), brenner.CodeWriteDenied},
		{agent(Distiller, Read, artifact.TypeRawLog), ""},
		{agent(Writer, Read, "lab_protocol"), brenner.CodeReadDenied},
		{agent(brenner.PI, Read, "lab_protocol"), ""},
		{agent("stranger", Read, artifact.TypeProjectBrief), brenner.CodeReadDenied},
		{agent("stranger", Status, ""), brenner.CodeReadDenied},
		{agent("", Write, artifact.TypePaperNote), brenner.CodeWriteDenied},
		{agent(Writer, "fly", ""), brenner.CodeWriteDenied},
		{agent(Writer, Write, ""), brenner.CodeWriteDenied},
		{agent(Writer, Read, ""), ""},
	} {
		d := Decide(builtin(), tt.r)
		if d.Allowed != (tt.want == "") || d.Code != tt.want || d.Reason == "" {
			t.Errorf("%s %s %q: %+v, want %q", tt.r.Role, tt.r.Action, tt.r.Type, d, tt.want)
		}
		if code := brenner.CodeOf(d.Err(tt.r)); code != tt.want {
			t.Errorf("%s %s %q: error %q, want %q", tt.r.Role, tt.r.Action, tt.r.Type, code, tt.want)
		}
	}
}

// C2: only a distiller reads raw logs; not even a policy of * covers them.
func TestDecide_OnlyTheDistillerReadsRawLogs(t *testing.T) {
	for _, p := range Builtin() {
		got := Decide(builtin(), agent(p.Role, Read, artifact.TypeRawLog)).Allowed
		if want := p.Role == Distiller; got != want {
			t.Errorf("%s reads raw logs: %v, want %v", p.Role, got, want)
		}
	}
}

// C1: whatever the policy says, no agent gets the journal, the feed or a dump.
// C1.a.
func TestDecide_NoPolicyLetsAnAgentAudit(t *testing.T) {
	all := map[brenner.Role]Policy{"boss": {Role: "boss", Read: []brenner.TypeName{Any}, Write: []brenner.TypeName{Any}, Promote: []brenner.TypeName{Any}, Acts: Acts()}}
	for _, a := range []Action{Audit, Admin} {
		r := agent("boss", a, "")
		d := Decide(all, r)
		if d.Allowed {
			t.Errorf("an agent may %s", a)
		}
		if err := d.Err(r).(*brenner.Error); !strings.Contains(err.Hint, "person") {
			t.Errorf("the hint %q does not say who may", err.Hint)
		}
		r.Person = true
		if !Decide(all, r).Allowed {
			t.Errorf("a person whose policy lists %s may not", a)
		}
		r.Role = Writer
		if Decide(builtin(), r).Allowed {
			t.Errorf("a person whose policy does not list %s may", a)
		}
	}
	if Decide(all, agent("boss", Promote, artifact.TypeRolePolicy)).Allowed {
		t.Error("an agent may decide who may do what")
	}
}

// C18: promotion is an act of its own: writing a type gives no right to it, an
// agent in the role of the PI has none, and a policy can give it by type.
func TestDecide_PromotionIsNeverImplied(t *testing.T) {
	decisions := []Action{Promote, Demote, Deprecate}
	for _, p := range Builtin() {
		for _, typ := range artifact.Builtin() {
			for _, a := range decisions {
				if Decide(builtin(), agent(p.Role, a, typ.Name)).Allowed {
					t.Errorf("agent %s may %s a %s", p.Role, a, typ.Name)
				}
			}
		}
	}
	given := map[brenner.Role]Policy{Integrator: {Role: Integrator, Promote: []brenner.TypeName{artifact.TypeIntegratedMemo}}}
	for _, a := range decisions {
		if !Decide(given, agent(Integrator, a, artifact.TypeIntegratedMemo)).Allowed {
			t.Errorf("the policy gives %s and it is refused", a)
		}
		if Decide(given, agent(Integrator, a, artifact.TypeModelSpec)).Allowed {
			t.Errorf("%s of another type than the one given is allowed", a)
		}
	}
}

// C7: the person who leads the project may do everything, even without a
// policy; nothing unknown, though.
func TestDecide_ThePersonInChargeMayDoEverything(t *testing.T) {
	pi := Request{Actor: "pat", Person: true, Role: brenner.PI}
	for _, a := range append(Acts(), Read, Write, Link, Promote, Demote, Deprecate) {
		pi.Action, pi.Type = a, artifact.TypeRawLog
		if !Decide(nil, pi).Allowed {
			t.Errorf("the PI may not %s", a)
		}
	}
	pi.Action = "fly"
	if Decide(builtin(), pi).Allowed {
		t.Error("an unknown act is allowed")
	}
}

func TestDecide_ModulesKeepARoleInside(t *testing.T) {
	p := map[brenner.Role]Policy{Writer: {Role: Writer, Read: []brenner.TypeName{Any}, Write: []brenner.TypeName{Any}, Modules: []brenner.Module{"core"}}}
	for _, a := range []Action{Read, Write} {
		in, out := agent(Writer, a, artifact.TypePaperNote), agent(Writer, a, artifact.TypePaperNote)
		in.Module, out.Module = "core", "edge"
		if !Decide(p, in).Allowed || Decide(p, out).Allowed {
			t.Errorf("%s: in core %v, in edge %v", a, Decide(p, in), Decide(p, out))
		}
	}
}

// C7: a policy that names no modules is not kept to any.
func TestDecide_APolicyWithoutModulesHoldsInAll(t *testing.T) {
	p := map[brenner.Role]Policy{Writer: {Role: Writer, Read: []brenner.TypeName{Any}}}
	r := agent(Writer, Read, artifact.TypePaperNote)
	if r.Module = "edge"; !Decide(p, r).Allowed {
		t.Error(Decide(p, r).Reason)
	}
}

// C7: to read without naming a type is for those who may read some type.
func TestDecide_ReadingAnythingNeedsATypeToRead(t *testing.T) {
	p := map[brenner.Role]Policy{Writer: {Role: Writer, Write: []brenner.TypeName{Any}}}
	if Decide(p, agent(Writer, Read, "")).Allowed {
		t.Error("a role that reads nothing may read")
	}
	p[Writer] = Policy{Role: Writer, Read: []brenner.TypeName{artifact.TypePaperNote}}
	if !Decide(p, agent(Writer, Read, "")).Allowed {
		t.Error("a role that reads notes may not read")
	}
}

// C7, C8: every denial has its code and says why, whatever rule it is from.
func TestDecide_EveryDenialHasACodeAndAReason(t *testing.T) {
	narrow := builtin()
	narrow["kept"] = Policy{Role: "kept", Read: []brenner.TypeName{Any}, Modules: []brenner.Module{"core"}}
	denied := 0
	for _, role := range []brenner.Role{Writer, Distiller, "kept", "nobody"} {
		for _, a := range append(Acts(), Read, Write, Link, Promote, Demote, Deprecate, Audit, Admin, "fly") {
			for _, typ := range []brenner.TypeName{"", artifact.TypePaperNote, artifact.TypeRawLog, artifact.TypeRolePolicy} {
				r := agent(role, a, typ)
				r.Module = "edge"
				d := Decide(narrow, r)
				if d.Allowed {
					continue
				}
				denied++
				want := brenner.CodeWriteDenied
				if slices.Contains([]Action{Read, Audit, Status, ContextAssemble, ContextPreview}, a) { // those that only look
					want = brenner.CodeReadDenied
				}
				if d.Code != want || d.Reason == "" {
					t.Errorf("%s %s %s: %q %q, want %s", role, a, typ, d.Code, d.Reason, want)
				}
			}
		}
	}
	if denied == 0 {
		t.Fatal("nothing was denied")
	}
}

// C7: a policy filed under another role is not that role's policy.
func TestDecide_MisfiledPolicyCountsForNothing(t *testing.T) {
	misfiled := map[brenner.Role]Policy{Writer: {Role: Distiller, Read: []brenner.TypeName{Any}}}
	if Decide(misfiled, agent(Writer, Read, artifact.TypePaperNote)).Allowed {
		t.Error("a writer acts under the policy of a distiller")
	}
}

func TestDecide_MessageSaysWhoWhatAndWhy(t *testing.T) {
	r := Request{Actor: "wim", Role: Writer, Action: Read, Type: artifact.TypePaperNote, Target: "note-1"}
	err := Decide(builtin(), r).Err(r).(*brenner.Error)
	const want = "wim may not read paper_note note-1: the policy of writer reads project_brief, "
	if !strings.HasPrefix(err.Message, want) {
		t.Errorf("message %q, want it to begin %q", err.Message, want)
	}
}

// C7: a decision is what a list lookup says, and nothing more: checked against the
// rule written out the dumb way, over random policies and requests.
func TestDecide_AgreesWithTheRuleWrittenOut(t *testing.T) {
	types := []brenner.TypeName{"paper_note", "raw_log", "role_policy", "x", Any}
	list := rapid.SliceOfN(rapid.SampledFrom(types), 0, 3)
	actions := append(Acts(), Read, Write, Link, Promote, Demote, Deprecate, "fly")
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			Role: rapid.SampledFrom([]brenner.Role{"pi", "a", Distiller}).Draw(t, "policy"),
			Read: list.Draw(t, "read"), Write: list.Draw(t, "write"), Promote: list.Draw(t, "promote"),
			Acts:    rapid.SliceOfN(rapid.SampledFrom(Acts()), 0, 6).Draw(t, "acts"),
			Modules: rapid.SliceOfN(rapid.SampledFrom([]brenner.Module{"m", "n"}), 0, 1).Draw(t, "modules"),
			Sections: rapid.SliceOfN(rapid.SampledFrom([]Scope{
				"research_thread", "hypothesis_slate", "hypothesis_slate:KILL", "hypothesis_slate:ADD",
			}), 0, 2).Draw(t, "sections"),
		}
		r := Request{
			Actor: "x", Person: rapid.Bool().Draw(t, "person"),
			Role:   rapid.SampledFrom([]brenner.Role{"pi", "a", "b", Distiller}).Draw(t, "role"),
			Action: rapid.SampledFrom(actions).Draw(t, "action"),
			Type:   rapid.SampledFrom(types[:4]).Draw(t, "type"),
			Module: rapid.SampledFrom([]brenner.Module{"m", "n", ""}).Draw(t, "module"),

			Section:   rapid.SampledFrom([]delta.Section{"", delta.ResearchThread, delta.HypothesisSlate}).Draw(t, "section"),
			Operation: rapid.SampledFrom([]delta.Operation{delta.Add, delta.Edit, delta.Kill}).Draw(t, "operation"),
		}
		has := func(l []brenner.TypeName) bool {
			named := slices.Contains(l, r.Type)
			if r.Action == Read && r.Type == "raw_log" { // C2: of agents only a distiller
				return named && (r.Person || r.Role == Distiller)
			}
			return named || slices.Contains(l, Any)
		}
		inside := len(p.Modules) == 0 || r.Module == "" || slices.Contains(p.Modules, r.Module)
		same := p.Role == r.Role
		var want bool
		switch r.Action {
		case "fly":
		case Read:
			want = same && inside && has(p.Read)
		case Write, Link:
			want = same && inside && has(p.Write)
		case Promote, Demote, Deprecate:
			want = same && inside && has(p.Promote) && (r.Person || r.Type != "role_policy")
		case Admin, Audit, Run: // the role of a runner is not drawn
			want = same && r.Person && slices.Contains(p.Acts, r.Action)
		case Delta:
			want = same && slices.Contains(p.Acts, Delta)
			if r.Section != "" && len(p.Sections) > 0 {
				want = want && (slices.Contains(p.Sections, Scope(r.Section)) || slices.Contains(p.Sections, Scope(r.Section)+":"+Scope(r.Operation)))
			}
		default:
			want = same && slices.Contains(p.Acts, r.Action)
		}
		if r.Person && r.Role == "pi" && r.Action != "fly" {
			want = true
		}
		if got := Decide(map[brenner.Role]Policy{p.Role: p}, r); got.Allowed != want {
			t.Fatalf("%+v under %+v: %v, want %v", r, p, got, want)
		}
	})
}

func TestBuiltin_RolesWriteTheSectionsOfTheirPrompts(t *testing.T) {
	// D25: the defaults are what the prompts of the roles say.
	for _, c := range []struct {
		role    brenner.Role
		section delta.Section
		op      delta.Operation
		want    bool
	}{
		{HypothesisGenerator, delta.HypothesisSlate, delta.Add, true},
		{HypothesisGenerator, delta.ResearchThread, delta.Edit, true},
		{HypothesisGenerator, delta.DiscriminativeTests, delta.Add, false},
		{HypothesisGenerator, delta.AdversarialCritique, delta.Kill, false},
		{TestDesigner, delta.DiscriminativeTests, delta.Edit, true},
		{TestDesigner, delta.AnomalyRegister, delta.Add, true}, // ADR 126: who runs a test registers what nobody foretold
		{TestDesigner, delta.HypothesisSlate, delta.Kill, true},
		{TestDesigner, delta.HypothesisSlate, delta.Edit, false},
		{TestDesigner, delta.ResearchThread, delta.Edit, false},
		{AdversarialCritic, delta.AdversarialCritique, delta.Add, true},
		{AdversarialCritic, delta.DiscriminativeTests, delta.Kill, true},
		{AdversarialCritic, delta.HypothesisSlate, delta.Add, false},
		{Integrator, delta.AssumptionLedger, delta.Edit, true},
		{Writer, delta.AssumptionLedger, delta.Edit, false},
	} {
		policies := map[brenner.Role]Policy{}
		for _, p := range Builtin() {
			policies[p.Role] = p
		}
		d := Decide(policies, Request{Actor: "x", Role: c.role, Action: Delta, Section: c.section, Operation: c.op})
		if d.Allowed != c.want {
			t.Errorf("%s, %s %s: %+v", c.role, c.op, c.section, d)
		}
	}
	if _, err := Parse([]byte(`{"role":"a","acts":["delta"],"sections":["hypotheses"]}`)); !errors.Is(err, brenner.CodeInvalidValue) {
		t.Errorf("an unknown section: %v", err)
	}
	if _, err := Parse([]byte(`{"role":"a","acts":["delta"],"sections":["hypothesis_slate:BURN"]}`)); !errors.Is(err, brenner.CodeInvalidValue) {
		t.Errorf("an unknown operation: %v", err)
	}
}

func TestBuiltin_IsSortedKnownAndFitsItsSchema(t *testing.T) {
	registry, err := artifact.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	list := Builtin()
	if !slices.IsSortedFunc(list, func(a, b Policy) int { return strings.Compare(string(a.Role), string(b.Role)) }) {
		t.Error("policies are not sorted by role")
	}
	for _, p := range list {
		for _, typ := range slices.Concat(p.Read, p.Write, p.Promote) {
			if _, err := registry.Lookup(typ); err != nil && typ != Any {
				t.Errorf("%s names %s: %v", p.Role, typ, err)
			}
		}
		raw := canon.MustMarshal(p)
		if err := registry.Validate(artifact.TypeRolePolicy, artifact.Content{Format: artifact.JSON, Data: raw}); err != nil {
			t.Errorf("%s: %v", p.Role, err)
		}
		back, err := Parse(raw)
		if diff := cmp.Diff(p, back); err != nil || diff != "" {
			t.Errorf("%s does not parse back: %v\n%s", p.Role, err, diff)
		}
	}
}

func TestParse_RefusesWhatItDoesNotKnow(t *testing.T) {
	for _, tt := range []struct {
		raw, pointer string
		code         brenner.Code
	}{
		{`{"role":"x","read":["paper_note"],"acts":["delta","fly"]}`, "/acts/1", brenner.CodeInvalidValue},
		{`{"role":"X Y"}`, "/role", brenner.CodeInvalidID},
		{`{"read":[]}`, "/role", brenner.CodeInvalidID},
		{`{"role":"x","read":["*","Paper"]}`, "/read/1", brenner.CodeInvalidID},
		{`{"role":"x","promote":[""]}`, "/promote/0", brenner.CodeInvalidID},
		{`{"role":"x","modules":["a b"]}`, "/modules/0", brenner.CodeInvalidID},
		{`{"role":"x","raed":[]}`, "/raed", brenner.CodeInvalidJSON},
		{`{"role":"x","role":"y"}`, "/role", brenner.CodeInvalidJSON},
		{`{"role":"x","read":"*"}`, "/read", brenner.CodeInvalidJSON},
	} {
		_, err := Parse([]byte(tt.raw))
		if brenner.CodeOf(err) != tt.code || err.(*brenner.Error).Pointer != tt.pointer {
			t.Errorf("%s: %v, want %s at %s", tt.raw, err, tt.code, tt.pointer)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range Builtin() {
		f.Add(canon.MustMarshal(p))
	}
	f.Add([]byte(`{"role":"x","read":null,"acts":[],"modules":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Parse(canon.MustMarshal(p))
		if diff := cmp.Diff(p, again); err != nil || diff != "" {
			t.Errorf("what parses does not print back: %v\n%s", err, diff)
		}
	})
}

// X10: whether a role may do something to anything at all is known without
// knowing to what.
func TestEver_IsAllowedIfAnyTypeWouldBe(t *testing.T) {
	policies := map[brenner.Role]Policy{
		"observer": {Role: "observer", Read: []brenner.TypeName{"*"}, Acts: []Action{Status}},
		"scribe":   {Role: "scribe", Write: []brenner.TypeName{"paper_note"}, Modules: []brenner.Module{"lineage"}},
	}
	for _, c := range []struct {
		role   brenner.Role
		action Action
		want   bool
	}{
		{"observer", Write, false},
		{"observer", Read, true},
		{"observer", Status, true},
		{"observer", Delta, false},
		{"scribe", Write, true},
		{"scribe", Promote, false},
		{"nobody", Write, false},
	} {
		if got := Ever(policies, Request{Actor: "x", Role: c.role, Action: c.action}).Allowed; got != c.want {
			t.Errorf("%s %s: %t", c.role, c.action, got)
		}
	}
}

// X10: the answer about nothing in particular is as full as any other: it has
// a code and a reason, and an act is not made more than it is by a type.
func TestEver_SaysWhy(t *testing.T) {
	for _, a := range []Action{Promote, Delta, Read} {
		r := Request{Actor: "x", Role: "scribe", Action: a}
		got := Ever(map[brenner.Role]Policy{"scribe": {Role: "scribe", Write: []brenner.TypeName{"paper_note"}}}, r)
		if got.Allowed || got.Code == "" || got.Reason == "" {
			t.Errorf("%s: %+v", a, got)
		}
	}
	observer := map[brenner.Role]Policy{"observer": {Role: "observer", Read: []brenner.TypeName{"*", "paper_note"}, Acts: []Action{Status}}}
	if got := Ever(observer, Request{Actor: "x", Role: "observer", Action: Read}); !strings.Contains(got.Reason, "reads *, paper_note") {
		t.Errorf("%+v", got)
	}
}

// A1: what happens by itself looks, writes down and opens tasks; it promotes
// nothing, whatever the policies of a project say.
func TestDecideAutomation_NeverPromotes(t *testing.T) {
	for _, c := range []struct {
		action Action
		typ    brenner.TypeName
		want   bool
	}{
		{Read, artifact.TypeRawLog, true},
		{Read, "lab_protocol", true},
		{Write, artifact.TypeCritique, true},
		{Write, artifact.TypePaperNote, false},
		{TaskCreate, "", true},
		{Promote, artifact.TypeCritique, false},
		{Admin, "", false},
	} {
		if got := DecideAutomation(Request{Actor: "automation", Role: System, Action: c.action, Type: c.typ}); got.Allowed != c.want {
			t.Errorf("%s %s: %+v", c.action, c.typ, got)
		}
	}
}

// Runs are started by persons and runners; a policy cannot give it to another
// role of an agent.
func TestDecide_OnlyRunnersAmongAgentsStartAgents(t *testing.T) {
	policies := builtin()
	policies["eager"] = Policy{Role: "eager", Acts: []Action{Run}}
	for role, want := range map[brenner.Role]bool{Runner: true, "eager": false, Writer: false} {
		d := Decide(policies, agent(role, Run, ""))
		if d.Allowed != want || !want && d.Reason != "no agent starts agents" {
			t.Errorf("%s: %+v", role, d)
		}
	}
	if d := Decide(policies, Request{Actor: "eva", Person: true, Role: "eager", Action: Run}); !d.Allowed {
		t.Errorf("a person in that role: %+v", d)
	}
}

// D25: a delta to a section that is another role's is refused as a write, with
// the sections that are its own.
func TestDecide_ADeltaElsewhereNamesTheSections(t *testing.T) {
	r := Request{Actor: "ann", Role: AdversarialCritic, Action: Delta, Section: delta.ResearchThread, Operation: delta.Edit}
	d := Decide(builtin(), r)
	if d.Allowed || d.Code != brenner.CodeWriteDenied || !strings.Contains(d.Reason, "writes deltas to adversarial_critique, ") {
		t.Errorf("%+v", d)
	}
}

// A refusal says who could: only a person where no policy could help, otherwise
// somebody in another role. A role that may do nothing is told so.
func TestErr_SaysWhoCould(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
	}{
		{agent(Writer, Audit, ""), "only a person may; ask the PI"},
		{agent(Writer, Delta, ""), "ask the PI, or act in a role that may"},
		{Request{Actor: "eva", Person: true, Role: Writer, Action: Audit}, "ask the PI, or act in a role that may"},
	} {
		err := Decide(builtin(), c.r).Err(c.r).(*brenner.Error)
		if err.Hint != c.want {
			t.Errorf("%+v: %q, want %q", c.r, err.Hint, c.want)
		}
	}
	d := Decide(map[brenner.Role]Policy{"idle": {Role: "idle"}}, agent("idle", Read, "paper_note"))
	if d.Reason != "the policy of idle reads nothing" {
		t.Error(d.Reason)
	}
}

// D25: sections are kept, and an empty list of them or of modules is none, so
// that a policy prints back as it was meant.
func TestParse_KeepsSectionsAndModules(t *testing.T) {
	p, err := Parse([]byte(`{"role":"a","sections":["research_thread"],"modules":["core"]}`))
	if err != nil || len(p.Sections) != 1 || len(p.Modules) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = Parse([]byte(`{"role":"a","sections":[],"modules":[]}`))
	if err != nil || p.Sections != nil || p.Modules != nil {
		t.Errorf("%+v, %v", p, err)
	}
}
