package apitest

import (
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"

	"github.com/go-json-experiment/json"
)

// queued lists the digests of the deltas that replies have brought.
func (s *scene) queued() []brenner.Digest {
	s.Helper()
	list, err := s.PI().Records(s.ctx, api.RecordsRequest{Limit: brenner.MaxPage})
	s.must(err)
	var out []brenner.Digest
	for _, rec := range list.Records {
		if rec.Kind != "reply.received" {
			continue
		}
		var p struct {
			Deltas []struct {
				Digest brenner.Digest `json:"digest"`
			} `json:"deltas"`
		}
		s.must(json.Unmarshal(rec.Payload, &p))
		for _, d := range p.Deltas {
			out = append(out, d.Digest)
		}
	}
	return out
}

func compileCases() []testCase {
	return []testCase{
		{"overlapping replies become one draft, critique the next", func(s *scene) { // D18, R10
			id := s.pi.starts().ID
			blue, purple, green := s.agent("BlueLake"), s.agent("PurpleMountain"), s.agent("GreenValley")
			first := blue.submits(id, adds("lineage")+adds("gradient"))
			second := purple.submits(id, "Tests.\n\n"+block(`{"operation":"ADD","target_id":null,"section":"discriminative_tests","rationale":"it tells them apart",
"payload":{"name":"Transplant","procedure":"move late cells","discriminates":"H1 from H2","expected_outcomes":{"H1":"kept","H2":"changed"}}}`))
			green.submits(id, edits("claim", "lineage, by division", "2025-12-30T12:00:00Z"))
			res := s.pi.compiles(id)
			if !res.Changed || res.Ref != ref(brenner.ArtifactID(id), 2) || res.Base.Version != 1 || statuses(res.Outcomes) != "applied, applied, applied, applied" {
				s.Fatalf("compiled %+v", res)
			}
			v := s.pi.reads(res.Ref)
			if v.Status != artifact.Draft || v.Head != 2 || v.SHA256 != res.SHA256 {
				s.Errorf("the version is %s, head %d", v.Status, v.Head)
			}
			if !strings.Contains(v.Summary, "H2 gradient. Hypothesis Slate: 2, Discriminative Tests: 1.") {
				s.Errorf("summary %q", v.Summary)
			}
			if v.Change.What != "3 added, 1 edited, 0 killed by 3 agents; H1.claim: BlueLake's text replaced by GreenValley's" || v.Change.Why != "BlueLake: it explains the clones\nPurpleMountain: it tells them apart" {
				s.Errorf("change %+v", v.Change)
			}
			for _, log := range []brenner.Ref{first.Log, second.Log} {
				if !slices.Contains(v.Links, link(artifact.DerivedFrom, log.Artifact, log.Version)) {
					s.Errorf("the version does not name %s: %+v", log, v.Links)
				}
			}
			green.submits(id, block(`{"operation":"KILL","target_id":"H2","section":"hypothesis_slate","payload":{"reason":"no gradient was seen"}}`))
			next := s.pi.compiles(id)
			if next.Ref.Version != 3 || next.Change.What != "0 added, 0 edited, 1 killed by 1 agent" || next.Change.Why != "no rationale was given" {
				s.Errorf("compiled %+v", next)
			}
			show, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id})
			s.must(err)
			if !strings.Contains(show.Markdown, "### ~~H2: gradient~~ [KILLED]") || show.Content != nil {
				s.Errorf("it shows:\n%s", show.Markdown)
			}
			old, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id, Version: 2})
			s.must(err)
			if strings.Contains(old.Markdown, "KILLED") || old.Ref.Version != 2 {
				s.Errorf("version 2 shows:\n%s", old.Markdown)
			}
			_, err = s.pi.Session(s.ctx, api.SessionRequest{ID: id, Version: 9})
			s.refused(err, brenner.CodeNotFound)
			deep, err := s.pi.Verify(s.ctx, api.VerifyRequest{Deep: true})
			s.must(err)
			if !deep.OK || deep.Rebuilt != 3 {
				s.Errorf("verified %+v", deep)
			}
		}},
		{"what cannot be recorded is refused alone, and its agent told", func(s *scene) { // D7, D18
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, adds("lineage"))
			s.pi.compiles(id)
			got := blue.submits(id, block(`{"operation":"EDIT","target_id":"H9","section":"hypothesis_slate","payload":{"claim":"x"}}`)+
				block(`{"operation":"ADD","target_id":null,"section":"hypothesis_slate","payload":{"claim":"no mechanism"}}`)+
				block(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":`))
			if got.Deltas[0].Code != brenner.CodeInvalidTarget || got.Deltas[1].Code != brenner.CodeMissingRequiredField || got.Deltas[2].Code != brenner.CodeInvalidDelta {
				s.Errorf("foreseen %+v", got.Deltas)
			}
			res := s.pi.compiles(id)
			if res.Changed || res.Ref.Version != 2 || statuses(res.Outcomes) != "rejected INVALID_DELTA, rejected INVALID_TARGET, rejected MISSING_REQUIRED_FIELD" {
				s.Errorf("compiled %+v", res)
			}
			mail := blue.inbox()
			text := blue.readsMail(mail[len(mail)-1].ID)
			for _, want := range []string{"stays at version 2", "rejected INVALID_TARGET", "rejected MISSING_REQUIRED_FIELD", "rejected INVALID_DELTA"} {
				if !strings.Contains(text, want) {
					s.Errorf("BlueLake is not told %q:\n%s", want, text)
				}
			}
			if st := s.pi.status(id); st.Deltas["rejected"] != 3 || st.Deltas["pending"] != 0 {
				s.Errorf("status %+v", st)
			}
			s.unchanged(func() { // nothing is queued: nothing to do
				if res := s.pi.compiles(id); res.Changed || len(res.Outcomes) != 0 {
					s.Errorf("compiled %+v", res)
				}
			})
		}},
		{"a delta from the year 9999 does not win for ever", func(s *scene) { // D11
			id := s.pi.starts().ID
			blue, green := s.agent("BlueLake"), s.agent("GreenValley")
			blue.submits(id, adds("lineage"))
			s.pi.compiles(id)
			blue.submits(id, edits("claim", "for ever", "9999-12-31T23:59:59Z"))
			s.pi.compiles(id)
			time.Sleep(2 * time.Millisecond) // instants are microseconds
			green.submits(id, block(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":"until now"}}`))
			if res := s.pi.compiles(id); statuses(res.Outcomes) != "applied" {
				s.Errorf("outcomes %+v", res.Outcomes)
			}
			show, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id, Full: true})
			s.must(err)
			if !strings.Contains(string(show.Content), `"claim":"until now"`) {
				s.Errorf("it shows %s", show.Markdown)
			}
		}},
		{"a delta dated before the session hides nothing and is not lost", func(s *scene) { // D11
			id := s.pi.starts().ID
			blue, green := s.agent("BlueLake"), s.agent("GreenValley")
			blue.submits(id, adds("lineage")+adds("gradient"))
			s.pi.compiles(id)
			blue.submits(id, block(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":"lineage, by division"}}`))
			s.pi.compiles(id)
			time.Sleep(2 * time.Millisecond) // instants are microseconds
			green.submits(id, block(`{"operation":"KILL","target_id":"H1","section":"hypothesis_slate","timestamp":"2025-12-30T12:10:00Z","payload":{"reason":"no clone was seen"}}`)+
				block(`{"operation":"EDIT","target_id":"H2","section":"hypothesis_slate","timestamp":"2025-12-30T12:10:00Z","payload":{"claim":"contact"}}`))
			res := s.pi.compiles(id)
			skewed := 0
			for _, w := range res.Warnings {
				if w.Code == brenner.CodeTimestampSkew {
					skewed++
				}
			}
			if statuses(res.Outcomes) != "applied, applied" || skewed != 2 {
				s.Errorf("compiled %+v", res)
			}
			show, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id})
			s.must(err)
			for _, want := range []string{"**Claim**: ~~lineage, by division~~", "**Claim**: contact"} {
				if !strings.Contains(show.Markdown, want) {
					s.Errorf("%q is not in\n%s", want, show.Markdown)
				}
			}
			deep, err := s.pi.Verify(s.ctx, api.VerifyRequest{Deep: true})
			s.must(err)
			if !deep.OK || deep.Rebuilt != 4 {
				s.Errorf("verified %+v", deep)
			}
		}},
		{"a delta waits for the item it names, across compiles", func(s *scene) { // D4, D9
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, block(`{"operation":"EDIT","target_id":"H-NEW","section":"hypothesis_slate","payload":{"claim":"as corrected"}}`))
			for range 2 { // the second finds nothing new
				if res := s.pi.compiles(id); res.Changed || res.Ref.Version != 1 {
					s.Errorf("compiled %+v", res)
				}
			}
			if st := s.pi.status(id); st.Deltas["waiting"] != 1 {
				s.Errorf("status %+v", st.Deltas)
			}
			blue.submits(id, block(`{"operation":"ADD","target_id":null,"provisional_id":"H-NEW","section":"hypothesis_slate","payload":{"claim":"c","mechanism":"m"}}`))
			res := s.pi.compiles(id)
			if statuses(res.Outcomes) != "applied, applied" {
				s.Errorf("compiled %+v", res.Outcomes)
			}
			show, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id})
			s.must(err)
			if st := s.pi.status(id); !strings.Contains(show.Markdown, "**Claim**: as corrected") || st.Deltas["waiting"] != 0 {
				s.Errorf("%+v\n%s", st.Deltas, show.Markdown)
			}
			deep, err := s.pi.Verify(s.ctx, api.VerifyRequest{Deep: true})
			s.must(err)
			if !deep.OK || deep.Rebuilt != 2 {
				s.Errorf("verified %+v", deep)
			}
		}},
		{"a conflict is listed, and settled after every candidate", func(s *scene) { // D10
			started := s.pi.starts()
			id, at := started.ID, delta.FormatInstant(started.Created)
			blue, purple, green := s.agent("BlueLake"), s.agent("PurpleMountain"), s.agent("GreenValley")
			blue.submits(id, adds("lineage"))
			s.pi.compiles(id)
			purple.submits(id, edits("claim", "by division", at))
			green.submits(id, edits("claim", "by contact", at))
			if res := s.pi.compiles(id); res.Conflicts != 1 || statuses(res.Outcomes) != "conflicted, conflicted" {
				s.Fatalf("compiled %+v", res)
			}
			all, err := s.pi.Conflicts(s.ctx, api.ListConflictsRequest{})
			s.must(err)
			one, err := s.pi.Conflicts(s.ctx, api.ListConflictsRequest{Session: id})
			s.must(err)
			if len(all.Conflicts) != 1 || len(one.Conflicts) != 1 || one.Conflicts[0].Item != "H1" || one.Conflicts[0].Field != "claim" || len(one.Conflicts[0].Candidates) != 2 {
				s.Fatalf("conflicts %+v", one)
			}
			settle := api.ResolveConflictRequest{Session: id, Item: "H1", Field: "claim", Take: "GreenValley", Reason: "seen under the microscope"}
			s.unchanged(func() {
				_, err := purple.ResolveConflict(s.ctx, settle)
				s.refused(err, brenner.CodeWriteDenied)
				for code, change := range inOrder(map[brenner.Code]func(*api.ResolveConflictRequest){
					brenner.CodeReasonRequired: func(r *api.ResolveConflictRequest) { r.Reason = " " },
					brenner.CodeNotFound:       func(r *api.ResolveConflictRequest) { r.Take = "RedSky" },
					brenner.CodeUsage:          func(r *api.ResolveConflictRequest) { r.Take = "" },
					brenner.CodeInvalidDelta:   func(r *api.ResolveConflictRequest) { r.Take, r.Value = "", []byte("7") },
				}) {
					bad := settle
					change(&bad)
					_, err := s.pi.ResolveConflict(s.ctx, bad)
					s.refused(err, code)
				}
			})
			purple.submits(id, adds("waits for the next compile"))
			res, err := s.pi.ResolveConflict(s.ctx, settle)
			s.must(err)
			if !res.Changed || res.Conflicts != 0 || len(res.Outcomes) != 1 || res.Change.Why != "ada: seen under the microscope" || strings.Contains(res.Change.What, "replaced") {
				s.Errorf("settled %+v", res)
			}
			if st := s.pi.status(id); st.Conflicts != 0 || st.Deltas["pending"] != 1 {
				s.Errorf("status %+v", st)
			}
			// Who lost is told by whom and why, and nobody else is.
			const lost = `The conflict about claim of H1 was settled by ada, who says "seen under the microscope": not yours, "by division" → "by contact"`
			for _, p := range []*player{blue, purple, green} {
				told := ""
				for _, m := range p.inbox() {
					told += p.readsMail(m.ID)
				}
				if said := strings.Contains(told, lost); said != (p == purple) {
					s.Errorf("%s is told %s", p.name, told)
				}
			}
			show, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id, Full: true})
			s.must(err)
			doc, err := delta.ReadArtifact(show.Content)
			s.must(err)
			h1, _ := doc.Item("H1")
			if h1.Text("claim") != "by contact" {
				s.Errorf("the claim is %q", h1.Text("claim"))
			}
			s.pi.compiles(id)
			deep, err := s.pi.Verify(s.ctx, api.VerifyRequest{Deep: true})
			s.must(err)
			if !deep.OK || deep.Rebuilt != 5 {
				s.Errorf("verified %+v", deep)
			}
			d, err := s.pi.DiagnoseSession(s.ctx, api.DiagnoseSessionRequest{ID: id, From: "ada"})
			s.must(err)
			if len(d.Replies) != 1 || d.Replies[0].Via != "resolve" || d.Replies[0].Deltas[0].State != "applied" {
				s.Errorf("diagnosed %+v", d)
			}
		}},
		{"the priority list settles what is simultaneous", func(s *scene) { // D10
			_, err := s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: Config + "\npriority: [GreenValley, PurpleMountain]\n"}})
			s.must(err)
			id := s.pi.starts().ID
			s.agent("BlueLake").submits(id, adds("lineage"))
			s.pi.compiles(id)
			s.agent("PurpleMountain").submits(id, edits("name", "by division", "2025-12-30T12:00:00Z"))
			s.agent("GreenValley").submits(id, edits("name", "by contact", "2025-12-30T12:00:00Z"))
			if res := s.pi.compiles(id); res.Conflicts != 0 {
				s.Errorf("compiled %+v", res)
			}
			deep, err := s.pi.Verify(s.ctx, api.VerifyRequest{Deep: true})
			s.must(err)
			if !deep.OK {
				s.Errorf("verified %+v", deep)
			}
		}},
		{"a repeated compile compiles nothing twice", func(s *scene) { // X2
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, adds("lineage"))
			req := api.CompileSessionRequest{Write: api.Write{Key: "round-1"}, ID: id}
			one, err := s.pi.CompileSession(s.ctx, req)
			s.must(err)
			blue.submits(id, adds("gradient"))
			s.unchanged(func() {
				two, err := s.pi.CompileSession(s.ctx, req)
				s.must(err)
				if two.Ref != one.Ref || two.SHA256 != one.SHA256 {
					s.Errorf("first %+v, then %+v", one, two)
				}
			})
		}},
		{"redacted deltas are refused, and history still holds", func(s *scene) { // J6
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			log := blue.submits(id, adds("a password: hunter2")).Log
			digests := s.queued()
			for _, d := range digests {
				_, err := s.pi.Redact(s.ctx, api.RedactRequest{Digest: d, Reason: "a password"})
				s.must(err)
			}
			_, err := s.pi.Redact(s.ctx, api.RedactRequest{Ref: log, Reason: "a password"})
			s.must(err)
			if res := s.pi.compiles(id); res.Changed || statuses(res.Outcomes) != "rejected REDACTED" {
				s.Errorf("compiled %+v", res)
			}
			blue.submits(id, adds("lineage"))
			s.pi.compiles(id)
			for _, d := range s.queued() {
				if !slices.Contains(digests, d) {
					_, err := s.pi.Redact(s.ctx, api.RedactRequest{Digest: d, Reason: "also"})
					s.must(err)
				}
			}
			deep, err := s.pi.Verify(s.ctx, api.VerifyRequest{Deep: true})
			s.must(err)
			if !deep.OK || deep.Rebuilt != 1 {
				s.Errorf("verified %+v", deep)
			}
			diag, err := s.pi.DiagnoseSession(s.ctx, api.DiagnoseSessionRequest{ID: id})
			s.must(err)
			if len(diag.Replies) != 2 || diag.Replies[0].Deltas[0].State != "rejected" {
				s.Errorf("diagnosed %+v", diag)
			}
		}},
	}
}
