package apitest

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/stalemate"

	"github.com/go-json-experiment/json/jsontext"
)

// The texts of these stories: a plan, and what became of it.
const (
	planText   = "# Plan\n\n- count clones\n- write home\n\nThat is all.\n"
	editedText = "# Plan\n\n- count all clones\n- write home\n\nThat is all.\n"
	movedText  = "# A newer title\n\n- count clones\n- write home\n\nThat is all.\n"
	bothText   = "# A newer title\n\n- count all clones\n- write home\n\nThat is all.\n"
	clashText  = "# Plan\n\n- count cells\n- write home\n\nThat is all.\n"
)

// text is a canonical text.
func (s *scene) text(raw string) anchor.Text {
	s.Helper()
	t, err := anchor.Canonical([]byte(raw))
	s.must(err)
	return t
}

// patch is one that turns a text into another.
func (s *scene) patch(from, to string) jsontext.Value {
	s.Helper()
	p, err := anchor.Diff(s.text(from), s.text(to), "")
	s.must(err)
	return p.JSON()
}

// misquoting is a patch for a text that is not the artifact's, and that no
// other version has: it can be neither applied nor rebased.
func (s *scene) misquoting() jsontext.Value {
	s.Helper()
	return s.patch("something else altogether\n", "something else entirely\n")
}

// patches applies a patch; the summary holds.
func (p *player) patches(r brenner.Ref, patch jsontext.Value) (api.PatchResult, error) {
	return p.ApplyPatch(p.ctx, api.ApplyPatchRequest{Ref: r, Patch: patch, SummaryHolds: true})
}

// says asserts what the content of a version is, byte for byte.
func (s *scene) says(r brenner.Ref, want string) {
	s.Helper()
	got, err := jsontext.AppendUnquote(nil, s.pi.reads(r).Content)
	s.must(err)
	if string(got) != want {
		s.Errorf("%s says %q, want %q", r, got, want)
	}
}

// refusedPatch asserts that a patch was refused, with what helps its author.
func (s *scene) refusedPatch(err error, code brenner.Code) (*brenner.Error, api.PatchRefusal) {
	s.Helper()
	e := s.refused(err, code)
	var d api.PatchRefusal
	s.detail(e, &d)
	return e, d
}

