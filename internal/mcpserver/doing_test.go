package mcpserver_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
)

// C16, C34, X11: what an agent does next is shown to the others with whatever they do, once; its
// next reply ends it, and so does the next such word.
func TestDoing_IsSeenBeforeItIsDone(t *testing.T) {
	s, blue, red := pair(t)
	said, _ := blue.call("inbox", arguments{"doing": "I time the parser with ten thousand rows"})
	blue.must(said, "the others see what you do next, till your next reply")
	said = red.submits(assumption("Rooms are cold", "The rooms of teams are below 20 degrees"))
	red.must(said, "meanwhile:", "BlueLake does next (said at ", "data): I time the parser with ten thousand rows")
	red.mustNot(red.submits(assumption("Rooms are dark", "There is no window in them")), "ten thousand rows")

	// What it says then stands in place of that; one word of an agent, and how it is ended is said once.
	said, _ = blue.call("delta_submit", arguments{"session": "RS-pair", "text": assumption("Rows are short", "A row has at most eighty bytes"), "doing": "I look who calls the parser in a loop"})
	blue.mustNot(said, "till your next reply")
	said = first(red.call("session_show", arguments{"session": "RS-pair"}))
	red.must(said, "BlueLake does next (said at ", "data): I look who calls the parser in a loop")
	red.mustNot(said, "ten thousand rows")
	if n := len(doingNow(s)); n != 1 {
		t.Errorf("%d words of what is done next stand", n)
	}

	// A reply without one ends it; a dry run and one that is no answer end nothing.
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": assumption("Rows are many", "There are a million of them"), "dry_run": true, "doing": "nothing of this is kept"})
	if now := doingNow(s); len(now) != 1 || !strings.Contains(now[0].Title, "in a loop") {
		t.Errorf("after a dry run: %v", now)
	}
	blue.submits(assumption("Rows are many", "There are a million of them"))
	if now := doingNow(s); len(now) != 0 {
		t.Errorf("after a reply: %v", now)
	}
}

// doingNow lists what somebody of a project does next.
func doingNow(s *stage) []api.TaskInfo {
	s.t.Helper()
	list, err := s.pi.Tasks(s.t.Context(), api.ListTasksRequest{Page: api.Page{Limit: brenner.MaxPage}})
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.DeleteFunc(list.Tasks, func(t api.TaskInfo) bool { return t.Kind != api.TaskDoing })
}

// C16, X11: who would do what another is at is told so at once, before it waits; the other is shown
// what it says, like any such word, and is sent no message of it.
func TestDoing_NamesWhoIsAtIt(t *testing.T) {
	_, blue, red := pair(t)
	blue.call("inbox", arguments{"doing": "I measure how the cache of the parser grows with the rows"})
	began := time.Now()
	said, _ := red.call("inbox", arguments{"doing": "measure growth of the parser cache with more rows", "wait": 60})
	red.must(said, "BlueLake is at it since", "I measure how the cache of the parser grows with the rows", "was first: do only the rest, or something else, and say that")
	if time.Since(began) > 30*time.Second {
		t.Error("it waited")
	}
	said, _ = blue.call("inbox", nil)
	blue.must(said, "RedSky does next (said at ", "data): measure growth of the parser cache with more rows")
	blue.mustNot(said, "OVERLAP")
	said, _ = blue.call("inbox", nil)
	blue.must(said, "under way as you were told: RedSky\n")
	blue.mustNot(said, "measure growth of the parser cache")
	// Who announces work of its own is told of the others' words in one place.
	blue.call("inbox", arguments{"doing": "I read the printer's manual"})
	said, _ = red.call("request", arguments{"session": "RS-pair", "claim": true, "title": "I time the network"})
	red.must(said, "BlueLake does next (said at ", "data): I read the printer's manual")
	if strings.Count(said, "printer's manual") != 1 {
		t.Errorf("it is said more than once:\n%s", said)
	}
}

