package apitest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/canon"
	"brenner/playbook"
	"brenner/policy"
	"brenner/roster"
	"brenner/stalemate"

	"github.com/go-json-experiment/json/jsontext"
)

// Marker begins every marked word of a Vault; what follows says of which module
// and of what the text is that it stands in. Alone it is what a test asks with.
const Marker = "zyxmarker"

// VaultConfig is what the project of a Vault is configured with. Besides the
// built-in roles it has some that may do every act and read: nothing; everything
// of one module; everything.
var VaultConfig = strings.ReplaceAll(`
modules: [lineage, gradient]
compile: manual
policies:
  blind: {read: [], write: ["*"], promote: ["*"], acts: [ACTS]}
  narrow: {read: ["*"], write: ["*"], promote: ["*"], acts: [ACTS], modules: [lineage, project]}
  wide: {read: ["*"], write: ["*"], promote: ["*"], acts: [ACTS]}
`, "ACTS", vaultActs())

func vaultActs() string {
	var all []string
	for _, act := range policy.Acts() {
		if act != policy.Admin && act != policy.Audit && act != policy.Run { // no policy gives these to an agent (C1)
			all = append(all, string(act))
		}
	}
	return strings.Join(all, ", ")
}

// Vault is a project that holds something of everything, in two modules, and in
// every text a word that says what it is of.
type Vault struct {
	// Names are those of everything there is in the module gradient and in none,
	// to be asked about; who lists comes upon the rest as well.
	Names   []string
	Readers []Reader
}

// Reader is somebody who asks for everything.
type Reader struct {
	Name   brenner.ActorName
	Role   brenner.Role
	Person bool
	// Context is the module of the context an agent reads through; "": it has none.
	Context brenner.Module
	policy  policy.Policy
}

func (r Reader) String() string {
	switch {
	case r.Person:
		return fmt.Sprintf("person %s", r.Role)
	case r.Context == "":
		return fmt.Sprintf("%s without a context", r.Role)
	}
	return fmt.Sprintf("%s through %s", r.Role, r.Context)
}

// FillVault fills a fresh project that is configured with VaultConfig, and
// registers its readers: every role, without a context, through one of each
// module, and as a person.
func FillVault(t testing.TB, pi api.Service) Vault {
	t.Helper()
	f := filler{T: t, pi: pi, ctx: t.Context()}
	roles := map[brenner.Role]policy.Policy{
		"blind":  {Role: "blind"},
		"narrow": {Role: "narrow", Read: []brenner.TypeName{policy.Any}, Modules: []brenner.Module{"lineage", projectModule}},
		"wide":   {Role: "wide", Read: []brenner.TypeName{policy.Any}},
	}
	for _, p := range policy.Builtin() {
		if p.Role != brenner.PI { // who leads reads everything
			roles[p.Role] = p
		}
	}
	f.view("narrow")
	f.view("wide")
	for _, role := range sortedRoles(roles) {
		for _, module := range []brenner.Module{"", "lineage", "gradient"} {
			if r := (Reader{Role: role, Context: module, policy: roles[role]}); module == "" || r.Assembles() {
				f.register(r)
			}
		}
		if role != policy.Runner {
			f.register(Reader{Role: role, Person: true, policy: roles[role]})
		}
	}
	f.fill("lineage")
	f.Names = nil
	f.fill("gradient")
	lesson, err := pi.Learn(f.ctx, api.LearnRequest{Insights: []api.Insight{{Section: playbook.Helpful, Content: marked(projectModule, lessonKind, "text") + " is to be kept"}}})
	f.must(err)
	f.Names = append(f.Names, string(lesson.Outcomes[0].Bullet), lesson.Outcomes[0].Record, "default", "ada", "BlueLake", "gradient", Marker)
	return f.Vault
}

func sortedRoles(roles map[brenner.Role]policy.Policy) []brenner.Role {
	var out []brenner.Role
	for role := range roles {
		out = append(out, role)
	}
	slices.Sort(out)
	return out
}

