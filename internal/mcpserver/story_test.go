package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// player is an agent that has nothing but the tools, and is counted.
type player struct {
	t       testing.TB
	name    brenner.ActorName
	session *mcp.ClientSession
	calls   int
	errors  int
	tokens  int
	// fill completes the arguments of a call, as clients do that must send every
	// argument there is.
	fill func(tool string, arguments map[string]any) map[string]any
}

// calls a tool; what it is told, and the data beside it.
func (p *player) call(tool string, arguments map[string]any) (words string, data map[string]any) {
	p.t.Helper()
	p.calls++
	if p.fill != nil {
		arguments = p.fill(tool, arguments)
	}
	data, words, err := answered[map[string]any](p.t.Context(), p.session, tool, arguments)
	p.tokens += tokens(p.t, words)
	if err != nil {
		p.errors++
		p.t.Errorf("%s: %s: %v", p.name, tool, err)
	}
	return words, data
}

// told asks what is new, which has the text of a message of a kind, and of what
// it says to read.
func (p *player) told(kind api.MessageKind) string {
	p.t.Helper()
	words, data := p.call("inbox", nil)
	messages, _ := data["items"].([]any)
	for _, m := range messages {
		if m := m.(map[string]any); m["kind"] == string(kind) && m["state"] == string(api.MessageRead) {
			return words
		}
	}
	p.t.Errorf("%s has no message %s: %v", p.name, kind, messages)
	return words
}

// follows does what a text says: it makes the call that the text names.
func (p *player) follows(text, tool string) string {
	p.t.Helper()
	_, rest, ok := strings.Cut(text, "`"+tool+" ")
	named, _, closed := strings.Cut(rest, "`")
	var arguments map[string]any
	if !ok || !closed || json.Unmarshal([]byte(named), &arguments) != nil {
		p.t.Errorf("%s is told of no call of %s:\n%s", p.name, tool, text)
		return ""
	}
	words, _ := p.call(tool, arguments)
	return words
}

func (p *player) must(words string, parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if !strings.Contains(words, part) {
			p.t.Errorf("%s: %q is not in\n%s", p.name, part, words)
		}
	}
}

// delta writes a block.
func deltaBlock(operation, target, section, payload, extra string) string {
	id := "null"
	if target != "" {
		id = `"` + target + `"`
	}
	return fmt.Sprintf("```delta\n{\"operation\":%q,\"target_id\":%s,\"section\":%q,\"payload\":%s,\"rationale\":\"seen in the timings\"%s}\n```\n", operation, id, section, payload, extra)
}

const measured = "# Timings\n\nParsing takes 48 of 60 ms on 400 files.\nWriting takes 9 ms.\n"

// rawFacts is what an agent would have to read that was given the JSON of the
// session and the artifacts of its module instead: every version with its
// metadata, the session with every delta it took. In tokens.
func rawFacts(t testing.TB, w *world) int {
	t.Helper()
	pi := w.local("ada")
	list, err := pi.Artifacts(t.Context(), api.ListArtifactsRequest{Modules: []brenner.Module{"lineage"}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, item := range list.Items {
		if item.Type == artifact.TypeRawLog {
			continue
		}
		for v := brenner.Version(1); v <= item.Head; v++ {
			view, err := pi.Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: item.ID, Version: v}})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(view)
			if err != nil {
				t.Fatal(err)
			}
			n += tokens(t, string(raw))
		}
	}
	return n
}

