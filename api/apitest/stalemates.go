package apitest

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/stalemate"

	"github.com/go-json-experiment/json/jsontext"
)

// detail reads the details of an error, which may have come over a wire.
func (s *scene) detail(e *brenner.Error, into any) {
	s.Helper()
	raw, err := canon.Marshal(e.Details)
	s.must(err)
	s.must(canon.Unmarshal(raw, into))
}

// sound asserts that the journal and the tables hold (J3, J4).
func (s *scene) sound() {
	s.Helper()
	v, err := s.pi.Verify(s.ctx, api.VerifyRequest{})
	s.must(err)
	if !v.OK {
		s.Errorf("verify: %+v", v)
	}
	r, err := s.pi.Replay(s.ctx, api.ReplayRequest{})
	s.must(err)
	if !r.Same {
		s.Errorf("replay: %+v", r)
	}
}

// request is a Stalemate_Protocol_v1.1 request whose file is a placeholder.
const request = `{"protocol_id":"Stalemate_Protocol_v1.1","session_timestamp":"2025-08-11T15:10:00Z",
	"stalemate_summary":"a patch will not apply","hypotheses":{
	"b_hypothesis":{"statement":"the tool is wrong","justification":"it fails again and again"},
	"a_hypothesis":{"statement":"the text is wrong","justification":"it begins with a 9"},
	"hallucinated_hypotheses":[{"statement":"hidden characters","justification":"nobody would see them"}]},
	"objective_evidence":[{"type":"error_log","description":"the log","content":"[ERR] 0 found"},
	{"type":"file_content","file_path":"wrap.py","file_content":"[full content from the previous context]"}],
	"arbitration_request":"find the cause"}`

// dispute is a stalemate between two agents about a text and a patch, as
// BlueLake would raise it.
func (s *scene) dispute() stalemate.Stalemate {
	s.Helper()
	p, err := anchor.Parse(s.patch(planText, editedText))
	s.must(err)
	p.Path, p.Result = "plan.md", ""
	p.Groups[0].Ops[0].Old = "count\u00a0clones"
	p.Groups[0].Anchor.Text = "- "
	return stalemate.Stalemate{
		Summary: "the plan cannot be changed", Target: "plan.md", Request: "say why", Expected: "it is changed",
		Hypotheses: []stalemate.Hypothesis{
			{Author: "BlueLake", Statement: "the tool is wrong", Justification: "the text is there"},
			{Author: "PurpleMountain"},
		},
		Alternatives: []stalemate.Hypothesis{{Statement: "another file was meant", Justification: "there are several", Cause: string(anchor.CauseOtherFile)}},
		Attempts:     []stalemate.Attempt{{Actor: "BlueLake", Action: "applied it", Outcome: "refused"}},
		Evidence: []stalemate.Evidence{
			{Kind: stalemate.KindFileContent, Path: "plan.md", Content: planText},
			{Kind: stalemate.KindPatch, Content: string(p.JSON())},
		},
	}
}

// raises opens a stalemate; somebody who is no party says what nobody holds.
func (p *player) raises(st stalemate.Stalemate) api.StalemateInfo {
	p.Helper()
	if p.name != "BlueLake" {
		st.Hypotheses = namedOnly(st.Hypotheses)
	}
	info, err := p.RaiseStalemate(p.ctx, api.RaiseStalemateRequest{Stalemate: st, Session: "RS-1"})
	p.must(err)
	return info
}

// namedOnly leaves out what parties hold.
func namedOnly(all []stalemate.Hypothesis) []stalemate.Hypothesis {
	var out []stalemate.Hypothesis
	for _, h := range all {
		out = append(out, stalemate.Hypothesis{Author: h.Author})
	}
	return out
}

// replies says what a party holds.
func (p *player) replies(id brenner.ArtifactID, statement string, cause anchor.Cause) {
	p.Helper()
	_, err := p.MoveStalemate(p.ctx, api.MoveStalemateRequest{
		ID: id, Action: stalemate.Reply, Statement: statement, Justification: "it was pasted", Cause: string(cause),
	})
	p.must(err)
}

// stalemateNotices are what somebody was told about stalemates.
func stalemateNotices(p *player) (out []api.MessageInfo) {
	p.Helper()
	for _, m := range p.inbox() {
		if m.Kind == api.MessageStalemate {
			out = append(out, m)
		}
	}
	return out
}