// C16, D19: a test that one says it runs is running, till its next reply; one that it waits for is not.
func TestDoing_ATestIsRunning(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Cold rows","procedure":"Time a million rows","discriminates":"H1","expected_outcomes":{"H1":"slow"}}`, ""))
	red.submits(assumption("Rooms are cold", "The rooms of teams are below 20 degrees"))
	red.call("inbox", arguments{"doing": "I run T1 on two machines"})
	said := first(blue.call("session_show", arguments{"session": "RS-pair"}))
	blue.must(said, "running T1 (RedSky")
	blue.must(first(blue.call("inbox", arguments{"doing": "T1, with a warm cache"})), "T1: RedSky is at this")
	// Who is at something stays in view; what it is is said once, and of a test that has no number yet too.
	red.call("inbox", arguments{"doing": "T-FROST: the rows of March, in the cold room and in the hall, with and without a cache"})
	said = first(blue.call("inbox", arguments{"doing": "I look what T-FROST would need"}))
	blue.must(said, "T-FROST: RedSky is at this")
	first(blue.call("inbox", nil))
	said = first(blue.call("inbox", nil))
	blue.must(said, "all have answered; here: RedSky")
	blue.mustNot(said, "the rows of March")
	// What is waited for is somebody else's to run.
	red.call("inbox", arguments{"doing": "I wait for T1 and for what T-FROST gives, then say what follows"})
	blue.mustNot(first(blue.call("session_show", arguments{"session": "RS-pair", "again": true})), "running T1", "T-FROST: RedSky is at this")
	red.mustNot(first(red.call("inbox", nil)), "which you said you run")
	// So is what is left to somebody, and who names a critique does not run the test that it wants.
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 was seen once","proposed_test":"time it twice"}`, ""))
	red.call("inbox", arguments{"doing": "T1 (cold) is left to BlueLake. I see what becomes of the rows that I asked for (C1)"})
	red.mustNot(first(red.call("inbox", nil)), "which you said you run")
	red.call("inbox", arguments{"doing": "the candidate of RT as one program; then I write up my log"})
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"RT"}, "again": true})), "is at this")
	red.call("inbox", arguments{"doing": "I write RT now"})
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"RT"}, "again": true})), "RedSky is at this")
	red.call("inbox", arguments{"doing": "I run C1 and read on"})
	red.must(first(red.call("inbox", nil)), "the result of C1, which you said you run")
}

// D19: once a session was compiled all who take part use the same words: who says what it does
// next is told of another's only where the two say much the same.
func TestDoing_WordsOfASessionAreNoOverlap(t *testing.T) {
	_, blue, red := pair(t)
	const one, other = "T5 (composition) with the leaf; nl, nl2 and the stream through b64-oracle LEVEL 2", "run the leaf of H6 through b64-oracle (LEVEL=2, also 386) as soon as it is an artifact; sthyb and table on the whole stream"
	blue.call("inbox", arguments{"doing": one})
	words, _ := red.call("inbox", arguments{"doing": other})
	red.must(words, "BlueLake is at it since")
	both(blue, red)
	blue.call("inbox", arguments{"doing": one})
	words, _ = red.call("inbox", arguments{"doing": other})
	red.mustNot(words, "BlueLake is at it since", "may be the same")
	blue.call("inbox", arguments{"doing": "time cold caches on the printer's host"})
	words, _ = red.call("inbox", arguments{"doing": "cold caches of the printer host, timed"})
	red.must(words, "BlueLake is at it since", "that may be the same")
}

