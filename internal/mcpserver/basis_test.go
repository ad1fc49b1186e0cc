package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// C13: a whole text that names no parent is a change of the version that its
// author was given or wrote last. What somebody wrote meanwhile stays; both are
// told apart, and become one by a version that takes the place of the other.
func TestArtifactWrite_TakesNothingBackUnseen(t *testing.T) {
	blue, red := duo(t)
	again := func(text string, more arguments) arguments {
		out := arguments{"id": "log", "summary": text, "content": arguments{"format": "text", "data": text + "\n"}}
		for name, value := range more {
			out[name] = value
		}
		return out
	}
	red.call("artifact_write", analysis("log", nil))
	blue.must(first(blue.call("artifact_get", arguments{"ref": "log"})), "measured for log")
	red.must(first(red.call("artifact_write", again("measured twice", nil))), "wrote log@2, draft")

	words, _ := blue.call("artifact_write", again("measured, and checked", nil))
	blue.must(words, "wrote log@3, alternative", "a change of version 1", "live heads: ", "what log@2 had changed after log@1 (data):", "+measured twice", `"rel":"supersedes"`)
	// Who goes on writing goes on from what is its own.
	blue.must(first(blue.call("artifact_write", again("measured, and checked again", nil))), "wrote log@4, alternative", "a change of version 3")
	red.must(first(red.call("artifact_write", again("measured thrice", nil))), "wrote log@5, draft")
	words, _ = blue.call("artifact_write", again("measured thrice, and checked", arguments{
		"parent": 5, "links": []arguments{{"rel": "supersedes", "artifact": "log", "version": 4}},
	}))
	blue.must(words, "wrote log@6, draft")

	// Who was shown none writes on the head, and is told.
	red.call("artifact_write", analysis("other", nil))
	words, _ = blue.call("artifact_write", arguments{"id": "other", "summary": "s", "content": arguments{"format": "text", "data": "anew\n"}})
	blue.must(words, "wrote other@2, draft", "REFERENCE_MOVED: it takes the place of other@1, which you were not shown", `artifact_get {"ref":"other@1"}`)
}

// C6: a link whose version is left open is to the version that its author was given, though
// there is a newer one; it is told so, with what changed. What it never saw is linked as it is
// in force.
func TestArtifactWrite_LinksWhatItsAuthorWasGiven(t *testing.T) {
	blue, red := duo(t)
	to := func(id string) arguments {
		return arguments{"links": []arguments{{"rel": "derived_from", "artifact": id}}}
	}
	linked := func(ref, want string) {
		t.Helper()
		blue.must(first(blue.call("lineage", arguments{"ref": ref})), want)
	}
	red.call("artifact_write", analysis("log", nil))
	blue.call("artifact_get", arguments{"ref": "log"})
	blue.mustNot(first(blue.call("artifact_write", analysis("early", to("log")))), "REFERENCE_MOVED")
	red.call("artifact_write", arguments{"id": "log", "summary": "twice", "content": arguments{"format": "text", "data": "measured twice\n"}})

	words := first(blue.call("artifact_write", analysis("sum", with(to("log"), "content", arguments{"format": "text", "data": "by log@1\n"}))))
	if n := strings.Count(words, "REFERENCE_MOVED"); n != 1 {
		t.Errorf("it is said %d times that log@1 moved", n)
	}
	blue.must(words, "REFERENCE_MOVED: the link is to log@1, which you were given; log@2 is in force by now", "link version 2",
		"what log@2 changed after log@1 (data):", "+measured twice")
	linked("sum@1", "log@1")
	// Now it was shown that too.
	blue.mustNot(first(blue.call("artifact_write", analysis("late", to("log")))), "REFERENCE_MOVED")
	linked("late@1", "log@2")

	red.call("artifact_write", analysis("other", nil))
	red.call("artifact_write", arguments{"id": "other", "summary": "twice", "content": arguments{"format": "text", "data": "measured twice\n"}})
	blue.mustNot(first(blue.call("artifact_write", analysis("third", to("other")))), "REFERENCE_MOVED")
	linked("third@1", "other@2")
	// What it wrote itself it knows.
	linkedOwn := first(red.call("artifact_write", analysis("own", to("log"))))
	red.mustNot(linkedOwn, "REFERENCE_MOVED")
}

// C13, P10: a patch made for a version that was read is carried to the head, and
// may answer the session in the same call.
func TestPatchApply_IsCarriedToTheHead(t *testing.T) {
	blue, red := duo(t)
	red.call("artifact_write", analysis("log", arguments{"content": arguments{"format": "text", "data": "one\ntwo\nthree\nfour\n"}}))
	blue.call("artifact_get", arguments{"ref": "log"})
	red.call("artifact_write", arguments{"id": "log", "summary": "more", "content": arguments{"format": "text", "data": "one\ntwo\nthree\n4\n"}})
	words, _ := blue.call("patch_apply", arguments{
		"ref": "log@1", "rebase": true, "patch": `{"old_string":"one","new_string":"1"}`, "summary": "numbers",
		"deltas": hypothesis("Parser", "", "the parser is slow"), "session": "RS-pair",
	})
	blue.must(words, "log@3", "1 delta read")
	blue.must(first(blue.call("artifact_get", arguments{"ref": "log@3"})), "1\ntwo\nthree\n4\n")
}

// C4, P10: a patch that is to be carried over is not refused because its head
// cannot be looked up: what applies it decides.
func TestPatchApply_WithoutAContext(t *testing.T) {
	s := newStage(t)
	patch := func(id brenner.ArtifactID, rebase bool) brenner.Code {
		s.do(s.pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: "analysis_result", Module: "lineage", Summary: "log", Content: api.Body{Format: artifact.Text, Data: "one\ntwo\n"},
		}))
		_, _, err := answered[arguments](t.Context(), s.session("RedSky"), "patch_apply", arguments{
			"ref": id + "@1", "rebase": rebase, "patch": `{"old_string":"one","new_string":"1"}`, "summary": "numbers", "change": arguments{"what": "w", "why": "y"},
		})
		return brenner.CodeOf(err)
	}
	if with, without := patch("carried", true), patch("plain", false); with != without {
		t.Errorf("with rebase %s, without %s", with, without)
	}
}
