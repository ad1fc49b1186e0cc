package jsonschema_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"brenner/canon"
	"brenner/internal/jsonschema"
)

// C5: the official suite of JSON Schema 2020-12, as a library that we link has it; without
// what refers to other documents, which no type of an artifact may, or has numbers that no
// content has.
func TestCheck_OfficialSuite(t *testing.T) {
	dir := filepath.Join(moduleDir(t, "github.com/google/jsonschema-go"), "jsonschema", "testdata", "draft2020-12")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files in %s: %v", len(files), dir, err)
	}
	cases, skipped := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(raw, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			name := filepath.Base(file) + ": " + g.Description
			raw, err := canon.Transform(g.Schema)
			if err != nil {
				skipped += len(g.Tests) // a number that is not stored
				continue
			}
			s, err := jsonschema.Compile(raw)
			if err != nil {
				if !strings.Contains(err.Error(), "outside it") && !strings.Contains(err.Error(), "not JSON Schema 2020-12") {
					t.Errorf("%s: %v", name, err)
				}
				skipped += len(g.Tests)
				continue
			}
			for _, c := range g.Tests {
				raw, err := canon.Transform(c.Data)
				if err != nil {
					skipped++
					continue
				}
				doc, err := jsonschema.Decode(raw)
				if err != nil {
					t.Fatal(err)
				}
				cases++
				found, err := s.Check(doc)
				if err != nil || (len(found) == 0) != c.Valid {
					t.Errorf("%s: %s: found %v, %v, valid is %t", name, c.Description, found, err, c.Valid)
				}
			}
		}
	}
	t.Logf("%d cases, %d left out", cases, skipped)
	if cases < 1000 || skipped > 60 {
		t.Errorf("%d cases, and %d left out", cases, skipped)
	}
}

func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
