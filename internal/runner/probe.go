package runner

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"brenner"
	"brenner/api"
	"brenner/program"

	"github.com/go-json-experiment/json"
)

// Prober asks the programs of this machine about themselves, before there is any
// work for them: in the environment and in a directory such as a run has, but
// without a token and without tools.
type Prober struct {
	// Environ is our own environment.
	Environ []string
	// Within bounds each question; 0: ten seconds.
	Within time.Duration
}

// probeDeadline bounds one question to a program.
const probeDeadline = 10 * time.Second

// probeTurns is how often it may ask its model for one word.
const probeTurns = 3

// nobody is who a program is while it is only looked at.
const nobody = "probe"

func (p Prober) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, orDefault(p.Within, probeDeadline))
}

// Tells starts a program with arguments that have it tell something about
// itself: the beginning of what it prints, and whether it ended well.
func (p Prober) Tells(ctx context.Context, of program.Program, args []string) (string, bool) {
	ctx, cancel := p.bounded(ctx)
	defer cancel()
	text := &limitedText{left: 4 << 10}
	exit, err := command{
		path: of.Executable, args: args, dir: os.TempDir(), mark: rand.Text(),
		env: buildEnvironment(p.Environ, of, nobody, nobody, "").with(nil), out: text.line, errs: func([]byte) {},
	}.run(ctx, time.Second)
	return text.String(), err == nil && exit.Code == 0 && ctx.Err() == nil
}

// limitedText keeps the beginning of what is printed.
type limitedText struct {
	strings.Builder
	left int
}

func (l *limitedText) line(line []byte) {
	n := min(len(line), l.left)
	l.Write(append(slices.Clone(line[:n]), '\n'))
	l.left -= n
}

// maxModels bounds what is read of a list of models.
const maxModels = 4 << 20

// Reaches asks the endpoint of an openai program for its models, and no model
// for anything: is it there, does it know us, has it that model. An endpoint
// without such a list is taken at its word.
func (p Prober) Reaches(ctx context.Context, of program.Program) program.Result {
	ctx, cancel := p.bounded(ctx)
	defer cancel()
	env := buildEnvironment(p.Environ, of, nobody, nobody, "")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(of.Endpoint, "/")+"/models", nil)
	if err != nil {
		return failedWith(err)
	}
	res, err := askEndpoint(req, env.vars[of.Key])
	if err != nil {
		return program.Result{Cause: program.Unreachable, Said: hostOf(of.Endpoint) + " cannot be reached"}
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusMethodNotAllowed:
		return program.Result{}
	case res.StatusCode != http.StatusOK:
		return refusedBy(res)
	}
	var list struct {
		Models []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxModels))
	if err != nil || json.Unmarshal(text, &list) != nil || len(list.Models) == 0 {
		return program.Result{}
	}
	var names []string
	for _, m := range list.Models {
		// Local servers list a model with its tag, and take it without.
		if m.ID == of.Model || strings.TrimSuffix(m.ID, ":latest") == of.Model {
			return program.Result{Model: m.ID}
		}
		names = append(names, m.ID)
	}
	return program.Result{Cause: program.NoModel, Said: brenner.Clip(fmt.Sprintf("%s has no %s, but %s", hostOf(of.Endpoint), of.Model, strings.Join(names, ", ")), 400)}
}

const probePrompt = "This is a test of the connection. Answer with the one word: ready\n"

// Answers has a program answer one word, as it would answer in a run, and says
// how long that took. A model is asked; a script is only read.
func (p Prober) Answers(ctx context.Context, of program.Program) (program.Result, time.Duration) {
	if of.Profile == program.Script {
		return readScript(of), 0
	}
	bounded, cancel := p.bounded(ctx)
	defer cancel()
	under, end := context.WithCancelCause(bounded)
	defer end(nil)
	dir, err := os.MkdirTemp("", "brenner-probe-*")
	if err != nil {
		return failedWith(err), 0
	}
	defer func() { _ = removeAll(dir) }()
	of.Tools, of.Directory, of.Bounds.Turns = program.NoTools, program.Scratch, probeTurns
	where, err := makePlace(under, filepath.Join(dir, "run"), nobody, "", of.Directory)
	if err != nil {
		return failedWith(err), 0
	}
	env := buildEnvironment(p.Environ, of, nobody, nobody, "")
	log := newTranscript(env.secrets, nil)
	l := &live{
		run: api.StartedRun{RunInfo: api.RunInfo{ID: nobody, Agent: nobody}}, program: of, place: where, env: env,
		grace: time.Second, mark: rand.Text(), record: func(processID) {}, log: log, away: new(atomic.Bool),
		meter: &meter{bounds: of.Bounds, stop: func(c program.Cause) { end(causeError{cause: c}) }, tell: func(string, program.Usage) {}},
	}
	begun := time.Now()
	s := l.starter()
	defer s.close()
	res := s.start(under, question{prompt: probePrompt})
	if under.Err() != nil {
		res.Cause, res.Said = canceledBy(under), saidBy(under)
	}
	res.Said = log.strike.Replace(res.Said)
	return res, time.Since(begun)
}

func readScript(of program.Program) program.Result {
	text, err := os.ReadFile(of.File)
	if err == nil {
		_, err = program.ParsePlay(string(text))
	}
	if err != nil {
		return failedWith(err)
	}
	return program.Result{}
}
