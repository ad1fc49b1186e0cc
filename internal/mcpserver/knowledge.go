package mcpserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
)

// contextRequest is what a context is for, and which page of it is wanted.
type contextRequest struct {
	keyed
	Task     string            `json:"task,omitzero" doc:"a task you hold"`
	Session  brenner.SessionID `json:"session,omitzero" doc:"a session you take part in; default: the one that waits for you"`
	Question string            `json:"question,omitzero" doc:"what you want to know, outside a task"`
	Modules  []brenner.Module  `json:"modules,omitzero" doc:"one module, for a question"`
	Offset   int               `json:"offset,omitzero" doc:"next_offset of the page before, with its key"`
}

// contextPage is a context, or a page of one that is long.
type contextPage struct {
	Invocation string `json:"invocation"`
	Text       string `json:"text,omitzero"`
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
	if in.Offset > 0 { // a further page is no repeat
		ctx, _ = api.WatchReplay(ctx)
	}
	res, err := s.AssembleContext(ctx, api.ContextRequest{
		Write: in.write(), Task: in.Task, Session: in.Session, Question: in.Question, Modules: in.Modules, Format: assembly.Markdown,
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

// Words implements spoken.
func (p contextPage) Words() string {
	var b strings.Builder
	b.WriteString(p.Text)
	fmt.Fprintf(&b, "\n\n[%s: %d of %d %s used, %d left for reading on]\n", p.Invocation, p.Used, p.Size, p.Unit, p.Left)
	if p.NextOffset > 0 {
		b.WriteString(more("context_assemble", "key", p.Key, "offset", p.NextOffset))
	}
	return b.String()
}

// Slim implements spoken.
func (p contextPage) Slim() contextPage { p.Text = ""; return p }

// getRequest names a version and where to go on in its content.
type getRequest struct {
	Ref    brenner.Ref `json:"ref" doc:"ID, or ID@VERSION; without a version the one in force"`
	Brief  bool        `json:"brief,omitzero" doc:"leave the content out"`
	Offset int         `json:"offset,omitzero" doc:"next_offset of the page before"`
	Again  bool        `json:"again,omitzero" doc:"send it"`
	Task   string      `json:"task,omitzero" doc:"whose context"`
}

// artifactPage is a version; its content comes as text, in pages.
type artifactPage struct{ api.ArtifactView }

func getArtifact(s api.Service, ctx context.Context, in getRequest) (artifactPage, error) {
	v, err := s.Artifact(ctx, api.ArtifactRequest{Ref: in.Ref, Brief: in.Brief, Offset: in.Offset, Size: brenner.ToolPageBytes, Again: in.Again, Task: in.Task})
	if brenner.CodeOf(err) == brenner.CodeInvalidValue && in.Offset > 0 {
		// The offset may be one of a stalemate's evidence, which is kept apart.
		brief, briefly := s.Artifact(ctx, api.ArtifactRequest{Ref: in.Ref, Brief: true, Task: in.Task})
		if briefly == nil && brief.Type == artifact.TypeStalemate {
			v, err = brief, nil
		}
	}
	if v.Type == artifact.TypeStalemate && in.Offset > 0 {
		v.Repeated = false // what was given is its own text; the evidence goes on
	}
	out := artifactPage{v}
	if err != nil || in.Brief || v.Repeated || v.Type != artifact.TypeStalemate {
		return out, err
	}
	st, err := s.Stalemate(ctx, api.StalemateRequest{ID: v.ID, Offset: in.Offset, Size: brenner.ToolPageBytes})
	if err != nil {
		return out, err
	}
	out.Text, out.NextOffset = stalemateText(st), st.NextOffset
	return out, nil
}

// Words implements spoken.
func (p artifactPage) Words() string {
	var b strings.Builder
	b.WriteString(p.ArtifactView.Words())
	if p.Repeated {
		b.WriteString("unchanged: you were given it in this context, so it is not sent again\n")
		b.WriteString("send it all the same: artifact_get " + jsonOf(map[string]any{"ref": p.Ref(), "again": true}) + "\n")
	}
	if p.NextOffset > 0 {
		b.WriteString("\n" + more("artifact_get", "ref", p.Ref().String(), "offset", p.NextOffset))
	}
	return b.String()
}

// Slim implements spoken.
func (p artifactPage) Slim() artifactPage { p.Text, p.Content = "", nil; return p }

// searchRequest is a search of the project's knowledge.
type searchRequest struct {
	Text     string             `json:"text" doc:"words, \"a phrase\", begin*, author:X, since:7d"`
	Types    []brenner.TypeName `json:"types,omitzero" doc:"as artifact_write has them; default all"`
	Modules  []brenner.Module   `json:"modules,omitzero" doc:"of your context"`
	Statuses []artifact.Status  `json:"statuses,omitzero" doc:"default all"`
	Tag      string             `json:"tag,omitzero" doc:"one that it must have"`
	Limit    int                `json:"limit,omitzero" doc:"default 10"`
	Task     string             `json:"task,omitzero" doc:"whose context"`
}

// searchHits are what a search found, best first.
type searchHits struct{ api.SearchResult }

func searchArtifacts(s api.Service, ctx context.Context, in searchRequest) (searchHits, error) {
	if in.Limit == 0 {
		in.Limit = 10
	}
	res, err := s.SearchArtifacts(ctx, api.SearchArtifactsRequest{
		Text: in.Text, Types: in.Types, Modules: in.Modules, Statuses: in.Statuses, Tag: in.Tag, Limit: in.Limit, Task: in.Task,
	})
	return searchHits{res}, err
}

// Slim implements spoken.
func (r searchHits) Slim() searchHits { return r }

// body is the content of a version as an agent writes it.
type body struct {
	Format artifact.Format `json:"format" doc:"json where the type has fields"`
	Data   string          `json:"data" doc:"the text, or JSON as text"`
}

// link is a link from what is written to what it rests on.
type link struct {
	Rel      artifact.Relation  `json:"rel" doc:"what this does to it"`
	Artifact brenner.ArtifactID `json:"artifact" doc:"its ID"`
	Version  brenner.Version    `json:"version,omitzero" doc:"default: the one in force"`
}

// change is what was changed and why.
type change struct {
	What string `json:"what" doc:"what changed"`
	Why  string `json:"why" doc:"the reason"`
}

func (c *change) note() *artifact.Change {
	if c == nil {
		return nil
	}
	return &artifact.Change{What: c.What, Why: c.Why}
}

// writeRequest is a new artifact, or a new version of one.
type writeRequest struct {
	keyed
	ID           brenner.ArtifactID `json:"id,omitzero" doc:"without type: write a new version of it"`
	Type         *brenner.TypeName  `json:"type,omitzero" doc:"of a new one: analysis_result, paper_note, critique, model_spec, assumption, test_plan, manuscript_section, code_change, integrated_memo, project_summary, or one of the project's own"`
	Module       brenner.Module     `json:"module,omitzero" doc:"default: your context's"`
	Parent       brenner.Version    `json:"parent,omitzero" doc:"version you worked on; default head"`
	Expect       brenner.Version    `json:"expect,omitzero" doc:"refuse if this is not the head"`
	Summary      *string            `json:"summary,omitzero" doc:"at most 1,200 characters"`
	SummaryHolds bool               `json:"summary_holds,omitzero" doc:"the old summary is still right"`
	Content      *body              `json:"content,omitzero" doc:"all of it"`
	Tags         *[]string          `json:"tags,omitzero" doc:"words to find it by"`
	Links        []link             `json:"links,omitzero" doc:"what it rests on"`
	DropLinks    bool               `json:"drop_links,omitzero" doc:"don't keep the parent's links"`
	Change       *change            `json:"change,omitzero" doc:"core types need it in a new version"`
	Task         string             `json:"task,omitzero" doc:"the task you hold that this is for"`
	Review       bool               `json:"review,omitzero" doc:"hand it in for a decision"`
}

// written says what a write made.
type written struct{ api.WriteResult }

func writeArtifact(s api.Service, ctx context.Context, in writeRequest) (written, error) {
	var content *api.Body
	if in.Content != nil {
		content = &api.Body{Format: in.Content.Format, Data: in.Content.Data}
	}
	var links []artifact.Link
	for _, l := range in.Links {
		links = append(links, artifact.Link{Rel: l.Rel, Artifact: l.Artifact, Version: l.Version})
	}
	if in.Type == nil {
		res, err := s.UpdateArtifact(ctx, api.UpdateArtifactRequest{
			Write: in.write(), ID: in.ID, Parent: in.Parent, Expect: in.Expect, Summary: in.Summary, SummaryHolds: in.SummaryHolds,
			Content: content, Tags: in.Tags, Links: links, DropLinks: in.DropLinks, Change: in.Change.note(), Task: in.Task, Review: in.Review,
		})
		return written{res}, err
	}
	if in.Parent != 0 || in.Expect != 0 {
		return written{}, brenner.Errorf(brenner.CodeInvalidValue, "a new artifact has no parent").
			WithHint("leave out type to write a new version of an artifact")
	}
	req := api.CreateArtifactRequest{
		Write: in.write(), ID: in.ID, Type: *in.Type, Module: in.Module, Links: links, Change: in.Change.note(), Task: in.Task, Review: in.Review,
	}
	if in.Summary != nil {
		req.Summary = *in.Summary
	}
	if content != nil {
		req.Content = *content
	}
	if in.Tags != nil {
		req.Tags = *in.Tags
	}
	res, err := s.CreateArtifact(ctx, req)
	return written{res}, err
}

// Words implements spoken.
func (w written) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s, %s\n", w.Ref, w.Status)
	if len(w.Fork) > 1 {
		fmt.Fprintf(&b, "somebody else wrote meanwhile; live heads: %s\n", list(w.Fork))
	}
	b.WriteString(findings(w.Warnings))
	return b.String()
}

// Slim implements spoken.
func (w written) Slim() written { return w }

// lineageDirection is which way a walk goes.
type lineageDirection string

const (
	directionUp   lineageDirection = "up"
	directionDown lineageDirection = "down"
)

// lineageRequest asks what a version rests on, or what rests on it.
type lineageRequest struct {
	Ref       brenner.Ref      `json:"ref" doc:"ID or ID@VERSION"`
	Direction lineageDirection `json:"direction,omitzero" doc:"up (default): what it rests on; down: what rests on it"`
	Depth     int              `json:"depth,omitzero" doc:"links at most; default all"`
	Limit     int              `json:"limit,omitzero" doc:"versions at most"`
}

// lineageResult is the graph around a version.
type lineageResult struct{ api.LineageResult }

func lineageOf(s api.Service, ctx context.Context, in lineageRequest) (lineageResult, error) {
	if in.Direction != "" && in.Direction != directionUp && in.Direction != directionDown {
		return lineageResult{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a direction", in.Direction).
			At("/direction").WithHint("up or down")
	}
	res, err := s.Lineage(ctx, api.LineageRequest{Ref: in.Ref, Down: in.Direction == directionDown, Depth: in.Depth, Limit: in.Limit, Format: "text"})
	return lineageResult{res}, err
}

// Words implements spoken.
func (r lineageResult) Words() string { return r.Rendered }

// Slim implements spoken.
func (r lineageResult) Slim() lineageResult { r.Rendered = ""; return r }
