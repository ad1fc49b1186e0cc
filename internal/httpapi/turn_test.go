package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"brenner/internal/httpapi"
)

// X9: a write that keeps the others waiting is named in the log and in the
// metrics; one that does not is only measured.
func TestServer_NamesTheWriteThatKeepsOthersWaiting(t *testing.T) {
	w := newWorld(t)
	s, log := w.server, w.log
	s.Turn(t.Context(), httpapi.Turn{Name: "artifact.create", Actor: "quick", Took: time.Millisecond, Over: true})
	if log.String() != "" {
		t.Errorf("logged %s", log.String())
	}
	s.Turn(t.Context(), httpapi.Turn{Name: "playbook.learn", Actor: "blue", Auth: "token:t-1", Took: time.Second})
	s.Turn(t.Context(), httpapi.Turn{Name: "playbook.learn", Actor: "blue", Auth: "token:t-1", Took: 3 * time.Second, Over: true})
	for _, want := range []string{`"write":"playbook.learn"`, `"actor":"blue"`, `"auth":"token:t-1"`, `"over":false`, `"over":true`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s: %s", want, log.String())
		}
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/metrics", nil)
	req.Header.Set("Authorization", "Bearer "+w.token("ada"))
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, req)
	for _, want := range []string{
		`brenner_write_turns_long_total{actor="blue",write="playbook.learn"} 1`,
		`brenner_write_turn_seconds_count{write="artifact.create"} 1`, `brenner_write_turn_seconds_count{write="playbook.learn"} 1`,
	} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("the metrics have no %s:\n%s", want, answer.Body.String())
		}
	}
}