// C16, J7: what is no line, or is said where nobody hears it, is refused, and nothing of the
// call is kept.
func TestDoing_RefusesWhatNobodyHears(t *testing.T) {
	w, blue, red := pair(t)
	for _, words := range []string{"two\nlines", strings.Repeat("a", 601), "a\x00b"} {
		args := arguments{"session": "RS-pair", "text": assumption("Rooms are cold", "Below 20 degrees"), "doing": words}
		if _, _, err := answered[map[string]any](t.Context(), blue.session, "delta_submit", args); brenner.ClassOf(brenner.CodeOf(err)) != brenner.ClassInvalid {
			t.Errorf("%.20q: %v", words, err)
		}
	}
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair"})), "Below 20 degrees")
	for _, req := range []api.NewTaskRequest{
		{Title: "I read on", Doing: true},
		{Title: "I read on", Doing: true, Session: "RS-pair", Claim: true},
		{Title: "I read on", Doing: true, Session: "RS-pair", Spec: "all of it"},
		{Doing: true, Session: "RS-pair"},
	} {
		if _, err := w.pi.NewTask(t.Context(), req); brenner.CodeOf(err) != brenner.CodeInvalidValue {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if _, err := w.pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-pair", From: "RedSky", Text: "x", Doing: "I read on"}); brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("said for another: %v", err)
	}
}

// X11, C34: a reply waits in the same call for what others say to it, and brings that; a wait
// that is none is refused before anything is written.
func TestSubmit_WaitsForWhatOthersSay(t *testing.T) {
	s, blue, red := pair(t)
	heard := make(chan string)
	go func() {
		words, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "text": assumption("Rows are short", "A row has at most eighty bytes"), "wait": 20})
		heard <- words
	}()
	for range 200 { // till it has handed in
		if strings.Contains(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "Rows are short") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	red.submits(assumption("Rooms are cold", "The rooms of teams are below 20 degrees"))
	said := <-heard
	blue.must(said, "RS-pair: 1 delta read", "a provisional_id holds\n", "meanwhile:\n", "The rooms of teams are below 20 degrees")
	blue.mustNot(said, `"wait":60 with`)

	args := arguments{"session": "RS-pair", "text": assumption("Rows are many", "There are a million of them"), "wait": 61}
	if _, _, err := answered[map[string]any](t.Context(), blue.session, "delta_submit", args); brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("a wait of 61 seconds: %v", err)
	}
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair"})), "There are a million of them")
	said, _ = blue.call("artifact_write", arguments{
		"type": "analysis_result", "id": "rows", "summary": "rows", "content": arguments{"format": "text", "data": "eighty bytes"}, "session": "RS-pair", "wait": 1,
		"deltas": assumption("Rows are many", "There are a million of them"),
	})
	blue.must(said, "rows@1", "nothing new")
	// Whose program gave up, and who makes the call again, does not wait once more.
	once := analysis("columns", arguments{"wait": 1, "key": "columns"})
	blue.must(first(blue.call("artifact_write", once)), "columns@1", "meanwhile:\nnothing new")
	once["wait"] = 60
	said = first(blue.call("artifact_write", once))
	blue.must(said, "duplicate: true", "columns@1")
	blue.mustNot(said, "meanwhile:\nnothing new")
	// So does a result that no reply goes with; who said that it does what another is at decides first.
	result := arguments{"id": "rows", "summary": "more rows", "content": arguments{"format": "text", "data": "eighty bytes and more"}, "wait": 20}
	go func() {
		words, _ := blue.call("artifact_write", result)
		heard <- words
	}()
	for range 200 {
		if _, err := s.pi.Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "rows", Version: 2}}); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	red.submits(assumption("Rooms are dark", "There is no window in them"))
	blue.must(<-heard, "rows@2", "meanwhile:\n", "There is no window in them")
	began := time.Now()
	for tool, args := range inOrder(map[string]arguments{
		"artifact_write": {"id": "rows", "summary": "fewer rows", "content": arguments{"format": "text", "data": "eighty bytes"}},
		"delta_submit":   {"session": "RS-pair", "text": assumption("Rows are skipped", "The parser skips some")},
	}) {
		red.call("inbox", arguments{"doing": "I count the rows that the parser skips in " + tool})
		args["doing"], args["wait"] = "count rows which the parser skips in "+tool, 60
		blue.must(first(blue.call(tool, args)), "RedSky is at it since")
	}
	if time.Since(began) > 30*time.Second {
		t.Error("it waited")
	}
}

