package runs

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// codeChange is the content of an artifact of that type.
type codeChange struct {
	Run  string `json:"run"`
	Task string `json:"task,omitzero"`
	api.CodeChange
}

// keepChange writes what a run changed in its worktree as an artifact of its
// agent, among the outputs of its task (W15): also when the agent has closed the
// task, since the change is taken after its last word.
func (r *Room) keepChange(ch *kernel.Change, of run, c api.CodeChange) (brenner.Ref, error) {
	agent, err := ch.Actor(ch.Ctx, of.Agent)
	if err != nil {
		return brenner.Ref{}, err
	}
	module, test := kernel.ProjectModule, ""
	if of.Task != "" {
		t, err := r.Tasks.Find(ch.Call, of.Task)
		if err != nil {
			return brenner.Ref{}, err
		}
		if len(t.Modules) == 1 {
			module = t.Modules[0]
		}
		test = t.Test
	}
	content, err := artifact.NewContent(artifact.JSON, canon.MustMarshal(codeChange{Run: of.ID, Task: of.Task, CodeChange: c}))
	if err != nil {
		return brenner.Ref{}, err
	}
	kind, err := ch.Types.Lookup(artifact.TypeCodeChange)
	if err != nil {
		return brenner.Ref{}, err
	}
	p := artifact.Proposal{Type: kind, Content: content, Summary: changeSummary(of, c, test)}
	if err := artifact.CheckDraft(p); err != nil {
		return brenner.Ref{}, err
	}
	// The run acts as its agent, and so is the change its agent's.
	runner := ch.Who
	ch.Who = agent
	defer func() { ch.Who = runner }()
	out, err := ledger.WriteVersion(ch, p, ledger.Written{
		ID: brenner.ArtifactID(fmt.Sprintf("code_change-%d", ch.NextSeq())), Type: kind.Name, Module: module,
		Version: 1, Head: 1, Status: artifact.Draft, Task: of.Task,
	})
	return out.Ref, err
}

// changeSummary says in a line what changed, and what the test of the task said.
func changeSummary(of run, c api.CodeChange, test string) string {
	added, removed := 0, 0
	for _, f := range c.Files {
		added, removed = added+f.Added, removed+f.Removed
	}
	files := "1 file"
	if len(c.Files) != 1 {
		files = fmt.Sprintf("%d files", len(c.Files))
	}
	s := fmt.Sprintf("%s for %s (+%d −%d)", files, of.work(), added, removed)
	switch {
	case c.Test == nil && test != "":
		s += "; the test was not run"
	case c.Test == nil:
	case c.Test.Exit == 0:
		s += "; the test passes"
	default:
		s += fmt.Sprintf("; the test fails with status %d", c.Test.Exit)
	}
	return s
}
