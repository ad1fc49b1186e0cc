package app_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"

	"github.com/jackc/pgx/v5"
)

// J7: whatever text anybody wrote anywhere, once it is redacted no record, no
// table, no index, no stored result, no page of the file and no later export has
// it. The project goes on, verifies, replays to the same and imports.
func TestRedact_NoTextThatWasWrittenOutlivesItsRedaction(t *testing.T) {
	skipShort(t)
	path := filepath.Join(t.TempDir(), "project.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	config := &api.ConfigFile{Name: ".brennerrc", Data: apitest.VaultConfig}
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: config}); err != nil {
		t.Fatal(err)
	}
	w := world{app: a, pi: "ada"}
	pi := w.PI()
	apitest.FillVault(t, pi)
	marker := []byte(apitest.Marker)
	all := contentsWith(t, s, marker)
	gone, err := pi.Redact(t.Context(), api.RedactRequest{Digest: all[0], Also: all[1:], Reason: "it must go", Everywhere: true})
	if err != nil || len(gone.Also) != len(all)-1 || len(gone.Texts) < len(all)/2 {
		t.Fatalf("of %d: %+v, %v", len(all), gone, err)
	}
	t.Logf("%d contents and texts redacted", len(all))
	if left := contentsWith(t, s, marker); len(left) > 0 {
		t.Errorf("%d contents still have it", len(left))
	}
	err = s.Read(t.Context(), func(r store.Reader) error {
		for _, table := range store.Tables() {
			if err := r.Each(t.Context(), table, func(row any) error {
				if b := canon.MustMarshal(row); bytes.Contains(b, marker) {
					t.Errorf("table %s: %s", table, b)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return journal.Each(t.Context(), r, 0, func(row store.Record) error {
			if bytes.Contains(row.Data, marker) {
				t.Errorf("record %s", row.Data)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := pi.Verify(t.Context(), api.VerifyRequest{Deep: true})
	if err != nil || !res.OK {
		t.Errorf("verify says %+v, %v", res.Findings, err)
	}
	replayed, err := pi.Replay(t.Context(), api.ReplayRequest{})
	if err != nil || !replayed.Same {
		t.Errorf("a replay gives another state: %+v, %v", replayed, err)
	}
	var export bytes.Buffer
	if _, err := pi.Export(t.Context(), &export); err != nil || bytes.Contains(export.Bytes(), marker) {
		t.Errorf("an export made later has it, or %v", err)
	}
	if _, err := app.New(memory.New(), app.Options{}).Import(t.Context(), &export, nil); err != nil {
		t.Errorf("it cannot be imported: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(bytes.ToLower(data), bytes.ToLower(marker)); n > 0 {
			t.Errorf("%s has it %d times", filepath.Base(file), n)
		}
	}
}

// J7, X2: a result that is kept for an idempotency key says its texts by their
// hash: a repeat gives the same answer as long as they are there, and says that
// they are gone when they are. What stands in several records is asked about, and
// a text that was redacted cannot be written again.
func TestRedact_TextsOfStoredResultsGoWithThem(t *testing.T) {
	const secret = "ZANZIBAR-17" // one word, as a key or a name is
	s := failingOften(t)
	w := newWorld(t, s)
	pi := w.PI()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	open := api.NewTaskRequest{Write: api.Write{Key: "k1"}, Title: secret, Spec: "look for it", Role: "integrator", Modules: []brenner.Module{"lineage"}}
	first, err := pi.NewTask(t.Context(), open)
	must(err)
	learn := api.LearnRequest{Write: api.Write{Key: "k2"}, Insights: []api.Insight{{Section: "neutral", Content: secret}}}
	_, err = pi.Learn(t.Context(), learn)
	must(err)
	again, err := pi.NewTask(t.Context(), open)
	must(err)
	if !reflect.DeepEqual(again, first) || again.Title != secret {
		t.Errorf("the repeat says %+v, not %+v", again, first)
	}
	found, err := pi.Records(t.Context(), api.RecordsRequest{Text: strings.ToLower(secret)})
	must(err)
	if len(found.Records) < 2 {
		t.Fatalf("%d records say it", len(found.Records))
	}
	at := found.Records[0].Seq
	for _, member := range []string{"", "name"} {
		if _, err := pi.Redact(t.Context(), api.RedactRequest{Record: at, Member: member, Reason: "x"}); brenner.CodeOf(err) != brenner.CodeInvalidValue || !strings.Contains(err.Error(), "title") {
			t.Errorf("which of its texts: %v", err)
		}
	}
	req := api.RedactRequest{Record: at, Member: "title", Reason: "it is a key"}
	if _, err := pi.Redact(t.Context(), req); !errors.Is(err, brenner.CodeRedactsMore) {
		t.Errorf("a text that other records say too: %v", err)
	}
	req.Everywhere = true
	gone, err := pi.Redact(t.Context(), req)
	must(err)
	if len(gone.Texts) < 2 || gone.Texts[0].Record != at || gone.Texts[0].Member != "title" || len(gone.Inline) > 0 {
		t.Errorf("it says %+v", gone)
	}
	again, err = pi.NewTask(t.Context(), open)
	if err != nil || again.ID != first.ID || again.Title != kernel.RedactedText {
		t.Errorf("a repeat says %+v, %v", again, err)
	}
	list, err := pi.Bullets(t.Context(), api.ListBulletsRequest{})
	must(err)
	if len(list.Bullets) > 0 && strings.Contains(string(canon.MustMarshal(list)), secret) {
		t.Errorf("the lesson still stands there: %+v", list)
	}
	open.Key = "k3"
	if next, err := pi.NewTask(t.Context(), open); !errors.Is(err, brenner.CodeRedacted) {
		t.Errorf("another with the same title: %+v, %v", next, err)
	}
	if left := contentsWith(t, s, []byte(secret)); len(left) > 0 {
		t.Errorf("%d contents have it", len(left))
	}
	res, err := pi.Verify(t.Context(), api.VerifyRequest{})
	if err != nil || !res.OK {
		t.Errorf("verify says %+v, %v", res.Findings, err)
	}
	after, err := pi.Learn(t.Context(), api.LearnRequest{Insights: []api.Insight{{Section: "neutral", Content: "measure twice"}}})
	if err != nil || len(after.Outcomes) != 1 {
		t.Errorf("the playbook goes on: %+v, %v", after, err)
	}
}

// contentsWith lists the contents that have some bytes.
func contentsWith(t *testing.T, s store.Store, what []byte) []brenner.Digest {
	t.Helper()
	var out []brenner.Digest
	err := s.Read(t.Context(), func(r store.Reader) error {
		return r.EachBlob(t.Context(), func(d brenner.Digest, data []byte) error {
			if bytes.Contains(data, what) {
				out = append(out, d)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// J7: every member of every kind of record that can hold words is a text, which
// stands there by its hash; what is not is listed here, as a name or as one of
// our own words. A new member is one or the other.
func TestRedact_EveryMemberOfARecordIsATextOrAName(t *testing.T) {
	names := map[string]bool{}
	for _, line := range strings.Fields(namesInRecords) {
		names[line] = true
	}
	for kind, p := range app.Payloads() {
		var walk func(of reflect.Type, at string, depth int)
		walk = func(of reflect.Type, at string, depth int) {
			switch {
			case depth > 12:
				t.Errorf("%s %s goes on for ever", kind, at)
			case of.Kind() == reflect.Pointer:
				walk(of.Elem(), at, depth+1)
			case of.Kind() == reflect.Slice && of.Elem().Kind() != reflect.Uint8, of.Kind() == reflect.Array:
				walk(of.Elem(), at+"/*", depth+1)
			case of.Kind() == reflect.Map:
				walk(of.Elem(), at+"/*", depth+1)
			case of.Kind() == reflect.Struct && of.PkgPath() != "time":
				for i := range of.NumField() {
					f := of.Field(i)
					name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
					switch {
					case name == "-" || !f.IsExported() && !f.Anonymous:
					case strings.Contains(options, "inline") || f.Anonymous && name == "":
						walk(f.Type, at, depth+1)
					default:
						walk(f.Type, at+"/"+name, depth+1)
					}
				}
			case of == reflect.TypeFor[string]() || of.Kind() == reflect.Slice || of.Kind() == reflect.Interface:
				member := kind + at
				if text := p.Text(at); text == names[member] {
					t.Errorf("%s is a text: %v, and a name: %v", member, text, names[member])
				}
				delete(names, member)
			}
		}
		walk(p.Type, "", 0)
	}
	for name := range names {
		t.Errorf("no record has a %s", name)
	}
}

// namesInRecords are the members of records that are plain strings and no free
// text: ids, names of members of the project, of files and of programs, words of
// our own, and what a configuration says to machines.
const namesInRecords = `
actor.put/kind
automation.fired/event/subject
automation.fired/event/task
automation.fired/rule
automation.fired/subject
automation.fired/tasks/*
automation.looked/rules/*
automation.paused/rule
automation.paused/rules/*
automation.resumed/rule
automation.resumed/rules/*
bullet.updated/insight/source/task
bullet.updated/new/source/task
bullet.updated/new/witnesses/*/contexts/*
bullet.updated/new/witnesses/*/occasion
bullet.updated/witnesses/*/contexts/*
bullet.updated/witnesses/*/occasion
changes.requested/comments/*
changes.requested/task
comment.settled/id
comment.written/id
comment.written/reply
config.applied/config/automation/*/name
config.applied/config/notify/allow/*
config.applied/config/notify/kinds/*
config.applied/config/notify/webhooks/*/secret
config.applied/config/notify/webhooks/*/url
config.applied/config/playbook/embedding/model
config.applied/config/playbook/embedding/provider
config.applied/config/playbook/embedding/url
config.applied/config/policies/*
config.applied/config/programs/*/args/*
config.applied/config/programs/*/endpoint
config.applied/config/programs/*/env/*
config.applied/config/programs/*/executable
config.applied/config/programs/*/file
config.applied/config/programs/*/key
config.applied/config/programs/*/model
config.applied/config/prompts/*/path
config.applied/config/roster/createdAt
config.applied/config/roster/defaultPreset
config.applied/config/roster/entries/*/model
config.applied/config/roster/entries/*/program
config.applied/config/roster/name
config.applied/config/roster/presets/*/entries/*/model
config.applied/config/roster/presets/*/entries/*/program
config.applied/config/roster/presets/*/id
config.applied/config/roster/presets/*/name
config.applied/config/roster/presets/*/placeholderNames/*
config.applied/config/types/*/format
config.applied/config/types/*/schema
config.applied/config/types/*/singleton
config.applied/config/views/*
config.applied/file
consolidation.done/tasks/*
context.assembled/after
context.assembled/bullets/*
context.assembled/id
context.assembled/task
context.assembled/view
context.read/id
history.accepted/root
message.acked/id
message.read/id
message.sent/id
message.sent/task
message.tried/as
message.tried/id
message.tried/mail_id
message.tried/sender
notice.queued/gone/*
notice.queued/items/*/subject
notice.queued/to/*
notice.tried/id
patch.failed/counter
patch.failed/pointer
playbook.frozen/embedding/fingerprint
playbook.frozen/embedding/model
playbook.frozen/embedding/provider
project.created/name
reply.received/deltas/*/delta_id
reply.received/message
reply.received/stamp
reply.received/via
run.ended/end/base
run.ended/end/branch
run.ended/end/context
run.ended/end/exit/signal
run.ended/end/model
run.ended/id
run.renewed/id
run.started/ask
run.started/id
run.started/program/model
run.started/program/name
run.started/runner
run.started/task
run.started/token
run.stop_asked/id
session.compiled/deltas/*/id
session.compiled/deltas/*/outcome/delta_id
session.compiled/deltas/*/outcome/message_id
session.compiled/deltas/*/outcome/pointer
session.started/roster/createdAt
session.started/roster/entries/*/model
session.started/roster/entries/*/program
stalemate.raised/counter
stalemate.raised/missing/*
stalemate.raised/origin
stalemate.raised/target
status.decided/over/*
task.canceled/id
task.claimed/id
task.completed/id
task.completed/moved/*/through
task.completed/summaries/*/through
task.doing/ends
task.doing/id
task.doing/offers
task.opened/id
task.opened/kind
task.opened/on/*
task.released/id
token.issued/id
token.prolonged/id
token.revoked/id
version.written/invocation
version.written/slot
version.written/task
`

// J7: on PostgreSQL too what is redacted is in no row of any table afterwards; that
// the database keeps the bytes in rows it uses no more is said, and after what is
// said to help they are in none of its files but the logs.
func TestRedact_OnPostgreSQL(t *testing.T) {
	skipShort(t)
	const secret = "zanzibar seventeen"
	database := pgtest.Open(t)
	s, err := postgres.Open(t.Context(), database+"&project=fate", postgres.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	pi := newWorld(t, s).PI()
	made, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		Write: api.Write{Key: "k1"}, ID: "n", Type: "paper_note", Module: "lineage", Summary: "of " + secret,
		Content: api.Body{Format: artifact.Text, Data: strings.Repeat(secret+" met somebody. ", 1000)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "ask " + secret, Spec: "look for " + secret, Role: "integrator", Modules: []brenner.Module{"lineage"}}); err != nil {
		t.Fatal(err)
	}
	all := contentsWith(t, s, []byte(secret))
	gone, err := pi.Redact(t.Context(), api.RedactRequest{Ref: made.Ref, Also: all, Reason: "a name", Everywhere: true})
	if err != nil || len(gone.Texts) < 3 || !strings.Contains(gone.Retained, "VACUUM FULL") {
		t.Fatalf("it says %+v, %v", gone, err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	names, err := conn.Query(t.Context(), "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(names, pgx.RowTo[string])
	if err != nil || len(tables) < 5 {
		t.Fatal(tables, err)
	}
	word, _, _ := strings.Cut(secret, " ")
	for _, table := range tables {
		var n int
		// as text, bytes stand there in hex
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" AS t WHERE t::text ILIKE '%'||$1::text||'%' OR t::text LIKE '%'||encode(convert_to($1, 'UTF8'), 'hex')||'%'", word).Scan(&n)
		if err != nil || n > 0 {
			t.Errorf("%s: %d rows have it, %v", table, n, err)
		}
	}
	var dir string
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database WHERE datname = current_database()").Scan(&dir); err != nil {
		t.Fatal(err)
	}
	for _, help := range []string{"VACUUM FULL", "CHECKPOINT"} {
		if _, err := conn.Exec(t.Context(), help); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Skipf("the files of the server cannot be read here: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil && bytes.Contains(bytes.ToLower(data), []byte(word)) {
			t.Errorf("%s has it", f.Name())
		}
	}
}