// Renew gives a reader a fresh context, if it reads through one: asking for
// everything spends it. A context has no word that is not for its reader.
func (r Reader) Renew(t testing.TB, s api.Service) {
	t.Helper()
	if r.Context == "" {
		return
	}
	got, err := s.AssembleContext(t.Context(), api.ContextRequest{Question: "What divides?", Modules: []brenner.Module{r.Context}})
	if err != nil {
		t.Fatal(err)
	}
	if said := r.Leaks(string(canon.MustMarshal(got)), ""); said != "" {
		t.Errorf("a context of %s says %s", r, said)
	}
}

// Few are the readers, agents or persons, that are kept from something each in
// its own way: a surface is tried with them, since all ask one service.
func (v Vault) Few(persons bool) []Reader {
	var out []Reader
	for _, r := range v.Readers {
		telling := r.Role == "blind" || r.Role == "narrow" && r.Context != "gradient" || r.Role == "wide" && r.Context != "gradient" ||
			r.Role == policy.Writer && r.Context != "lineage" || r.Role == policy.Runner
		if telling && r.Person == persons {
			out = append(out, r)
		}
	}
	return out
}

// Some keeps every third of the names, others for each n: a quick run has every
// role ask about something of everything. The whole is in make soak.
func (v Vault) Some(n int) Vault {
	var names []string
	for i, name := range v.Names {
		if (i+n)%3 == 0 {
			names = append(names, name)
		}
	}
	v.Names = names
	return v
}

// Assembles reports whether the reader's role may have a context at all: a
// runner may not, and what has nothing to read has no view.
func (r Reader) Assembles() bool {
	return r.Role != policy.Runner && r.Role != "blind"
}

// Reads reports whether there is anything that the reader may see.
func (r Reader) Reads() bool {
	return len(r.policy.Read) > 0 && (r.Person || r.Context != "")
}

// projectModule is where the artifacts of the whole project are.
const projectModule brenner.Module = "project"

// TagOf is the marked tag of a marked artifact; other names have none.
func TagOf(name string) string {
	parts := strings.Split(name, "-")
	if len(parts) != 3 || parts[0] != "secret" {
		return name
	}
	return marked(brenner.Module(parts[2]), parts[1], "tag")
}

// lessonKind is what a lesson is called in a marked word: it is of no type.
const lessonKind = "lesson"

// marked is a word that says what a text is of.
func marked(module brenner.Module, kind, what string) string {
	return Marker + "-" + string(module) + "-" + kind + "-" + what
}

// Leaks names the marked words in an answer that its reader may not see: of a
// type or module that its policy keeps from it, of a module that its context
// does not cover, or without a context at all (C3, C33).
func (r Reader) Leaks(answer, asked string) string {
	var found []string
	for _, part := range strings.Split(answer, Marker+"-")[1:] {
		end := strings.IndexFunc(part, func(c rune) bool {
			return c != '-' && c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9')
		})
		if end >= 0 {
			part = part[:end]
		}
		words := strings.SplitN(part, "-", 3)
		if len(words) == 3 && !r.Sees(brenner.Module(words[0]), words[1]) && !slices.Contains(found, part) && !strings.Contains(asked, part) {
			found = append(found, part)
		}
	}
	return strings.Join(found, ", ")
}

// Sees reports whether words of what is of a kind, in a module, may stand in an
// answer to the reader.
func (r Reader) Sees(module brenner.Module, kind string) bool {
	if !r.Person && module != projectModule && r.Context != module || !r.Person && r.Context == "" {
		return false
	}
	ask := policy.Request{Actor: r.Name, Person: r.Person, Role: r.Role, Action: policy.Read, Type: brenner.TypeName(kind), Module: module}
	if kind == lessonKind {
		ask.Type, ask.Module = "", ""
	}
	return policy.Decide(map[brenner.Role]policy.Policy{r.Role: r.policy}, ask).Allowed
}