// C16, C34, X11: what one has alone for what it does next is told whoever would have it too, with who
// has it and till when; who waits for it has it as soon as it is free, and an item that is held says so.
func TestHold_OneHasItAtATime(t *testing.T) {
	s, blue, red := pair(t)
	said, _ := blue.call("inbox", arguments{"doing": "I time the parser with ten thousand rows", "hold": "machine", "wait": 60})
	blue.must(said, "the others see what you do next", "machine is yours alone till ", "or till hold \"none\"; the same call prolongs that")
	said, _ = red.call("inbox", arguments{"doing": "I time the printer", "hold": "Machine"})
	red.must(said, "machine is not yours: BlueLake has it till ", "(data): I time the parser", "once it is your turn your next inbox call has it")
	said, _ = red.call("session_show", arguments{"session": "RS-pair"})
	red.must(said, " with machine alone till ")
	if now := doingNow(s); len(now) != 2 || now[0].Hold+now[1].Hold != "machine" {
		t.Errorf("held: %+v", now)
	}
	// Said again it goes on; by itself it needs no words.
	said, _ = blue.call("inbox", arguments{"hold": "machine"})
	blue.must(said, "machine is yours alone till ")

	had := make(chan string)
	go func() {
		said, _ := red.call("inbox", arguments{"doing": "I time the printer", "hold": "machine", "wait": 60})
		had <- said
	}()
	select {
	case said := <-had:
		t.Fatalf("it did not wait:\n%s", said)
	case <-time.After(2 * time.Second):
	}
	said, _ = blue.call("inbox", arguments{"doing": "I read on"})
	blue.must(said, "machine stays yours alone till ", "; hold \"none\" gives it back\n")
	blue.must(first(blue.call("inbox", arguments{"hold": "none"})), "with that you gave machine back\n")
	red.must(<-had, "machine is yours alone till ")
	if now := doingNow(s); len(now) != 2 {
		t.Errorf("held: %+v", now)
	}
	// Who waits for it and looks again has it once it is free.
	said, _ = blue.call("inbox", arguments{"doing": "I time the parser once more", "hold": "machine"})
	blue.must(said, "machine is not yours: RedSky has it till ")
	// What came of it so far ends nothing, nor does its next word.
	red.must(red.submits(assumption("Rows are short", "A row has at most eighty bytes")), "machine stays yours alone till ", "BlueLake does next (said at ", " waits for machine: ")
	red.call("inbox", arguments{"doing": "I read what came of it", "hold": "none"})
	said, _ = blue.call("inbox", nil)
	blue.must(said, "machine is yours alone till ")
	blue.call("inbox", arguments{"doing": "I write it down", "hold": "none"})
	red.call("inbox", arguments{"doing": "I time the printer", "hold": "machine"})
	blue.submits(assumption("Rows are long", "Some row has more than eighty bytes"))
	if now := doingNow(s); len(now) != 1 || now[0].Holder != "RedSky" || now[0].Hold != "machine" {
		t.Errorf("held: %+v", now)
	}

	// An item that is held says so, and an edit of it is taken.
	red.call("inbox", arguments{"doing": "the whole answer anew", "hold": "RT"})
	said = blue.submits("```delta\n" + `{"operation":"EDIT","target_id":"RT","section":"research_thread","payload":{"context":"of May"},"rationale":"r"}` + "\n```")
	blue.must(said, "RedSky is at this with RT alone till ")

	// Who would have what another has keeps what it has itself.
	blue.call("inbox", arguments{"doing": "I time the parser again", "hold": "machine"})
	said, _ = blue.call("inbox", arguments{"doing": "I time it, then write RT", "hold": "RT"})
	blue.must(said, "RT is not yours: RedSky has it till ")
	if now := doingNow(s); len(now) != 2 || now[1].Hold+" "+now[1].Wants != "machine RT" {
		t.Errorf("held: %+v", now)
	}

	for _, hold := range []string{"a\nb", strings.Repeat("m", brenner.MaxHoldRunes+1)} {
		_, words, err := answered[map[string]any](t.Context(), red.session, "inbox", arguments{"hold": hold})
		if err == nil || !strings.HasPrefix(words, "INVALID_VALUE: what you hold is a name") || !strings.Contains(words, "(at /hold)") {
			t.Errorf("%q: %s", hold, words)
		}
	}
}

