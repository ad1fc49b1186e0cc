package mcpserver_test

import (
	"strings"
	"testing"

	"brenner/api"
)

// asksOf is a request of one agent of a pair to the other, as a task that it can take.
func asksOf(p *player, title string, more arguments) (words string, data map[string]any) {
	args := arguments{"session": "RS-pair", "role": "hypothesis_generator", "title": title, "spec": "Say what you saw, and where."}
	for k, v := range more {
		args[k] = v
	}
	return p.call("request", args)
}

// C34, C30: the context of a task goes on from the one that its holder reads through, and
// once the task is done what it reads comes out of that one again, without what the
// task's gave.
func TestTask_LeadsBackToTheSession(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("artifact_write", analysis("theirs", nil))
	blue.must(first(blue.call("artifact_get", arguments{"ref": "theirs"})), "measured for theirs")
	_, asked := asksOf(red, "Look at the lexer", nil)
	task, _ := asked["id"].(string)
	words := blue.told(api.MessageTask)
	blue.must(words, "It asks (data): Look at the lexer", `context_assemble {"task":"`+task+`","after":"ctx-`)
	words = blue.follows(words, "context_assemble")
	blue.must(words, task+" is yours until", "- theirs@1: given to you before, unchanged")
	blue.mustNot(words, "measured for theirs")
	_, after, _ := strings.Cut(words, "It goes on from ")
	session := after[:strings.IndexAny(after, ": ")]

	red.call("artifact_write", analysis("late", nil))
	blue.must(first(blue.call("artifact_get", arguments{"ref": "late"})), "measured for late")
	blue.call("artifact_write", analysis("lexer", arguments{"task": task, "done": true}))
	asksOf(red, "Look at the printer", nil)
	blue.must(blue.told(api.MessageTask), `"after":"`+session+`"`)
	blue.must(first(blue.call("artifact_get", arguments{"ref": "late"})), "unchanged: you were given it")
	words, data := blue.call("context_assemble", arguments{"session": "RS-pair", "after": session})
	blue.must(words, "- late@1: given to you before, unchanged", "- theirs@1: given to you before, unchanged")
	if data["invocation"] == nil {
		t.Errorf("no context: %v", data)
	}
}

// C34: what does not fit names a context for the session once the task is done that the
// one at hand was made for.
func TestTask_DoneIsNotGoneOnWith(t *testing.T) {
	s, blue, red := pair(t)
	both(blue, red)
	blue.call("inbox", nil)
	_, asked := asksOf(red, "Look at the lexer", nil)
	task, _ := asked["id"].(string)
	blue.call("context_assemble", arguments{"task": task}) // goes on from none
	blue.call("artifact_write", analysis("lexer", arguments{"task": task, "done": true}))
	red.call("artifact_write", analysis("long", arguments{"content": arguments{"format": "text", "data": strings.Repeat("many words that cost something to read\n", 6000)}}))
	for offset, pages := 0, 0; ; pages++ {
		words, data := blue.call("artifact_get", arguments{"ref": "long", "offset": offset})
		next, _ := data["next_offset"].(float64)
		offset = int(next)
		if _, made, spent := strings.Cut(words, " was spent: "); spent {
			id, _, _ := strings.Cut(made, " ")
			info, err := s.pi.Invocation(t.Context(), api.InvocationRequest{ID: id})
			if err != nil || info.Task != "" {
				t.Errorf("%s is for task %q: %v", id, info.Task, err)
			}
			break
		}
		if pages > 20 {
			t.Fatal("it always fits")
		}
	}
}

// X11: what is asked for already, of the same role about the same items, is not opened a
// second time: the answer names it, says what it asks, and how to add to it.
func TestRequest_IsNotOpenedTwice(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("inbox", nil)
	_, asked := asksOf(red, "Count the lexer's passes over long files", arguments{"items": []any{"H1"}})
	task, _ := asked["id"].(string)
	words, again := asksOf(blue, "Count passes of the lexer over files", arguments{"items": []any{"H1"}})
	blue.must(words, "not opened: "+task+" asks for that already: Count the lexer's passes", `request {"about":["`+task+`"],"note":true`)
	if again["id"] != task {
		t.Errorf("answered %v", again)
	}
	words, other := asksOf(blue, "Name a third explanation", arguments{"items": []any{"H1"}})
	if other["id"] == task || other["id"] == "" {
		t.Errorf("something else about it: %v\n%s", other, words)
	}
	words, other = asksOf(blue, "Count the lexer's passes over long files", arguments{"items": []any{"H2"}})
	if other["id"] == task || other["id"] == "" {
		t.Errorf("the same about another: %v\n%s", other, words)
	}
	if blue.errors+red.errors > 0 {
		t.Errorf("%d refusals", blue.errors+red.errors)
	}
}

