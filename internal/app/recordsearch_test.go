package app_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// A search of the journal finds what reading every record whole would, wherever in it the
// words stand: in a text of whatever kind of record, beside one, in what was redacted.
func TestRecords_ASearchFindsWhatReadingEveryRecordWould(t *testing.T) {
	stores := map[string]func(*testing.T) (store.Store, error){
		"memory": func(*testing.T) (store.Store, error) { return memory.New(), nil },
		"SQLite": func(t *testing.T) (store.Store, error) {
			skipShort(t)
			return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
		},
		"PostgreSQL": func(t *testing.T) (store.Store, error) {
			skipShort(t)
			return postgres.Open(t.Context(), pgtest.Open(t)+"&project=search", postgres.Options{Create: true})
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			s, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			searchesAsReading(t, s)
		})
	}
}

func searchesAsReading(t *testing.T, s store.Store) {
	a := on(t, s)
	config := &api.ConfigFile{Name: ".brennerrc", Data: apitest.VaultConfig}
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: config}); err != nil {
		t.Fatal(err)
	}
	pi := world{app: a, pi: "ada"}.PI()
	apitest.FillVault(t, pi)
	const said = `Say "a\\b" in ÄHRE` + "\n" + `and end with \`
	task, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: strings.Repeat("ready ", 9), Spec: said, Role: "integrator", CrossCutting: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "long", Spec: strings.Repeat("long ", 4000) + "Willow", Role: "integrator", CrossCutting: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "of no use", Spec: "to go", Role: "integrator", CrossCutting: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := pi.Redact(t.Context(), api.RedactRequest{Digest: canon.Sum([]byte("to go")), Reason: "it must go", Everywhere: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "ends", Spec: `with \`, Role: "integrator", CrossCutting: true}); err != nil {
		t.Fatal(err)
	}
	_, err = pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "trees", Type: "paper_note", Module: "lineage", Summary: "of trees", Tags: []string{"birch", "poplar"}, Content: api.Body{Format: artifact.Text, Data: "no tree"},
	})
	if err != nil {
		t.Fatal(err)
	}
	// What is remembered of the records by now says nothing of what is redacted after it, here and elsewhere.
	searchesFind(t, s, pi, said, task.ID)
	elsewhere := world{app: on(t, s), pi: "ada"}.PI()
	for i, by := range []api.Service{pi, elsewhere} {
		text := []string{"of no use", "ends"}[i]
		if _, err := by.Redact(t.Context(), api.RedactRequest{Digest: canon.Sum([]byte(text)), Reason: "it must go too", Everywhere: true}); err != nil {
			t.Fatal(err)
		}
		searchesFind(t, s, pi, said, task.ID)
	}
}

// searchesFind searches for words and sees that what is found is what reading every record finds.
func searchesFind(t *testing.T, s store.Store, pi api.Service, said, task string) {
	t.Helper()
	records := wholeRecords(t, s, pi)
	found := 0
	for _, text := range []string{
		apitest.Marker, strings.ToUpper(apitest.Marker[1:]), `"a\\b"`, `\\b" in`, "ähre\nand", "n", `\`, `"`, `\"`, `",`, "WILLOW", "[redacted]", "of no use", "birch", "Poplar", "no tree",
		"texts", "true}", "2}", "},", string(canon.Sum([]byte(said)))[:9], task, "payload", "nowhere at all",
	} {
		quoted := string(canon.MustMarshal(text))
		var want []int64
		for i, rec := range records {
			if strings.Contains(rec, strings.ToLower(quoted[1:len(quoted)-1])) {
				want = append(want, int64(i+1))
			}
		}
		found += len(want)
		for _, newest := range []bool{false, true} {
			var got []int64
			for req := (api.RecordsRequest{Text: text, Limit: 7, Newest: newest}); ; {
				page, err := pi.Records(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				for _, rec := range page.Records {
					got = append(got, rec.Seq)
				}
				if req.Cursor = page.Cursor; !page.More {
					break
				}
			}
			if newest {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, newest first %v: records %v, not %v", text, newest, got, want)
			}
		}
	}
	if found < 2*len(records) {
		t.Errorf("%d found among %d records: this test would pass on little", found, len(records))
	}
}

// wholeRecords are the records with their texts, as they stand in the journal but in lower case.
func wholeRecords(t *testing.T, s store.Store, pi api.Service) []string {
	t.Helper()
	var payloads []api.RecordInfo
	for req := (api.RecordsRequest{Limit: brenner.MaxPage}); ; {
		page, err := pi.Records(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		payloads = append(payloads, page.Records...)
		if req.Cursor = page.Cursor; !page.More {
			break
		}
	}
	var out []string
	err := s.Read(t.Context(), func(r store.Reader) error {
		return journal.Each(t.Context(), r, 0, func(row store.Record) error {
			rec, err := journal.Parse(row)
			rec.Payload, rec.Texts = payloads[row.Seq-1].Payload, false
			out = append(out, strings.ToLower(string(canon.MustMarshal(rec))))
			return err
		})
	})
	if err != nil || len(out) == 0 {
		t.Fatal(len(out), err)
	}
	return out
}
