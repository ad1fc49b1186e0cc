package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"brenner"

	"github.com/go-json-experiment/json"
)

// here is done on the machine of the store or of the programs, and has no
// address.
var here = map[string]bool{"again": true, "init": true, "commit": true, "patch.diff": true}

// X11: what a problem suggests is a request that this API answers, or is done
// elsewhere and says so by having no address. What the reader has to say first
// is named.
func TestProblems_SuggestRequestsThatAreAnswered(t *testing.T) {
	w := newWorld(t)
	type problem struct {
		Code    brenner.Code `json:"code"`
		Hint    string       `json:"hint"`
		Actions []struct {
			Action string   `json:"action"`
			Fill   []string `json:"fill"`
			Method string   `json:"method"`
			Href   string   `json:"href"`
		} `json:"actions"`
	}
	followed := 0
	for _, path := range []string{"/artifacts/nowhere", "/tasks/task-0", "/sessions/RS-0", "/stalemates/st-0", "/runs/run-0", "/bullets/b.1", "/invocations/inv-0", "/types?name=none"} {
		status, _, body := w.ask("GET", "/api/v1"+path, "")
		var p problem
		if err := json.Unmarshal([]byte(body), &p); err != nil || status < 400 {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		if p.Hint == "" && len(p.Actions) == 0 {
			t.Errorf("%s says nothing of what to do: %s", path, body)
		}
		for _, a := range p.Actions {
			switch {
			case a.Href == "":
				if !here[a.Action] && len(a.Fill) == 0 {
					t.Errorf("%s suggests %s without an address", path, a.Action)
				}
			case a.Method == http.MethodGet:
				followed++
				if status, _, body := w.ask("GET", a.Href, ""); status != http.StatusOK {
					t.Errorf("%s suggests %s: %d %s", path, a.Href, status, body)
				}
			case !strings.HasPrefix(a.Href, "/api/v1/"):
				t.Errorf("%s suggests %s", path, a.Href)
			}
		}
	}
	if followed < 5 {
		t.Errorf("only %d suggestions were followed", followed)
	}
}
