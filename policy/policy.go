// Package policy decides who may do what: one table of roles, one function
// (Decide), default deny.
//
// An actor acts in a role; the policy of the role names the artifact types it
// reads, writes and decides upon, and the acts it may perform that are not
// about a type. Policies are data (the content of role_policy artifacts);
// Builtin gives those every project starts with. Some things no policy can
// give away: agents never audit or administer (C1), never change who may do
// what, and read raw logs only where a policy names them (C2). The person who
// leads the project may do everything.
package policy

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
)

// Action is something an actor asks to do.
type Action string

// Actions on artifacts; they are decided by type.
const (
	Read      Action = "read"
	Write     Action = "write" // create or update
	Link      Action = "link"  // add a link to a version: as writing it
	Promote   Action = "promote"
	Demote    Action = "demote"    // as promoting
	Deprecate Action = "deprecate" // as promoting
)

// Acts that are not about an artifact type.
const (
	Admin            Action = "admin" // agents, tokens, config, redact, import; persons only
	Audit            Action = "audit" // verify, replay, checkpoint, export, journal, feed; persons only
	Session          Action = "session"
	Delta            Action = "delta"
	Conflict         Action = "conflict"
	TaskCreate       Action = "task_create"
	TaskRequest      Action = "task_request" // ask others for work: a few tasks for each context
	TaskWork         Action = "task_work"
	PlaybookLearn    Action = "playbook_learn"
	PlaybookFeedback Action = "playbook_feedback"
	PlaybookReview   Action = "playbook_review"
	StalemateRaise   Action = "stalemate_raise"
	StalemateVerdict Action = "stalemate_verdict"
	Mail             Action = "mail"
	ContextAssemble  Action = "context_assemble"
	ContextPreview   Action = "context_preview"
	Status           Action = "status"
	Run              Action = "run" // start and end runs of agents; persons and runners only
)

// Acts lists the acts that are not about an artifact type.
func Acts() []Action {
	return []Action{
		Admin, Audit, Session, Delta, Conflict, TaskCreate, TaskRequest, TaskWork, PlaybookLearn, PlaybookFeedback,
		PlaybookReview, StalemateRaise, StalemateVerdict, Mail, ContextAssemble, ContextPreview, Status, Run,
	}
}

// Any stands for every type. It does not cover reading raw_log, which has to
// be named.
const Any brenner.TypeName = "*"

// Policy is what one role may do. What is not listed is denied.
type Policy struct {
	Role  brenner.Role `json:"role"`
	Title string       `json:"title,omitempty"`
	// Read, Write and Promote list artifact types, or Any.
	Read    []brenner.TypeName `json:"read"`
	Write   []brenner.TypeName `json:"write"`
	Promote []brenner.TypeName `json:"promote"`
	// Acts lists what else the role may do.
	Acts []Action `json:"acts"`
	// Sections keeps the deltas of the role to these parts of a session artifact
	// (D25); empty: all.
	Sections []Scope `json:"sections,omitempty"`
	// Modules keeps the role to these modules; empty: all. The module of the
	// project's own artifacts is not implied.
	Modules []brenner.Module `json:"modules,omitempty"`
}

// Scope is a section of a session artifact that a role writes deltas to, such as
// predictions_table; or, as hypothesis_slate:KILL, one operation on it.
type Scope string

// covers says whether a scope allows an operation on a section.
func (s Scope) covers(section delta.Section, op delta.Operation) bool {
	name, only, one := strings.Cut(string(s), ":")
	return name == string(section) && (!one || only == string(op))
}

func (s Scope) check() error {
	name, only, one := strings.Cut(string(s), ":")
	if !slices.Contains(delta.Sections(), delta.Section(name)) {
		return brenner.Errorf(brenner.CodeInvalidValue, "%q is no section", name).WithHint("the sections are " + words(delta.Sections()))
	}
	ops := []delta.Operation{delta.Add, delta.Edit, delta.Kill}
	if one && !slices.Contains(ops, delta.Operation(only)) {
		return brenner.Errorf(brenner.CodeInvalidValue, "%q is no operation", only).WithHint("the operations are " + words(ops))
	}
	return nil
}

