package web

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/problem"

	"github.com/go-json-experiment/json/jsontext"
)

// command is what belongs into a terminal.
var command = regexp.MustCompile(`(?:^|[\s(])--[a-z]|\bbrenner [a-z]`)

// X11: a page does not speak the command line, whatever the error's hint or
// the registry says. The hints are those of the service and of the protocols,
// read from their sources.
func TestAdvice_NeverSpeaksTheCommandLine(t *testing.T) {
	said := 0
	check := func(e *brenner.Error) {
		found, _ := problem.From(e)
		words := advice(found)
		if words != "" {
			said++
		}
		if command.MatchString(words) {
			t.Errorf("%s: %q", e.Code, words)
		}
	}
	for _, row := range brenner.Codes() {
		check(brenner.Errorf(row.Code, "x"))
	}
	literal := regexp.MustCompile("WithHint\\(\"([^\"]*)\"")
	hints := 0
	for _, dir := range []string{"../app", "../app/*", "../../artifact", "../../delta", "../../anchor", "../../playbook", "../../stalemate", "../../roster", "../../check"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(f); lines.Scan(); {
				for _, m := range literal.FindAllStringSubmatch(lines.Text(), -1) {
					hints++
					check(brenner.Errorf(brenner.CodeInvalidValue, "x").WithHint(m[1]))
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if hints < 50 || said < 50 {
		t.Errorf("only %d hints were read and %d pieces of advice given", hints, said)
	}
}

// X11: what an error suggests becomes a link where a page does it.
func TestActions_BecomeLinks(t *testing.T) {
	e := brenner.Errorf(brenner.CodeNotFound, "x").Try(
		brenner.Do("task.show", "id", "task-1"), brenner.Do("task.show"), brenner.Do("nothing.known", "id", "x"), brenner.Do("agent.list"))
	got := actionsOf(e)
	if len(got) != 2 || got[0] != (link{"See task-1", "/tasks/task-1"}) || got[1].Path != "/agents" {
		t.Errorf("%+v", got)
	}
	for name, at := range actionPages {
		if at.path != "/" && strings.HasSuffix(at.path, "/") != (at.argument != "") {
			t.Errorf("%s leads to %q with the argument %q", name, at.path, at.argument)
		}
	}
}

// J1: every step of a protocol has words in the activity.
func TestActivity_EveryDeedHasWords(t *testing.T) {
	if got := string(tell(record("stalemate.moved", `{"action":"withdraw","id":"s-1","reason":"<b>"}`))); got != `<a href="/agents/ada">ada</a> withdrew <a href="/stalemates/s-1">s-1</a>: <span class="quiet">&lt;b&gt;</span>` {
		t.Error(got)
	}
	if got := string(tell(record("run.started_again", `{"id":5}`))); got != `<a href="/agents/ada">ada</a> run started again` {
		t.Error(got)
	}
	if got := string(tell(record("task.doing", `{"title":"I time it","hold":"<b>"}`))); got != `<a href="/agents/ada">ada</a> does next, with &lt;b&gt; to itself: <span class="quiet">I time it</span>` {
		t.Error(got)
	}
	for kind := range sentences { // a record that lacks what a sentence asks for is told all the same
		for _, payload := range []string{`{}`, `[]`, `{"id":7,"ref":null,"outputs":"x","reason":{"sha256":"a"}}`} {
			if got := string(tell(record(kind, payload))); strings.Contains(got, "%!") || !strings.HasPrefix(got, "<a ") {
				t.Errorf("%s %s: %s", kind, payload, got)
			}
		}
	}
}

func record(kind, payload string) api.RecordInfo {
	return api.RecordInfo{Kind: kind, Actor: "ada", Payload: jsontext.Value(payload)}
}

// X11: what was done several times in a row is told once, with how often; the newest says when.
func TestFeed_TellsOnceWhatIsTheSame(t *testing.T) {
	at := time.Date(2020, 3, 14, 15, 9, 26, 0, time.UTC)
	read := func(seq int64, context string) api.RecordInfo {
		return api.RecordInfo{Seq: seq, At: at.Add(time.Duration(seq) * time.Minute), Actor: "ada", Kind: "context.read", Payload: jsontext.Value(`{"id":"` + context + `"}`)}
	}
	got := feed([]api.RecordInfo{read(5, "ctx-1"), read(4, "ctx-1"), read(3, "ctx-2"), read(2, "ctx-1"), read(1, "ctx-1")})
	if len(got) != 3 || got[0].Times != 2 || got[1].Times != 1 || got[2].Times != 2 || !got[0].At.Equal(at.Add(5*time.Minute)) || !got[2].At.Equal(at.Add(2*time.Minute)) {
		t.Errorf("told: %+v", got)
	}
}
