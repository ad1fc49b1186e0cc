package app_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// X10: each actor has a share of what is stored. Who has used it up is refused
// with a code, whatever it writes; the others and who leads the project go on,
// and the PI can set another share. What was refused is not counted.
func TestStorage_EachActorHasAShare(t *testing.T) {
	w := newWorld(t, failingOften(t))
	pi := w.PI()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []brenner.ActorName{"RedSky", "BlueLake"} {
		_, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: "integrator"})
		must(err)
	}
	share := func(bytes string) {
		_, err := pi.ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{
			Name: ".brennerrc", Data: `{"modules":["lineage"],"storage_per_actor":` + bytes + `}`,
		}})
		must(err)
	}
	write := func(as api.Service, id brenner.ArtifactID, bytes int) error {
		_, err := as.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: artifact.TypeRawLog, Module: "lineage", Summary: "a log",
			Content: api.Body{Format: artifact.Text, Data: strings.Repeat(string(id)+" ", bytes/(len(id)+1))},
		})
		return err
	}
	stored := func(name brenner.ActorName) int64 {
		list, err := pi.Agents(t.Context())
		must(err)
		for _, a := range list.Agents {
			if a.Name == name {
				return a.Stored
			}
		}
		t.Fatalf("no %s", name)
		return 0
	}
	share("100000")
	must(write(w.As("RedSky"), "one", 60_000))
	if n := stored("RedSky"); n < 60_000 || n > 70_000 {
		t.Errorf("it has stored %d bytes", n)
	}
	before := stored("RedSky")
	if err := write(w.As("RedSky"), "two", 60_000); !errors.Is(err, brenner.CodeStorageSpent) || !strings.Contains(err.Error(), "RedSky") {
		t.Errorf("beyond its share: %v", err)
	}
	if now := stored("RedSky"); now != before {
		t.Errorf("what was refused is counted: %d, before %d", now, before)
	}
	must(write(w.As("RedSky"), "three", 10_000))
	must(write(w.As("BlueLake"), "four", 60_000))
	must(write(pi, "five", 200_000))
	share("-1")
	must(write(w.As("RedSky"), "six", 200_000))
	if list, err := w.As("RedSky").Agents(t.Context()); err != nil || list.Agents[0].Stored != 0 {
		t.Errorf("an agent is told what others stored: %+v, %v", list, err)
	}
}
