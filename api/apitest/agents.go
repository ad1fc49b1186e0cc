package apitest

import (
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

func agentCases() []testCase {
	return []testCase{
		{"an agent is refused what its role forbids, and the refusal is kept", func(s *scene) { // C7, C8; C7.b, C8.a
			s.pi.creates(api.CreateArtifactRequest{
				ID: "log", Type: "raw_log", Module: "lineage", Summary: "a chat",
				Content: api.Body{Format: artifact.Text, Data: "talk"},
			})
			critic := s.reader("GreenValley")
			s.unchanged(func() {
				_, err := critic.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("log", 1)})
				s.refused(err, brenner.CodeReadDenied)
				_, err = critic.Artifacts(s.ctx, api.ListArtifactsRequest{Types: []brenner.TypeName{"raw_log"}})
				s.refused(err, brenner.CodeReadDenied)
				_, err = critic.CreateArtifact(s.ctx, api.CreateArtifactRequest{
					Type: "model_spec", Module: "lineage", Summary: "mine", Content: api.Body{Format: artifact.Text, Data: "x"},
				})
				s.refused(err, brenner.CodeWriteDenied)
			})
			s.reader("WhiteFox").reads(ref("log", 1)) // C2: only a distiller
			denials, err := s.pi.Denials(s.ctx, api.DenialsRequest{})
			s.must(err)
			if len(denials.Denials) != 3 || denials.Denials[0].Actor != "GreenValley" || denials.Denials[0].Action != "write" {
				s.Errorf("denials: %+v", denials)
			}
		}},
		{"a list holds only what may be read", func(s *scene) { // C7
			s.pi.creates(api.CreateArtifactRequest{
				ID: "log", Type: "raw_log", Module: "lineage", Summary: "a chat about zebrafish",
				Content: api.Body{Format: artifact.Text, Data: "zebrafish"},
			})
			s.pi.creates(note("n", "zebrafish"))
			critic := s.reader("GreenValley")
			items, err := critic.Artifacts(s.ctx, api.ListArtifactsRequest{})
			s.must(err)
			hits, err := critic.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "zebrafish"})
			s.must(err)
			if slices.ContainsFunc(items.Items, func(i api.ArtifactItem) bool { return i.ID == "log" }) || len(hits.Items) != 1 {
				s.Errorf("list %+v, hits %+v", items.Items, hits.Items)
			}
		}},
		{"a search says what befell what it found", func(s *scene) { // C33
			s.pi.creates(note("n", "zebrafish fin"))
			s.pi.promotes(ref("n", 1))
			s.pi.updates("n", 1, "zebrafish fin, measured again", "")
			s.pi.creates(note("m", "the fin of a carp", link(artifact.Contradicts, "n", 1)))
			s.pi.creates(note("o", "a better one", link(artifact.Supersedes, "n", 1)))
			s.pi.creates(api.CreateArtifactRequest{
				ID: "chat", Type: "raw_log", Module: "lineage", Summary: "a chat", Content: api.Body{Format: artifact.Text, Data: "what was said"},
				Links: []artifact.Link{link(artifact.Contradicts, "n", 1)},
			})
			for who, want := range inOrder(map[string]string{
				"GreenValley": "newer draft @2; contradicted by m@1; superseded by o@1",
				"":            "newer draft @2; contradicted by chat@1; contradicted by m@1; superseded by o@1",
			}) {
				reads := s.pi
				if who != "" { // and may not read the chat
					reads = s.reader(brenner.ActorName(who))
				}
				hits, err := reads.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "zebrafish"})
				s.must(err)
				for _, h := range hits.Items {
					if got := h.Remark(); h.Found == 1 && got != want || h.Found != 1 && got != "" {
						s.Errorf("of %s is said %q to %q", h.Ref(), got, who)
					}
				}
				if len(hits.Items) == 0 || !slices.ContainsFunc(hits.Items, func(h api.SearchHit) bool { return h.Found == 1 }) {
					s.Errorf("found: %+v", hits.Items)
				}
			}
		}},
		{"no agent gets the journal", func(s *scene) { // C1
			fox := s.agent("WhiteFox")
			_, err := fox.Records(s.ctx, api.RecordsRequest{})
			s.refused(err, brenner.CodeReadDenied)
			_, err = fox.Verify(s.ctx, api.VerifyRequest{})
			s.refused(err, brenner.CodeReadDenied)
			var out strings.Builder
			_, err = fox.Export(s.ctx, &out)
			s.refused(err, brenner.CodeReadDenied)
			if out.Len() > 0 {
				s.Errorf("%d bytes were written before the refusal", out.Len())
			}
			_, err = fox.Denials(s.ctx, api.DenialsRequest{})
			s.refused(err, brenner.CodeReadDenied)
		}},
		{"only the PI administers", func(s *scene) { // C8, X8
			fox := s.agent("WhiteFox")
			s.unchanged(func() {
				_, err := fox.AddAgent(s.ctx, api.AddAgentRequest{Name: "Friend", Role: "pi", Person: true})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = fox.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc"}})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = fox.Redact(s.ctx, api.RedactRequest{Ref: ref("n", 1), Reason: "x"})
				s.refused(err, brenner.CodeWriteDenied)
			})
		}},
		{"an unknown actor is nobody", func(s *scene) { // X8; X8.a
			_, err := s.As("Stranger").Artifacts(s.ctx, api.ListArtifactsRequest{})
			s.refused(err, brenner.CodeUnauthenticated)
		}},
		{"agents have names and roles that exist", func(s *scene) {
			s.unchanged(func() {
				_, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "a b", Role: "writer"})
				s.refused(err, brenner.CodeInvalidID)
				_, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "Ann", Role: "king"})
				s.refused(err, brenner.CodeUnknownRole)
				_, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "Ann", Role: "pi"})
				s.refused(err, brenner.CodeInvalidValue)
				_, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "RedSky", Role: "writer"})
				s.refused(err, brenner.CodeAlreadyExists)
			})
			_, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "RedSky", Role: "writer", Update: true})
			s.must(err)
			// A person becomes none only where that is said.
			_, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "eve", Role: "reviewer", Person: true})
			s.must(err)
			s.unchanged(func() {
				_, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "eve", Role: "writer", Update: true})
				s.refused(err, brenner.CodeStatusConflict)
				_, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "eve", Role: "writer", Update: true, Agent: true, Person: true})
				s.refused(err, brenner.CodeInvalidValue)
			})
			eve, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "eve", Role: "writer", Update: true, Person: true})
			s.must(err)
			if eve.Kind != "person" || eve.Role != "writer" {
				s.Errorf("%+v", eve)
			}
			if eve, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "eve", Role: "writer", Update: true, Agent: true}); err != nil || eve.Kind != "agent" {
				s.Errorf("%+v, %v", eve, err)
			}
			all, err := s.pi.Agents(s.ctx)
			s.must(err)
			if len(all.Agents) != len(Agents)+2 || !slices.Contains(all.Roles, "distiller") {
				s.Errorf("agents: %+v", all)
			}
		}},
		{"tokens are issued, listed and revoked by the PI only", func(s *scene) { // X8
			got, err := s.pi.IssueToken(s.ctx, api.IssueTokenRequest{Actor: "BlueLake", Expires: api.Duration(time.Hour)})
			s.must(err)
			if !strings.HasPrefix(got.Secret, "brn_") || !got.Live || !got.Expires.Equal(got.Created.Add(time.Hour)) {
				s.Errorf("issued %+v", got.TokenInfo)
			}
			_, err = s.pi.IssueToken(s.ctx, api.IssueTokenRequest{Actor: "BlueLake"})
			s.must(err)
			s.unchanged(func() {
				blue := s.agent("BlueLake")
				_, err := blue.IssueToken(s.ctx, api.IssueTokenRequest{Actor: "BlueLake"})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = blue.Tokens(s.ctx)
				s.refused(err, brenner.CodeWriteDenied)
				_, err = blue.RevokeToken(s.ctx, api.RevokeTokenRequest{ID: got.ID})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.pi.IssueToken(s.ctx, api.IssueTokenRequest{Actor: "Stranger"})
				s.refused(err, brenner.CodeNotFound)
				_, err = s.pi.IssueToken(s.ctx, api.IssueTokenRequest{Actor: "BlueLake", Expires: api.Duration(time.Millisecond)})
				s.refused(err, brenner.CodeInvalidValue)
				_, err = s.pi.RevokeToken(s.ctx, api.RevokeTokenRequest{ID: "token-0"})
				s.refused(err, brenner.CodeNotFound)
				_, err = s.pi.RevokeToken(s.ctx, api.RevokeTokenRequest{Actor: "GreyStone", ID: got.ID})
				s.refused(err, brenner.CodeInvalidValue)
			})
			_, err = s.pi.RevokeToken(s.ctx, api.RevokeTokenRequest{ID: got.ID})
			s.must(err)
			_, err = s.pi.RevokeToken(s.ctx, api.RevokeTokenRequest{ID: got.ID})
			s.refused(err, brenner.CodeStatusConflict)
			_, err = s.pi.RevokeToken(s.ctx, api.RevokeTokenRequest{Actor: "BlueLake"})
			s.must(err)
			all, err := s.pi.Tokens(s.ctx)
			s.must(err)
			own := slices.DeleteFunc(all.Tokens, func(t api.TokenInfo) bool { return t.Actor != "BlueLake" })
			if slices.ContainsFunc(own, func(t api.TokenInfo) bool { return t.Live || !t.Revoked }) || len(own) < 2 {
				s.Errorf("tokens: %+v", own)
			}
		}},
	}
}