// Guess is a patch that knows the beginning of the marked texts and asks, by
// being refused, what stands behind it.
func Guess() jsontext.Value {
	var texts [2]anchor.Text
	for i, word := range []string{"guessed", "changed"} {
		var err error
		if texts[i], err = anchor.Canonical([]byte(secretText(word))); err != nil {
			panic(err)
		}
	}
	p, err := anchor.Diff(texts[0], texts[1], "")
	if err != nil {
		panic(err)
	}
	return p.JSON()
}

func secretText(word string) string {
	return "# About\n\nThe gradient is " + word + " and cells do not divide.\n"
}

// secretJSON has for each type that is JSON only, and that somebody can write, a
// content with WORD in it; of the others other calls make one.
var secretJSON = map[brenner.TypeName]string{
	artifact.TypeAssumption:   `{"statement":"WORD","subject":"WORD","basis":"WORD"}`,
	artifact.TypeCodeChange:   `{"base":"` + strings.Repeat("0", 40) + `","branch":"b","commit":"` + strings.Repeat("1", 40) + `","files":[{"path":"WORD","added":1,"removed":0}],"diff":"WORD"}`,
	artifact.TypeCritique:     `{"finding":"WORD","evidence":"WORD","recommendation":"WORD"}`,
	artifact.TypeVerdict:      `{"outcome":"WORD"}`,
	artifact.TypeRoster:       `{"entries":[{"agentName":"BlueLake","role":"hypothesis_generator","notes":"WORD"}]}`,
	artifact.TypeProjectBrief: `{"question":"WORD","in_scope":["WORD"]}`,
}

// madeByOthers are the types that no plain write makes.
var madeByOthers = map[brenner.TypeName]bool{
	artifact.TypeSessionArtifact: true, artifact.TypeStalemate: true, artifact.TypeTask: true,
	// what governs is no secret: every refusal quotes it
	artifact.TypeRolePolicy: true, artifact.TypeContextView: true,
}

type filler struct {
	Vault
	T   testing.TB
	pi  api.Service
	ctx context.Context
}

func (f *filler) must(err error) {
	f.T.Helper()
	if err != nil {
		f.T.Fatal(err)
	}
}

func (f *filler) register(r Reader) {
	r.Name = brenner.ActorName(fmt.Sprintf("Reader%d", len(f.Readers)+1))
	add := api.AddAgentRequest{Name: r.Name, Role: r.Role, Person: r.Person}
	if r.Role == policy.Runner {
		add.For = []brenner.ActorName{"Reader1"}
	}
	_, err := f.pi.AddAgent(f.ctx, add)
	f.must(err)
	f.Readers = append(f.Readers, r)
}

// view lets a role have contexts, of every type.
func (f *filler) view(role brenner.Role) {
	var types []assembly.TypeRule
	for _, typ := range artifact.Builtin() {
		if typ.Contextual {
			types = append(types, assembly.TypeRule{Type: typ.Name, Variant: assembly.Full, Max: 9})
		}
	}
	v := assembly.Builtin()[0]
	v.Role, v.Types = role, types
	written, err := f.pi.CreateArtifact(f.ctx, api.CreateArtifactRequest{
		Type: artifact.TypeContextView, Module: projectModule, Summary: "what the role sees", Content: api.Body{Format: artifact.JSON, Data: string(canon.MustMarshal(v))},
	})
	f.must(err)
	_, err = f.pi.Promote(f.ctx, api.PromoteRequest{Ref: written.Ref, Reason: "it may see everything"})
	f.must(err)
}

// fill writes something of everything into a module.
func (f *filler) fill(module brenner.Module) {
	for _, typ := range artifact.Builtin() {
		if madeByOthers[typ.Name] || typ.Singleton == artifact.PerProject && module != "gradient" {
			continue
		}
		home := module
		if typ.Singleton == artifact.PerProject {
			home = projectModule
		}
		f.write(typ, home)
	}
	f.work(module)
	f.dispute(module)
}

