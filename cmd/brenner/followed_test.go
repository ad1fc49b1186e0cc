package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/cli"
	"brenner/roster"
)

// refusedLine says which command line is refused with a code, and what comes of
// doing what the terminal says then. Exactly one of hinted, mended, person,
// script, result and never says how.
type refusedLine struct {
	code  brenner.Code
	as    brenner.ActorName // "": BlueLake
	line  string
	files map[string]string
	fresh bool     // the agent has no context yet
	first []string // command lines that come before, as NAME: LINE
	env   map[string]string
	dir   string // where it is typed, inside the project; "": at its root
	// fault is an error of the store or of what stands behind it, which the test
	// puts in its place: nothing here can be made to fail so.
	fault bool

	// hinted: the first command that the terminal names is run as it stands, or
	// the refused one once more with what it says to add; fill are the values for
	// the words in capitals.
	hinted bool
	fill   map[string]string
	// mended: the terminal has only words, for what is wrong is the reader's own;
	// this is the line that follows them.
	mended string
	then   brenner.Code // what following gives, which is nearer; "": it succeeds
	again  bool         // the refused line comes through afterwards

	person string // why nothing that is typed here mends it; the terminal says what does
	script string // the script that meets it and does what is said: it takes more than a line
	result string // it comes with an answer, about one thing in it, and never refuses a command
	never  string // why no command is refused with it
}

// bench is a project in a directory of its own, for one row.
type bench struct {
	t     *testing.T
	dir   string
	names map[string]string // what only the project knows: TASK, STALEMATE
	fault error             // what opening the project gives, once
	at    string            // where lines are typed
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USER", "ada")
	t.Setenv("BRENNER_KEYS", filepath.Join(dir, "keys"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	b := &bench{t: t, dir: filepath.Join(dir, "project"), names: map[string]string{}}
	b.write(".brennerrc", "modules: [lineage, gradient]\ncompile: manual\n")
	b.must("ada", "init --name 'Cell fate' --pi ada")
	s, done, err := openProject(t.Context(), cli.Where{Dir: b.dir})
	if err != nil {
		t.Fatal(err)
	}
	do := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, role := range map[brenner.ActorName]brenner.Role{
		"BlueLake": roster.HypothesisGenerator, "RedSky": roster.HypothesisGenerator, "GreyStone": "integrator",
		"OldOwl": "arbiter", "GreenValley": roster.AdversarialCritic,
	} {
		do(s.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: role}))
	}
	note := func(id brenner.ArtifactID, kind brenner.TypeName, module brenner.Module, format artifact.Format, data string) {
		do(s.CreateArtifact(t.Context(), api.CreateArtifactRequest{ID: id, Type: kind, Module: module, Summary: "a note", Content: api.Body{Format: format, Data: data}}))
	}
	note("near", artifact.TypePaperNote, "lineage", artifact.JSON, `{"title":"A note","claims":["c"]}`)
	note("far", artifact.TypePaperNote, "gradient", artifact.JSON, `{"title":"A note","claims":["c"]}`)
	note("log", artifact.TypeAnalysisResult, "lineage", artifact.Text, "one\ntwo\nthree\ntwo\nfour\n")
	task, err := s.NewTask(t.Context(), api.NewTaskRequest{Title: "Look", Spec: "look", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}})
	do(task, err)
	b.names["TASK"] = task.ID
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	do(s.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}))
	do(nil, done())
	return b
}

// aDispute is a stalemate between two agents.
const aDispute = `{"summary":"we differ","arbitration_request":"who is right","hypotheses":[{"author":"BlueLake","statement":"a","justification":"b"},{"author":"RedSky"}],` +
	`"alternatives":[{"statement":"c","justification":"d"}],"evidence":[{"kind":"error_log","content":"it failed at line 3 of the log"}]}`

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// run runs a command line as somebody types it.
func (b *bench) run(as brenner.ActorName, args []string, env map[string]string) (status int, out, said string) {
	b.t.Helper()
	var stdout, stderr bytes.Buffer
	open := openProject
	if b.fault != nil {
		open = func(context.Context, cli.Where) (api.Service, func() error, error) {
			err := b.fault
			b.fault = nil
			return nil, nil, err
		}
	}
	get := func(name string) string {
		if v, ok := env[name]; ok {
			return v
		}
		if name == "BRENNER_AGENT" && as != "ada" {
			return string(as)
		}
		return os.Getenv(name)
	}
	status = cli.Run(b.t.Context(), cli.Env{
		In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: get, Dir: filepath.Join(b.dir, b.at), Version: "test",
		Open: open, Store: storeOf, Init: initProject, Import: importProject, Serve: serveProject, MCP: mcpProject, Runner: newRunner,
		EmbeddingAllowed: embeddingAllowed, AllowEmbedding: allowEmbedding,
	}, args)
	return status, stdout.String(), stderr.String()
}

func (b *bench) must(as brenner.ActorName, line string) string {
	b.t.Helper()
	status, out, said := b.run(as, b.words(line), nil)
	if status != 0 {
		b.t.Fatalf("%s$ brenner %s: %d\n%s", as, line, status, said)
	}
	return out
}

var word = regexp.MustCompile(`'[^']*'|\S+`)

// words splits a line as a shell does, and puts in what only the project knows.
func (b *bench) words(line string) []string {
	var out []string
	for _, w := range word.FindAllString(line, -1) {
		w = strings.ReplaceAll(w, "'", "")
		if name, ok := b.names[w]; ok {
			w = name
		}
		out = append(out, w)
	}
	return out
}

