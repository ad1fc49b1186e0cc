package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"brenner"
	"brenner/api"
	"brenner/assembly"
)

// What a run is asked: who it is, what the work is, and what an answer looks
// like (W6).

const sessionPreface = `You are %s. This is an unattended run: nobody can answer questions, and what you write last is taken in as your reply
to the message below. You have the tools of the team's shared memory, Brenner; use them to read what you need. Answer with delta
blocks as the message says, or submit them with delta_submit; not both.

`

const taskPreface = `You are %s. This is an unattended run: nobody can answer questions. The work is %s; you hold it. You have the tools of the
team's shared memory, Brenner.

`

const taskAnswer = `

## What counts as done

Write what the task asks for with artifact_write (or patch_apply, delta_submit), giving the task's id %s each time, then close
it with task_complete. If it cannot be done, say why in your last words and leave it open. What is not written with a tool is
kept as notes and changes nothing. Read more with artifact_get and artifact_search as you need it; the budget is limited.
`

const worktreeAnswer = `
You work in a git worktree of the project's repository. Change the files there as the task asks; what you leave changed is
committed for you and handed in with the task. Do not commit, push or switch branches.
`

// prompt is what the run is asked first, and the context it was made from.
func (r *Runner) prompt(ctx context.Context, agent Agent, run api.StartedRun) (text, invocation string, err error) {
	if run.Task != "" {
		return r.taskPrompt(ctx, agent, run)
	}
	var b strings.Builder
	fmt.Fprintf(&b, sessionPreface, run.Agent)
	for _, id := range run.Messages {
		m, err := agent.ReadMessage(ctx, api.MessageRequest{ID: id})
		if err != nil {
			return "", "", err
		}
		b.WriteString(strings.TrimSpace(brenner.Speak(m.Text, brenner.Action.Tool)) + "\n\n")
		if _, err := agent.AckMessage(ctx, api.MessageRequest{ID: id}); err != nil {
			return "", "", err
		}
	}
	return b.String(), "", fits(ctx, agent, run.Role, b.String())
}

func (r *Runner) taskPrompt(ctx context.Context, agent Agent, run api.StartedRun) (string, string, error) {
	c, err := agent.AssembleContext(ctx, api.ContextRequest{Task: run.Task})
	if err != nil {
		return "", "", err
	}
	text := fmt.Sprintf(taskPreface, run.Agent, run.Task) + strings.TrimSpace(brenner.Speak(run.Prompt, brenner.Action.Tool)) + "\n\n" +
		strings.TrimSpace(c.Text) + fmt.Sprintf(taskAnswer, run.Task)
	if run.Program.Directory == "worktree" {
		text += worktreeAnswer
	}
	return text, c.Invocation, fits(ctx, agent, run.Role, text)
}

// fits refuses a prompt that is larger than the view of the role allows. Code:
// CONTEXT_OVERFLOW.
func fits(ctx context.Context, agent Agent, role brenner.Role, text string) error {
	views, err := agent.Views(ctx)
	if err != nil {
		return err
	}
	for _, v := range views.Views {
		if v.Role != role {
			continue
		}
		counter, err := counterFor(v.Budget)
		if err != nil {
			return err
		}
		if used := v.Budget.Measure(counter, text); used > v.Budget.Size {
			return brenner.Errorf(brenner.CodeContextOverflow, "the prompt has %d %s and the view of %s allows %d", used, v.Budget.Unit, role, v.Budget.Size).
				WithHint("shorten the question, its context or the role's prompt, or widen the view")
		}
	}
	return nil
}

// mend is what a program is told whose answer could not be used (W7).
func mend(s api.Submission) string {
	return "Your reply was taken in, but it holds no delta that can be used. What is wrong:\n\n" + s.Trouble() +
		"\nSend your whole contribution again as fenced blocks named delta, each holding one JSON object.\n"
}

// remind is what a program is told that has left its task open.
func remind(task string) string {
	return fmt.Sprintf("The task %s is still open. Write your result with artifact_write, giving \"task\": %q, and close it with task_complete. "+
		"If it cannot be done, say so in one sentence and why.\n", task, task)
}

// afresh puts a question to a program that cannot go on with a conversation:
// what it was asked, what it said, and what is wrong with that.
func afresh(prompt, reply, question string) string {
	return prompt + "\n\n---\n\nYou have answered this before:\n\n" + reply + "\n\n---\n\n" + question
}

// usable reports whether a submission changes anything.
func usable(s api.Submission) bool {
	for _, d := range s.Deltas {
		if d.Code == "" {
			return true
		}
	}
	return false
}

// tokenizers are made once: their tables are large.
var tokenizers = map[assembly.Encoding]func() (*assembly.Tokenizer, error){
	assembly.O200k:  sync.OnceValues(func() (*assembly.Tokenizer, error) { return assembly.NewTokenizer(assembly.O200k) }),
	assembly.Cl100k: sync.OnceValues(func() (*assembly.Tokenizer, error) { return assembly.NewTokenizer(assembly.Cl100k) }),
}

func counterFor(b assembly.Budget) (assembly.Counter, error) {
	if b.Encoding() == "" {
		return assembly.Bytes{}, nil
	}
	return tokenizers[b.Encoding()]()
}
