package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/roster"

	"github.com/go-json-experiment/json"
)

// library is a project with much to read: notes on eight matters, six of each, of some
// 3,000 characters, and a session of some agents about them.
func library(t testing.TB, names ...brenner.ActorName) []*player {
	t.Helper()
	return libraryIn(t, newWorld(t), names...)
}

// libraryIn is library in a world.
func libraryIn(t testing.TB, w *world, names ...brenner.ActorName) []*player {
	t.Helper()
	return libraryAsked(t, w, "Why is the first start slow?", names...)
}

// libraryAsked is libraryIn, with a question.
func libraryAsked(t testing.TB, w *world, question string, names ...brenner.ActorName) []*player {
	t.Helper()
	pi := w.local("ada")
	matters := []string{"parser", "disk", "network", "cache", "scheduler", "journal", "printer", "linker"}
	for i, matter := range matters {
		for n := range 6 {
			var text strings.Builder
			for line := range 40 {
				fmt.Fprintf(&text, "Run %d of the %s on machine %d took %d ms, and %d ms when it was warm.\n", line, matter, n, 10*line+i, 7*line+n)
			}
			_, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
				ID: brenner.ArtifactID(fmt.Sprintf("%s-%d", matter, n)), Type: artifact.TypeAnalysisResult, Module: "lineage",
				Summary: fmt.Sprintf("What the %s takes on machine %d when a start is slow. %s", matter, n, strings.Repeat("It was measured with care. ", 8)),
				Content: api.Body{Format: artifact.Text, Data: text.String()},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	roles := []brenner.Role{roster.HypothesisGenerator, roster.TestDesigner, roster.AdversarialCritic}
	var team roster.Roster
	var all []*player
	for i, name := range names {
		team.Entries = append(team.Entries, roster.Entry{AgentName: name, Role: roles[i]})
	}
	_, err := pi.StartSession(t.Context(), api.StartSessionRequest{
		ID: "RS-pair", Question: question, Module: "lineage", Roster: team, Compile: api.CompileAnswered,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		all = append(all, &player{t: t, name: name, session: w.session(name)})
	}
	return all
}

// bounded says that an answer is none that a program cuts, and how long it is.
func (p *player) bounded(what, words string) string {
	p.t.Helper()
	n := utf8.RuneCountInString(words)
	p.t.Logf("%s, %s: %d characters, %d tokens", p.name, what, n, tokens(p.t, words))
	if n > brenner.MaxAnswerRunes {
		p.t.Errorf("%s, %s: %d characters", p.name, what, n)
	}
	return words
}

// bears is the heading of what comes with a part of the work.
const bears = "## What is recorded that bears on your part\n"

// C34, X11: who divides the work is given what bears on the question, as it would be what
// bears on a part; the others wait for theirs.
func TestReading_WhoDividesKnowsWhatBearsOnTheQuestion(t *testing.T) {
	all := libraryAsked(t, newWorld(t), "Why is the linker slow on machine 3?", "BlueLake", "PurpleMountain", "GreenValley")
	words := all[0].bounded("kickoff", all[0].told(api.MessageKickoff))
	all[0].must(words, "bears on the question stands last", "- linker-3@1 (draft, ", "machine 3 took", "artifact_search ")
	if n := strings.Count(words, "@1 (draft, 20"); n == 0 || n > 6 {
		t.Errorf("%d texts bear on the question:\n%s", n, words)
	}
	all[1].mustNot(all[1].told(api.MessageKickoff), "linker-", "bears on the question")
}

// C34, X11: a kickoff of a session whose work is still to be divided brings who divides it
// what bears on the question, and the others the document alone;
// what an agent needs to read comes with its part, ranked by it, once, and in an answer
// that no program cuts.
func TestReading_PartOfTheWork(t *testing.T) {
	all := library(t, "BlueLake", "PurpleMountain", "GreenValley")
	blue, purple, green := all[0], all[1], all[2]
	for _, p := range all {
		words := p.bounded("kickoff", p.told(api.MessageKickoff))
		p.must(words, "what is recorded that bears on your part comes with it, without a call", "There is nothing in it yet but the question above (RT).\n", "left for what you ask to read, then another follows by itself; news are counted apart]")
		p.mustNot(words, "context_assemble", "None yet")
		if n := strings.Count(words, "@1 (draft, lineage, "); n != 1 {
			t.Errorf("%s: %d artifacts are given whole, with the document", p.name, n)
		}
	}
	divide := arguments{"session": "RS-pair", "claim": true, "title": "I time the scheduler on all machines", "parts": []any{"PurpleMountain: measure the printer", "GreenValley: look at the journal"}}
	words, _ := blue.call("request", divide)
	blue.bounded("divided", words)
	for p, matter := range inOrder(map[int]string{0: "scheduler", 1: "printer", 2: "journal"}) {
		p := all[p]
		if p != blue {
			words = p.bounded("part", p.told(api.MessageTask))
			p.must(words, "Your part (data):")
		}
		p.must(words, bears, "\n- "+matter+"-", "  \"Run 0 of the "+matter, "more: artifact_search {\"text\":\""+matter)
		p.mustNot(words, "### RT · by ada", "Why is the first start slow?", "given to you before", "# Context for", "brief@")
		for line := range strings.SplitSeq(words, "\n") {
			if strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "- "+matter) {
				t.Errorf("%s: its part is %s, and it was given %s", p.name, matter, line)
			}
			if strings.HasPrefix(line, "  \"") && utf8.RuneCountInString(line) > 410 {
				t.Errorf("%s: a passage of %d characters", p.name, utf8.RuneCountInString(line))
			}
		}
		_, came, _ := strings.Cut(words, bears)
		came, _, _ = strings.Cut(came, "\nnow: ")
		if n := tokens(t, bears+came); n > 900 {
			t.Errorf("%s: %d tokens came with the part", p.name, n)
		}
		p.mustNot(p.callFor("inbox", nil), bears) // it has it
	}

	// What was read before says how it is read once more; that is a context of its own.
	for _, m := range purple.messages("read") {
		if m["kind"] == string(api.MessageKickoff) {
			words = purple.callFor("inbox", arguments{"message": m["id"]})
			purple.must(words, "it came with this message when you first read it, or with your part; once more: `context_assemble {\"session\":\"RS-pair\"}`")
			purple.mustNot(words, "# Context for")
		}
	}
	purple.must(purple.callFor("context_assemble", arguments{"session": "RS-pair"}), "Run 0 of the printer", "nothing in it yet but the question above (RT)")
	green.must(green.callFor("artifact_get", arguments{"ref": "printer-1"}), "Run 0 of the printer")
}

// C34: what bears on a part comes with it in each of several sessions that somebody takes part
// in, whichever it was asked in last and is told its part in first.
func TestReading_PartsInTwoSessions(t *testing.T) {
	for _, order := range [][]string{{"RS-pair", "RS-other"}, {"RS-other", "RS-pair"}} {
		t.Run(order[0], func(t *testing.T) {
			w := newWorld(t)
			all := libraryIn(t, w, "BlueLake", "PurpleMountain")
			blue, purple := all[0], all[1]
			if _, err := w.local("ada").StartSession(t.Context(), api.StartSessionRequest{
				ID: "RS-other", Question: "What would a second machine bring?", Module: "lineage", Compile: api.CompileAnswered,
				Roster: roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "PurpleMountain", Role: roster.TestDesigner}}},
			}); err != nil {
				t.Fatal(err)
			}
			for _, p := range all {
				for range 2 {
					p.callFor("inbox", nil)
				}
			}
			matters := map[string]string{"RS-pair": "printer", "RS-other": "journal"}
			for _, session := range order {
				blue.callFor("request", arguments{"session": session, "claim": true, "title": "I time the scheduler for " + session, "parts": []any{"PurpleMountain: measure the " + matters[session]}})
				purple.must(purple.callFor("inbox", nil), "Your part (data):", bears, "\n- "+matters[session]+"-")
			}
		})
	}
}