// C16, C34: of two who wait for what another has, the one who waits longer has it first, whoever
// looks first once it is free; the other is told for whom it is kept, and has it after that.
func TestHold_WhoWaitsLongestHasItFirst(t *testing.T) {
	s, blue, red, green := trio(t)
	blue.must(first(blue.call("inbox", arguments{"doing": "I time the parser", "hold": "machine 2m"})), "machine is yours alone till 15:11:26 UTC")
	red.must(first(red.call("inbox", arguments{"doing": "I time the printer", "hold": "machine"})), "machine is not yours: BlueLake has it till 15:11:26 UTC (data): I time the parser\nyou wait in line")
	green.must(first(green.call("inbox", arguments{"doing": "I time both", "hold": "machine 10m"})), "machine is not yours: BlueLake has it till ", "\nbefore you wait RedSky\n")

	// Another word leaves one's place as it is, and what others write does not end a wait for that.
	green.must(first(green.call("inbox", arguments{"doing": "I read meanwhile, and time then"})), "you keep your place in line for machine; hold \"none\" gives it up\n")
	had := make(chan string)
	go func() {
		had <- first(green.call("inbox", arguments{"hold": "machine 10m", "wait": 60}))
	}()
	blue.call("delta_submit", arguments{"session": "RS-trio", "text": assumption("Rows are short", "A row has at most eighty bytes")})
	select {
	case said := <-had:
		t.Fatalf("it did not wait:\n%s", said)
	case <-time.After(time.Second):
	}
	blue.must(first(blue.call("inbox", arguments{"hold": "none"})), "with that you gave machine back\n")
	for end := time.Now().Add(30 * time.Second); !slices.ContainsFunc(doingNow(s), func(t api.TaskInfo) bool { return !t.OfferedUntil.IsZero() }); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody is offered what came free")
		}
	}
	blue.must(first(blue.call("session_show", arguments{"session": "RS-trio", "again": true})), " waits for machine, kept for it till 15:10:26 UTC")
	red.must(first(red.call("inbox", nil)), "machine is yours alone till 15:14:26 UTC")
	red.call("inbox", arguments{"doing": "I read what came of it", "hold": "none"})
	green.must(<-had, "machine is yours alone till 15:19:26 UTC", "BlueLake proposed A1")

	// Who does not look in time waits behind the others from then on.
	red.call("inbox", arguments{"doing": "I time the printer", "hold": "machine"})
	blue.call("inbox", arguments{"doing": "I time the parser", "hold": "machine"})
	green.call("inbox", arguments{"doing": "I write it down", "hold": "none"})
	blue.must(first(blue.call("inbox", nil)), "machine is not yours: RedSky waited longer, and it is kept for it till 15:10:26 UTC (data): I time the printer\n")
	s.pass(2 * time.Minute)
	blue.must(first(blue.call("inbox", nil)), "machine is yours alone till 15:16:26 UTC")
	red.must(first(red.call("inbox", nil)), "machine is not yours: BlueLake has it till 15:16:26 UTC")
	_, said, err := answered[map[string]any](t.Context(), red.session, "inbox", arguments{"hold": "machine 20m"})
	if err == nil || !strings.HasPrefix(said, `INVALID_VALUE: machine is held for a time such as 70s or 2m, at most 15 minutes, not for "20m" (at /hold)`) {
		t.Errorf("twenty minutes: %s", said)
	}
}