// Parse reads a policy as it stands in a role_policy artifact. It reports
// INVALID_JSON, INVALID_ID for a bad name, or INVALID_VALUE for an unknown act
// or section, with the pointer.
func Parse(raw jsontext.Value) (Policy, error) {
	var p Policy
	if err := canon.Unmarshal(raw, &p); err != nil {
		return Policy{}, err
	}
	p.Read, p.Write, p.Promote, p.Acts = filled(p.Read), filled(p.Write), filled(p.Promote), filled(p.Acts)
	if len(p.Modules) == 0 {
		p.Modules = nil
	}
	if len(p.Sections) == 0 {
		p.Sections = nil
	}
	if err := p.Role.Check(); err != nil {
		return Policy{}, at(err, "/role")
	}
	for _, list := range []struct {
		pointer string
		types   []brenner.TypeName
	}{{"/read/", p.Read}, {"/write/", p.Write}, {"/promote/", p.Promote}} {
		for i, t := range list.types {
			if t == Any {
				continue
			}
			if err := t.Check(); err != nil {
				return Policy{}, at(err, list.pointer+strconv.Itoa(i))
			}
		}
	}
	for i, a := range p.Acts {
		if !slices.Contains(Acts(), a) {
			return Policy{}, brenner.Errorf(brenner.CodeInvalidValue, "unknown act %q", a).
				At("/acts/" + strconv.Itoa(i)).WithHint("the acts are " + words(Acts()))
		}
	}
	for i, s := range p.Sections {
		if err := s.check(); err != nil {
			return Policy{}, at(err, "/sections/"+strconv.Itoa(i))
		}
	}
	for i, m := range p.Modules {
		if err := m.Check(); err != nil {
			return Policy{}, at(err, "/modules/"+strconv.Itoa(i))
		}
	}
	return p, nil
}

// filled makes an absent list an empty one, so that a policy prints back as it
// was parsed.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// at says where in the policy an error of ours belongs.
func at(err error, pointer string) error {
	var e *brenner.Error
	if errors.As(err, &e) {
		return e.At(pointer)
	}
	return err
}

// Roles with a built-in policy, besides brenner.PI.
const (
	HypothesisGenerator brenner.Role = "hypothesis_generator"
	TestDesigner        brenner.Role = "test_designer"
	AdversarialCritic   brenner.Role = "adversarial_critic"
	Integrator          brenner.Role = "integrator"
	Writer              brenner.Role = "writer"
	Distiller           brenner.Role = "distiller"
	Reviewer            brenner.Role = "reviewer"
	Arbiter             brenner.Role = "arbiter"
	Runner              brenner.Role = "runner" // a process that starts agents, and does nothing else
)

// System is the role of what happens by itself (A1). No policy of a project is
// about it, and nobody can be given it.
const System brenner.Role = "system"

// automation is what automation may do: look at everything, write down what it
// found and what a session came to (A5), open tasks. It promotes and decides
// nothing, and no project can change that.
var automation = map[brenner.Role]Policy{System: {
	Role: System, Title: "what happens by itself",
	Read:  []brenner.TypeName{Any, artifact.TypeRawLog},
	Write: []brenner.TypeName{artifact.TypeCritique, artifact.TypeModelSpec, artifact.TypeAssumption, artifact.TypeTestPlan},
	Acts:  []Action{Session, TaskCreate, PlaybookReview, Status},
}}