func patchCases() []testCase {
	return []testCase{
		{"a patch on a version makes a new version on it", func(s *scene) { // P15
			s.pi.creates(note("plan", planText))
			res, err := s.agent("BlueLake").patches(ref("plan", 1), s.patch(planText, editedText))
			s.must(err)
			if res.Outcome != anchor.Applied || res.From != ref("plan", 1) || res.Version == nil || res.Version.Ref != ref("plan", 2) ||
				res.Before != s.text(planText).Sum() || res.After != s.text(editedText).Sum() {
				s.Fatalf("%+v", res)
			}
			s.says(ref("plan", 2), editedText)
			if v := s.pi.reads(ref("plan", 2)); v.Parent == nil || *v.Parent != 1 || v.Metadata.Creator != "BlueLake" || v.Head != 2 {
				s.Errorf("%+v", v)
			}
			// On a parent that is no longer the head it is an alternative (C13).
			res, err = s.pi.patches(ref("plan", 1), s.patch(planText, clashText))
			s.must(err)
			if res.Version.Status != artifact.Alternative || len(res.Version.Fork) != 2 {
				s.Errorf("%+v", res.Version)
			}
			// Version 0 is the head.
			res, err = s.pi.patches(ref("plan", 0), s.patch(editedText, bothText))
			s.must(err)
			if res.From != ref("plan", 2) {
				s.Errorf("%+v", res)
			}
		}},
		{"a patched version owes what any update owes", func(s *scene) { // P15
			s.pi.creates(note("plan", planText))
			s.pi.creates(api.CreateArtifactRequest{
				ID: "methods", Type: "manuscript_section", Module: "lineage", Summary: "methods",
				Content: api.Body{Format: artifact.Text, Data: planText},
			})
			req := api.ApplyPatchRequest{Ref: ref("plan", 1), Patch: s.patch(planText, editedText)}
			s.unchanged(func() {
				_, err := s.pi.ApplyPatch(s.ctx, req)
				s.refused(err, brenner.CodeSummaryStale)
				req.Ref, req.SummaryHolds = ref("methods", 1), true
				_, err = s.pi.ApplyPatch(s.ctx, req)
				s.refused(err, brenner.CodeChangeNoteRequired)
			})
			summary := "methods, all clones"
			req.Summary, req.SummaryHolds, req.Change = &summary, false, &artifact.Change{What: "all clones", Why: "some were left out"}
			res, err := s.pi.ApplyPatch(s.ctx, req)
			s.must(err)
			v := s.pi.reads(res.Version.Ref)
			if v.Summary != summary || v.Change == nil || v.Change.Why != "some were left out" {
				s.Errorf("%+v", v)
			}
		}},
		{"a dry run goes the same way and writes nothing", func(s *scene) { // P14, P15
			s.pi.creates(note("plan", planText))
			req := api.ApplyPatchRequest{Ref: ref("plan", 1), Patch: s.patch(planText, editedText), DryRun: true}
			s.unchanged(func() {
				_, err := s.pi.ApplyPatch(s.ctx, req)
				s.refused(err, brenner.CodeSummaryStale)
				req.SummaryHolds = true
				res, err := s.pi.ApplyPatch(s.ctx, req)
				s.must(err)
				if !res.DryRun || res.Outcome != anchor.Applied || res.Version == nil || res.Version.Ref != ref("plan", 2) {
					s.Errorf("%+v", res)
				}
				for range 4 { // S4: looking is not failing
					req.Patch = s.misquoting()
					_, err = s.pi.ApplyPatch(s.ctx, req)
					if _, d := s.refusedPatch(err, brenner.CodeBaseMismatch); d.Failures != 0 || d.Stalemate != "" {
						s.Errorf("%+v", d)
					}
				}
			})
			_, err := s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("plan", 2)})
			s.refused(err, brenner.CodeNotFound)
		}},
		{"what is applied already, or changes nothing, writes nothing", func(s *scene) { // P10
			s.pi.creates(note("plan", planText))
			_, err := s.pi.patches(ref("plan", 1), s.patch(planText, editedText))
			s.must(err)
			s.unchanged(func() {
				res, err := s.pi.patches(ref("plan", 2), s.patch(planText, editedText))
				s.must(err)
				if res.Outcome != anchor.AlreadyApplied || res.Version != nil {
					s.Errorf("%+v", res)
				}
				res, err = s.pi.patches(ref("plan", 2), s.patch(editedText, editedText))
				s.must(err)
				if res.Outcome != anchor.Noop || res.Version != nil {
					s.Errorf("%+v", res)
				}
			})
		}},
		{"only texts are patched, by who may write and read them", func(s *scene) { // P15
			s.pi.creates(note("plan", planText))
			s.pi.creates(api.CreateArtifactRequest{
				ID: "b", Type: "protocol", Module: "lineage", Summary: "steps", Content: api.Body{Format: artifact.JSON, Data: `{"steps":[]}`},
			})
			s.pi.creates(api.CreateArtifactRequest{
				ID: "log", Type: "raw_log", Module: "lineage", Summary: "a log", Content: api.Body{Format: artifact.Text, Data: planText},
			})
			patch := s.patch(planText, editedText)
			writer := s.reader("GreyStone")
			s.unchanged(func() {
				_, err := s.pi.patches(ref("b", 1), patch)
				s.refused(err, brenner.CodeInvalidValue)
				_, err = writer.patches(ref("plan", 1), patch)
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.agent("BlueLake").patches(ref("log", 1), patch) // C2: writes logs, reads none
				s.refused(err, brenner.CodeReadDenied)
				_, err = writer.ExplainPatch(s.ctx, api.ExplainPatchRequest{Ref: ref("plan", 1), Patch: patch})
				s.refused(err, brenner.CodeReadDenied)
				_, err = s.pi.patches(ref("nowhere", 1), patch)
				s.refused(err, brenner.CodeNotFound)
				_, err = s.pi.patches(ref("plan", 7), patch)
				s.refused(err, brenner.CodeNotFound)
			})
		}},
		{"a change comes in any format, for the version it names", func(s *scene) { // P16, P13
			for i, change := range []string{
				`{"old_string":"- count clones\n","new_string":"- count all clones\n"}`,
				"--- a/plan\n+++ b/plan\n@@ -2,3 +2,3 @@\n \n-- count clones\n+- count all clones\n - write home\n",
				"<<<<<<< SEARCH\n- count clones\n=======\n- count all clones\n>>>>>>> REPLACE\n",
				"*** Begin Patch\n*** Update File: plan\n@@\n-- count clones\n+- count all clones\n*** End Patch\n",
			} {
				id := brenner.ArtifactID(fmt.Sprintf("plan%d", i))
				s.pi.creates(note(id, planText))
				s.pi.rewrites(id, movedText)
				patch := api.PatchOf([]byte(change))
				s.unchanged(func() {
					_, err := s.pi.patches(ref(id, 0), patch) // nobody could tell whether the text has moved
					s.refused(err, brenner.CodeInvalidValue)
				})
				res, err := s.pi.patches(ref(id, 2), patch)
				s.must(err)
				if res.Outcome != anchor.Applied || res.From != ref(id, 2) || res.Rebased != nil {
					s.Errorf("%s: %+v", change, res)
				}
				s.says(ref(id, 3), bothText)
			}
			// Made for version 1, and to go where the text is now.
			s.pi.creates(note("plan", planText))
			s.pi.rewrites("plan", movedText)
			res, err := s.pi.ApplyPatch(s.ctx, api.ApplyPatchRequest{
				Ref: ref("plan", 0), Base: 1, Rebase: true, SummaryHolds: true,
				Patch: jsontext.Value(`{"old_string":"- count clones\n","new_string":"- count all clones\n"}`),
			})
			s.must(err)
			if res.From != ref("plan", 2) || res.Rebased == nil {
				s.Errorf("%+v", res)
			}
			s.says(ref("plan", 3), bothText)
		}},
		{"what is applied and looks odd is warned about", func(s *scene) { // P17
			s.pi.creates(note("plan", planText))
			res, err := s.pi.patches(ref("plan", 1), jsontext.Value(`{"old_string":"- count clones\n","new_string":"- count clones"}`))
			s.must(err)
			if len(res.Warnings) != 1 || res.Warnings[0].Code != brenner.CodeLinesJoined {
				s.Errorf("%+v", res.Warnings)
			}
		}},
		{"a patch that cannot be read counts like any other", func(s *scene) { // S4, P1
			s.pi.creates(note("plan", planText))
			for n := 1; n <= 3; n++ {
				_, err := s.pi.patches(ref("plan", 1), jsontext.Value(`{"protocol_id":"json_diff"}`))
				_, d := s.refusedPatch(err, brenner.CodeInvalidPatch)
				if d.Failures != n || (d.Stalemate != "") != (n == 3) {
					s.Fatalf("%d: %+v", n, d)
				}
			}
		}},
		{"a patch for an older version is rebased with the text from the store", func(s *scene) { // P13
			s.pi.creates(note("plan", planText))
			s.pi.rewrites("plan", movedText)
			// A whole text cannot be fitted without its base.
			base := s.text(planText)
			whole := anchor.Patch{Base: base.Sum(), Groups: []anchor.Group{{Ops: []anchor.Op{{Kind: anchor.ReplaceEntireFile, New: editedText}}}}}.JSON()
			_, err := s.pi.patches(ref("plan", 2), whole)
			e, d := s.refusedPatch(err, brenner.CodeBaseMismatch)
			if d.Rebased == nil || d.Expected != base.Sum() || d.Actual != s.text(movedText).Sum() || len(e.Actions) == 0 || e.Actions[0].Args["rebase"] != "true" {
				s.Fatalf("%+v %+v", e, d)
			}
			if got, err := anchor.Apply(*d.Rebased, s.text(movedText)); err != nil || got.Text.String() != bothText {
				s.Errorf("%q, %v", got.Text.String(), err)
			}
			req := api.ApplyPatchRequest{Ref: ref("plan", 2), Patch: whole, Rebase: true, SummaryHolds: true}
			res, err := s.pi.ApplyPatch(s.ctx, req)
			s.must(err)
			if res.Rebased == nil || res.From != ref("plan", 2) {
				s.Errorf("%+v", res)
			}
			s.says(ref("plan", 3), bothText)
			// The newer text has changed the same lines.
			s.pi.rewrites("plan", clashText)
			req.Ref = ref("plan", 4)
			_, err = s.pi.ApplyPatch(s.ctx, req)
			s.refusedPatch(err, brenner.CodeRebaseConflict)
		}},
		{"the base is found by its canonical checksum, and the spelling kept", func(s *scene) { // P13, P2, P3
			dos := func(t string) string { return "\uFEFF" + strings.ReplaceAll(t, "\n", "\r\n") }
			s.pi.creates(note("plan", dos(planText)))
			s.pi.rewrites("plan", dos(movedText))
			whole := anchor.Patch{Base: s.text(planText).Sum(), Groups: []anchor.Group{{Ops: []anchor.Op{{Kind: anchor.ReplaceEntireFile, New: editedText}}}}}.JSON()
			_, err := s.pi.ApplyPatch(s.ctx, api.ApplyPatchRequest{Ref: ref("plan", 2), Patch: whole, Rebase: true, SummaryHolds: true})
			s.must(err)
			s.says(ref("plan", 3), dos(bothText))
		}},
		{"a refused patch is explained, and the older version named", func(s *scene) { // P11
			s.pi.creates(note("plan", planText))
			s.pi.rewrites("plan", clashText)
			_, err := s.pi.patches(ref("plan", 2), s.patch(planText, editedText))
			_, d := s.refusedPatch(err, brenner.CodeBaseMismatch)
			if x := d.Explanation; x.Cause() != anchor.CauseOlderVersion || x.Findings[0].Found != "plan@1" {
				s.Errorf("%+v", x)
			}
			// The text is that of version 2, the quotation that of version 1.
			stale := anchor.Patch{Base: s.text(clashText).Sum(), Groups: []anchor.Group{{
				Anchor: anchor.Anchor{Text: "- count clones\n"}, Ops: []anchor.Op{{Kind: anchor.ReplaceBlock, New: "- and cells\n"}},
			}}}.JSON()
			_, err = s.pi.patches(ref("plan", 2), stale)
			if e, d := s.refusedPatch(err, brenner.CodeAnchorNotFound); e.Pointer == "" || d.Explanation.Code != e.Code || d.Ref != ref("plan", 2) {
				s.Errorf("%+v", e)
			}
			s.unchanged(func() {
				x, err := s.pi.ExplainPatch(s.ctx, api.ExplainPatchRequest{Ref: ref("plan", 2), Patch: stale})
				s.must(err)
				if x.Code != brenner.CodeAnchorNotFound || x.Cause() != anchor.CauseOlderVersion || x.Findings[0].Found != "plan@1" {
					s.Errorf("%+v", x)
				}
				x, err = s.pi.ExplainPatch(s.ctx, api.ExplainPatchRequest{Ref: ref("plan", 1), Patch: s.patch(planText, editedText)})
				s.must(err)
				if x.Outcome != anchor.Applied || x.Code != "" {
					s.Errorf("%+v", x)
				}
			})
			// Another artifact has it.
			s.pi.creates(note("other", "something else altogether\n"))
			x, err := s.pi.ExplainPatch(s.ctx, api.ExplainPatchRequest{Ref: ref("plan", 2), Patch: s.misquoting(), Also: []brenner.Ref{ref("other", 1)}})
			s.must(err)
			if x.Cause() != anchor.CauseOtherFile || x.Findings[0].Found != "other@1" {
				s.Errorf("%+v", x)
			}
		}},
		{"the patch between two versions leads from one to the other", func(s *scene) { // P12
			s.pi.creates(note("plan", planText))
			s.pi.rewrites("plan", bothText)
			s.pi.creates(note("other", "text"))
			res, err := s.reader("RedSky").PatchBetween(s.ctx, api.PatchBetweenRequest{From: ref("plan", 1), To: ref("plan", 2)})
			s.must(err)
			if got, err := anchor.Apply(res.Patch, s.text(planText)); err != nil || got.Text.String() != bothText {
				s.Errorf("%q, %v", got.Text.String(), err)
			}
			_, err = s.pi.PatchBetween(s.ctx, api.PatchBetweenRequest{From: ref("plan", 1), To: ref("other", 1)})
			s.refused(err, brenner.CodeInvalidValue)
			_, err = s.reader("GreyStone").PatchBetween(s.ctx, api.PatchBetweenRequest{From: ref("plan", 1), To: ref("plan", 2)})
			s.refused(err, brenner.CodeReadDenied)
		}},
		{"a patch with a key is applied once, and refused once", func(s *scene) { // X2
			s.pi.creates(note("plan", planText))
			req := api.ApplyPatchRequest{Write: api.Write{Key: "k"}, Ref: ref("plan", 0), Patch: s.patch(planText, editedText), SummaryHolds: true}
			first, err := s.pi.ApplyPatch(s.ctx, req)
			s.must(err)
			s.unchanged(func() {
				again, err := s.pi.ApplyPatch(s.ctx, req)
				s.must(err)
				if again.Version.Ref != first.Version.Ref || again.Version.Seq != first.Version.Seq || again.Outcome != first.Outcome || again.From != first.From {
					s.Errorf("%+v, then %+v", first, again)
				}
			})
			bad := api.ApplyPatchRequest{Write: api.Write{Key: "bad"}, Ref: ref("plan", 2), Patch: s.misquoting(), SummaryHolds: true}
			for range 5 { // S4: one request that failed, however often it was sent
				_, err := s.pi.ApplyPatch(s.ctx, bad)
				if _, d := s.refusedPatch(err, brenner.CodeBaseMismatch); d.Failures != 1 || d.Stalemate != "" {
					s.Errorf("%+v", d)
				}
			}
		}},
		{"the third equal refusal raises a stalemate with the evidence", func(s *scene) { // S4
			blue := s.agent("BlueLake")
			s.pi.creates(note("plan", planText))
			s.pi.creates(note("other", planText))
			fail := func(p *player, id brenner.ArtifactID, patch jsontext.Value, session brenner.SessionID, code brenner.Code) api.PatchRefusal {
				s.Helper()
				_, err := p.ApplyPatch(s.ctx, api.ApplyPatchRequest{Ref: ref(id, 1), Patch: patch, SummaryHolds: true, Session: session})
				_, d := s.refusedPatch(err, code)
				return d
			}
			nbsp := jsontext.Value(strings.Replace(string(s.patch(planText, editedText)), "count", "count\u00a0", 1))
			for i := 1; i <= 2; i++ {
				if d := fail(blue, "plan", s.misquoting(), "", brenner.CodeBaseMismatch); d.Failures != i || d.Stalemate != "" {
					s.Errorf("failure %d: %+v", i, d)
				}
			}
			// Another target, another code, another actor, a session: each counts apart.
			fail(blue, "other", s.misquoting(), "", brenner.CodeBaseMismatch)
			fail(s.agent("PurpleMountain"), "plan", s.misquoting(), "", brenner.CodeBaseMismatch)
			fail(blue, "plan", s.misquoting(), "RS-1", brenner.CodeBaseMismatch)
			if d := fail(blue, "plan", unpromised(nbsp), "", brenner.CodeAnchorNotFound); d.Failures != 1 || d.Stalemate != "" {
				s.Errorf("%+v", d)
			}
			third := fail(blue, "plan", s.misquoting(), "", brenner.CodeBaseMismatch)
			if third.Failures != 3 || third.Stalemate == "" {
				s.Fatalf("%+v", third)
			}
			s.unchanged(func() { // while it is open, failing again adds nothing
				if d := fail(blue, "plan", s.misquoting(), "", brenner.CodeBaseMismatch); d.Stalemate != third.Stalemate {
					s.Errorf("%+v", d)
				}
			})
			v, err := s.pi.Stalemate(s.ctx, api.StalemateRequest{ID: third.Stalemate})
			s.must(err)
			kinds := []string{}
			for _, e := range v.Stalemate.Evidence {
				kinds = append(kinds, e.Kind)
			}
			if v.Origin != api.StalemateBySystem || v.Target != "plan" || len(v.Stalemate.Attempts) != 3 ||
				!slices.Equal(v.Parties, []brenner.ActorName{"BlueLake", stalemate.Tool}) ||
				!slices.Equal(kinds, []string{stalemate.KindFileContent, stalemate.KindPatch, stalemate.KindExplanation}) ||
				v.Stalemate.Evidence[0].Content != planText {
				s.Errorf("%+v", v)
			}
			if links := s.pi.reads(v.Ref).Links; !slices.Equal(links, []artifact.Link{link(artifact.Reviews, "plan", 1)}) {
				s.Errorf("links: %+v", links)
			}
			// Once it is settled, counting starts again.
			_, err = blue.MoveStalemate(s.ctx, api.MoveStalemateRequest{ID: third.Stalemate, Action: stalemate.Withdraw, Reason: "found it"})
			s.must(err)
			if d := fail(blue, "plan", s.misquoting(), "", brenner.CodeBaseMismatch); d.Failures != 1 || d.Stalemate != "" {
				s.Errorf("%+v", d)
			}
			// In a session the refusals of all its agents count together.
			fail(s.agent("PurpleMountain"), "plan", s.misquoting(), "RS-1", brenner.CodeBaseMismatch)
			if d := fail(blue, "plan", s.misquoting(), "RS-1", brenner.CodeBaseMismatch); d.Failures != 3 || d.Stalemate == "" {
				s.Errorf("%+v", d)
			}
			s.sound()
		}},
		{"a result that mismatched raises a stalemate at once", func(s *scene) { // S4, S6
			s.pi.creates(note("plan", planText))
			blue := s.reader("BlueLake")
			p, err := anchor.Diff(s.text(planText), s.text(editedText), "")
			s.must(err)
			p.Result = s.text(bothText).Sum()
			_, err = blue.patches(ref("plan", 1), p.JSON())
			_, d := s.refusedPatch(err, brenner.CodeResultMismatch)
			if d.Stalemate == "" || d.Expected != p.Result {
				s.Fatalf("%+v", d)
			}
			s.unchanged(func() { // S5: nobody judges their own case, nor without the right to
				_, err := blue.ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: d.Stalemate})
				s.refused(err, brenner.CodeWriteDenied)
			})
			_, err = s.agent("GreenValley").ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: d.Stalemate})
			s.must(err)
			v, err := s.pi.Stalemate(s.ctx, api.StalemateRequest{ID: d.Stalemate})
			s.must(err)
			if v.Verdict == nil || v.Verdict.Outcome != stalemate.HypothesisUpheld || !strings.HasPrefix(v.Verdict.RootCause, string(anchor.CauseWrongResult)) {
				s.Errorf("%+v", v.Verdict)
			}
		}},
		{"what must not enter a context enters no stalemate", func(s *scene) { // S4, C2
			s.pi.creates(api.CreateArtifactRequest{
				ID: "log", Type: "raw_log", Module: "lineage", Summary: "a log", Content: api.Body{Format: artifact.Text, Data: planText},
			})
			for i := range 5 {
				_, err := s.agent("WhiteFox").patches(ref("log", 1), s.misquoting())
				if _, d := s.refusedPatch(err, brenner.CodeBaseMismatch); d.Failures != i+1 || d.Stalemate != "" {
					s.Errorf("%+v", d)
				}
			}
			all, err := s.pi.Stalemates(s.ctx, api.ListStalematesRequest{})
			s.must(err)
			if len(all.Stalemates) != 0 {
				s.Errorf("%+v", all)
			}
		}},
		{"a patch is refused the same way however many versions there are", func(s *scene) { // P11, P13
			s.pi.creates(note("plan", planText))
			for i := range brenner.MaxPatchVersions + 5 {
				s.pi.rewrites("plan", fmt.Sprintf("%sline %d\n", clashText, i))
			}
			// By digest the base is found however old it is.
			whole := anchor.Patch{Base: s.text(planText).Sum(), Groups: []anchor.Group{{Ops: []anchor.Op{{Kind: anchor.ReplaceEntireFile, New: planText + "PS.\n"}}}}}.JSON()
			_, err := s.pi.patches(ref("plan", 0), whole)
			s.refusedPatch(err, brenner.CodeBaseMismatch)
		}},
	}
}

// unpromised takes the promised result out of a patch.
func unpromised(p jsontext.Value) jsontext.Value {
	parsed, err := anchor.Parse(p)
	if err != nil {
		panic(err)
	}
	parsed.Result = ""
	return parsed.JSON()
}
