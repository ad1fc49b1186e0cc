package app_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/store"
	"brenner/internal/store/sqlite"
)

// BenchmarkDurable measures durable writes of a version of 2 KiB through the whole
// service (policy, schema, journal, Merkle log, tables) on SQLite, a fixed number of
// them, each with how long single calls took. Beside it the very rows that the service
// wrote are inserted into the same schema through the same driver, as many to a commit
// as there were writers, and nothing else is done. A burst ends with the last answer;
// a sustained run ends when every text can be found, and the rows beside it go with
// their texts into a plain FTS5 table. same is the rate over that of the rows beside it,
// by the clock and by processor time, which a busy machine does not change much.
func BenchmarkDurable(b *testing.B) {
	for _, run := range []struct {
		name             string
		writers, writes  int
		findable, longer bool
	}{
		{name: "single", writers: 1, writes: 1_000},
		{name: "burst", writers: 64, writes: 4_096},
		{name: "burst", writers: 64, writes: 8_192},
		{name: "sustained", writers: 64, writes: 16_384, findable: true},
		{name: "sustained", writers: 64, writes: 65_536, findable: true, longer: true},
	} {
		b.Run(fmt.Sprintf("%s/writes=%d", run.name, run.writes), func(b *testing.B) {
			if run.longer && testing.Short() {
				b.Skip("takes minutes")
			}
			path := filepath.Join(b.TempDir(), "project.db")
			svc, s := benchStore(b, path)
			before := filepath.Join(b.TempDir(), "before.db")
			snapshot(b, path, before)
			reqs := make([]api.CreateArtifactRequest, run.writes)
			for i := range reqs {
				reqs[i] = benchNote(i)
			}
			for b.Loop() { // one run is a measurement; its size is fixed
			}
			took := make([]time.Duration, run.writes)
			start, cpu := time.Now(), processTime()
			writeAll(b, svc, reqs, took, run.writers)
			after := filepath.Join(b.TempDir(), "after.db")
			if !run.findable {
				cost := spend{time.Since(start), processTime() - cpu}
				snapshot(b, path, after)
				report(b, took, cost, insertAgain(b, before, after, reqs[:0], run.writes, run.writers))
				return
			}
			settle(b, s)
			cost := spend{time.Since(start), processTime() - cpu}
			snapshot(b, path, after)
			report(b, took, cost, insertAgain(b, before, after, reqs, run.writes, run.writers))
		})
	}
}

// spend is what something took, by the clock and of the processor.
type spend struct{ wall, cpu time.Duration }

func report(b *testing.B, took []time.Duration, ours, beside spend) {
	b.Helper()
	p50, p99 := percentiles(b, took)
	b.ReportMetric(p99/p50, "p99/p50")
	n := float64(len(took))
	b.ReportMetric(n/ours.wall.Seconds(), "writes/s")
	b.ReportMetric(n/beside.wall.Seconds(), "rows-beside/s")
	b.ReportMetric(float64(ours.cpu.Microseconds())/n, "cpu-µs/write")
	b.ReportMetric(float64(beside.cpu.Microseconds())/n, "cpu-µs/rows-beside")
	b.ReportMetric(beside.wall.Seconds()/ours.wall.Seconds(), "same")
	b.ReportMetric(beside.cpu.Seconds()/ours.cpu.Seconds(), "same-cpu")
}

