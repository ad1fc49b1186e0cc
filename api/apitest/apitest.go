// Package apitest is the suite every implementation of the service passes: the
// application on each store, and whatever speaks to it from afar. The same
// cases, the same codes.
package apitest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// World is a fresh project with a person who leads it, and the means to act as
// others.
type World interface {
	// PI is the service as the person who leads the project has it.
	PI() api.Service
	// As is the service as a registered agent has it.
	As(name brenner.ActorName) api.Service
}

// Config is what the project of a World is configured with.
const Config = `
modules: [lineage, gradient]
compile: manual
approvals:
  test_plan: {count: 2, roles: [integrator, adversarial_critic, test_designer]}
types:
  - name: protocol
    title: Lab protocol
    format: json
    schema:
      type: object
      required: [steps]
      properties:
        steps: {type: array, items: {type: string}}
`

// Agents are registered in every World, each with the role of the same name.
var Agents = map[brenner.ActorName]brenner.Role{
	"BlueLake":       "hypothesis_generator",
	"PurpleMountain": "test_designer",
	"GreenValley":    "adversarial_critic",
	"RedSky":         "integrator",
	"GreyStone":      "writer",
	"WhiteFox":       "distiller",
}

// Run runs every case in a World of its own.
func Run(t *testing.T, open func(t *testing.T) World) {
	t.Helper()
	run(t, open, allCases())
}

// RunClauses runs the cases that hold rules to their words, and no others: for
// surfaces that are slow to play on. Of every so many it runs one, from the first
// on: several surfaces can share them.
func RunClauses(t *testing.T, first, every int, open func(t *testing.T) World) {
	t.Helper()
	cases := slices.Concat(clauseCases(), approvalCases(), slices.DeleteFunc(allCases(), func(c testCase) bool { return !slices.Contains(clausesElsewhere, c.name) }))
	var some []testCase
	for i := first; i < len(cases); i += every {
		some = append(some, cases[i])
	}
	run(t, open, some)
}

func allCases() []testCase {
	return slices.Concat(
		writeCases(), decisionCases(), journalCases(), graphCases(), agentCases(),
		taskCases(),
		sessionCases(),
		patchCases(),
		stalemateCases(),
		contextCases(), upkeepCases(),
		playbookCases(),
		overviewCases(),
		fileCases(),
		clauseCases(),
		approvalCases(),
		runCases(),
		reviewCases(),
	)
}

func run(t *testing.T, open func(t *testing.T) World, cases []testCase) {
	t.Helper()
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := open(t)
			s := &scene{T: t, World: w, ctx: t.Context()}
			s.pi = s.as("", w.PI())
			for _, name := range slices.Sorted(maps.Keys(Agents)) {
				if _, err := w.PI().AddAgent(s.ctx, api.AddAgentRequest{Name: name, Role: Agents[name]}); err != nil {
					t.Fatal(err)
				}
			}
			c.run(s)
		})
	}
}

// testCase is one story.
type testCase struct {
	name string
	run  func(s *scene)
}

// scene is where a story plays.
type scene struct {
	*testing.T
	World
	ctx context.Context
	pi  *player
}

// player is an actor in a story. Its methods read as what it does; they fail
// the test when the service says no.
type player struct {
	*scene
	api.Service
	name brenner.ActorName
}

func (s *scene) as(name brenner.ActorName, svc api.Service) *player {
	return &player{scene: s, Service: svc, name: name}
}

// agent lets a registered agent enter.
func (s *scene) agent(name brenner.ActorName) *player { return s.as(name, s.As(name)) }

// reader lets an agent enter that has a context to read through.
func (s *scene) reader(name brenner.ActorName) *player {
	p := s.agent(name)
	p.assembles("what is known about fate?")
	return p
}

