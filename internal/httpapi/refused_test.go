package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/internal/httpapi"

	"github.com/go-json-experiment/json"
)

// X1, X10: whoever sends a large body that is refused gets the answer with its
// code, even a client that reads nothing before it has sent everything: the
// connection is not closed on it.
func TestServer_WhoseBodyIsRefusedGetsTheAnswer(t *testing.T) {
	w := newWorld(t)
	if _, err := w.owner().ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + `
policies:
  observer: {read: ["*"], write: [], promote: [], acts: [status, context_assemble]}
`}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "observer"}); err != nil {
		t.Fatal(err)
	}
	agent, pi := w.token("BlueLake"), w.token("ada")
	const large = 20 << 20
	for name, c := range map[string]struct {
		token, path string
		length      int
		chunked     bool
		want        brenner.Code
	}{
		"nobody known":          {"brn_wrong", "/api/v1/artifacts", large, false, brenner.CodeUnauthenticated},
		"may not write":         {agent, "/api/v1/artifacts", large, false, brenner.CodeWriteDenied},
		"may not write, chunks": {agent, "/api/v1/artifacts", large, true, brenner.CodeWriteDenied},
		"too large":             {pi, "/api/v1/artifacts", brenner.MaxRequestBytes + large, false, brenner.CodeLimitExceeded},
		"too large, chunks":     {pi, "/api/v1/artifacts", brenner.MaxRequestBytes + large, true, brenner.CodeLimitExceeded},
		"takes no large one":    {pi, "/api/v1/gc", large, false, brenner.CodeLimitExceeded},
		"nothing there":         {pi, "/api/v1/nothing", large, false, brenner.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			size := fmt.Sprintf("Content-Length: %d", c.length)
			if c.chunked {
				size = "Transfer-Encoding: chunked"
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s\r\n\r\n", c.path, c.token, size)
			for sent := 0; sent < c.length; sent += len(spaces) {
				if c.chunked {
					fmt.Fprintf(conn, "%x\r\n%s\r\n", len(spaces), spaces)
				} else if _, err := conn.Write(spaces); err != nil {
					t.Fatalf("cut off after %d bytes: %v", sent, err)
				}
			}
			if c.chunked {
				fmt.Fprint(conn, "0\r\n\r\n")
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			var said struct {
				Code  brenner.Code   `json:"code"`
				Other map[string]any `json:",embed"`
			}
			if err := json.UnmarshalRead(answer.Body, &said); err != nil || said.Code != c.want {
				t.Errorf("got %d %s, %v", answer.StatusCode, said.Code, err)
			}
		})
	}
	t.Run("our client", func(t *testing.T) {
		t.Parallel()
		client, err := httpapi.NewClient(w.address, agent, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: "n", Type: "paper_note", Module: "lineage", Summary: "s", Content: api.Body{Format: artifact.Text, Data: strings.Repeat("text ", 3<<20)},
		})
		if brenner.CodeOf(err) != brenner.CodeWriteDenied {
			t.Errorf("our client gets %v", err)
		}
	})
}