// benchStore is benchProject with the store.
func benchStore(b *testing.B, path string) (api.Service, store.Store) {
	b.Helper()
	s, err := sqlite.Open(b.Context(), path, sqlite.Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return benchService(b, s), s
}

// settle lets every text be found that was written.
func settle(b *testing.B, s store.Store) {
	b.Helper()
	if err := s.(interface{ Settle(context.Context) error }).Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// writeAll writes everything by so many writers, and notes how long each call took.
func writeAll(b *testing.B, svc api.Service, reqs []api.CreateArtifactRequest, took []time.Duration, writers int) {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(reqs)); i = next.Add(1) - 1 {
				start := time.Now()
				if _, err := svc.CreateArtifact(context.Background(), reqs[i]); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	all.Wait()
}

// rawDatabase opens a file without the store.
func rawDatabase(b *testing.B, path string) *sql.DB {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(60000)&_pragma=foreign_keys(ON)&_pragma=cache_size(-16384)&_pragma=wal_autocheckpoint(2000)")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// snapshot copies a database as it stands.
func snapshot(b *testing.B, path, to string) {
	b.Helper()
	if _, err := rawDatabase(b, path).Exec("VACUUM INTO ?", to); err != nil {
		b.Fatal(err)
	}
}

// table is what a run wrote into one table.
type table struct {
	insert string
	rows   [][]any
}

// written gives the rows that stand in one database and not in another, of every
// table but those that the full-text index consists of.
func written(b *testing.B, before, after string) []table {
	b.Helper()
	db := rawDatabase(b, after)
	if _, err := db.Exec("ATTACH ? AS earlier", before); err != nil {
		b.Fatal(err)
	}
	var names []string
	list, err := db.Query("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'index_%'")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	for list.Next() {
		var name string
		if err := list.Scan(&name); err != nil {
			b.Fatal(err)
		}
		names = append(names, name)
	}
	if err := list.Err(); err != nil {
		b.Fatal(err)
	}
	var out []table
	for _, name := range names {
		if one := writtenInto(b, db, name); len(one.rows) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// writtenInto gives the rows of one table that were not there earlier.
func writtenInto(b *testing.B, db *sql.DB, name string) table {
	b.Helper()
	rows, err := db.Query(fmt.Sprintf("SELECT * FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM earlier.%[1]s) ORDER BY 1", name))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	out := table{insert: fmt.Sprintf("INSERT OR REPLACE INTO %s VALUES (?%s)", name, strings.Repeat(", ?", len(columns)-1))}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			b.Fatal(err)
		}
		for i, v := range values {
			if bytes, is := v.([]byte); is && len(bytes) == 0 {
				values[i] = []byte{} // no bytes are not NULL
			}
		}
		out.rows = append(out.rows, values)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return out
}

// insertAgain inserts the rows of some writes into the schema as it was before them,
// so many writes to a commit, and their texts, if any are given, into a plain FTS5
// table.
func insertAgain(b *testing.B, before, after string, texts []api.CreateArtifactRequest, writes, batch int) spend {
	b.Helper()
	tables := written(b, before, after)
	rows := 0
	for _, t := range tables {
		rows += len(t.rows)
	}
	b.ReportMetric(float64(rows)/float64(writes), "rows/write")
	found := table{insert: "INSERT INTO plain (rowid, summary, text) VALUES (?, ?, ?)"}
	for i, r := range texts {
		found.rows = append(found.rows, []any{i + 1, r.Summary, r.Content.Data})
	}
	tables = append(tables, found)
	path := filepath.Join(b.TempDir(), "again.db")
	file, err := os.ReadFile(before)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		b.Fatal(err)
	}
	db := rawDatabase(b, path)
	if _, err := db.Exec("CREATE VIRTUAL TABLE plain USING fts5(summary, text, content='')"); err != nil {
		b.Fatal(err)
	}
	inserts := make([]*sql.Stmt, len(tables))
	for i, t := range tables {
		inserts[i] = prepared(b, db, t.insert)
	}
	do := func(query string) { // on the one connection
		if _, err := db.Exec(query); err != nil {
			b.Fatal(query, err)
		}
	}
	start, cpu := time.Now(), processTime()
	for from := 0; from < writes; from += batch {
		to := min(from+batch, writes)
		do("BEGIN IMMEDIATE")
		do("PRAGMA defer_foreign_keys = ON")
		for i, t := range tables {
			for _, row := range t.rows[len(t.rows)*from/writes : len(t.rows)*to/writes] {
				if _, err := inserts[i].Exec(row...); err != nil {
					b.Fatal(t.insert, err)
				}
			}
		}
		do("COMMIT")
	}
	return spend{time.Since(start), processTime() - cpu}
}

// prepared gives a statement that lives as long as the benchmark.
func prepared(b *testing.B, db *sql.DB, query string) *sql.Stmt {
	b.Helper()
	s, err := db.Prepare(query)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}
