package api_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store/memory"
)

// A program that is given a Service need not know where the project is: in a
// file, in a database or behind a server (package client).
func Example() {
	s, stop := scratch()
	defer stop()
	ctx := context.Background()

	for _, id := range []brenner.ArtifactID{"clones", "grafts", "pedigrees"} {
		_, err := s.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: id, Type: "model_spec", Summary: "what the " + string(id) + " show",
			Content: api.Body{Format: artifact.Text, Data: "Lineage is kept in clones."},
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	_, err := s.Promote(ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: "clones", Version: 1}, Reason: "counted twice"})
	if err != nil {
		log.Fatal(err)
	}

	// Listings come in pages; the cursor of one asks for the next.
	page := api.Page{Limit: 2}
	for {
		list, err := s.Artifacts(ctx, api.ListArtifactsRequest{Page: page})
		if err != nil {
			log.Fatal(err)
		}
		for _, a := range list.Items {
			fmt.Println(a.ID, a.Status)
		}
		if page.Cursor = list.Cursor; page.Cursor == "" {
			break
		}
	}

	// A refusal has a code that programs match on, and says what to do.
	_, err = s.Promote(ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: "grafts", Version: 7}, Reason: "why not"})
	fmt.Println(errors.Is(err, brenner.CodeNotFound))
	// Output:
	// clones canonical
	// grafts draft
	// pedigrees draft
	// true
}

// scratch is a project in memory, as its PI has it.
func scratch() (api.Service, func()) {
	store := memory.New()
	a := app.New(store, app.Options{})
	if _, err := a.Init(context.Background(), api.InitRequest{Name: "Cell fate", PI: "ada"}); err != nil {
		log.Fatal(err)
	}
	return a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}), func() { _ = store.Close() }
}
