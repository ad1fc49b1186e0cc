package archtest

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// tracked lists the files of the tree as git knows them, or, in a tree that
// came without git, all files.
func tracked(t *testing.T) []string {
	t.Helper()
	var names []string
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = rootDir()
	if out, err := cmd.Output(); err == nil {
		names = strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	} else if err := filepath.WalkDir(rootDir(), func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			rel, _ := filepath.Rel(rootDir(), path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(names) < 10 {
		t.Fatalf("found only %d files: these tests would pass on nothing", len(names))
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(rootDir(), name))
		return err != nil // deleted, and not committed yet
	})
}

func documents(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(tracked(t), func(name string) bool { return !strings.HasSuffix(name, ".md") })
}

// A file that names the machine it was written on, or the mirror its
// dependencies came through, is wrong everywhere else.
func TestTree_NamesNoMachineAndNoRegistry(t *testing.T) {
	forbidden := regexp.MustCompile(`(?:^|[^A-Za-z0-9_.~-])/(?:(?:home|Users)/[A-Za-z0-9_.-]+|root|work)/[A-Za-z0-9_.]` + machineNames())
	for _, name := range tracked(t) {
		text := readFile(t, name)
		if strings.Contains(text, "\x00") {
			continue // not a text
		}
		for i, line := range strings.Split(text, "\n") {
			if hit := forbidden.FindString(line); hit != "" {
				t.Errorf("%s:%d names %q", name, i+1, hit)
			}
		}
	}
	for _, bad := range []string{"see /home" + "/ada/notes", "cd /work" + "/main"} {
		if !forbidden.MatchString(bad) {
			t.Errorf("%q passes", bad)
		}
	}
}

// machineNames adds what this machine calls itself: where the tree stands, the
// home directory, and the hosts that modules come from.
func machineNames() string {
	var names []string
	for _, dir := range []string{rootDir(), os.Getenv("HOME")} {
		if strings.Count(dir, "/") > 1 {
			names = append(names, regexp.QuoteMeta(dir+"/"))
		}
	}
	out, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		out = nil
	}
	for _, proxy := range strings.FieldsFunc(strings.TrimSpace(string(out)), func(r rune) bool { return r == ',' || r == '|' }) {
		if u, err := url.Parse(proxy); err == nil && u.Hostname() != "" && u.Hostname() != "localhost" {
			names = append(names, regexp.QuoteMeta(u.Hostname()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "|" + strings.Join(names, "|")
}

func TestDependencies_EachIsExplainedAndEachExplainedOneIsUsed(t *testing.T) {
	mod, err := modfile.Parse("go.mod", []byte(readFile(t, "go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	used, inProgram := map[string]bool{}, map[string]bool{}
	for _, p := range module(t) {
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for _, r := range mod.Require {
				if covers(r.Mod.Path+"/...", imported) {
					used[r.Mod.Path] = true
					if slices.Contains(p.Imports, imported) && !forTests(p.name()) {
						inProgram[r.Mod.Path] = true
					}
				}
			}
		}
	}
	explained := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(.*)$").FindAllStringSubmatch(readFile(t, "docs/dependencies.md"), -1) {
		explained[m[1]] = true
		if marked := strings.Contains(m[2], "used in tests only"); marked == inProgram[m[1]] {
			t.Errorf("docs/dependencies.md says of %s that it is used in tests only: %v", m[1], marked)
		}
	}
	if len(used) == 0 || len(explained) == 0 {
		t.Fatalf("%d modules used, %d explained: this test would pass on nothing", len(used), len(explained))
	}
	for path := range used {
		if !explained[path] {
			t.Errorf("docs/dependencies.md does not say why we use %s", path)
		}
	}
	for path := range explained {
		if !used[path] {
			t.Errorf("docs/dependencies.md explains %s, which nothing imports", path)
		}
	}
}

// forTests reports whether a package is there for tests alone.
func forTests(name string) bool {
	return strings.HasSuffix(name, "test") // pgtest, storetest, apitest
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)

func TestDocuments_EveryLinkLeadsToAFile(t *testing.T) {
	checked := 0
	for _, name := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(readFile(t, name), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.Join(rootDir(), filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
	if checked == 0 {
		t.Fatal("found no link: this test would pass on nothing")
	}
}