// assembles makes a context for a question about the module lineage.
func (p *player) assembles(question string) api.ContextResult {
	p.Helper()
	res, err := p.AssembleContext(p.ctx, api.ContextRequest{Question: question, Modules: []brenner.Module{"lineage"}})
	p.must(err)
	return res
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		var e *brenner.Error
		if errors.As(err, &e) {
			s.Fatalf("%v (hint %q, pointer %q, cause %v)", err, e.Hint, e.Pointer, errors.Unwrap(e))
		}
		s.Fatal(err)
	}
}

// refused asserts that the service said no, with this code.
func (s *scene) refused(err error, code brenner.Code) *brenner.Error {
	s.Helper()
	if brenner.CodeOf(err) != code {
		s.Fatalf("got %v, want %s", err, code)
	}
	var e *brenner.Error
	errors.As(err, &e)
	return e
}

// unchanged asserts that the journal did not grow while fn ran.
func (s *scene) unchanged(fn func()) {
	s.Helper()
	before := s.size()
	fn()
	if after := s.size(); after != before {
		s.Fatalf("the journal grew from %d to %d", before, after)
	}
}

func (s *scene) size() int64 {
	s.Helper()
	info, err := s.PI().Project(s.ctx)
	s.must(err)
	return info.Size
}

// inOrder goes through a table in the order of its keys, so that a story is the
// same each time it is told.
func inOrder[K comparable, V any](table map[K]V) iter.Seq2[K, V] {
	keys := slices.SortedFunc(maps.Keys(table), func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return func(yield func(K, V) bool) {
		for _, k := range keys {
			if !yield(k, table[k]) {
				return
			}
		}
	}
}

// note is a paper note of a module.
func note(id brenner.ArtifactID, text string, links ...artifact.Link) api.CreateArtifactRequest {
	return api.CreateArtifactRequest{
		ID: id, Type: "paper_note", Module: "lineage", Summary: "about " + string(id) + ": " + onLine(text),
		Content: api.Body{Format: artifact.Text, Data: text}, Links: links,
	}
}

// onLine is a text on one line.
func onLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// result is an analysis result, which writers may read.
func result(id brenner.ArtifactID, text string, links ...artifact.Link) api.CreateArtifactRequest {
	req := note(id, text, links...)
	req.Type = "analysis_result"
	return req
}

func link(rel artifact.Relation, id brenner.ArtifactID, v brenner.Version) artifact.Link {
	return artifact.Link{Rel: rel, Artifact: id, Version: v}
}

func ref(id brenner.ArtifactID, v brenner.Version) brenner.Ref {
	return brenner.Ref{Artifact: id, Version: v}
}

// creates writes a new artifact.
func (p *player) creates(req api.CreateArtifactRequest) api.WriteResult {
	p.Helper()
	res, err := p.CreateArtifact(p.ctx, req)
	p.must(err)
	return res
}

// rewrites writes a new version with other text, on the head.
func (p *player) rewrites(id brenner.ArtifactID, text string, links ...artifact.Link) api.WriteResult {
	p.Helper()
	return p.rewritesOn(ref(id, 0), text, links...)
}

// rewritesOn writes a new version with other text, on a parent.
func (p *player) rewritesOn(parent brenner.Ref, text string, links ...artifact.Link) api.WriteResult {
	p.Helper()
	summary := "about " + string(parent.Artifact) + ": " + onLine(text)
	res, err := p.UpdateArtifact(p.ctx, api.UpdateArtifactRequest{
		ID: parent.Artifact, Parent: parent.Version, Summary: &summary, Links: links,
		Content: &api.Body{Format: artifact.Text, Data: text},
		Change:  &artifact.Change{What: "the text", Why: "a better one"},
	})
	p.must(err)
	return res
}

// promotes makes a version canonical.
func (p *player) promotes(r brenner.Ref) api.DecisionResult {
	p.Helper()
	res, err := p.Promote(p.ctx, api.PromoteRequest{Ref: r, Reason: "it holds"})
	p.must(err)
	return res
}

// reads gives a version.
func (p *player) reads(r brenner.Ref) api.ArtifactView {
	p.Helper()
	v, err := p.Artifact(p.ctx, api.ArtifactRequest{Ref: r})
	p.must(err)
	return v
}
