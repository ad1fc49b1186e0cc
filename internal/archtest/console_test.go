package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	makeTarget   = regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)")
	targetLine   = regexp.MustCompile(`(?m)^([a-z]+):`)
)

// Every command in a block marked console is run, the blocks of one document
// one after the other in one empty directory, so that a document reads as a
// story. A line that starts with "$ " is a command; what follows is its output
// for the reader, of which every line must appear in the real output, unless
// it has an ellipsis.
func TestDocuments_EveryConsoleCommandWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: builds the program")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "brenner"+exeSuffix()), "./cmd/brenner")
	build.Dir = rootDir()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	ran := 0
	for _, name := range documents(t) {
		blocks := consoleBlock.FindAllStringSubmatch(readFile(t, name), -1)
		if len(blocks) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, block := range blocks {
				for _, c := range commands(block[1]) {
					c.run(t, dir, bin)
					ran++
				}
			}
		})
	}
	if ran == 0 {
		t.Fatal("found no command: this test would pass on nothing")
	}
}

// shown is a command and the output a document shows for it.
type shown struct {
	line   string
	output []string
}

func commands(block string) []shown {
	var all []shown
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, shown{line: command})
		} else if len(all) > 0 && strings.TrimSpace(line) != "" {
			last := &all[len(all)-1]
			last.output = append(last.output, line)
		}
	}
	return all
}

func (c shown) run(t *testing.T, dir, bin string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", c.line)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BRENNER_") }),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("$ %s\n%s%v", c.line, out, err)
	}
	for _, line := range c.output {
		if !strings.Contains(line, "…") && !strings.Contains(string(out), strings.TrimRight(line, " ")) {
			t.Errorf("$ %s\nshows the line\n%s\nbut prints\n%s", c.line, line, out)
		}
	}
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

func TestDocuments_EveryMakeTargetExists(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range targetLine.FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	named := 0
	for _, name := range documents(t) {
		for _, m := range makeTarget.FindAllStringSubmatch(readFile(t, name), -1) {
			named++
			if !targets[m[1]] {
				t.Errorf("%s names make %s, which is no target", name, m[1])
			}
		}
	}
	if named == 0 {
		t.Fatal("no document names a target: this test would pass on nothing")
	}
}
