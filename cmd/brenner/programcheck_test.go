package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"brenner/internal/runner/modeltest"
)

// W2, W10: `program check` against a scripted endpoint says whether it is there,
// knows the key and has the model, and with --test whether the model answers.
func TestProgramCheck_LooksAtAScriptedEndpoint(t *testing.T) {
	status := 0
	model := modeltest.New(func(a modeltest.Ask) modeltest.Answer {
		if a.Header.Get("Authorization") != "Bearer sk-of-the-endpoint" {
			t.Errorf("asked with %q", a.Header.Get("Authorization"))
		}
		return modeltest.Answer{Text: "ready", In: 12, Out: 1, Status: status}
	})
	defer model.Close()
	s := newShell(t)
	s.env["BRENNER_PROGRAMS"] = filepath.Join(s.dir, "own", "programs.json")
	t.Setenv("LOCAL_KEY", "sk-of-the-endpoint")
	s.must("init", "--name", "Fate", "--pi", "ada")
	add := func(name, endpoint, model string) {
		t.Helper()
		s.must("program", "add", name, "--profile", "openai", "--endpoint", endpoint+"/v1", "--model", model, "--key-variable", "LOCAL_KEY")
	}
	nowhere, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = nowhere.Close()
	add("local", model.URL(), "scripted")
	add("other", model.URL(), "nothing-like-it")
	add("away", "http://"+nowhere.Addr().String(), "scripted")
	check := func(want int, words string, args ...string) {
		t.Helper()
		got, out, errs := s.run(append([]string{"program", "check"}, args...)...)
		if got != want || !strings.Contains(out, words) {
			t.Errorf("program check %s: %d, want %d and %q\n%s%s", strings.Join(args, " "), got, want, words, out, errs)
		}
		if strings.Contains(out+errs, "sk-of-the-endpoint") {
			t.Errorf("program check %s tells the key", strings.Join(args, " "))
		}
	}
	check(0, "ok   local: the endpoint answers; logged in: yes\n", "local")
	if asked := len(model.Asks()); asked != 0 {
		t.Errorf("the model was asked %d times without --test", asked)
	}
	check(9, "FAIL other: the model does not exist", "other")
	check(9, "FAIL away: the provider cannot be reached", "away")
	check(9, "hint: start what serves http://"+nowhere.Addr().String(), "away", "--test")
	check(0, "12 tokens in, 1 out", "local", "--test")
	check(0, `"answered_in":"`, "local", "--test", "--json")
	for code, words := range map[int]string{401: "not logged in", 429: "limits the rate", 500: "overloaded or failing"} {
		status = code
		check(9, words, "local", "--test")
		check(9, fmt.Sprintf("     %d ", code), "local", "--test")
	}
}