// Builtin lists the policies every project starts with, sorted by role. The
// PI's is what an agent standing in for the PI may do: it decides nothing.
func Builtin() []Policy {
	// What everyone who works on the project reads: what stands, and what is
	// asked of them.
	shared := []brenner.TypeName{
		artifact.TypeProjectBrief, artifact.TypeProjectSummary, artifact.TypeIntegratedMemo,
		artifact.TypeSessionArtifact, artifact.TypeAssumption, artifact.TypeCritique,
		artifact.TypeStalemate, artifact.TypeVerdict, artifact.TypeRoster, artifact.TypeTask,
	}
	// What only those who work on the evidence itself read (C10).
	evidence := []brenner.TypeName{artifact.TypePaperNote, artifact.TypeAnalysisResult, artifact.TypeModelSpec, artifact.TypeTestPlan, artifact.TypeCodeChange}
	work := []Action{TaskRequest, TaskWork, PlaybookLearn, PlaybookFeedback, StalemateRaise, Mail, ContextAssemble, Status}
	none := []brenner.TypeName{}

	return []Policy{
		{
			Role: AdversarialCritic, Title: "attacks what the others hold to be true",
			Read:    slices.Concat(shared, evidence, []brenner.TypeName{artifact.TypeManuscriptSection}),
			Write:   []brenner.TypeName{artifact.TypeCritique, artifact.TypeAnalysisResult, artifact.TypeAssumption, artifact.TypeRawLog},
			Promote: none,
			Acts:    slices.Concat(work, []Action{Delta, StalemateVerdict}),
			Sections: []Scope{
				"adversarial_critique", "assumption_ledger", "anomaly_register",
				"hypothesis_slate:KILL", "predictions_table:KILL", "discriminative_tests:KILL",
			},
		},
		{
			Role: Arbiter, Title: "ends disputes that it is no party to",
			Read:    slices.Concat(shared, evidence, []brenner.TypeName{artifact.TypeManuscriptSection}),
			Write:   []brenner.TypeName{artifact.TypeVerdict, artifact.TypeRawLog},
			Promote: none,
			Acts:    slices.Concat(work, []Action{StalemateVerdict}),
		},
		{
			Role: Distiller, Title: "turns raw logs into artifacts; nobody else reads them",
			Read: slices.Concat(shared, evidence, []brenner.TypeName{artifact.TypeRawLog}),
			Write: []brenner.TypeName{
				artifact.TypePaperNote, artifact.TypeAnalysisResult, artifact.TypeAssumption, artifact.TypeRawLog,
			},
			Promote: none,
			Acts:    slices.Clone(work),
		},
		{
			Role: HypothesisGenerator, Title: "proposes hypotheses and the models behind them",
			Read: slices.Concat(shared, evidence),
			Write: []brenner.TypeName{
				artifact.TypePaperNote, artifact.TypeAnalysisResult, artifact.TypeModelSpec, artifact.TypeAssumption, artifact.TypeRawLog,
			},
			Promote: none,
			Acts:    slices.Concat(work, []Action{Delta}),
			Sections: []Scope{
				"hypothesis_slate", "predictions_table", "anomaly_register", "research_thread",
			},
		},
		{
			Role: Integrator, Title: "draws artifacts together into memos and the summary",
			Read: slices.Concat(shared, evidence, []brenner.TypeName{artifact.TypeManuscriptSection}),
			Write: []brenner.TypeName{
				artifact.TypeIntegratedMemo, artifact.TypeProjectSummary, artifact.TypeModelSpec,
				artifact.TypeAssumption, artifact.TypeCritique, artifact.TypeRawLog,
			},
			Promote: none,
			Acts:    slices.Concat(work, []Action{Delta, TaskCreate, PlaybookReview}),
		},
		{
			Role: brenner.PI, Title: "leads the project",
			Read:    []brenner.TypeName{Any},
			Write:   []brenner.TypeName{Any},
			Promote: none,
			Acts: slices.Concat(work, []Action{
				Session, Delta, TaskCreate, PlaybookReview, StalemateVerdict, ContextPreview,
			}),
		},
		{
			Role: Reviewer, Title: "says whether a version holds before it counts",
			Read:    slices.Concat(shared, evidence, []brenner.TypeName{artifact.TypeManuscriptSection}),
			Write:   []brenner.TypeName{artifact.TypeCritique, artifact.TypeRawLog},
			Promote: none,
			Acts:    slices.Concat(work, []Action{PlaybookReview}),
		},
		{
			Role: Runner, Title: "starts the agents it is registered for, and does nothing else",
			Read: none, Write: none, Promote: none,
			Acts: []Action{Run},
		},
		{
			Role: TestDesigner, Title: "designs tests that tell the hypotheses apart, and reports results",
			Read: slices.Concat(shared, evidence),
			Write: []brenner.TypeName{
				artifact.TypeAnalysisResult, artifact.TypeModelSpec, artifact.TypePaperNote,
				artifact.TypeTestPlan, artifact.TypeAssumption, artifact.TypeRawLog,
			},
			Promote: none,
			Acts:    slices.Concat(work, []Action{Delta}),
			Sections: []Scope{
				"discriminative_tests", "predictions_table", "assumption_ledger", "anomaly_register", "hypothesis_slate:KILL",
			},
		},
		{
			Role: Writer, Title: "writes the manuscript from memos, models and results",
			Read: slices.Concat(shared, []brenner.TypeName{
				artifact.TypeModelSpec, artifact.TypeAnalysisResult, artifact.TypeManuscriptSection,
			}),
			Write:   []brenner.TypeName{artifact.TypeManuscriptSection, artifact.TypeRawLog},
			Promote: none,
			Acts:    slices.Clone(work),
		},
	}
}
