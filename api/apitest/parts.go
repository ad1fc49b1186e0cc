package apitest

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
)

// replaces is an EDIT of a part of the claim of H1.
func replaces(old, now string) string {
	return block(fmt.Sprintf(`{"delta_id":"d-1","operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":{"old":%q,"new":%q}},"rationale":"r"}`, old, now))
}

// Parts of texts are replaced where the document is.
func partCases() []testCase {
	const claim = "fate follows the clone, not the place; grafts keep it"
	shows := func(s *scene, id brenner.SessionID, want string) {
		s.Helper()
		show, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id})
		s.must(err)
		if !strings.Contains(show.Markdown, "**Claim**: "+want+"\n") {
			s.Errorf("the claim is not %q:\n%s", want, show.Markdown)
		}
	}
	return []testCase{
		{"parts of one text that two agents replace at a time both stand", func(s *scene) { // D5, D8
			id := s.pi.starts().ID
			blue, green := s.agent("BlueLake"), s.agent("GreenValley")
			blue.submits(id, adds(claim))
			s.pi.compiles(id)
			first := replaces("the clone", "its clone")
			if sub := blue.submits(id, first); sub.Duplicate || sub.Deltas[0].Will != "applied" || sub.Deltas[0].Code != "" ||
				len(sub.Deltas[0].Says) != 1 || sub.Deltas[0].Says[0].Text != strings.Replace(claim, "the clone", "its clone", 1) { // how it reads now
				s.Errorf("submitted %+v", sub)
			}
			if sub := green.submits(id, replaces("grafts keep it", "late grafts keep it")); sub.Deltas[0].Will != "applied" || len(sub.Deltas[0].Replaces) > 0 {
				s.Errorf("submitted %+v", sub.Deltas)
			}
			s.unchanged(func() { // the words of old are gone, and it is the same reply
				if sub := blue.submits(id, first); !sub.Duplicate || sub.Deltas[0].Code != "" {
					s.Errorf("again: %+v", sub)
				}
			})
			if res := s.pi.compiles(id); statuses(res.Outcomes) != "applied, applied" {
				s.Errorf("compiled %+v", res.Outcomes)
			}
			shows(s, id, "fate follows its clone, not the place; late grafts keep it")
			s.unchanged(func() {
				if sub := blue.submits(id, first); !sub.Duplicate || sub.Deltas[0].State != "applied" {
					s.Errorf("again, compiled: %+v", sub)
				}
			})
			deep, err := s.pi.Verify(s.ctx, api.VerifyRequest{Deep: true})
			s.must(err)
			if !deep.OK || deep.Rebuilt != 3 {
				s.Errorf("verified %+v", deep)
			}
		}},
		{"a part that is not there, or twice, is refused alone and says what is", func(s *scene) { // D5, D7
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, adds(claim)+replaces("the place", "its place")) // H1 has come with the same reply
			sub := s.agent("GreenValley").submits(id, replaces("the clones", "x")+block(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"mechanism":{"old":"factors","new":"clonal factors"},"claim":{"old":"its","new":"y"}}}`)+
				block(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":{"old":"t","new":"y"}}}`))
			var codes []string
			for _, d := range sub.Deltas {
				codes = append(codes, strings.TrimSuffix(string(d.Will)+" "+string(d.Code), " "))
			}
			if got := strings.Join(codes, ", "); got != "rejected ANCHOR_NOT_FOUND, applied, rejected ANCHOR_AMBIGUOUS" {
				s.Fatalf("submitted %s: %+v", got, sub.Deltas)
			}
			d := sub.Deltas[0]
			if d.Pointer != "/payload/claim/old" || !strings.Contains(d.Message, "which BlueLake wrote at") || len(d.Says) != 1 || d.Says[0].Text != strings.Replace(claim, "the place", "its place", 1) {
				s.Errorf("refused as %+v", d)
			}
			s.pi.compiles(id)
			shows(s, id, strings.Replace(claim, "the place", "y place", 1))
			only := s.agent("BlueLake").submits(id, replaces("nowhere", "x"))
			if !only.Unusable {
				s.Errorf("a reply of which nothing can be used is no answer: %+v", only)
			}
		}},
		{"of several parts those that fit are replaced, where their author is told of the others", func(s *scene) { // D5
			id := s.pi.starts().ID
			s.agent("BlueLake").submits(id, adds(claim))
			s.pi.compiles(id)
			pairs := block(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":[{"old":"the clone","new":"its clone"},{"old":"a stem","new":"x"}]}}`)
			green := s.agent("GreenValley")
			for _, dry := range []bool{true, false} {
				sub, err := green.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: pairs, DryRun: dry})
				s.must(err)
				d := sub.Deltas[0]
				if d.Will != "applied" || d.Code != "" || len(d.Says) != 2 || d.Says[0].Left != nil || d.Says[1].Left == nil {
					s.Fatalf("dry %v: %+v", dry, d)
				}
				l := d.Says[1].Left
				if l.Pair != 2 || l.Of != 2 || l.Code != brenner.CodeAnchorNotFound || l.Pointer != "/payload/claim/1/old" || l.Hint == "" || d.Says[1].Text == "" {
					s.Errorf("left out: %+v, nearest %q", l, d.Says[1].Text)
				}
			}
			s.pi.compiles(id)
			shows(s, id, strings.Replace(claim, "the clone", "its clone", 1))
			// What another hands in for it, it would hear of late: that is taken whole, or refused.
			sub, err := s.pi.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, From: "GreenValley", Text: strings.ReplaceAll(pairs, "the clone", "not the place")})
			s.must(err)
			if d := sub.Deltas[0]; !sub.Unusable || d.Code != brenner.CodeAnchorNotFound || !strings.Contains(d.Message, "1 of the 2 pairs fit") {
				s.Errorf("handed in: %+v", sub)
			}
		}},
		{"a dry run says what a text would be", func(s *scene) { // D5
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, adds(claim))
			s.unchanged(func() {
				sub, err := s.pi.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: replaces("the clone", "its clone"), DryRun: true})
				s.must(err)
				if d := sub.Deltas[0]; d.Will != "applied" || len(d.Says) != 1 || d.Says[0].Field != "claim" || d.Says[0].Text != strings.Replace(claim, "the clone", "its clone", 1) {
					s.Errorf("dry run: %+v", sub.Deltas)
				}
			})
		}},
		{"a part replaced counts as of now, whatever its timestamp says", func(s *scene) { // D5, D11
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, adds(claim))
			s.pi.compiles(id)
			sub := blue.submits(id, block(`{"operation":"EDIT","timestamp":"2020-01-01T00:00:00Z","target_id":"H1","section":"hypothesis_slate","payload":{"claim":{"old":"the clone","new":"its clone"}}}`))
			if d := sub.Deltas[0]; d.Will != "applied" || len(d.Warnings) != 1 || d.Warnings[0].Code != brenner.CodeTimestampSkew {
				s.Errorf("submitted %+v", sub.Deltas)
			}
			s.pi.compiles(id)
			shows(s, id, strings.Replace(claim, "the clone", "its clone", 1))
		}},
	}
}
