package cli

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"brenner"
	"brenner/internal/lazy"
	"brenner/internal/patchfs"

	"github.com/spf13/cobra"
)

// story is what the demo tells: chapters of narration and command lines,
// followed by the files it uses. Each command line runs this program as a
// process of its own; a name before the $ is the agent it runs as, a ! before
// it says that it must fail. {task} stands for the task that was named last,
// and so do {ctx} and {stalemate}: their numbers are positions in the journal.
// {session} is that of the question that was asked last, {digest} that of the
// program that was shown last.
//
//go:embed demo/story.txt
var story string

// shownLines bounds what is shown of the answer to one command.
const shownLines = 30

func newDemo(r *runner) *cobra.Command {
	var keep string
	var serve bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Tell the whole story on a scratch project",
		Long: `Work a research question from the brief to the verdict on a scratch project:
every step is a real command, run as a process of its own, by the PI or by one
of the agents. With --serve the project is then served on this machine, pages
and all, until you press Ctrl-C; the address printed logs you in, once. The
project is removed at the end unless --keep names a place for it.`,
		Example: `  brenner demo
  brenner demo --serve
  brenner demo --keep rivers`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, done, err := r.demoDir(keep)
			if err != nil {
				return err
			}
			defer done()
			p := &play{runner: r, ctx: cmd.Context(), dir: dir, named: map[string]string{}}
			if err := p.run(story); err != nil {
				return err
			}
			if !serve {
				return p.end(keep, nil)
			}
			return r.env.Serve(cmd.Context(), Where{Dir: dir}, ServeRequest{
				Addr: "127.0.0.1:0", Announce: func(s Served) error { return p.end(keep, &s) },
				Log: io.Discard, // the story is on the terminal; nobody asked for a log below it
			})
		},
	}
	c.Flags().StringVar(&keep, "keep", "", "keep the project in this directory, which must be empty or absent")
	c.Flags().BoolVar(&serve, "serve", false, "serve the project afterwards, until interrupted")
	return c
}

// end says what is left when the story is over: the project, if it was to be
// kept, and where it is served, if it is.
func (p *play) end(keep string, served *Served) error {
	return p.announce(struct {
		Chapters []*chapter `json:"chapters"`
		Serving  *Served    `json:"serving,omitzero"`
	}{p.chapters, served}, func(w *printer) {
		if keep != "" {
			w.Printf("The project is in %s; look around with `brenner status -C %s`.\n", keep, keep)
		}
		if served != nil {
			w.Print("Look around in a browser; Ctrl-C ends it.\n")
			served.print(w)
		}
	})
}

// demoDir gives the directory to play in, and what to do when it is over.
func (r *runner) demoDir(keep string) (string, func(), error) {
	if keep == "" {
		dir, err := os.MkdirTemp("", "brenner-demo-")
		if err != nil {
			return "", nil, fileError("demo", err)
		}
		return dir, func() { _ = os.RemoveAll(dir) }, nil
	}
	dir := r.path(keep)
	if err := patchfs.BelowGit(dir); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, fileError(keep, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, fileError(keep, err)
	}
	if len(entries) > 0 {
		return "", nil, brenner.Errorf(brenner.CodeAlreadyExists, "%s is not empty", keep).WithHint("name a new directory")
	}
	return dir, func() {}, nil
}

// chapter is a part of the story as it went.
type chapter struct {
	Title string  `json:"title"`
	Steps []*step `json:"steps"`
}

// step is one command of the story.
type step struct {
	Actor   string `json:"actor"` // empty: the PI
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Output  string `json:"output"`
}

// play is one telling of the story.
type play struct {
	now string // the instant of what the stand-ins answer, once they do
	*runner
	ctx      context.Context
	dir      string
	chapters []*chapter
	// named is what {task}, {ctx}, {stalemate} and {digest} stand for.
	named map[string]string
}

// numbered are the things whose names are positions in the journal.
var numbered = lazy.NewPattern(`\b(task|ctx|stalemate)-\d+\b`)

// dated is a session that was named by the day and its question.
var dated = lazy.NewPattern(`\bRS-\d{8}-[a-z0-9-]+`)

// digested is what a program is allowed by.
var digested = lazy.NewPattern(`--yes ([0-9a-f]{64})\b`)

