package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// vaultBackend takes the name of an actor for its token.
type vaultBackend struct{ *app.App }

func (b vaultBackend) Authenticate(_ context.Context, token string) (Caller, error) {
	who := app.Identity{Name: brenner.ActorName(token), Auth: app.AuthAs}
	return Caller{Service: b.As(who), Name: who.Name, Auth: who.Auth}, nil
}

func (b vaultBackend) Owner(ctx context.Context) (Caller, error) { return b.Authenticate(ctx, "ada") }

// hearing keeps everything that comes back.
type hearing struct {
	server *Server
	said   strings.Builder
}

func (h *hearing) RoundTrip(r *http.Request) (*http.Response, error) {
	out := leaving{httptest.NewRecorder()}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.RequestURI = r.URL.RequestURI()
	h.server.ServeHTTP(out, r)
	for name, values := range out.Header() {
		h.said.WriteString(name + ": " + strings.Join(values, ", ") + "\n")
	}
	h.said.WriteString(out.Body.String())
	return out.Result(), nil
}

func (h *hearing) heard() string {
	defer h.said.Reset()
	return h.said.String()
}

// C33: no route gives its reader a word that it may not see, in the bytes of
// answers and refusals, headers and trailers included.
func TestLeak_NoRouteGivesAwayWhatItsReaderMayNotSee(t *testing.T) {
	if testing.Short() {
		t.Skip("one caller at a time")
	}
	for n, reader := range newVaultServer(t).vault.Few(false) {
		t.Run(reader.String(), func(t *testing.T) {
			w := newVaultServer(t)
			ears := &hearing{server: w.server}
			client, err := NewClient("http://localhost/", string(reader.Name), ears)
			if err != nil {
				t.Fatal(err)
			}
			calls := w.vault.Some(n).AskEverything(t, reader, client, ears.heard)
			for _, r := range fuzzed[len(routes()):] { // those with handlers of their own
				for _, name := range append(w.vault.Names, "0") {
					path := strings.TrimPrefix(prefix+strings.ReplaceAll(r.path, "{id}", url.PathEscape(name)), prefix+"/../..")
					h := httptest.NewRequest(r.method, "http://localhost"+path+"?after=0&code="+url.QueryEscape(name), strings.NewReader("token="+name))
					h.Header = http.Header{"Authorization": {"Bearer " + string(reader.Name)}, "Content-Type": {"application/x-www-form-urlencoded"}}
					res, _ := ears.RoundTrip(h)
					_, _ = io.Copy(io.Discard, res.Body)
					if said := reader.Leaks(ears.heard(), ""); said != "" {
						t.Errorf("%s %s says %s", r.method, path, said)
					}
					calls++
				}
			}
			t.Logf("%d requests to %d routes", calls, len(fuzzed))
		})
	}
}

type vaultServer struct {
	vault  apitest.Vault
	server *Server
}

func newVaultServer(t *testing.T) vaultServer {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.VaultConfig}}); err != nil {
		t.Fatal(err)
	}
	return vaultServer{
		apitest.FillVault(t, a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})),
		New(Options{Backend: vaultBackend{a}, Rate: 1 << 30, Burst: 1 << 30, Login: true}),
	}
}
