package runner

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/runner/modeltest"
	"brenner/program"
)

func chatProgram(url string) program.Program {
	return program.Program{Profile: program.OpenAI, Model: "local", Endpoint: url + "/v1", Key: "LOCAL_KEY"}.Resolve("")
}

// W2: the openai program calls tools, several at once, and answers when there
// is nothing more to call; what it used is told.
func TestChat_CallsToolsUntilItAnswers(t *testing.T) {
	m := modeltest.New(func(a modeltest.Ask) modeltest.Answer {
		if a.Turn == 0 {
			return modeltest.Answer{Text: "Let me see.", In: 100, Cached: 40, Out: 10, Calls: []modeltest.Call{
				{Name: a.Tool("delta_submit"), Arguments: map[string]any{"text": goodReply}},
				{Name: a.Tool("task_complete"), Arguments: map[string]any{"id": "task-1"}},
				{Name: "no_such_tool", Arguments: map[string]any{}},
			}}
		}
		if len(a.Results) != 3 || !strings.Contains(a.Results[0], "ok") || !strings.Contains(a.Results[2], "failed") {
			t.Errorf("the tools answered %q", a.Results)
		}
		return modeltest.Answer{Text: "Done.", In: 200, Out: 20}
	})
	defer m.Close()
	w := newWorld(t)
	r := w.runner(t, func(o *Options) { o.Environ = append(o.Environ, "LOCAL_KEY=sk-of-the-endpoint") })
	info := do(t, r, assigned(chatProgram(m.URL())))
	if info.Outcome != api.OutcomeWorked || info.Usage.Turns != 2 || *info.Usage.Tokens != (program.Tokens{In: 300, Cached: 40, Out: 30}) || info.Usage.Cost != nil {
		t.Errorf("ended as %+v, tokens %+v", info.RunEnd, info.Usage.Tokens)
	}
	asks := m.Asks()
	if len(asks) != 2 || asks[0].Header.Get("Authorization") != "Bearer sk-of-the-endpoint" || len(asks[0].Tools) != 2 {
		t.Errorf("asked %+v", asks)
	}
	if log := w.end(t).Transcript; strings.Contains(log, "sk-of-the-endpoint") || strings.Contains(log, "brn_secret") || !strings.Contains(log, "calls task_complete") {
		t.Errorf("transcript:\n%s", log)
	}
}

// W7: the same conversation goes on when an answer is sent back.
func TestChat_GoesOnWithTheConversation(t *testing.T) {
	m := modeltest.New(func(a modeltest.Ask) modeltest.Answer {
		if a.Turn == 0 {
			return modeltest.Answer{Text: "It is the gradient."}
		}
		if !strings.Contains(a.Text, "no delta that can be used") || !strings.Contains(a.Text, "# Kickoff") {
			t.Errorf("asked %q", a.Text)
		}
		return modeltest.Answer{Text: goodReply}
	})
	defer m.Close()
	info := do(t, newWorld(t).runner(t), kickoff(chatProgram(m.URL())))
	if info.Outcome != api.OutcomeAnswered || info.Repairs != 1 {
		t.Errorf("ended as %+v", info.RunEnd)
	}
}

// W10: each fault of an endpoint has its name; what passes is waited for.
func TestChat_NamesTheFaultsOfAnEndpoint(t *testing.T) {
	for name, c := range map[string]struct {
		fault   modeltest.Answer
		cause   program.Cause
		outcome api.Outcome
		starts  int
	}{
		"429":         {modeltest.Answer{Status: 429}, program.RateLimited, api.OutcomeFailed, 7},
		"429, later":  {modeltest.Answer{Status: 429, RetryAfter: "3600"}, program.RateLimited, api.OutcomeFailed, 1},
		"529":         {modeltest.Answer{Status: 529}, program.Overloaded, api.OutcomeFailed, 7},
		"500":         {modeltest.Answer{Status: 500}, program.Overloaded, api.OutcomeFailed, 7},
		"cut":         {modeltest.Answer{Text: strings.Repeat("word ", 40), Cut: true}, program.Unreachable, api.OutcomeFailed, 7},
		"401":         {modeltest.Answer{Status: 401}, program.NotLoggedIn, api.OutcomeFailed, 1},
		"404":         {modeltest.Answer{Status: 404}, program.NoModel, api.OutcomeFailed, 1},
		"a redirect":  {modeltest.Answer{Status: 307}, program.Crashed, api.OutcomeFailed, 2},
		"a refusal":   {modeltest.Answer{Text: "no", Refuse: true}, program.Declined, api.OutcomeRefused, 1},
		"no words":    {modeltest.Answer{}, program.NoWords, api.OutcomeNothing, 2},
		"slow, bound": {modeltest.Answer{Text: "late", Wait: time.Minute}, program.OutOfTime, api.OutcomeTimedOut, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := modeltest.New(func(modeltest.Ask) modeltest.Answer { return c.fault })
			defer m.Close()
			p := chatProgram(m.URL())
			p.Bounds.Time = api.Duration(10 * time.Second)
			if c.cause == program.OutOfTime {
				p.Bounds.Time = api.Duration(300 * time.Millisecond)
			}
			info := do(t, newWorld(t).runner(t), kickoff(p))
			if info.Outcome != c.outcome || info.Cause != c.cause || info.Starts != c.starts {
				t.Errorf("ended as %+v", info.RunEnd)
			}
		})
	}
	var n atomic.Int64
	m := modeltest.New(func(modeltest.Ask) modeltest.Answer {
		if n.Add(1) < 3 {
			return modeltest.Answer{Status: 429, RetryAfter: "1"}
		}
		return modeltest.Answer{Text: goodReply}
	})
	defer m.Close()
	begun := time.Now()
	info := do(t, newWorld(t).runner(t), kickoff(chatProgram(m.URL())))
	if info.Outcome != api.OutcomeAnswered || info.Starts != 3 || time.Since(begun) < 2*time.Second {
		t.Errorf("ended as %+v after %s: Retry-After is not honoured", info.RunEnd, time.Since(begun))
	}
}

// W9: turns, tokens and what it writes are bounded.
func TestChat_EndsAtItsBounds(t *testing.T) {
	m := modeltest.New(func(a modeltest.Ask) modeltest.Answer {
		return modeltest.Answer{Text: strings.Repeat("x", 3000), In: 500, Out: 500, Calls: []modeltest.Call{{Name: "task_complete", Arguments: map[string]any{"id": "another"}}}}
	})
	defer m.Close()
	for cause, change := range map[program.Cause]func(*program.Bounds){
		program.OutOfTurns:  func(b *program.Bounds) { b.Turns = 3 },
		program.OutOfTokens: func(b *program.Bounds) { b.Tokens = 2500 },
	} {
		p := chatProgram(m.URL())
		change(&p.Bounds)
		info := do(t, newWorld(t).runner(t), kickoff(p))
		if info.Outcome != api.OutcomeTimedOut || info.Cause != cause {
			t.Errorf("%s: ended as %+v", cause, info.RunEnd)
		}
	}
}
