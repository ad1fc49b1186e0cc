package artifact

import (
	"embed"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// Singleton says where, besides within one artifact, a type admits only one
// canonical version (C14); empty: nowhere.
type Singleton string

// The scopes of a singleton.
const (
	PerProject Singleton = "project" // one in the whole project
	PerModule  Singleton = "module"  // one in each module
)

// Type is a kind of artifact: what its content must look like and which rules
// hold for it.
type Type struct {
	Name        brenner.TypeName `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	// Core types carry what the project stands on: their new versions say what
	// changed and why (C15), and they are checked against the brief.
	Core      bool      `json:"core"`
	Singleton Singleton `json:"singleton"`
	// Contextual types may enter an agent's context (C2).
	Contextual bool `json:"contextual"`
	// Record types have one version; their state is in the journal (C4).
	Record bool `json:"record"`
	// Formats lists how the content may be written, the usual one first.
	Formats []Format `json:"formats"`
	// Schema is the JSON Schema (2020-12) of JSON content; empty admits any.
	Schema jsontext.Value `json:"schema,omitzero"`
}

// Slot names the place in which at most one version of the type may be
// canonical besides the rule of one per artifact: "" if there is none, the
// type's name, or TYPE/MODULE.
func Slot(t Type, module brenner.Module) string {
	switch t.Singleton {
	case PerProject:
		return string(t.Name)
	case PerModule:
		return string(t.Name) + "/" + string(module)
	}
	return ""
}

// The built-in types.
const (
	TypeProjectBrief      brenner.TypeName = "project_brief"
	TypeProjectSummary    brenner.TypeName = "project_summary"
	TypeIntegratedMemo    brenner.TypeName = "integrated_memo"
	TypePaperNote         brenner.TypeName = "paper_note"
	TypeModelSpec         brenner.TypeName = "model_spec"
	TypeAnalysisResult    brenner.TypeName = "analysis_result"
	TypeCodeChange        brenner.TypeName = "code_change"
	TypeManuscriptSection brenner.TypeName = "manuscript_section"
	TypeSessionArtifact   brenner.TypeName = "session_artifact"
	TypeAssumption        brenner.TypeName = "assumption"
	TypeCritique          brenner.TypeName = "critique"
	TypeStalemate         brenner.TypeName = "stalemate"
	TypeVerdict           brenner.TypeName = "verdict"
	TypeRoster            brenner.TypeName = "roster"
	TypeRolePolicy        brenner.TypeName = "role_policy"
	TypeContextView       brenner.TypeName = "context_view"
	TypeTask              brenner.TypeName = "task"
	TypeTestPlan          brenner.TypeName = "test_plan"
	TypeRawLog            brenner.TypeName = "raw_log"
)

//go:embed schemas/*.json
var schemas embed.FS

// Builtin lists the types every project has, sorted by name. Each call gives
// a fresh list.
func Builtin() []Type {
	either, structured, prose := []Format{JSON, Text}, []Format{JSON}, []Format{Text}
	all := []Type{
		{
			Name: TypeAnalysisResult, Title: "Analysis result", Contextual: true, Formats: either,
			Description: "what an analysis found, by which method and from which data",
		},
		{
			Name: TypeAssumption, Title: "Assumption", Contextual: true, Formats: structured,
			Description: "something taken for granted, stated so that a clash with another can be found",
		},
		{
			Name: TypeCodeChange, Title: "Code change", Contextual: true, Formats: structured,
			Description: "what a run changed in the project's repository: base, branch, files, diff, and what the test said",
		},
		{
			Name: TypeContextView, Title: "Context view", Formats: structured,
			Description: "which artifacts a role receives, in which variant and within which budget",
		},
		{
			Name: TypeCritique, Title: "Critique", Contextual: true, Formats: structured,
			Description: "a finding against an artifact, by a reviewer or a check",
		},
		{
			Name: TypeIntegratedMemo, Title: "Integrated memo", Core: true, Singleton: PerModule, Contextual: true, Formats: either,
			Description: "what a module knows, drawn together from its artifacts",
		},
		{
			Name: TypeManuscriptSection, Title: "Manuscript section", Core: true, Contextual: true, Formats: []Format{Text, JSON},
			Description: "a section of the text to be published",
		},
		{
			Name: TypeModelSpec, Title: "Model specification", Core: true, Contextual: true, Formats: either,
			Description: "a model: its variables, equations, parameters and what it predicts",
		},
		{
			Name: TypePaperNote, Title: "Paper note", Contextual: true, Formats: either,
			Description: "what one publication claims and what we make of it",
		},
		{
			Name: TypeProjectBrief, Title: "Project brief", Core: true, Singleton: PerProject, Contextual: true, Formats: structured,
			Description: "the question, the goals, what is in and out of scope, the constraints",
		},
		{
			Name: TypeProjectSummary, Title: "Project summary", Core: true, Singleton: PerProject, Contextual: true, Formats: either,
			Description: "the whole project in short, drawn from the modules' memos",
		},
		{
			Name: TypeRawLog, Title: "Raw log", Formats: prose,
			Description: "prose as it was written; only a distiller reads it",
		},
		{
			Name: TypeRolePolicy, Title: "Role policy", Formats: structured,
			Description: "what a role may read, write, promote and do",
		},
		{
			Name: TypeRoster, Title: "Roster", Formats: structured,
			Description: "which agent plays which role in a session",
		},
		{
			Name: TypeSessionArtifact, Title: "Session artifact", Contextual: true, Formats: structured,
			Description: "the seven-section document that a session's deltas build",
		},
		{
			Name: TypeStalemate, Title: "Stalemate", Contextual: true, Formats: structured,
			Description: "a disagreement with its hypotheses and evidence, up for arbitration",
		},
		{
			Name: TypeTask, Title: "Task", Contextual: true, Record: true, Formats: structured,
			Description: "a piece of work with pinned inputs, for one role",
		},
		{
			Name: TypeTestPlan, Title: "Test plan", Contextual: true, Formats: either,
			Description: "what is to be tried, and what each hypothesis says will come of it",
		},
		{
			Name: TypeVerdict, Title: "Verdict", Contextual: true, Formats: structured,
			Description: "the arbiter's finding on a stalemate",
		},
	}
	for i := range all {
		all[i].Schema = builtinSchema(all[i])
	}
	return all
}

// builtinSchema gives the embedded schema of a type, empty for one that is
// never JSON.
func builtinSchema(t Type) jsontext.Value {
	raw, err := schemas.ReadFile("schemas/" + string(t.Name) + ".json")
	if err != nil {
		return nil
	}
	return raw
}
