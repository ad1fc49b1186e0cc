package web_test

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/web"
)

var (
	rowID    = regexp.MustCompile(`<tr data-href="/(?:artifacts|tasks)/([^"]+)"`)
	leadsOn  = regexp.MustCompile(`rel="(next|prev)" href="([^"]*)"`)
	sortLink = regexp.MustCompile(`<th scope="col"( aria-sort="[a-z]+")?><a href="([^"]*)">(Artifact|Updated|Opened)</a>`)
)

// A list says how many there are, is sorted by the heads of its columns, goes
// on and back by the page, and its address says what it shows.
func TestLists_AreCountedSortedAndGoBothWays(t *testing.T) {
	w := newWorld(t)
	for i := range 120 {
		w.create(w.pi(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprintf("note-%03d", (i*37)%120)), Type: "paper_note", Summary: fmt.Sprint("Note ", i), Content: textBody("x"), Tags: []string{[]string{"odd", "even"}[i%2]},
		})
	}
	b := w.login()
	read := func(path string) (ids []string, body string, ways map[string]string) {
		_, _, body = b.get(path)
		for _, m := range rowID.FindAllStringSubmatch(body, -1) {
			ids = append(ids, m[1])
		}
		ways = map[string]string{}
		for _, m := range leadsOn.FindAllStringSubmatch(body, -1) {
			ways[m[1]] = html.UnescapeString(m[2])
		}
		for _, m := range sortLink.FindAllStringSubmatch(body, -1) {
			ways[m[3]] = html.UnescapeString(m[2])
			if m[1] != "" {
				ways["now"] = m[3]
			}
		}
		return ids, body, ways
	}
	first, body, ways := read("/artifacts?tag=even")
	b.sees(body, `<span class="count">`+web.Number(60)+`</span>`)
	if len(first) != 30 || !slices.IsSorted(first) || ways["now"] != "Artifact" {
		t.Fatalf("by id: %q, sorted by %q", first, ways["now"])
	}
	rest, _, ways := read(ways["next"])
	if len(rest) != 30 || rest[0] <= first[29] || ways["next"] != "" {
		t.Errorf("the next page: %q", rest)
	}
	if again, _, _ := read(ways["prev"]); !slices.Equal(again, first) {
		t.Errorf("back: %q", again)
	}
	newest, _, ways := read(ways["Updated"])
	if newest[0] != fmt.Sprintf("note-%03d", (119*37)%120) || ways["now"] != "Updated" {
		t.Errorf("by time: %q, sorted by %q", newest[:3], ways["now"])
	}
	older, _, _ := read(ways["next"])
	if len(older) != 30 || older[29] != "note-037" { // of the even ones the first
		t.Errorf("by time, the next page: %q", older)
	}
	for _, title := range []string{"one", "two"} {
		must[api.TaskInfo](w)(w.pi().NewTask(t.Context(), api.NewTaskRequest{Title: title, Spec: "x", Role: "writer"}))
	}
	opened, body, ways := read("/tasks")
	b.sees(body, `<span class="count">2</span>`)
	reversed, _, _ := read(ways["Opened"])
	if slices.Reverse(reversed); len(opened) != 2 || !slices.Equal(opened, reversed) {
		t.Errorf("tasks: %q, the newest first %q", opened, reversed)
	}
}

// C16, X8: what has expired says so, and when.
func TestPages_SayWhatHasExpired(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	must[api.AgentInfo](w)(w.pi().AddAgent(ctx, api.AddAgentRequest{Name: "BlueLake", Role: "writer"}))
	task := must[api.TaskInfo](w)(w.pi().NewTask(ctx, api.NewTaskRequest{Title: "Write it up", Role: "writer"}))
	must[api.TaskInfo](w)(w.as("BlueLake").ClaimTask(ctx, api.ClaimTaskRequest{ID: task.ID, Lease: api.Duration(time.Hour)}))
	must[api.IssuedToken](w)(w.pi().IssueToken(ctx, api.IssueTokenRequest{Actor: "BlueLake", Expires: api.Duration(time.Hour)}))
	b := w.login()
	for _, path := range []string{"/tasks", "/tasks/" + task.ID, "/agents/BlueLake"} {
		_, _, body := b.get(path)
		b.sees(body, "until <time")
		if strings.Contains(body, "expired") {
			t.Errorf("%s: it has not expired yet", path)
		}
	}
	w.ahead.Store(int64(4 * time.Hour))
	for _, path := range []string{"/tasks", "/tasks/" + task.ID, "/agents/BlueLake"} {
		_, _, body := b.get(path)
		b.sees(body, "expired <time", ">3 hours ago</time>")
		if strings.Contains(body, "until <time") {
			t.Errorf("%s: until what is over", path)
		}
	}
}

// A list that is cut says so, and of how many it is.
func TestLists_ThatAreCutSayOfHowMany(t *testing.T) {
	w := newWorld(t)
	for i := range 31 {
		w.create(w.pi(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprintf("note-%03d", i)), Type: "paper_note", Summary: fmt.Sprint("A clone, ", i), Content: textBody("x"),
		})
	}
	b := w.login()
	_, _, body := b.get("/artifacts?q=clone")
	b.sees(body, "these are the 30 that fit best, and there are more")
	if n := len(rowID.FindAllString(body, -1)); n != 30 {
		t.Errorf("%d are shown", n)
	}
}

// A1: who is named as the author of what happens by itself leads to what does.
func TestAgents_WhatHappensByItselfLeadsToItsPage(t *testing.T) {
	b := newWorld(t).login()
	status, _, body := b.get("/agents/system")
	b.sees(body, "<h1>Automation")
	if status != 200 {
		t.Errorf("answered %d", status)
	}
}
