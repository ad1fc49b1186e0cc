package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// layer is a row of the table: a package, or all below it with a trailing
// /..., and what it may import besides the vocabulary (the root package).
type layer struct {
	name string
	// ours lists packages of this module, "/..." meaning all below.
	ours []string
	// pure packages may use only the standard packages in pureStandard and
	// the modules in theirs; the others any.
	pure   bool
	theirs []string
}

// protocols are the pure packages, which adapters and machinery may all use.
var protocols = []string{
	"canon", "artifact", "config", "delta", "roster", "anchor", "stalemate",
	"claim", "playbook", "policy", "assembly", "lineage", "check", "snapshot", "retrieval", "program", "automation", "harvest",
}

// lineDiff is pure as the protocols are, and theirs alone: no surface compares
// lines by itself.
const lineDiff = "internal/linediff"

// jsonSchema is pure too, and for the types of artifacts.
const jsonSchema = "internal/jsonschema"

// lazily puts off what a package would make at the program's start; everybody
// may use it.
const lazily = "internal/lazy"

// ordering puts lists in order, pure as the protocols are; everybody may use it.
const ordering = "internal/order"

// testAid keeps the answers of tests; those of every package may use it, and
// nothing else.
const testAid = "internal/answers"

const (
	jsonLibrary = "github.com/go-json-experiment/json"
	yamlLibrary = "go.yaml.in/yaml/v4"
	markdown    = "github.com/yuin/goldmark"
	textLibrary = "golang.org/x/text"
)

