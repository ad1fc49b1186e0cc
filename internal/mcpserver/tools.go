package mcpserver

import (
	"context"
	"crypto/rand"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"

	"github.com/go-json-experiment/json/jsontext"
)

// tools is what agents can do. Descriptions are short: every agent pays for
// all of them in every conversation.
var tools = []tool{
	writing("context_assemble", assembleContext,
		"Your context for a task you hold, or for a question: what your role may and needs to see, inside a token budget. Call again with the key and next_offset for the next page."),
	reading("artifact_get", getArtifact,
		"Read an artifact version (ref ID or ID@VERSION; without version the one in force). brief leaves the content out; offset continues a long text."),
	reading("artifact_search", searchArtifacts,
		"Full-text search over summaries, tags and contents; best first."),
	writing("artifact_write", writeArtifact,
		"Write knowledge. With type: a new artifact. With id alone: a new version on parent (default head). New content needs a new summary or summary_holds; core types need change {what, why}. content.format is json or text. expect refuses if the head has moved."),
	writing("patch_apply", api.Service.ApplyPatch,
		"Apply an anchor patch to a text artifact: a new version. A refusal explains the miss and, where possible, carries a patch that applies. dry_run writes nothing."),
	writing("delta_submit", api.Service.SubmitDeltas,
		"Submit a reply to a session: Markdown with delta blocks, as the kickoff asks."),
	writing("task_claim", api.Service.ClaimTask,
		"Claim a task by id, or the oldest free one for your role. lease such as 30m; claiming again renews it."),
	writing("task_complete", api.Service.CompleteTask,
		"Close a task you hold. outputs: versions that belong to the result besides those written with its id."),
	writing("playbook_learn", api.Service.Learn,
		"Report lessons. section: helpful (do this), harmful (avoid this) or neutral (a fact); confidence 0 to 1."),
	writing("playbook_feedback", api.Service.Feedback,
		"Say how a bullet of your context served: as helpful, harmful or neutral."),
	writing("stalemate_raise", api.Service.RaiseStalemate,
		"Raise a stalemate when stuck: summary, one hypothesis per party (author, statement, justification), 1-3 alternatives, evidence (kind, content), arbitration_request. Ids and times are set for you."),
	writing("inbox", inbox,
		"List your messages; with message: read that one; with ack too: acknowledge it."),
	reading("lineage", api.Service.Lineage,
		"What a version rests on, or with down what rests on it."),
	reading("status", status,
		"Who you are, the project, open tasks for your role, and what needs attention."),
}

// contextRequest is what a context is for, and which page of it is wanted.
type contextRequest struct {
	api.Write
	Task     string           `json:"task,omitzero"`
	Question string           `json:"question,omitzero"`
	Modules  []brenner.Module `json:"modules,omitzero"`
	Offset   int              `json:"offset,omitzero"`
}

// contextPage is a context, or a page of one that is long.
type contextPage struct {
	Invocation string `json:"invocation"`
	Text       string `json:"text"`
	// Key and NextOffset ask for the next page.
	Key        string `json:"key,omitzero"`
	NextOffset int    `json:"next_offset,omitzero"`
	Used       int    `json:"used"`
	Size       int    `json:"size"`
	Left       int    `json:"left"`
	Unit       string `json:"unit"`
}

// assembleContext always gives a key, so that the pages are of one context.
func assembleContext(s api.Service, ctx context.Context, in contextRequest) (contextPage, error) {
	if in.Offset > 0 && in.Key == "" {
		return contextPage{}, brenner.Errorf(brenner.CodeInvalidValue, "an offset goes with the key of the first page").At("/" + keyName)
	}
	if in.Key == "" {
		in.Key = "context-" + rand.Text()
	}
	res, err := s.AssembleContext(ctx, api.ContextRequest{
		Write: in.Write, Task: in.Task, Question: in.Question, Modules: in.Modules, Format: assembly.Markdown,
	})
	if err != nil {
		return contextPage{}, err
	}
	out := contextPage{Invocation: res.Invocation, Used: res.Used, Size: res.Size, Left: res.Left, Unit: res.Unit}
	out.Text, out.NextOffset, err = page(res.Text, in.Offset)
	if out.NextOffset > 0 {
		out.Key = in.Key
	}
	return out, err
}

// getRequest names a version and where to go on in its content.
type getRequest struct {
	Ref    brenner.Ref `json:"ref"`
	Brief  bool        `json:"brief,omitzero"`
	Offset int         `json:"offset,omitzero"`
}

// artifactPage is a version; a content that is long comes as text, in pages.
type artifactPage struct {
	api.ArtifactView
	Text       string `json:"text,omitzero"`
	NextOffset int    `json:"next_offset,omitzero"`
}

func getArtifact(s api.Service, ctx context.Context, in getRequest) (artifactPage, error) {
	v, err := s.Artifact(ctx, api.ArtifactRequest{Ref: in.Ref, Brief: in.Brief})
	out := artifactPage{ArtifactView: v}
	if err != nil || in.Brief || (in.Offset == 0 && fits(string(v.Content), brenner.ToolPageTokens)) {
		return out, err
	}
	text := string(v.Content)
	if v.Format == artifact.Text {
		raw, err := jsontext.AppendUnquote(nil, v.Content)
		if err != nil {
			return out, err
		}
		text = string(raw)
	}
	out.Content = nil
	out.Text, out.NextOffset, err = page(text, in.Offset)
	return out, err
}

