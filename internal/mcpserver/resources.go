package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/roster"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Where resources are.
const (
	artifactURI = "brenner://artifact/"
	snapshotURI = "brenner://snapshot"
	inboxURI    = "brenner://inbox"
	runLogURI   = "brenner://run-log/"
)

func (o Options) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "artifact", URITemplate: artifactURI + "{+ref}", MIMEType: "application/json",
		Description: "A version of an artifact: ID@VERSION, or ID for the one in force",
	}, o.resource("application/json", func(ctx context.Context, s api.Service, uri string) (string, error) {
		ref, err := brenner.ParseRef(strings.TrimPrefix(uri, artifactURI))
		if err != nil {
			return "", err
		}
		v, err := getArtifact(s, ctx, getRequest{Ref: cited{Ref: ref}})
		return string(mustJSON(v)), err
	}))
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "run_log", URITemplate: runLogURI + "{+at}", MIMEType: "text/plain",
		Description: "What a run printed, for who distils: RUN, or RUN@OFFSET for a further page",
	}, o.resource("text/plain", func(ctx context.Context, s api.Service, uri string) (string, error) {
		id, from, _ := strings.Cut(strings.TrimPrefix(uri, runLogURI), "@")
		offset, err := strconv.Atoi(cmp.Or(from, "0"))
		if err != nil {
			return "", brenner.Errorf(brenner.CodeInvalidValue, "an offset is a number")
		}
		v, err := s.RunLog(ctx, api.RunRequest{ID: id})
		if err != nil {
			return "", err
		}
		text, next, err := page(v.Text, offset)
		if next > 0 {
			text += fmt.Sprintf("\n── it goes on at %s%s@%d\n", runLogURI, id, next)
		}
		return text, err
	}))
	s.AddResource(&mcp.Resource{
		Name: "snapshot", URI: snapshotURI, MIMEType: "text/markdown", Description: "What stands, from canonical artifacts only",
	}, o.resource("text/markdown", func(ctx context.Context, s api.Service, _ string) (string, error) {
		v, err := s.Snapshot(ctx, api.SnapshotRequest{Format: "markdown"})
		if err != nil {
			return "", err
		}
		text, _, err := page(v.Rendered, 0)
		return text, err
	}))
	s.AddResource(&mcp.Resource{
		Name: "inbox", URI: inboxURI, MIMEType: "application/json", Description: "Your messages",
	}, o.resource("application/json", func(ctx context.Context, s api.Service, _ string) (string, error) {
		list, err := inbox(s, ctx, inboxRequest{})
		return string(mustJSON(list)), err
	}))
}

// resource reads a resource as text.
func (o Options) resource(kind string, read func(context.Context, api.Service, string) (string, error)) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		s, err := o.serviceOf(ctx, req.Extra)
		var text string
		if err == nil {
			text, err = read(ctx, s, req.Params.URI)
		}
		if err != nil {
			return nil, o.protocolError(ctx, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: kind, Text: text}}}, nil
	}
}

// addPrompts offers the prompt of each role, with what the project lets it do.
func (o Options) addPrompts(s *mcp.Server) {
	for _, name := range roster.PromptNames() {
		s.AddPrompt(&mcp.Prompt{
			Name: name, Description: "What is asked of the role " + name,
			Arguments: []*mcp.PromptArgument{{Name: "session", Description: "the session you take part in"}},
		}, o.prompt(name))
	}
}

func (o Options) prompt(name string) mcp.PromptHandler {
	return func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		s, err := o.serviceOf(ctx, req.Extra)
		if err != nil {
			return nil, o.protocolError(ctx, err)
		}
		p, err := s.RolePrompt(ctx, api.RolePromptRequest{Name: name, Session: brenner.SessionID(req.Params.Arguments["session"])})
		if err != nil {
			return nil, o.protocolError(ctx, err)
		}
		text := brenner.Speak(p.Text, asCall)
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	}
}