// layers is the direction of the whole program:
//
//	cmd → adapters → api ← app → {store, protocols} → root → standard library
//
// Only commands know both adapters and backends.
var layers = []layer{
	{name: "", pure: true},
	{name: "canon", pure: true, theirs: []string{jsonLibrary}},
	{name: lineDiff, pure: true},
	{name: jsonSchema, pure: true, theirs: []string{jsonLibrary}},
	{name: lazily},
	{name: ordering, pure: true},
	{name: "artifact", ours: []string{"canon", lineDiff, jsonSchema}, pure: true, theirs: []string{jsonLibrary}},
	{name: "anchor", ours: []string{"canon", lineDiff}, pure: true, theirs: []string{jsonLibrary, textLibrary}},
	{name: "delta", ours: []string{"canon", lineDiff}, pure: true, theirs: []string{jsonLibrary, yamlLibrary, markdown, textLibrary}},
	{name: "policy", ours: []string{"canon", "artifact", "delta"}, pure: true, theirs: []string{jsonLibrary}},
	{name: "lineage", ours: []string{"canon", "artifact"}, pure: true, theirs: []string{jsonLibrary}},
	{name: "claim", pure: true},
	{name: "playbook", ours: []string{"canon", "claim", lineDiff}, pure: true, theirs: []string{jsonLibrary, textLibrary}},
	{name: "roster", ours: []string{"canon", "delta"}, pure: true, theirs: []string{jsonLibrary, textLibrary}},
	{name: "config", ours: []string{"canon", "artifact", "policy", "roster", "program", "automation"}, pure: true, theirs: []string{jsonLibrary, yamlLibrary}},
	{name: "stalemate", ours: []string{"canon", "artifact", "anchor"}, pure: true, theirs: []string{jsonLibrary}},
	{name: "assembly", ours: []string{"canon", "artifact", "policy", "lineage", "playbook"}, pure: true, theirs: []string{jsonLibrary, textLibrary}},
	{name: "retrieval", pure: true, theirs: []string{textLibrary}},
	{name: "check", ours: []string{"canon", "artifact", "claim"}, pure: true, theirs: []string{jsonLibrary}},
	{name: "snapshot", ours: []string{"artifact", "delta", "lineage"}, pure: true, theirs: []string{jsonLibrary}},
	{name: "program", ours: []string{"canon"}, pure: true, theirs: []string{jsonLibrary}},
	{name: "automation", ours: []string{"canon", "artifact"}, pure: true},
	{name: "harvest", ours: []string{"canon", "artifact", "delta"}, pure: true, theirs: []string{jsonLibrary}},

	{name: "api", ours: protocols},
	{name: "api/apitest", ours: with("api")},
	{name: "client", ours: []string{"api", "internal/httpapi"}},
	{name: "internal/admission", ours: []string{"canon"}},
	{name: "internal/loopback"},
	{name: "internal/patience"},
	{name: "internal/problem"},
	{name: "internal/locate"},
	{name: "internal/store", ours: protocols},
	{name: "internal/store/memory", ours: with("internal/store")},
	{name: "internal/store/storetest", ours: with("internal/store", "internal/store/memory")},
	{name: "internal/store/rehearsal", ours: with("internal/store")},
	{name: "internal/store/fulltext", ours: with("internal/store")},
	{name: "internal/store/sqlite", ours: with("internal/store", "internal/store/fulltext")},
	{name: "internal/store/postgres", ours: with("internal/store", "internal/store/fulltext")},
	{name: "internal/journal", ours: with("internal/store")},
	{name: "internal/patchfs", ours: protocols},
	{name: "internal/embed/...", ours: with("internal/embed/...", "internal/patience")},
	{name: "internal/mail/...", ours: with("internal/mail/...")},
	{name: "internal/app", ours: with("api", "internal/app/...", "internal/store", "internal/mail")},
	{name: "internal/app/kernel", ours: with("api", "internal/admission", "internal/store", "internal/store/rehearsal", "internal/journal")},
	{name: "internal/app/ledger", ours: room()},
	{name: "internal/app/access", ours: room()},
	{name: "internal/app/contexts", ours: room("internal/app/ledger", "internal/embed")},
	{name: "internal/app/disputes", ours: room("internal/app/ledger")},
	{name: "internal/app/firings", ours: room("internal/app/ledger")},
	{name: "internal/app/history", ours: room("internal/app/ledger")},
	{name: "internal/app/lessons", ours: room("internal/app/ledger", "internal/embed")},
	{name: "internal/app/notices", ours: room()},
	{name: "internal/app/overview", ours: room("internal/app/ledger")},
	{name: "internal/app/reviews", ours: room("internal/app/ledger")},
	{name: "internal/app/runs", ours: room("internal/app/ledger")},
	{name: "internal/app/sessions", ours: room("internal/app/ledger", "internal/embed", "internal/mail")},
	{name: "internal/app/tasks", ours: room("internal/app/ledger")},
	{name: "internal/app/upkeep", ours: room("internal/app/ledger", "internal/embed")},

	{name: "internal/checkout", ours: with("api", "internal/patchfs")},
	{name: "internal/cli/...", ours: with("internal/cli/...", "internal/programs", "internal/runner", "api", "internal/problem", "internal/patchfs", "internal/checkout", "internal/locate")},
	{name: "internal/schema"},
	{name: "internal/httpapi/...", ours: with("internal/httpapi/...", "api", "internal/admission", "internal/problem", "internal/schema")},
	{name: "internal/mcpserver/...", ours: with("internal/mcpserver/...", "api", "internal/admission", "internal/patience", "internal/problem", "internal/schema")},
	{name: "internal/programs", ours: with("api")},
	{name: "internal/runner/...", ours: with("internal/runner/...", "api", "internal/loopback", "internal/patience")},
	{name: "internal/notify"},
	{name: "internal/tracing"},
	{name: "internal/web/...", ours: with("internal/web/...", "api", "internal/problem")},

	{name: "internal/pgtest"},
	{name: testAid},
	{name: "internal/archtest"},
	{name: "internal/benchdoc"},
	{name: "internal/mutants"},
	{name: "internal/quality"},
	{name: "internal/screens"},
	{name: "internal/docgen", ours: []string{"api", "internal/cli", "internal/problem"}},
	{name: "cmd/...", ours: []string{"..."}},
}

// with is the protocols and some packages more.
func with(more ...string) []string { return slices.Concat(protocols, more) }

// room is what every room of the service may import, and some packages more:
// of the other rooms only the ledger.
func room(more ...string) []string {
	return slices.Concat(with("api", "internal/app/kernel", "internal/store", "internal/journal"), more)
}

// pureStandard lists the standard packages that neither look at the world nor
// change it. time is among them for its types; purity_test.go forbids its
// clock.
var pureStandard = []string{
	"bufio", "bytes", "cmp", "compress/flate", "container/heap", "crypto/sha256", "embed",
	"encoding/base64", "encoding/binary", "encoding/hex", "errors", "fmt",
	"hash", "hash/fnv", "html", "html/template", "io", "io/fs", "iter", "maps", "math", "math/big",
	"math/bits", "net/url", "path", "reflect", "regexp", "slices", "sort",
	"strconv", "strings", "text/tabwriter", "text/template", "time", "unicode",
	"unicode/utf16", "unicode/utf8",
}

func TestLayers_EveryPackageImportsOnlyWhatItsRowAllows(t *testing.T) {
	for _, p := range module(t) {
		row, ok := rowOf(p.name())
		if !ok {
			t.Errorf("%s stands in no row of the layer table", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if why := row.refuses(imported); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, why)
			}
		}
	}
}

