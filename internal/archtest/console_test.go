package archtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/pgtest"
)

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	prompt       = regexp.MustCompile(`^([A-Za-z]*)\$ (.+)$`)
	hereDocument = regexp.MustCompile(`<<'([A-Z]+)'`)
	refusal      = regexp.MustCompile(`^brenner: [A-Z_]+: `)
)

// databaseVariable is how a document names a PostgreSQL database: a block that
// uses it gets a fresh one, and is skipped by name where there is none.
const databaseVariable = "$DATABASE_URL"

// Every command in a block marked console is run, the blocks of one document
// one after the other in one empty directory, so that a document reads as a
// story.
//
//   - "$ " starts a command of the PI, "NAME$ " one of that agent. It goes on
//     after a backslash and through a here document.
//   - What follows is its output for the reader: these lines must be printed,
//     in this order; an ellipsis stands for anything.
//   - A command that a document shows to be refused (a line "brenner: CODE: …")
//     must fail, and any other must not.
//   - A command that ends in " &" runs until the document ends. The address a
//     server has by default stands for one that is free.
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
	standIn(t, bin)
	ran := 0
	for _, name := range documents(t) {
		blocks := consoleBlock.FindAllStringSubmatch(readFile(t, name), -1)
		if len(blocks) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			desk := desk{dir: t.TempDir(), bin: bin}
			free := freeAddress(t)
			for _, block := range blocks {
				block[1] = strings.ReplaceAll(block[1], defaultAddress, free)
				if strings.Contains(block[1], databaseVariable) {
					t.Run("PostgreSQL", func(t *testing.T) {
						desk := desk
						desk.database = pgtest.Open(t)
						desk.run(t, block[1])
					})
				} else {
					desk.run(t, block[1])
				}
				ran++
			}
		})
	}
	if ran == 0 {
		t.Fatal("found no command: this test would pass on nothing")
	}
}

// standIn puts a program named claude on the PATH of the documents: it answers
// as the real one does, with one delta for the role of its agent.
func standIn(t *testing.T, bin string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // the documents are run where there is a shell
	}
	script, err := os.ReadFile("testdata/claude.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "claude"), script, 0o755); err != nil {
		t.Fatal(err)
	}
}

const defaultAddress = "127.0.0.1:7420"

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// shown is a command, who gives it, and the output a document shows for it.
type shown struct {
	agent, line string
	output      []string
}

// commands reads a console block.
func commands(block string) []shown {
	var all []shown
	lines := strings.Split(block, "\n")
	for i := 0; i < len(lines); i++ {
		m := prompt.FindStringSubmatch(lines[i])
		if m == nil {
			if len(all) > 0 && strings.TrimSpace(lines[i]) != "" {
				last := &all[len(all)-1]
				last.output = append(last.output, strings.TrimRight(lines[i], " "))
			}
			continue
		}
		command := m[2]
		for strings.HasSuffix(command, `\`) && i+1 < len(lines) {
			i++
			command += "\n" + lines[i]
		}
		if end := hereDocument.FindStringSubmatch(command); end != nil {
			for i+1 < len(lines) && lines[i] != end[1] {
				i++
				command += "\n" + lines[i]
			}
		}
		all = append(all, shown{agent: m[1], line: command})
	}
	return all
}

// desk is where the commands of one document are run.
type desk struct{ dir, bin, database string }

func (d desk) run(t *testing.T, block string) {
	t.Helper()
	for _, c := range commands(block) {
		out, err := d.try(t, c)
		if refused := slices.ContainsFunc(c.output, refusal.MatchString); refused != (err != nil) {
			t.Fatalf("$ %s\n%s%v", c.line, out, err)
		}
		if missing := c.missing(out); missing != "" {
			t.Errorf("$ %s\nshows the line\n%s\nbut prints\n%s", c.line, missing, out)
		}
	}
}

// try runs a command, or starts it and waits for what it is shown to print.
func (d desk) try(t *testing.T, c shown) (string, error) {
	t.Helper()
	line, stays := strings.CutSuffix(c.line, " &")
	if stays {
		line = "exec " + line
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = d.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BRENNER_") }),
		"PATH="+d.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+d.dir, "USER=ada",
		"BRENNER_AGENT="+c.agent, strings.TrimPrefix(databaseVariable, "$")+"="+d.database)
	if !stays {
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var out transcript
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	for deadline := time.Now().Add(time.Minute); c.missing(out.String()) != "" && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	return out.String(), nil
}

// transcript is what a process that still runs has printed.
type transcript struct {
	mu   sync.Mutex
	text []byte
}

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// missing gives the first line of the output shown that out does not have, in
// its place; "" if all are there.
func (c shown) missing(out string) string {
	rest := strings.Split(out, "\n")
	for _, want := range c.output {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + "$")
		i := slices.IndexFunc(rest, func(line string) bool { return pattern.MatchString(strings.TrimRight(line, " ")) })
		if i < 0 {
			return want
		}
		rest = rest[i+1:]
	}
	return ""
}

func TestConsole_ReadsAgentsContinuationsHereDocumentsAndEllipses(t *testing.T) {
	got := commands("$ cat > a <<'END'\n$ not a command\nEND\nBlue$ brenner a \\\n  b\none …\n\n three\n")
	if len(got) != 2 || got[0].line != "cat > a <<'END'\n$ not a command\nEND" || len(got[0].output) != 0 {
		t.Fatalf("got %q", got)
	}
	c := got[1]
	if c.agent != "Blue" || c.line != "brenner a \\\n  b" {
		t.Errorf("got %q", c)
	}
	for out, want := range map[string]string{
		"zero\none two\nxx\n three\n": "",
		"one two\nthree":              " three",
		" three\none two\n":           " three",
		"no one two\n three":          "one …",
	} {
		if missing := c.missing(out); missing != want {
			t.Errorf("of %q %q is missing, want %q", out, missing, want)
		}
	}
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