func (p *play) run(story string) error {
	script, files := splitStory(story)
	for name, text := range files {
		path := filepath.Join(p.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fileError(name, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fileError(name, err)
		}
	}
	lines := bufio.NewScanner(strings.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		for strings.HasSuffix(line, `\`) && lines.Scan() {
			line = strings.TrimSuffix(line, `\`) + strings.TrimSpace(lines.Text())
		}
		if err := p.line(line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// splitStory parts the script from the files, which begin with -- NAME --.
func splitStory(story string) (string, map[string]string) {
	files := map[string]string{}
	script, rest, _ := strings.Cut(story, "\n-- ")
	for rest != "" {
		var one string
		one, rest, _ = strings.Cut(rest, "\n-- ")
		name, text, _ := strings.Cut(one, " --\n")
		files[name] = strings.TrimSuffix(text, "\n") + "\n"
	}
	return script, files
}

func (p *play) line(line string) error {
	if title, ok := strings.CutPrefix(line, "# "); ok {
		p.chapters = append(p.chapters, &chapter{Title: title})
		p.say("\n%s\n", p.bold(title))
		return nil
	}
	actor, command, ok := strings.Cut(line, "$ brenner ")
	if !ok {
		p.say("%s\n", line)
		return nil
	}
	actor, fails := strings.CutPrefix(actor, "! ")
	for kind, name := range p.named {
		command = strings.ReplaceAll(command, "{"+kind+"}", name)
	}
	s := &step{Actor: actor, Command: "brenner " + command}
	last := p.chapters[len(p.chapters)-1]
	last.Steps = append(last.Steps, s)
	p.say("%s\n", p.bold("  "+actor+"$ "+s.Command))
	if err := p.execute(s, command); err != nil {
		return err
	}
	p.say("%s", indent(s.Output, shownLines))
	for _, m := range numbered.FindAllStringSubmatch(s.Output, -1) {
		p.named[m[1]] = m[0]
	}
	if m := dated.FindString(s.Output); m != "" {
		p.named["session"] = m
	}
	if m := digested.FindStringSubmatch(s.Output); m != nil {
		p.named["digest"] = m[1]
	}
	if (s.Exit != 0) != fails {
		return brenner.Errorf(brenner.CodeInternal, "the story goes wrong at %q: exit status %d", s.Command, s.Exit)
	}
	return nil
}

// execute runs one command as a process of its own.
func (p *play) execute(s *step, command string) error {
	args, err := splitWords(command)
	if err != nil {
		return err
	}
	if err := p.stamp(args); err != nil {
		return err
	}
	cmd := exec.CommandContext(p.ctx, p.env.Self, args...)
	cmd.Dir = p.dir
	// What the user's environment says of another project is not about this one.
	cmd.Env = append(os.Environ(), "BRENNER_AGENT="+s.Actor, "BRENNER_KEYS="+filepath.Join(p.dir, ".keys"),
		"BRENNER_PROGRAMS="+filepath.Join(p.dir, ".machine", "programs.json"), "BRENNER_STATE="+filepath.Join(p.dir, ".machine", "runs"),
		"BRENNER_STORE=", "BRENNER_SERVER=", "BRENNER_TOKEN=", "BRENNER_DEBUG=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	s.Output = strings.ReplaceAll(out.String(), p.dir, "…")
	var exit *exec.ExitError
	if errors.As(err, &exit) && p.ctx.Err() == nil {
		s.Exit = exit.ExitCode()
		return nil
	}
	return errors.Join(err, p.ctx.Err())
}

// played is what the stand-ins of the agents answer from.
const played = "agents.txt"

// stamp puts the time of day into what the stand-ins answer when they are first
// started: one instant at which two agents change one field at once, and one
// before it.
func (p *play) stamp(args []string) error {
	if p.now != "" || args[0] != "run" {
		return nil
	}
	path := filepath.Join(p.dir, played)
	text, err := os.ReadFile(path)
	if err != nil {
		return fileError(played, err)
	}
	now := time.Now().UTC()
	instant := func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") } // as records keep it
	p.now = instant(now)
	filled := strings.NewReplacer("{{now}}", p.now, "{{later}}", instant(now.Add(time.Millisecond))).Replace(string(text))
	if err := os.WriteFile(path, []byte(filled), 0o644); err != nil {
		return fileError(played, err)
	}
	return nil
}

// splitWords splits a command line at blanks; quotes of both kinds hold words
// together.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	open := false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ':
			if open || word.Len() > 0 {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is not closed in %q", line)
	}
	if open || word.Len() > 0 {
		words = append(words, word.String())
	}
	return words, nil
}

// indent sets an answer off from the story, and cuts a long one.
func indent(text string, most int) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(&b, "    … %s\n", plural(len(lines)-i, "more line"))
			break
		}
		b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	return b.String()
}

// say tells a part of the story, unless it is told as JSON.
func (p *play) say(format string, args ...any) {
	if !p.json {
		p.out.Printf(format, args...)
		_ = p.out.Flush() // it is told as it happens; a failure is kept to the end
	}
}

// bold stresses on a terminal only.
func (p *play) bold(s string) string {
	if !p.env.Terminal || p.env.Getenv("NO_COLOR") != "" {
		return s
	}
	return "\033[1m" + s + "\033[0m"
}