// playStory is the whole job of three agents that have only the tools: a
// question about real code, measurements, a session that compiles by itself, a
// second round, a patch, a request, a disagreement and its verdict.
func playStory(t testing.TB, w *world, fill func(string, map[string]any) map[string]any) []*player {
	pi := w.local("ada")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "profile", Type: artifact.TypePaperNote, Module: "lineage", Summary: "a profile of one slow start",
		Content: api.Body{Format: artifact.JSON, Data: `{"title":"Profile of a slow start","claims":["60 ms from start to the first answer","most of it in the parser"]}`},
	})
	must(err)
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator},
		{AgentName: "PurpleMountain", Role: roster.TestDesigner},
		{AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	_, err = pi.StartSession(t.Context(), api.StartSessionRequest{
		ID: "RS-speed", Question: "Why is the first start slow?", Module: "lineage", Roster: team, Compile: api.CompileAnswered,
	})
	must(err)
	var all []*player
	for _, e := range team.Entries {
		all = append(all, &player{t: t, name: e.AgentName, session: w.session(e.AgentName), fill: fill})
	}
	blue, purple, green := all[0], all[1], all[2]

	// The first round: each reads its kickoff; the first, who is given what bears on the
	// question, divides the work, and each is given what it needs to read with its part. What
	// it measured and its answer are one call.
	for _, p := range all {
		words := p.told(api.MessageKickoff)
		p.must(words, "Why is the first start slow?", "bears on your part of the work comes with it", "now: GreenValley")
		if p == blue {
			p.must(words, "- profile@1 (draft, ", `: "a profile of one slow start"`)
		}
	}
	said, _ := blue.call("request", map[string]any{
		"session": "RS-speed", "claim": true, "title": "I profile the parser", "parts": []any{"PurpleMountain: tests that tell parser and disk apart", "GreenValley: what one profile cannot show"},
	})
	blue.must(said, "told their parts", bears, "most of it in the parser")
	reply := deltaBlock("ADD", "", "hypothesis_slate", `{"name":"Parser","claim":"the parser is slow","mechanism":"it reads every file twice","anchors":["timings@1"]}`, `,"provisional_id":"H-PARSER"`) +
		deltaBlock("ADD", "", "hypothesis_slate", `{"name":"Disk","claim":"the disk is slow","mechanism":"cold cache","third_alternative":true}`, "") +
		deltaBlock("ADD", "", "predictions_table", `{"condition":"warm cache","predictions":{"H-PARSER":"still slow","H2":"fast"}}`, "")
	dry, _ := blue.call("delta_submit", map[string]any{"session": "RS-speed", "text": reply, "dry_run": true})
	blue.must(dry, "H-PARSER: accepted, will be H1", "nothing was kept")
	said, wrote := blue.call("artifact_write", map[string]any{
		"id": "timings", "type": "analysis_result", "module": "lineage", "summary": "parsing takes four fifths of the start",
		"content": map[string]any{"format": "text", "data": measured}, "deltas": reply,
		"links": []any{map[string]any{"rel": "derived_from", "artifact": "profile", "version": 1}},
	})
	if wrote["ref"] != "timings@1" {
		t.Errorf("wrote %v", wrote)
	}
	blue.must(said, "accepted: ADD H-PARSER will be H1", "PurpleMountain, GreenValley still to answer", "nothing new of others")

	purple.must(purple.told(api.MessageTask), "> tests that tell parser and disk apart", "timings@1", "proposed by BlueLake", "H-PARSER")
	said, _ = purple.call("delta_submit", map[string]any{"text": deltaBlock("ADD", "", "discriminative_tests",
		`{"name":"Warm start","procedure":"start twice","discriminates":"H1 from H2","expected_outcomes":{"H1":"second start as slow","H2":"second start fast"},"potency_check":"drop the cache between starts"}`, "")})
	purple.must(said, "accepted: ADD T1", "GreenValley still to answer")

	green.must(green.told(api.MessageTask), "> what one profile cannot show", "most of it in the parser", "proposed by PurpleMountain")
	said, _ = green.call("delta_submit", map[string]any{"text": deltaBlock("ADD", "", "adversarial_critique",
		`{"name":"One machine","attack":"one profile on one machine shows nothing about others","evidence":"profile@1","real_third_alternative":true}`, "")})
	green.must(said, "compiled: RS-speed@2", "RS-speed@2", "applied: ADD C1")

	// A request: the test designer wants a second measurement, and gets it.
	_, asked := purple.call("request", map[string]any{
		"role": "hypothesis_generator", "title": "Time a warm start", "spec": "Start twice, time the second; an analysis_result is the answer.", "about": []any{"timings@1"}, "session": "RS-speed",
	})
	task, _ := asked["id"].(string)
	blue.must(blue.told(api.MessageTask), " · compiled · ", "C1: One machine", `task_claim {"id":"`+task+`"}`)
	blue.must(first(blue.call("context_assemble", map[string]any{"task": task})), task+" is yours until", "Time a warm start")
	blue.must(first(blue.call("artifact_write", map[string]any{
		"id": "warm-timings", "type": "analysis_result", "summary": "a warm start takes 57 ms", "task": task, "done": true,
		"content": map[string]any{"format": "text", "data": "The second start takes 57 ms.\n"},
		"links":   []any{map[string]any{"rel": "derived_from", "artifact": "timings"}},
	})), task+" · done", "output warm-timings@1")
	purple.must(purple.told(api.MessageAnswered), "57 ms")

	// A patch of what was measured, on the version that was read.
	_, read := blue.call("artifact_get", map[string]any{"ref": "timings", "again": true})
	patch, err := json.Marshal(map[string]any{
		"protocol_id": "anchor_diff_v2.1", "target": map[string]any{"path": "timings", "base_checksum_sha256": read["content_sha256"]},
		"op_groups": []any{map[string]any{
			"anchor":  map[string]any{"text": "# Timings\n\n", "match_mode": "exact"},
			"targets": []any{map[string]any{"op": "replace_block", "old_block": "Parsing takes 48 of 60 ms on 400 files.", "new_block": "Parsing takes 48 of 60 ms on 400 files, and 46 of 57 when warm."}},
		}},
	})
	must(err)
	_, patched := blue.call("patch_apply", map[string]any{
		"ref": "timings@1", "patch": string(patch), "summary_holds": true, "change": map[string]any{"what": "the warm start", "why": "it was asked for"},
	})
	if v, _ := patched["version"].(map[string]any); v["ref"] != "timings@2" {
		t.Errorf("patched %v", patched)
	}

	// A disagreement: the critic raises it, the other states its own side.
	_, raised := green.call("stalemate_raise", map[string]any{
		"summary": "is one machine enough", "target": "timings", "session": "RS-speed",
		"hypotheses": []any{
			map[string]any{"author": "GreenValley", "statement": "one machine shows nothing", "justification": "others have slower disks"},
			map[string]any{"author": "BlueLake"},
		},
		"alternatives":        []any{map[string]any{"statement": "the profile is of another program", "justification": "its date is missing"}},
		"evidence":            []any{map[string]any{"kind": "error_log", "content": "start: 60 ms, parse: 48 ms"}},
		"arbitration_request": "say what a second machine would have to show",
	})
	dispute, _ := raised["id"].(string)
	blue.must(blue.told(api.MessageStalemate), "held by BlueLake: not said yet", "start: 60 ms")
	blue.call("stalemate_reply", map[string]any{
		"id": dispute, "statement": "the parser dominates on any machine", "justification": "it is bound by the processor, not the disk",
		"evidence": []any{map[string]any{"kind": "error_log", "content": "warm: 57 ms, parse: 46 ms"}},
	})
	_, err = pi.ArbitrateStalemate(t.Context(), api.StalemateRequest{ID: brenner.ArtifactID(dispute)})
	must(err)
	_, err = pi.DecideStalemate(t.Context(), api.VerdictRequest{ID: brenner.ArtifactID(dispute)})
	must(err)
	green.follows(green.told(api.MessageVerdict), "stalemate_reply")

	// The second round: what is new is read, and each answers once more.
	_, err = pi.NudgeSession(t.Context(), api.NudgeSessionRequest{
		ID: "RS-speed", To: []brenner.ActorName{"BlueLake", "PurpleMountain", "GreenValley"}, Note: "Use the warm start.",
	})
	must(err)
	for i, p := range all {
		p.must(p.told(api.MessageNudge), "Use the warm start.", "what is new stands below",
			[]string{"now: PurpleMountain", "57 when warm", "The second start takes 57 ms."}[i], []string{"now: PurpleMountain", "proposed by BlueLake", "proposed by PurpleMountain"}[i])
		said, _ := p.call("delta_submit", map[string]any{"session": "RS-speed", "text": []string{
			deltaBlock("EDIT", "H-PARSER", "hypothesis_slate", `{"anchors":["warm-timings@1"]}`, ""),
			deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"run","actual_outcomes":{"H1":"57 ms"}}`, ""),
			deltaBlock("KILL", "H2", "hypothesis_slate", `{"reason":"a warm start is as slow"}`, ""),
		}[i]})
		if i == 2 {
			p.must(said, "compiled: RS-speed@3")
		}
	}
	for _, p := range all {
		p.call("inbox", nil)
		p.must(first(p.call("inbox", map[string]any{"wait": 1})), "everybody has answered", "once more, or stop")
	}
	return all
}

func first(words string, _ map[string]any) string { return words }

// The goals of the whole job, for each agent.
const (
	storyCalls  = 15 // the goal was 25
	storyTokens = 12_000
)

// X11, C34, D27: three agents that have only the tools do a whole job without
// one refusal, in few calls and few words: every call is one that they were
// told of, or that the descriptions of the tools tell.
func TestStory_ThreeAgentsDoTheWholeJob(t *testing.T) {
	for _, p := range playStory(t, newWorld(t), nil) {
		t.Logf("%s: %d calls, %d errors, %d tokens of answers", p.name, p.calls, p.errors, p.tokens)
		if p.calls > storyCalls || p.errors > 0 || p.tokens > storyTokens {
			t.Errorf("%s: %d calls, %d errors, %d tokens of answers", p.name, p.calls, p.errors, p.tokens)
		}
	}
}

// BenchmarkStory counts the calls, refusals and tokens of answers of the agent
// that has most of each, beside the tokens of the same facts as raw JSON.
func BenchmarkStory(b *testing.B) {
	var calls, errors, words, raw int
	for b.Loop() {
		w := newWorld(b)
		for _, p := range playStory(b, w, nil) {
			calls, errors, words = max(calls, p.calls), max(errors, p.errors), max(words, p.tokens)
		}
		raw = rawFacts(b, w)
	}
	b.ReportMetric(float64(calls), "calls/agent")
	b.ReportMetric(float64(errors), "errors/agent")
	b.ReportMetric(float64(words), "tokens/agent")
	b.ReportMetric(float64(raw), "raw-tokens")
}
