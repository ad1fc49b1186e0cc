package runner

import (
	"context"
	"os"
	"path/filepath"

	"brenner"
	"brenner/program"

	"github.com/go-json-experiment/json/jsontext"
)

// scriptStarter plays the part of an agent from a file. It uses the tools as a
// program does, so that what it leaves behind is real.
type scriptStarter struct {
	*live
	tools *tools
}

func (s *scriptStarter) start(ctx context.Context, q question) program.Result {
	part, err := s.part(q)
	if err != nil {
		return failedWith(err)
	}
	values := map[string]string{
		"task": s.run.Task, "session": string(s.run.Session), "agent": string(s.run.Agent), "run": s.run.ID,
	}
	s.log.note("plays %s from %s", s.run.Agent, s.program.File)
	r := program.Result{Conversation: s.run.ID, Model: "script", Usage: program.Usage{Turns: 1}}
	for _, step := range part.Steps {
		if ctx.Err() != nil {
			return r
		}
		switch {
		case step.Fail != program.Fine:
			r.Cause = step.Fail
			return r
		case step.Usage != nil:
			r.Usage = *step.Usage
		case step.Tool != "":
			if err := s.call(ctx, step.Tool, jsontext.Value(program.Fill(string(step.Args), values))); err != nil {
				return failedWith(err)
			}
		default:
			s.meter.does("thinks")
			sleep(ctx, step.Wait)
		}
		s.meter.used(r.Usage)
	}
	s.meter.does("writes")
	r.Reply = program.Fill(part.Reply, values)
	s.log.line([]byte(r.Reply))
	if r.Reply == "" {
		r.Cause = program.NoWords
	}
	return r
}

// part is what the script says the agent does this time.
func (s *scriptStarter) part(q question) (program.Part, error) {
	text, err := os.ReadFile(s.program.File)
	if err != nil {
		return program.Part{}, brenner.Errorf(brenner.CodeFileError, "the script %s cannot be read", filepath.Base(s.program.File)).Because(err)
	}
	play, err := program.ParsePlay(string(text))
	if err != nil {
		return program.Part{}, err
	}
	part, ok := play.Pick(s.run.Agent, s.run.Attempt+q.number)
	if !ok {
		return program.Part{}, brenner.Errorf(brenner.CodeInvalidProgram, "the script has no part for %s", s.run.Agent)
	}
	return part, nil
}

func (s *scriptStarter) call(ctx context.Context, name string, args jsontext.Value) error {
	if s.tools == nil {
		t, err := openTools(ctx, s.url, s.token)
		if err != nil {
			return err
		}
		s.tools = t
	}
	s.meter.does("uses " + name)
	s.log.line([]byte(name + " " + string(args)))
	text, refused := s.tools.call(ctx, name, args)
	if refused {
		text = "refused: " + text
	}
	s.log.line([]byte(text))
	return nil
}

func (s *scriptStarter) close() { s.tools.close() }