// searchArtifacts keeps a page small enough for a result.
func searchArtifacts(s api.Service, ctx context.Context, in api.SearchArtifactsRequest) (api.SearchResult, error) {
	if in.Limit == 0 {
		in.Limit = 10
	}
	return s.SearchArtifacts(ctx, in)
}

// writeRequest is a new artifact, or a new version of one.
type writeRequest struct {
	api.Write
	ID           brenner.ArtifactID `json:"id,omitzero"`
	Type         *brenner.TypeName  `json:"type,omitzero"`
	Module       brenner.Module     `json:"module,omitzero"`
	Parent       brenner.Version    `json:"parent,omitzero"`
	Expect       brenner.Version    `json:"expect,omitzero"`
	Summary      *string            `json:"summary,omitzero"`
	SummaryHolds bool               `json:"summary_holds,omitzero"`
	Content      *api.Body          `json:"content,omitzero"`
	Tags         *[]string          `json:"tags,omitzero"`
	Links        []artifact.Link    `json:"links,omitzero"`
	DropLinks    bool               `json:"drop_links,omitzero"`
	Change       *artifact.Change   `json:"change,omitzero"`
	Task         string             `json:"task,omitzero"`
}

func writeArtifact(s api.Service, ctx context.Context, in writeRequest) (api.WriteResult, error) {
	if in.Type == nil {
		return s.UpdateArtifact(ctx, api.UpdateArtifactRequest{
			Write: in.Write, ID: in.ID, Parent: in.Parent, Expect: in.Expect, Summary: in.Summary, SummaryHolds: in.SummaryHolds,
			Content: in.Content, Tags: in.Tags, Links: in.Links, DropLinks: in.DropLinks, Change: in.Change, Task: in.Task,
		})
	}
	if in.Parent != 0 || in.Expect != 0 {
		return api.WriteResult{}, brenner.Errorf(brenner.CodeInvalidValue, "a new artifact has no parent").
			WithHint("leave out type to write a new version of an artifact")
	}
	req := api.CreateArtifactRequest{
		Write: in.Write, ID: in.ID, Type: *in.Type, Module: in.Module, Links: in.Links, Change: in.Change, Task: in.Task,
	}
	if in.Summary != nil {
		req.Summary = *in.Summary
	}
	if in.Content != nil {
		req.Content = *in.Content
	}
	if in.Tags != nil {
		req.Tags = *in.Tags
	}
	return s.CreateArtifact(ctx, req)
}

// inboxRequest lists messages, or is about one.
type inboxRequest struct {
	api.Write
	Limit   int                `json:"limit,omitzero"`
	Cursor  string             `json:"cursor,omitzero"`
	States  []api.MessageState `json:"states,omitzero"`
	Message string             `json:"message,omitzero"`
	Ack     bool               `json:"ack,omitzero"`
	Offset  int                `json:"offset,omitzero"`
}

// inboxResult is a page of messages, or one with its text.
type inboxResult struct {
	api.MessageList
	Text       string `json:"text,omitzero"`
	NextOffset int    `json:"next_offset,omitzero"`
}

func inbox(s api.Service, ctx context.Context, in inboxRequest) (inboxResult, error) {
	if in.Message == "" {
		if in.Limit == 0 {
			in.Limit = 20
		}
		list, err := s.Inbox(ctx, api.InboxRequest{Page: api.Page{Limit: in.Limit, Cursor: in.Cursor}, States: in.States})
		return inboxResult{MessageList: list}, err
	}
	req := api.MessageRequest{Write: in.Write, ID: in.Message}
	if in.Ack {
		m, err := s.AckMessage(ctx, req)
		return inboxResult{MessageList: api.MessageList{Messages: []api.MessageInfo{m}}}, err
	}
	m, err := s.ReadMessage(ctx, req)
	if err != nil {
		return inboxResult{}, err
	}
	out := inboxResult{MessageList: api.MessageList{Messages: []api.MessageInfo{m.MessageInfo}}}
	out.Text, out.NextOffset, err = page(m.Text, in.Offset)
	return out, err
}

// statusResult is where a project stands, for one who works on it.
type statusResult struct {
	Project api.ProjectInfo `json:"project"`
	Needs   []api.Need      `json:"needs"`
	Tasks   []taskLine      `json:"tasks"`
}

// taskLine is a task in a list.
type taskLine struct {
	ID      string            `json:"id"`
	State   api.TaskState     `json:"state"`
	Title   string            `json:"title"`
	Modules []brenner.Module  `json:"modules"`
	Holder  brenner.ActorName `json:"holder,omitzero"`
}

func status(s api.Service, ctx context.Context, _ struct{}) (statusResult, error) {
	info, err := s.Project(ctx)
	if err != nil {
		return statusResult{}, err
	}
	out := statusResult{Project: info, Tasks: []taskLine{}}
	needs, err := s.Status(ctx)
	if err != nil {
		return statusResult{}, err
	}
	out.Needs = needs.Items
	list, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: 20}, Role: info.Role})
	for _, t := range list.Tasks {
		out.Tasks = append(out.Tasks, taskLine{ID: t.ID, State: t.State, Title: t.Title, Modules: t.Modules, Holder: t.Holder})
	}
	return out, err
}
