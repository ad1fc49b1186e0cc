package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/client"
	"brenner/internal/app"
	"brenner/internal/httpapi"
	"brenner/internal/store/memory"
)

func Example() {
	// In your program these come from `brenner serve` and `brenner agent token`.
	address, token, stop := startServer()
	defer stop()

	c, err := client.New(address, token)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	written, err := c.CreateArtifact(ctx, api.CreateArtifactRequest{
		Write: api.Write{Key: "import-smith-2024"}, // safe to repeat
		ID:    "smith-2024", Type: "model_spec", Summary: "fate follows lineage",
		Content: api.Body{Format: artifact.Text, Data: "Nine of ten clones keep their fate."},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(written.Ref, written.Status)

	_, err = c.Artifact(ctx, api.ArtifactRequest{Ref: brenner.Ref{Artifact: "jones-2025"}})
	fmt.Println(errors.Is(err, brenner.CodeNotFound), err)
	// Output:
	// smith-2024@1 draft
	// true NOT_FOUND: there is no artifact "jones-2025"
}

func ExampleWithTransport() {
	address, token, stop := startServer()
	defer stop()

	c, err := client.New(address, token, client.WithTransport(counting{http.DefaultTransport}))
	if err != nil {
		log.Fatal(err)
	}
	p, err := c.Project(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Name)
	// Output:
	// GET /api/v1/project
	// Cell fate
}

// counting says what is asked.
type counting struct{ http.RoundTripper }

func (c counting) RoundTrip(h *http.Request) (*http.Response, error) {
	fmt.Println(h.Method, h.URL.Path)
	return c.RoundTripper.RoundTrip(h)
}

// startServer serves a scratch project in memory.
func startServer() (address, token string, stop func()) {
	ctx, store := context.Background(), memory.New()
	a := app.New(store, app.Options{})
	if _, err := a.Init(ctx, api.InitRequest{Name: "Cell fate", PI: "ada"}); err != nil {
		log.Fatal(err)
	}
	issued, err := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}).IssueToken(ctx, api.IssueTokenRequest{Actor: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	s := httptest.NewServer(httpapi.New(httpapi.Options{Backend: backend{a}, Log: slog.New(slog.DiscardHandler)}))
	return s.URL, issued.Secret, func() {
		s.Close()
		_ = store.Close()
	}
}

// backend is the application as a server asks it.
type backend struct{ *app.App }

func (b backend) Authenticate(ctx context.Context, token string) (httpapi.Caller, error) {
	who, err := b.App.Authenticate(ctx, token)
	return httpapi.Caller{Service: b.As(who), Name: who.Name, Auth: who.Auth}, err
}

func (b backend) Owner(ctx context.Context) (httpapi.Caller, error) {
	name, err := b.App.Owner(ctx)
	return httpapi.Caller{Service: b.As(app.Identity{Name: name, Auth: app.AuthLogin}), Name: name, Auth: app.AuthLogin}, err
}