// X11: who asks for a test of what somebody has just written one of hears of that first;
// sent once more it is opened.
func TestRequest_HearsOfWhatIsPlanned(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("inbox", nil)
	red.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Long files","procedure":"count passes","discriminates":"H1 from H2","expected_outcomes":{"H1":"two","H2":"one"},"potency_check":"a known file"}`, ""))
	words, data := asksOf(blue, "Test H1: count passes", nil)
	blue.must(words, "not opened yet: T1 came or changed meanwhile", "Discriminates: H1 from H2")
	if data["id"] != "" {
		t.Errorf("opened %v", data)
	}
	words, data = asksOf(blue, "Test H1: count passes", nil)
	blue.must(words, "is open for a")
	if data["id"] == "" {
		t.Errorf("not opened: %v", data)
	}
	// What is written beside it holds nothing back.
	red.submits(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"the disk is slow, as H1 is not"}`, ""))
	words, _ = asksOf(blue, "Test H1 on short files", nil)
	blue.mustNot(words, "not opened")
}

// C17: whose inputs moved is told what that asks of it; whoever reads the result, that it
// is to be held against them.
func TestRebase_SaysWhatToDo(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("artifact_write", analysis("log", nil))
	_, asked := asksOf(red, "Look at the log", arguments{"about": []any{"log@1"}})
	task, _ := asked["id"].(string)
	blue.call("context_assemble", arguments{"task": task})
	red.call("artifact_write", arguments{"id": "log", "summary": "again", "content": arguments{"format": "text", "data": "measured again\n"}})
	words, _ := blue.call("artifact_write", analysis("seen", arguments{"task": task, "done": true}))
	blue.must(words, "log@1 moved from @1 to @2 meanwhile: what you wrote is marked needs_rebase", "what log@2 changed after log@1 (data):", "+measured again", "patch_apply")
	blue.must(first(blue.call("status", nil)), "rebase:", "patch_apply")
	red.must(first(red.call("artifact_get", arguments{"ref": "seen@1"})), "needs_rebase: what it was made from moved while it was written")
	blue.call("patch_apply", arguments{"ref": "seen@1", "patch": `{"old_string":"measured for seen","new_string":"measured for seen, as log@2 has it"}`, "summary_holds": true})
	blue.mustNot(first(blue.call("status", nil)), "rebase:")
}

// ADR 121: a division is told once: who looks again reads whose it is, and where it
// stands whole.
func TestInbox_TellsAPartOnce(t *testing.T) {
	blue, red := duo(t)
	part := "read the lexer and every rule of it, count what is read twice, and say for each of the rules which lines of which files show it, with the exact numbers and how they were had; then the same for the printer"
	blue.call("request", arguments{"session": "RS-pair", "claim": true, "title": "I read the parser", "parts": []any{"RedSky: " + part}})
	red.must(red.told(api.MessageTask), "> "+part)
	words, _ := red.call("inbox", nil)
	red.mustNot(words, "read the lexer")
	_, after, found := strings.Cut(words, "your part: as BlueLake divided it (")
	if !found {
		t.Fatalf("no part:\n%s", words)
	}
	id, _, _ := strings.Cut(after, ")")
	red.must(first(red.call("artifact_get", arguments{"ref": id})), "leaves to RedSky (data): "+part)
	blue.mustNot(first(blue.call("session_show", arguments{"session": "RS-pair"})), "with the exact numbers")
}

// D26, C15: what is refused for another reason than that the document moved is not said to
// have met a document that did; a new version that others wrote names what shows its change.
func TestAnswers_BlameNobodyElse(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("inbox", nil)
	blue.submits(hypothesis("Third", "", "both are wrong") + deltaBlock("EDIT", "H1", "hypothesis_slate", `{"third_alternative":true}`, ""))
	words := blue.submits(deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"no"}`, ""))
	blue.must(words, "NO_THIRD_ALTERNATIVE")
	blue.mustNot(words, "the document moved since you read it")

	red.call("inbox", nil)
	blue.call("artifact_write", analysis("log", nil))
	blue.call("artifact_write", arguments{"id": "log", "summary": "log, again", "content": arguments{"format": "text", "data": "measured again\n"}})
	red.must(first(red.call("inbox", nil)), `log@2 by BlueLake: log, again (what changed: artifact_get {"ref":"log","since":1})`)
}
