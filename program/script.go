package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Play is what a script answers: a file of parts, each for one agent.
//
//	# before the first part, anything
//	== BlueLake
//	wait 200ms
//	tool context_assemble {"task":"{task}"}
//	usage in=1200 cached=800 out=90 cost=0.012
//	reply
//	Markdown up to the next part.
//
// The first part of an agent answers the first time it is asked, the second
// one the second time, and the last one from then on; == * is for agents that
// have no part of their own. In arguments and replies {task}, {session},
// {agent} and {run} stand for those of the run. Instead of replying, a part can
// fail with a cause: fail rate_limited.
type Play struct {
	Parts []Part
}

// Part is one answer.
type Part struct {
	Agent brenner.ActorName // "*": anyone
	Steps []Step
	Reply string
}

// Step is one thing that a part does before it replies; one field is set.
type Step struct {
	Wait  time.Duration
	Tool  string
	Args  jsontext.Value // of the tool: an object, or nothing
	Usage *Usage
	Fail  Cause
}

// anyone stands for an agent without a part of its own.
const anyone brenner.ActorName = "*"

// ParsePlay reads the file of a script. It refuses with INVALID_PROGRAM and the
// number of the line.
func ParsePlay(text string) (Play, error) {
	if len(text) > brenner.MaxScriptBytes {
		return Play{}, brenner.Errorf(brenner.CodeLimitExceeded, "the script is larger than %d bytes", brenner.MaxScriptBytes)
	}
	var p Play
	var part *Part
	replying, number := false, 0
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		number++
		if name, ok := strings.CutPrefix(line, "== "); ok {
			agent := brenner.ActorName(strings.TrimSpace(name))
			if agent != anyone {
				if err := agent.Check(); err != nil {
					return Play{}, badLine(number, "%q is not the name of an agent", brenner.Clip(string(agent), 60))
				}
			}
			p.Parts = append(p.Parts, Part{Agent: agent})
			part, replying = &p.Parts[len(p.Parts)-1], false
			continue
		}
		switch trimmed := strings.TrimSpace(line); {
		case part == nil:
		case replying:
			part.Reply += line
		case trimmed == "reply":
			replying = true
		case trimmed != "" && !strings.HasPrefix(trimmed, "#"):
			step, err := parseStep(trimmed)
			if err != nil {
				return Play{}, badLine(number, "%v", err)
			}
			part.Steps = append(part.Steps, step)
		}
	}
	if len(p.Parts) == 0 {
		return Play{}, invalid("/file", "the script has no part").WithHint("a part begins with a line `== NAME`")
	}
	return p, nil
}

func badLine(number int, format string, args ...any) error {
	return invalid("/file", "line %d of the script: %s", number, fmt.Sprintf(format, args...)).
		WithHint("a part is made of wait, tool, usage and fail lines, then a line `reply` and its text")
}

func parseStep(line string) (Step, error) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return Step{}, fmt.Errorf("%q is not a length of time", brenner.Clip(rest, 40))
		}
		return Step{Wait: d}, nil
	case "tool":
		name, args, _ := strings.Cut(rest, " ")
		if args = strings.TrimSpace(args); args == "" {
			args = "{}"
		}
		if canon.Check([]byte(args)) != nil || !strings.HasPrefix(args, "{") || name == "" {
			return Step{}, fmt.Errorf("a tool takes a JSON object")
		}
		return Step{Tool: name, Args: jsontext.Value(args)}, nil
	case "usage":
		u, err := parseUsage(rest)
		return Step{Usage: u}, err
	case "fail":
		if _, known := sentences[Cause(rest)]; !known {
			return Step{}, fmt.Errorf("%q is not a cause", brenner.Clip(rest, 40))
		}
		return Step{Fail: Cause(rest)}, nil
	}
	return Step{}, fmt.Errorf("there is no step %q", brenner.Clip(word, 40))
}

func parseUsage(text string) (*Usage, error) {
	u := &Usage{Turns: 1}
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		if name == "cost" {
			m, err := ParseMoney(value)
			if err != nil {
				return nil, err
			}
			u.Cost = &m
			continue
		}
		var n int64
		if _, err := fmt.Sscanf(value, "%d", &n); err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not a number of tokens", brenner.Clip(value, 40))
		}
		if u.Tokens == nil {
			u.Tokens = &Tokens{}
		}
		switch name {
		case "in":
			u.Tokens.In = n
		case "cached":
			u.Tokens.Cached = n
		case "out":
			u.Tokens.Out = n
		default:
			return nil, fmt.Errorf("usage has no %q", brenner.Clip(name, 40))
		}
	}
	return u, nil
}

// Pick gives the part that answers an agent the n-th time it is asked, from 1.
func (p Play) Pick(agent brenner.ActorName, n int) (Part, bool) {
	for _, name := range []brenner.ActorName{agent, anyone} {
		var own []Part
		for _, part := range p.Parts {
			if part.Agent == name {
				own = append(own, part)
			}
		}
		if len(own) > 0 {
			return own[min(max(n, 1), len(own))-1], true
		}
	}
	return Part{}, false
}

// Fill puts the values of a run where their names stand in braces.
func Fill(text string, values map[string]string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		pairs = append(pairs, "{"+name+"}", values[name])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