var (
	runHint    = regexp.MustCompile("(?m)^hint: .*?`brenner ([^`]+)`")
	repeatHint = regexp.MustCompile(`(?m)^hint: repeat it with (.+)$`)
	refusedBy  = regexp.MustCompile(`(?m)^brenner: ([A-Z_]+): `)
)

func codeIn(said string) brenner.Code {
	if m := refusedBy.FindStringSubmatch(said); m != nil {
		return brenner.Code(m[1])
	}
	return ""
}

func (r refusedLine) play(t *testing.T) {
	ways := 0
	for _, one := range []bool{r.hinted, r.mended != "", r.person != "", r.script != "", r.result != "", r.never != ""} {
		if one {
			ways++
		}
	}
	if ways != 1 {
		t.Fatalf("the row says %d ways, want one", ways)
	}
	if r.result != "" || r.never != "" {
		return
	}
	if r.script != "" {
		text, err := os.ReadFile(filepath.Join("testdata", "script", r.script+".txtar"))
		if err != nil || !regexp.MustCompile(`(?m)^(stderr|stdout) .*\b`+string(r.code)+`\b`).Match(text) {
			t.Fatalf("the script %s does not meet %s: %v", r.script, r.code, err)
		}
		return
	}
	b := newBench(t)
	b.write("dispute.json", aDispute)
	for name, text := range r.files {
		b.write(name, text)
	}
	if r.as == "" {
		r.as = "BlueLake"
	}
	if !r.fresh && r.as != "ada" {
		b.must(r.as, "context assemble --question 'What is known of the lineage note?' --module lineage")
	}
	for _, line := range r.first {
		who, line, _ := strings.Cut(line, ": ")
		if who == "add" { // somebody changed the file meanwhile
			text, err := os.ReadFile(filepath.Join(b.dir, line))
			if err != nil {
				t.Fatal(err)
			}
			b.write(line, string(text)+"five\n")
			continue
		}
		out := b.must(brenner.ActorName(who), line)
		if id := regexp.MustCompile(`stalemate-\d+`).FindString(out); id != "" {
			b.names["STALEMATE"] = id
		}
		if id := regexp.MustCompile(`task-\d+`).FindString(out); id != "" && strings.HasPrefix(line, "task new") {
			b.names["CROSSING"] = id
		}
	}
	args := b.words(r.line)
	b.at = r.dir
	if r.fault {
		b.fault = brenner.Errorf(r.code, "something behind the service failed")
	}
	status, _, said := b.run(r.as, args, r.env)
	if status == 0 || codeIn(said) != r.code {
		t.Fatalf("%s$ brenner %s: %d, want %s:\n%s", r.as, r.line, status, r.code, said)
	}
	if !strings.Contains(said, "\nhint: ") {
		t.Fatalf("nothing is said about what to do:\n%s", said)
	}
	next, command := r.next(t, args, said)
	switch {
	case r.person != "":
		return // what a person does elsewhere: the words are there
	case r.mended != "":
		next = b.words(r.mended)
	case !command:
		t.Fatalf("no command is named:\n%s", said)
	}
	status, _, now := b.run(r.as, next, nil)
	if got := codeIn(now); got != r.then || r.then == "" && status != 0 {
		t.Errorf("%s$ brenner %s: %d %s, want %q\n%sit was said:\n%s", r.as, strings.Join(next, " "), status, got, r.then, now, said)
	}
	if r.again {
		b.must(r.as, r.line)
	}
}

// next is the command line that the terminal names first, with the values for
// the words in capitals.
func (r refusedLine) next(t *testing.T, refused []string, said string) ([]string, bool) {
	t.Helper()
	run, repeat := runHint.FindStringSubmatchIndex(said), repeatHint.FindStringSubmatchIndex(said)
	var line []string
	var text string
	switch {
	case run != nil && (repeat == nil || run[0] < repeat[0]):
		text = said[run[2]:run[3]]
	case repeat != nil:
		line, text = slices.Clone(refused), said[repeat[2]:repeat[3]]
	default:
		return nil, false
	}
	used := map[string]bool{}
	for _, w := range strings.Fields(text) {
		if value, ok := r.fill[w]; ok {
			used[w] = true
			w = value
		} else if w == strings.ToUpper(w) && regexp.MustCompile(`^[A-Z_]{2,}$`).MatchString(w) && r.hinted {
			t.Fatalf("%q leaves %s to the reader, for which the row has no value", text, w)
		}
		line = append(line, w)
	}
	for name := range r.fill {
		if !used[name] {
			t.Errorf("%q does not say that %s is the reader's to give", text, name)
		}
	}
	return line, true
}

// X11: every code of the registry has a row. Where a command can be refused with
// it, it is, and what the terminal says to do is done, with the program's own
// entry, and gets further.
func TestRefusals_WhatTheTerminalSaysCanBeDone(t *testing.T) {
	seen := map[brenner.Code]bool{}
	for i, r := range refusedLines() {
		seen[r.code] = true
		if r.result == "" && r.never == "" {
			t.Run(fmt.Sprintf("%02d_%s", i, r.code), func(t *testing.T) { r.play(t) })
		} else {
			r.play(t)
		}
	}
	for _, info := range brenner.Codes() {
		if !seen[info.Code] {
			t.Errorf("%s has no row: say how a command meets it and what is done then, or why it cannot", info.Code)
		}
	}
}
