package store

import (
	"fmt"
	"io/fs"
	"strings"
)

// Migration is one step of a schema. Every backend has the same numbers and
// names. Once released, a step never changes: testdata/migrations.sum holds
// what was released, and databases in use were made by it.
type Migration struct {
	Version int
	Name    string // NNNN_name
	SQL     string
}

// Migrations reads the steps of a backend in order, from files
// migrations/NNNN_name.sql that are part of the program; it panics where they
// are not numbered from 1 without a gap.
func Migrations(files fs.FS) []Migration {
	paths, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil || len(paths) == 0 {
		panic(fmt.Sprintf("store: no migrations: %v", err))
	}
	steps := make([]Migration, len(paths))
	for i, path := range paths {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", i+1)) {
			panic(fmt.Sprintf("store: %s is not migration %d", name, i+1))
		}
		sql, err := fs.ReadFile(files, path)
		if err != nil {
			panic(fmt.Sprintf("store: %s: %v", name, err))
		}
		steps[i] = Migration{i + 1, name, string(sql)}
	}
	return steps
}
