package web_test

import (
	"strings"
	"testing"

	"brenner/api"
	"brenner/artifact"
)

// What a person may not decide is not offered, on the review and on the page of the version.
func TestReview_OffersWhatIsForTheReader(t *testing.T) {
	w := newWorld(t)
	must[api.WriteResult](w)(w.pi().CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "note", Type: artifact.TypePaperNote, Module: "main", Summary: "a note", Content: api.Body{Format: artifact.Text, Data: "it rains"},
	}))
	must[api.AgentInfo](w)(w.pi().AddAgent(t.Context(), api.AddAgentRequest{Name: "rita", Role: "reviewer", Person: true}))
	rita := w.loginWith(must[api.IssuedToken](w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "rita"})).Secret)
	for _, page := range []string{"/review/note@1", "/artifacts/note@1"} {
		for name, b := range map[string]*browser{"ada": w.login(), "rita": rita} {
			_, _, text := b.get(page)
			for _, form := range []string{`value="promote"`, `value="deprecate"`} {
				if offered := strings.Contains(text, form); offered != (name == "ada") {
					t.Errorf("%s is offered %s on %s: %v", name, form, page, offered)
				}
			}
			if told := strings.Contains(text, "not for your role"); told != (name == "rita") {
				t.Errorf("%s is told on %s that it is not for them: %v", name, page, told)
			}
		}
	}
}