// write makes an artifact of a type with a fork, the second version canonical.
func (f *filler) write(typ artifact.Type, module brenner.Module) {
	word := func(what string) string { return marked(module, string(typ.Name), what) }
	body := func(what string) *api.Body {
		if slices.Contains(typ.Formats, artifact.Text) {
			return &api.Body{Format: artifact.Text, Data: secretText(word(what))}
		}
		content, ok := secretJSON[typ.Name]
		if !ok {
			f.T.Fatalf("say in secretJSON or madeByOthers how a %s comes about", typ.Name)
		}
		return &api.Body{Format: artifact.JSON, Data: strings.ReplaceAll(content, "WORD", word(what))}
	}
	id := brenner.ArtifactID(fmt.Sprintf("secret-%s-%s", typ.Name, module))
	_, err := f.pi.CreateArtifact(f.ctx, api.CreateArtifactRequest{
		ID: id, Type: typ.Name, Module: module, Summary: word("summary"), Content: *body("first"), Tags: []string{word("tag")},
	})
	f.must(err)
	for _, what := range []string{"second", "third"} { // of one parent: a fork
		_, err = f.pi.UpdateArtifact(f.ctx, api.UpdateArtifactRequest{
			ID: id, Parent: 1, Content: body(what), SummaryHolds: true, Change: &artifact.Change{What: word("what"), Why: word("why")},
		})
		f.must(err)
	}
	_, err = f.pi.Promote(f.ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: id, Version: 2}, Reason: word("reason")})
	f.must(err)
	_, err = f.pi.Comment(f.ctx, api.CommentRequest{Ref: brenner.Ref{Artifact: id, Version: 2}, Text: word("comment")})
	f.must(err)
	f.Names = append(f.Names, string(id))
}

// work opens a task and a session in which somebody has answered.
func (f *filler) work(module brenner.Module) {
	word := func(kind brenner.TypeName, what string) string { return marked(module, string(kind), what) }
	task, err := f.pi.NewTask(f.ctx, api.NewTaskRequest{
		Title: word(artifact.TypeTask, "title"), Spec: word(artifact.TypeTask, "spec"), Role: brenner.PI, Modules: []brenner.Module{module},
	})
	f.must(err)
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	id := brenner.SessionID("RS-" + module)
	session, err := f.pi.StartSession(f.ctx, api.StartSessionRequest{ID: id, Question: word(artifact.TypeSessionArtifact, "question"), Module: module, Roster: team})
	f.must(err)
	reply := fmt.Sprintf("%s\n\n```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":%q,\"claim\":%q,\"mechanism\":\"x\"}}\n```\n",
		word(artifact.TypeRawLog, "prose"), word(artifact.TypeSessionArtifact, "name"), word(artifact.TypeSessionArtifact, "claim"))
	sub, err := f.pi.SubmitDeltas(f.ctx, api.SubmitDeltasRequest{Session: id, From: "BlueLake", Text: reply})
	f.must(err)
	_, err = f.pi.CompileSession(f.ctx, api.CompileSessionRequest{ID: id})
	f.must(err)
	for _, m := range session.Deliveries {
		f.Names = append(f.Names, m.Message)
	}
	f.Names = append(f.Names, task.ID, string(id), string(sub.Log.Artifact))
}

func (f *filler) dispute(module brenner.Module) {
	word := func(what string) string { return marked(module, string(artifact.TypeStalemate), what) }
	dispute, err := f.pi.RaiseStalemate(f.ctx, api.RaiseStalemateRequest{Module: module, Stalemate: stalemate.Stalemate{
		Summary: word("dispute"), Request: word("request"), Expected: word("expected"),
		Hypotheses: []stalemate.Hypothesis{
			{Author: "BlueLake"}, {Statement: word("h2"), Justification: word("j2"), Author: "ada"},
		},
		Alternatives: []stalemate.Hypothesis{{Statement: "both are wrong", Justification: "it happens"}},
		Evidence:     []stalemate.Evidence{{Kind: "error_log", Description: "x", Content: word("evidence")}},
	}})
	f.must(err)
	f.Names = append(f.Names, string(dispute.ID))
}