// What a room needs of another it says in an interface of its own, and the
// composition hands it in. The ledger is the ground they all stand on; it needs
// others as they do, by interfaces.
func TestLayers_NoRoomImportsAnotherRoom(t *testing.T) {
	const house, ground = "internal/app/", modulePath + "/internal/app/ledger"
	rooms := map[string]bool{}
	for _, p := range module(t) {
		if name, ok := strings.CutPrefix(p.name(), house); ok && name != "kernel" {
			rooms[p.ImportPath] = true
		}
	}
	if len(rooms) < 10 {
		t.Fatalf("found only %d rooms: this test would pass on little", len(rooms))
	}
	for _, p := range module(t) {
		for _, imported := range p.Imports {
			switch {
			case !rooms[imported] || p.name() == "internal/app":
			case !rooms[p.ImportPath] || imported != ground:
				t.Errorf("%s imports the room %s", p.ImportPath, imported)
			}
		}
		if rooms[p.ImportPath] {
			if row, ok := rowOf(p.name()); !ok || row.name != p.name() {
				t.Errorf("the room %s has no row of its own", p.ImportPath)
			}
		}
	}
}

// Tests may use any protocol package and any library, but a test of a pure
// package that needs the machinery tests the wrong thing.
func TestLayers_TestsOfPurePackagesNeedNoMachinery(t *testing.T) {
	for _, p := range module(t) {
		row, ok := rowOf(p.name())
		if !ok || !row.pure {
			continue
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			if strings.HasPrefix(imported, modulePath+"/internal/") && imported != modulePath+"/"+testAid && imported != p.ImportPath && row.refuses(imported) != "" {
				t.Errorf("a test of %s imports %s", p.ImportPath, imported)
			}
		}
	}
}

func TestLayers_TheTableRefusesWhatItShould(t *testing.T) {
	for _, c := range []struct{ name, imported string }{
		{"", "brenner/canon"},
		{"", "os"},
		{"", "github.com/spf13/cobra"},
		{"delta", "math/rand/v2"},
		{"delta", "sync"},
		{"delta", "brenner/anchor"},
		{"delta", "github.com/jackc/pgx/v5"},
		{"api", "brenner/internal/store"},
		{"internal/cli", "brenner/internal/app"},
		{"internal/web", "brenner/internal/store/sqlite"},
		{"internal/httpapi", "brenner/internal/cli"},
		{"internal/app", "brenner/internal/store/sqlite"},
		{"internal/app", "brenner/internal/problem"},
		{"internal/app/tasks", "brenner/internal/app/sessions"},
		{"internal/app/ledger", "brenner/internal/app/tasks"},
		{"internal/app/kernel", "brenner/internal/app/ledger"},
		{"internal/store/sqlite", "brenner/internal/app"},
	} {
		row, ok := rowOf(c.name)
		if !ok {
			t.Errorf("no row for %q", c.name)
			continue
		}
		if row.refuses(c.imported) == "" {
			t.Errorf("%q may import %s", c.name, c.imported)
		}
	}
	if row, ok := rowOf("util"); ok {
		t.Errorf("util stands in row %q", row.name)
	}
}

// rowOf gives the row of a package: its own, else the nearest one above.
func rowOf(name string) (layer, bool) {
	for _, row := range layers {
		if row.name == name {
			return row, true
		}
	}
	for dir := name; dir != "" && dir != "."; dir = path.Dir(dir) {
		for _, row := range layers {
			if row.name == dir+"/..." {
				return row, true
			}
		}
	}
	return layer{}, false
}

// refuses says why a row does not allow an import, "" if it does.
func (l layer) refuses(imported string) string {
	if name, ours := strings.CutPrefix(imported, modulePath+"/"); ours {
		if name == lazily || name == ordering {
			return ""
		}
		if slices.ContainsFunc(l.ours, func(allowed string) bool { return covers(allowed, name) }) {
			return ""
		}
		return fmt.Sprintf("row %q allows %s", l.name, strings.Join(l.ours, ", "))
	}
	if !l.pure || imported == modulePath {
		return ""
	}
	if !strings.Contains(imported, ".") {
		if slices.Contains(pureStandard, imported) {
			return ""
		}
		return "not a standard package that a pure package may use"
	}
	if slices.ContainsFunc(l.theirs, func(m string) bool { return covers(m, imported) || covers(m+"/...", imported) }) {
		return ""
	}
	return "not a library that this pure package may use"
}

// covers says whether a name of the table, which may end in /..., stands for
// a package.
func covers(allowed, name string) bool {
	if allowed == "..." {
		return true
	}
	if prefix, all := strings.CutSuffix(allowed, "/..."); all {
		return name == prefix || strings.HasPrefix(name, prefix+"/")
	}
	return name == allowed
}
