package store_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"brenner/internal/store"
)

// backends are those that keep their schema in migrations.
var backends = []string{"sqlite", "postgres"}

// J8: a migration that is on main never changes, in neither database: whoever
// built the program has databases that were made by it. That is earlier than a
// release (so far there is none), and on purpose: nobody has to remember which
// of them somebody uses. Every migration has its checksum here, and a database
// of its schema in cmd/brenner/testdata/released; `make released` makes both.
func TestMigrations_ReleasedOnesNeverChange(t *testing.T) {
	const file = "testdata/migrations.sum"
	sums, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("BRENNER_UPDATE") != "" {
		sums = append(sums, missing(string(sums), present(t))...)
		if err := os.WriteFile(file, sums, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range unguarded(string(sums), present(t)) {
		t.Error(wrong)
	}
}

// J8: the guard itself sees each way of changing what was released.
func TestMigrations_TheGuardSeesEveryChange(t *testing.T) {
	released := steps{"sqlite": {"0001_a": "A", "0002_b": "B"}, "postgres": {"0001_a": "A", "0002_b": "B"}}
	sums := missing("", released)
	for _, c := range []struct {
		name   string
		change func(s steps)
		want   string // empty: nothing is wrong
	}{
		{"nothing", func(steps) {}, ""},
		{"a new one in both", func(s steps) { s["sqlite"]["0003_c"], s["postgres"]["0003_c"] = "C", "C" }, "sqlite/migrations/0003_c.sql has no checksum"},
		{"one byte", func(s steps) { s["sqlite"]["0001_a"] = "a" }, "sqlite/migrations/0001_a.sql was released and has changed"},
		{"taken away", func(s steps) { delete(s["postgres"], "0002_b") }, "postgres/migrations/0002_b.sql was released and is gone"},
		{"in one database", func(s steps) { s["sqlite"]["0003_c"] = "C" }, "0003_c is in sqlite and not in postgres"},
		{"with two names", func(s steps) { s["sqlite"]["0003_c"], s["postgres"]["0003_d"] = "C", "C" }, "0003_c is in sqlite and not in postgres"},
		{"slipped in between", func(s steps) { s["sqlite"]["0001_z"], s["postgres"]["0001_z"] = "Z", "Z" }, "0001_z comes before 0002_b, which was released"},
	} {
		now := steps{}
		for _, b := range backends {
			now[b] = map[string]string{}
			for _, name := range released.names(b) {
				now[b][name] = released[b][name]
			}
		}
		c.change(now)
		found := strings.Join(unguarded(sums, now), "\n")
		if (c.want == "") != (found == "") || !strings.Contains(found, c.want) {
			t.Errorf("%s: found %q, want %q", c.name, found, c.want)
		}
	}
}

func TestMigrations_AreNumberedWithoutAGap(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	for name, files := range map[string]fstest.MapFS{
		"none":      {},
		"a gap":     {"migrations/0001_a.sql": file, "migrations/0003_c.sql": file},
		"a twin":    {"migrations/0001_a.sql": file, "migrations/0001_b.sql": file},
		"from zero": {"migrations/0000_a.sql": file},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			store.Migrations(files)
		})
	}
	got := store.Migrations(fstest.MapFS{"migrations/0001_a.sql": file, "migrations/0002_b.sql": file})
	if want := []store.Migration{{1, "0001_a", "SELECT 1"}, {2, "0002_b", "SELECT 1"}}; !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

// steps are the statements of every migration, by backend and name.
type steps map[string]map[string]string

func (s steps) names(backend string) []string {
	var names []string
	for name := range s[backend] {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// present gives the migrations of the program as it is.
func present(t *testing.T) steps {
	t.Helper()
	all := steps{}
	for _, b := range backends {
		all[b] = map[string]string{}
		for _, m := range store.Migrations(os.DirFS(b)) {
			all[b][m.Name] = m.SQL
		}
	}
	return all
}

// pathOf is how a migration is named among the checksums.
func pathOf(backend, name string) string { return backend + "/migrations/" + name + ".sql" }

// missing gives the lines of those migrations that have no checksum yet, as
// sha256sum writes them.
func missing(sums string, now steps) string {
	var more strings.Builder
	for _, b := range backends {
		for _, name := range now.names(b) {
			if path := pathOf(b, name); !strings.Contains(sums, path) {
				fmt.Fprintf(&more, "%x  %s\n", sha256.Sum256([]byte(now[b][name])), path)
			}
		}
	}
	return more.String()
}

// unguarded says what is wrong with migrations, given the checksums of those
// that were released, as sha256sum writes them.
func unguarded(sums string, now steps) (wrong []string) {
	last := "" // name of the last that was released
	for line := range strings.Lines(sums) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		backend, file, _ := strings.Cut(path, "/migrations/")
		name := strings.TrimSuffix(file, ".sql")
		last = max(last, name)
		sql, there := now[backend][name]
		switch {
		case !there:
			wrong = append(wrong, path+" was released and is gone")
		case fmt.Sprintf("%x", sha256.Sum256([]byte(sql))) != sum:
			wrong = append(wrong, path+" was released and has changed: put it back and write a new migration")
		}
	}
	if last == "" {
		wrong = append(wrong, "no migration was ever released")
	}
	for i, backend := range backends {
		other := backends[1-i]
		for _, name := range now.names(backend) {
			if _, there := now[other][name]; !there {
				wrong = append(wrong, fmt.Sprintf("%s is in %s and not in %s", name, backend, other))
			}
			switch path := pathOf(backend, name); {
			case strings.Contains(sums, path):
			case name < last:
				wrong = append(wrong, fmt.Sprintf("%s comes before %s, which was released", name, last))
			default:
				wrong = append(wrong, path+" has no checksum: run `make released`")
			}
		}
	}
	return wrong
}