// moves takes a step.
func (p *player) moves(id brenner.ArtifactID, a stalemate.Action, reason string, evidence ...stalemate.Evidence) (api.StalemateInfo, error) {
	return p.MoveStalemate(p.ctx, api.MoveStalemateRequest{ID: id, Action: a, Reason: reason, Evidence: evidence})
}

// sees reads a stalemate.
func (p *player) sees(id brenner.ArtifactID) api.StalemateView {
	p.Helper()
	v, err := p.Stalemate(p.ctx, api.StalemateRequest{ID: id})
	p.must(err)
	return v
}

func stalemateCases() []testCase {
	return []testCase{
		{"a stalemate is an artifact with its evidence by content", func(s *scene) { // S2
			blue := s.agent("BlueLake")
			info := blue.raises(s.dispute())
			if info.State != stalemate.Open || info.Round != 1 || info.Origin != api.StalemateByHand || info.Raiser != "BlueLake" ||
				!slices.Equal(info.Parties, []brenner.ActorName{"BlueLake", "PurpleMountain"}) || len(info.Missing) != 0 {
				s.Errorf("%+v", info)
			}
			v := s.reader("RedSky").sees(info.ID)
			st := v.Stalemate
			if st.Evidence[0].Content != planText || st.Evidence[0].Digest != canon.Sum([]byte(planText)) || st.Evidence[0].ID != "e1" ||
				st.Hypotheses[1].ID != "h2" || st.Alternatives[0].ID != "h3" || st.State != stalemate.Open || v.Verdict != nil {
				s.Errorf("%+v", v)
			}
			a := s.pi.reads(info.Ref)
			if a.Type != artifact.TypeStalemate || a.Status != artifact.Draft || a.Metadata.Creator != "BlueLake" ||
				strings.Contains(string(a.Content), "write home") || strings.Contains(string(a.Content), `"state"`) {
				s.Errorf("%+v: %s", a, a.Content)
			}
			s.sound()
			// J6: evidence can be taken back; what rests on it is then missing.
			_, err := s.pi.Redact(s.ctx, api.RedactRequest{Digest: canon.Sum([]byte(planText)), Reason: "leaked"})
			s.must(err)
			if e := s.pi.sees(info.ID).Stalemate.Evidence[0]; !e.Missing || strings.Contains(e.Content, "home") {
				s.Errorf("%+v", e)
			}
			s.sound()
		}},
		{"raising refuses what import keeps, marked missing", func(s *scene) { // S2
			st := s.dispute()
			st.Evidence[0].Content = "[full content of plan.md]"
			s.unchanged(func() {
				_, err := s.agent("BlueLake").RaiseStalemate(s.ctx, api.RaiseStalemateRequest{Stalemate: st})
				e := s.refused(err, brenner.CodeEvidencePlaceholder)
				if len(e.Diagnostics) != 1 || e.Diagnostics[0].Pointer != "/evidence/0/content" {
					s.Errorf("%+v", e)
				}
				st.Alternatives = nil
				_, err = s.agent("BlueLake").RaiseStalemate(s.ctx, api.RaiseStalemateRequest{Stalemate: st})
				s.refused(err, brenner.CodeInvalidStalemate)
			})
			info, err := s.pi.ImportStalemate(s.ctx, api.ImportStalemateRequest{ID: "seed", Request: jsontext.Value(request)})
			s.must(err)
			if info.ID != "seed" || !slices.Equal(info.Missing, []string{"e2"}) || info.Origin != api.StalemateByImport {
				s.Errorf("%+v", info)
			}
			_, err = s.pi.ImportStalemate(s.ctx, api.ImportStalemateRequest{ID: "seed", Request: jsontext.Value(request)})
			s.refused(err, brenner.CodeAlreadyExists)
		}},
		{"what is imported is exported byte for byte", func(s *scene) { // S1
			info, err := s.pi.ImportStalemate(s.ctx, api.ImportStalemateRequest{Request: jsontext.Value(request)})
			s.must(err)
			got, err := s.reader("BlueLake").ExportStalemate(s.ctx, api.StalemateRequest{ID: info.ID})
			s.must(err)
			want, err := canon.Transform([]byte(request))
			s.must(err)
			if string(got.Request) != string(want) {
				s.Errorf("got  %s\nwant %s", got.Request, want)
			}
			s.unchanged(func() {
				_, err := s.pi.ImportStalemate(s.ctx, api.ImportStalemateRequest{Request: jsontext.Value(strings.Replace(request, "v1.1", "v2.0", 1))})
				s.refused(err, brenner.CodeInvalidStalemate)
			})
		}},
		{"every party is told, and says itself what it holds", func(s *scene) { // S4
			blue, purple := s.agent("BlueLake"), s.reader("PurpleMountain")
			theirs := s.dispute()
			theirs.Hypotheses[1] = stalemate.Hypothesis{Author: "PurpleMountain", Statement: "I am always right", Justification: "says BlueLake"}
			s.unchanged(func() {
				_, err := blue.RaiseStalemate(s.ctx, api.RaiseStalemateRequest{Stalemate: theirs})
				if e := s.refused(err, brenner.CodeInvalidStalemate); e.Pointer != "/hypotheses/1/statement" {
					s.Errorf("%+v", e)
				}
				_, err = s.pi.RaiseStalemate(s.ctx, api.RaiseStalemateRequest{Stalemate: s.dispute()}) // neither does the PI
				s.refused(err, brenner.CodeInvalidStalemate)
			})
			id := blue.raises(s.dispute()).ID
			if n := stalemateNotices(purple); len(n) != 1 || !strings.Contains(n[0].Subject, string(id)) {
				s.Fatalf("PurpleMountain was told %+v", n)
			}
			if n := stalemateNotices(blue); len(n) != 0 {
				s.Errorf("BlueLake, who raised it, was told %+v", n)
			}
			purple.replies(id, "a no-break space was pasted", "")
			h := s.pi.sees(id).Stalemate.Hypotheses
			if h[1].Statement != "a no-break space was pasted" || h[0].Statement != "the tool is wrong" {
				s.Errorf("%+v", h)
			}
			if n := stalemateNotices(blue); len(n) != 1 {
				s.Errorf("of the reply BlueLake was told %+v", n)
			}
			s.unchanged(func() { // nobody replies for another
				_, err := s.agent("RedSky").MoveStalemate(s.ctx, api.MoveStalemateRequest{ID: id, Action: stalemate.Reply, Statement: "x", Justification: "y"})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.pi.MoveStalemate(s.ctx, api.MoveStalemateRequest{ID: id, Action: stalemate.Reply, Statement: "x", Justification: "y"})
				s.refused(err, brenner.CodeInvalidStalemate)
			})
		}},
		{"the mechanical arbiter says what placeholders it lacks", func(s *scene) { // S6
			info, err := s.pi.ImportStalemate(s.ctx, api.ImportStalemateRequest{Request: jsontext.Value(request)})
			s.must(err)
			info, err = s.agent("GreenValley").ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: info.ID})
			s.must(err)
			v := s.pi.sees(info.ID)
			if info.State != stalemate.InArbitration || v.Verdict == nil || v.Verdict.Arbiter != stalemate.Mechanic ||
				v.Verdict.Outcome != stalemate.InsufficientEvidence || !strings.Contains(v.Verdict.RootCause, "wrap.py") {
				s.Errorf("%+v", v)
			}
		}},
		{"a stalemate goes from open to verified", func(s *scene) { // S3, S5, S6
			blue, purple, critic := s.agent("BlueLake"), s.agent("PurpleMountain"), s.agent("GreenValley")
			id := blue.raises(s.dispute()).ID
			purple.replies(id, "a character is not what it seems", anchor.CauseInvisible)
			s.unchanged(func() {
				_, err := s.pi.DecideStalemate(s.ctx, api.VerdictRequest{ID: id})
				s.refused(err, brenner.CodeStatusConflict)
				_, err = purple.moves(id, stalemate.Accept, "")
				s.refused(err, brenner.CodeStatusConflict)
				_, err = purple.moves(id, stalemate.Deliver, "")
				s.refused(err, brenner.CodeInvalidValue)
			})
			_, err := critic.ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: id})
			s.must(err)
			v := s.pi.sees(id)
			if v.State != stalemate.InArbitration || v.Verdict.Outcome != stalemate.HypothesisUpheld || v.Verdict.Patch == nil {
				s.Fatalf("%+v", v.Verdict)
			}
			if a := s.pi.reads(v.VerdictRef); a.Type != artifact.TypeVerdict || !slices.Contains(a.Links, link(artifact.Reviews, id, 2)) {
				s.Errorf("%+v", a)
			}
			info, err := critic.DecideStalemate(s.ctx, api.VerdictRequest{ID: id})
			s.must(err)
			if info.State != stalemate.Decided || info.VerdictRef != v.VerdictRef {
				s.Errorf("%+v", info)
			}
			for _, step := range []struct {
				who    *player
				action stalemate.Action
				state  stalemate.State
			}{
				{purple, stalemate.Accept, stalemate.Accepted},
				{blue, stalemate.Accept, stalemate.Accepted},
				{s.agent("RedSky"), stalemate.Implement, stalemate.Implemented},
				{purple, stalemate.Verify, stalemate.Verified},
			} {
				if step.action == stalemate.Accept && step.who == blue { // the other party has not spoken yet
					s.unchanged(func() {
						_, err := s.agent("RedSky").moves(id, stalemate.Implement, "")
						s.refused(err, brenner.CodeStatusConflict)
					})
				}
				if step.action == stalemate.Verify { // nobody checks what it did itself
					s.unchanged(func() {
						_, err := s.agent("RedSky").moves(id, stalemate.Verify, "")
						s.refused(err, brenner.CodeWriteDenied)
					})
				}
				info, err := step.who.moves(id, step.action, "")
				s.must(err)
				if info.State != step.state {
					s.Errorf("%s: %+v", step.action, info)
				}
			}
			s.unchanged(func() {
				_, err := blue.moves(id, stalemate.Withdraw, "late")
				s.refused(err, brenner.CodeStatusConflict)
			})
			history := s.pi.sees(id).Stalemate.History
			if len(history) != 7 || history[0].Actor != "PurpleMountain" || history[6].Action != stalemate.Verify {
				s.Errorf("%+v", history)
			}
			// What became of it is said where its version is only a draft.
			stands := fmt.Sprintf("closed stalemate verified, hypothesis upheld by %s", v.VerdictRef)
			hits, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "type:stalemate plan"})
			s.must(err)
			if len(hits.Items) != 1 || hits.Items[0].Stands != stands || !strings.Contains(hits.Words(), stands) {
				s.Errorf("found %+v", hits.Items)
			}
			made, err := critic.AssembleContext(s.ctx, api.ContextRequest{Question: "why can the plan not be changed?", Modules: []brenner.Module{"lineage"}})
			s.must(err)
			if !strings.Contains(made.Text, stands) {
				s.Errorf("the context says %s", made.Text)
			}
			s.sound()
		}},
		{"who accepts a verdict speaks for itself", func(s *scene) { // S3
			blue, purple, critic := s.agent("BlueLake"), s.agent("PurpleMountain"), s.agent("GreenValley")
			id := blue.raises(s.dispute()).ID
			purple.replies(id, "a character is not what it seems", anchor.CauseInvisible)
			_, err := critic.ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: id})
			s.must(err)
			_, err = critic.DecideStalemate(s.ctx, api.VerdictRequest{ID: id})
			s.must(err)
			_, err = purple.moves(id, stalemate.Accept, "")
			s.must(err)
			s.unchanged(func() {
				_, err := purple.moves(id, stalemate.Accept, "")
				s.refused(err, brenner.CodeStatusConflict)
				_, err = purple.moves(id, stalemate.Appeal, "not after all")
				s.refused(err, brenner.CodeStatusConflict)
			})
			info, err := blue.moves(id, stalemate.Appeal, "it was not looked at")
			s.must(err)
			if info.State != stalemate.Appealed {
				s.Errorf("%+v", info)
			}
			s.sound()
		}},
		{"an appeal reopens it as another round, with more evidence", func(s *scene) { // S3
			info, err := s.pi.ImportStalemate(s.ctx, api.ImportStalemateRequest{ID: "seed", Request: jsontext.Value(request)})
			s.must(err)
			critic := s.agent("GreenValley")
			_, err = critic.ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: info.ID})
			s.must(err)
			_, err = critic.DecideStalemate(s.ctx, api.VerdictRequest{ID: info.ID})
			s.must(err)
			first := s.pi.sees("seed").VerdictRef
			s.unchanged(func() {
				_, err := s.pi.moves("seed", stalemate.Appeal, "")
				s.refused(err, brenner.CodeReasonRequired)
				_, err = critic.moves("seed", stalemate.Appeal, "no") // neither party nor raiser nor PI
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.pi.moves("seed", stalemate.Appeal, "no", stalemate.Evidence{Kind: "patch", Content: "x"})
				s.refused(err, brenner.CodeInvalidValue)
			})
			_, err = s.pi.moves("seed", stalemate.Appeal, "the file can be had")
			s.must(err)
			text := stalemate.Evidence{Kind: stalemate.KindFileContent, Path: "wrap.py", Content: "9" + planText}
			patch := stalemate.Evidence{Kind: stalemate.KindPatch, Content: strings.Replace(string(s.patch(planText, editedText)), `"target": {`, `"target": {"path":"wrap.py",`, 1)}
			s.unchanged(func() {
				_, err := s.pi.moves("seed", stalemate.Reopen, "here it is", text, stalemate.Evidence{Kind: "patch", Content: "see above"})
				s.refused(err, brenner.CodeEvidencePlaceholder)
				_, err = s.pi.moves("seed", stalemate.Reopen, "think again") // S5: not without new evidence
				s.refused(err, brenner.CodeEvidenceRequired)
			})
			info, err = s.pi.moves("seed", stalemate.Reopen, "here it is", text, patch)
			s.must(err)
			if info.State != stalemate.Open || info.Round != 2 || info.Ref != ref("seed", 2) {
				s.Errorf("%+v", info)
			}
			_, err = critic.ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: "seed"})
			s.must(err)
			v := s.pi.sees("seed")
			if v.VerdictRef == first || v.Verdict.Round != 2 || v.Verdict.Outcome != stalemate.InsufficientEvidence || !strings.HasPrefix(v.Verdict.RootCause, "stale_base") || v.Stalemate.Evidence[2].ID != "e3" {
				s.Errorf("%+v", v)
			}
			s.sound()
		}},
		{"the arbiter is not a party, and the verdict answers everything", func(s *scene) { // S5
			_, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "BlueLake", Role: "adversarial_critic", Update: true})
			s.must(err)
			blue, critic := s.agent("BlueLake"), s.agent("GreenValley")
			id := blue.raises(s.dispute()).ID
			s.agent("PurpleMountain").replies(id, "a character is not what it seems", anchor.CauseInvisible)
			s.unchanged(func() {
				_, err := blue.ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: id})
				s.refused(err, brenner.CodeArbiterIsParty)
				_, err = s.agent("PurpleMountain").ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: id})
				s.refused(err, brenner.CodeWriteDenied)
			})
			_, err = critic.ArbitrateStalemate(s.ctx, api.StalemateRequest{ID: id})
			s.must(err)
			draft := s.pi.sees(id)
			mine := *draft.Verdict
			mine.Outcome, mine.RootCause = stalemate.OtherCause, "both are wrong"
			mine.Findings = slices.Clone(mine.Findings)
			for i := range mine.Findings {
				mine.Findings[i].Ruling = stalemate.Refuted
			}
			s.unchanged(func() {
				_, err := blue.DecideStalemate(s.ctx, api.VerdictRequest{ID: id})
				s.refused(err, brenner.CodeArbiterIsParty)
				short := mine
				short.Findings = mine.Findings[:2]
				_, err = critic.DecideStalemate(s.ctx, api.VerdictRequest{ID: id, Verdict: &short})
				s.refused(err, brenner.CodeInvalidVerdict)
				broken := mine
				broken.Patch = jsontext.Value(`{"protocol_id":"json_diff"}`)
				_, err = critic.DecideStalemate(s.ctx, api.VerdictRequest{ID: id, Verdict: &broken})
				s.refused(err, brenner.CodeInvalidVerdict)
			})
			_, err = critic.DecideStalemate(s.ctx, api.VerdictRequest{ID: id, Verdict: &mine})
			s.must(err)
			v := s.pi.sees(id)
			if v.Verdict.Arbiter != "GreenValley" || v.Verdict.RootCause != "both are wrong" ||
				v.VerdictRef != ref(draft.VerdictRef.Artifact, 2) {
				s.Errorf("%+v", v)
			}
			s.sound()
		}},
		{"stalemates are listed by state and target, in pages", func(s *scene) { // S3
			blue := s.agent("BlueLake")
			s.pi.creates(note("plan", planText))
			about := s.dispute()
			about.Target = "plan"
			first := blue.raises(about)
			if a := s.pi.reads(first.Ref); a.Module != "lineage" || !slices.Equal(a.Links, []artifact.Link{link(artifact.Reviews, "plan", 1)}) {
				s.Errorf("%+v", a)
			}
			second, third := blue.raises(s.dispute()), blue.raises(s.dispute())
			_, err := blue.moves(second.ID, stalemate.Withdraw, "found it")
			s.must(err)
			writer := s.reader("GreyStone")
			ids := func(req api.ListStalematesRequest) (out []brenner.ArtifactID) {
				for {
					page, err := writer.Stalemates(s.ctx, req)
					s.must(err)
					for _, i := range page.Stalemates {
						out = append(out, i.ID)
					}
					if page.Cursor == "" {
						if page.Total != len(out) {
							s.Errorf("%+v: a total of %d", req, page.Total)
						}
						return out
					}
					req.Cursor = page.Cursor
				}
			}
			one := api.Page{Limit: 1}
			for _, c := range []struct {
				req  api.ListStalematesRequest
				want []brenner.ArtifactID
			}{
				{api.ListStalematesRequest{Page: one}, []brenner.ArtifactID{first.ID, third.ID}},
				{api.ListStalematesRequest{Page: one, Newest: true}, []brenner.ArtifactID{third.ID, first.ID}},
				{api.ListStalematesRequest{Page: one, States: []stalemate.State{stalemate.Withdrawn}}, []brenner.ArtifactID{second.ID}},
				{api.ListStalematesRequest{About: "plan"}, []brenner.ArtifactID{first.ID}},
			} {
				if got := ids(c.req); !slices.Equal(got, c.want) {
					s.Errorf("%+v: %v, want %v", c.req, got, c.want)
				}
			}
			_, err = s.pi.Stalemates(s.ctx, api.ListStalematesRequest{States: []stalemate.State{"lost"}})
			s.refused(err, brenner.CodeInvalidValue)
			_, err = s.pi.Stalemate(s.ctx, api.StalemateRequest{ID: "plan"})
			s.refused(err, brenner.CodeNotFound)
		}},
		{"evidence is for who may read what it is about", func(s *scene) { // C7
			s.pi.creates(api.CreateArtifactRequest{
				ID: "methods", Type: "manuscript_section", Module: "lineage", Summary: "methods",
				Content: api.Body{Format: artifact.Text, Data: planText},
			})
			about := s.dispute()
			about.Target = "methods@1"
			id := s.pi.raises(about).ID
			s.reader("GreyStone").sees(id)
			blue := s.reader("BlueLake")
			s.unchanged(func() {
				_, err := blue.Stalemate(s.ctx, api.StalemateRequest{ID: id})
				s.refused(err, brenner.CodeReadDenied)
				_, err = blue.ExportStalemate(s.ctx, api.StalemateRequest{ID: id})
				s.refused(err, brenner.CodeReadDenied)
				_, err = blue.RaiseStalemate(s.ctx, api.RaiseStalemateRequest{Stalemate: about})
				s.refused(err, brenner.CodeReadDenied)
			})
		}},
		{"a stalemate with a key is raised once", func(s *scene) { // X2
			req := api.RaiseStalemateRequest{Write: api.Write{Key: "k"}, Stalemate: s.dispute()}
			req.Stalemate.Hypotheses = namedOnly(req.Stalemate.Hypotheses)
			first, err := s.pi.RaiseStalemate(s.ctx, req)
			s.must(err)
			s.unchanged(func() {
				again, err := s.pi.RaiseStalemate(s.ctx, req)
				s.must(err)
				if again.ID != first.ID || again.Seq != first.Seq {
					s.Errorf("%+v, then %+v", first, again)
				}
				req.Stalemate.Summary = "another"
				_, err = s.pi.RaiseStalemate(s.ctx, req)
				s.refused(err, brenner.CodeIdempotencyReused)
			})
		}},
	}
}