// C34: where nobody divides the work in time, what to read comes all the same; once.
func TestReading_NobodyDivides(t *testing.T) {
	purple := library(t, "BlueLake", "PurpleMountain")[1]
	purple.mustNot(purple.told(api.MessageKickoff), "Run 0 of the")
	words := purple.bounded("too late", purple.callFor("inbox", nil)) // in this world it is long past
	purple.must(words, "BlueLake was to divide the work and has not: go ahead", "# Context for PurpleMountain", "Run 0 of the")
	purple.mustNot(purple.callFor("inbox", nil), "# Context for")
}

// C34: where nothing that is recorded has to do with a part, or the part says nothing, that
// is said in a line; what a part names by its id is given.
func TestReading_NothingBearsOnThePart(t *testing.T) {
	all := library(t, "BlueLake", "PurpleMountain", "GreenValley")
	for _, p := range all {
		p.told(api.MessageKickoff)
	}
	words := all[0].callFor("request", arguments{
		"session": "RS-pair", "claim": true, "title": "I do the rest", "parts": []any{"PurpleMountain: count herons at the weir in spring", "GreenValley: is cache-3 right about the weather?"},
	})
	all[0].mustNot(words, "bears on your part")
	all[0].mustNot(words, bears, "\n- ", "artifact_search")
	all[1].mustNot(all[1].told(api.MessageTask), "bears on your part")
	words = all[2].told(api.MessageTask)
	if first, _, _ := strings.Cut(words[strings.Index(words, "\n- ")+1:], "\n"); !strings.HasPrefix(first, "- cache-3@1 (draft, ") {
		t.Errorf("the part names cache-3:\n%s", words)
	}
}

// C30: what came with a part is on record as it was shown, and what was not is explained.
func TestReading_WhatCameWithThePartIsExplained(t *testing.T) {
	w := newWorld(t)
	blue := libraryIn(t, w, "BlueLake", "PurpleMountain")[0]
	blue.told(api.MessageKickoff)
	words := blue.callFor("request", arguments{
		"session": "RS-pair", "claim": true, "title": "I time the scheduler on all machines", "parts": []any{"PurpleMountain: the printer"},
		"deltas": deltaBlock("ADD", "", "hypothesis_slate", `{"claim":"it is the lock","mechanism":"all wait for one"}`, ""),
	})
	blue.must(words, "H1")
	_, rest, _ := strings.Cut(words, "\n[ctx-")
	id, _, _ := strings.Cut(rest, ":")
	made, err := w.local("ada").Invocation(t.Context(), api.InvocationRequest{ID: "ctx-" + id})
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, i := range made.Record.Items {
		line := "\n- " + i.Ref.String() + " ("
		if i.Variant == assembly.Passages && strings.Contains(words, line) && strings.Contains(i.Why, "bears on the part") {
			shown++
		} else if i.Variant != assembly.Named || strings.Contains(words, line) {
			t.Errorf("%s is on record as %s: %s", i.Ref, i.Variant, i.Why)
		}
	}
	if n := strings.Count(words, "\n- "); shown != n || n == 0 {
		t.Errorf("%d shown, %d on record", n, shown)
	}
	reasons := map[assembly.Reason]int{}
	for _, l := range made.Record.LeftOut {
		reasons[l.Reason]++
	}
	if reasons[assembly.NotBearing] != 42 || reasons[assembly.MaxOfType]+shown != 6 {
		t.Errorf("left out: %v", reasons)
	}
}

// C34: who is alone in a session is given everything at once, as far as an answer holds; it
// says what the rest is, and one call reads on.
func TestReading_AloneInASession(t *testing.T) {
	blue := library(t, "BlueLake")[0]
	words := blue.bounded("alone", blue.told(api.MessageKickoff))
	blue.must(words, "made for you, it stands below", "Run 0 of the cache")
	_, rest, found := strings.Cut(words, "the rest of it, ")
	what, call, ok := strings.Cut(rest, ": context_assemble ")
	var in arguments
	if !found || !ok || json.Unmarshal([]byte(strings.TrimSpace(call)), &in) != nil {
		t.Fatalf("it names no call:\n%s", words)
	}
	more := blue.bounded("the rest", blue.callFor("context_assemble", in))
	_, names, _ := strings.Cut(what, ", with ")
	for name := range strings.SplitSeq(names, ", ") {
		blue.must(more, name+" (")
	}
	blue.must(more, "left for what you ask to read, then another follows by itself; news are counted apart]", "now: BlueLake")
	blue.mustNot(more, "the rest of it", "duplicate: true")
}

// X11: several artifacts in one call take no more room than an answer has.
func TestReading_SeveralArtifacts(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: roster.HypothesisGenerator}); err != nil {
		t.Fatal(err)
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	blue.call("context_assemble", arguments{"question": "oxygen", "modules": []any{"lineage"}}) // it shows none of them
	var refs []any
	for i := range 5 {
		id := fmt.Sprintf("log-%d", i)
		refs = append(refs, id)
		if _, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(id), Type: artifact.TypeAnalysisResult, Module: "lineage", Summary: id,
			Content: api.Body{Format: artifact.Text, Data: id + " says\n" + strings.Repeat("internationalization\n", 370)},
		}); err != nil {
			t.Fatal(err)
		}
	}
	words := blue.bounded("five", blue.callFor("artifact_get", arguments{"ref": refs[0], "more": refs[1:], "again": true}))
	blue.must(words, "log-0 says", "log-1 says", "is left for another call")
}

// callFor is what a call is answered, in words.
func (p *player) callFor(tool string, in arguments) string {
	p.t.Helper()
	words, _ := p.call(tool, in)
	return words
}
