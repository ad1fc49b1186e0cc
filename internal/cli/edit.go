package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

// draft is what a person writes in an editor: fields, a line of dashes, and the
// content.
type draft struct {
	fields  []field
	content string
	// json says that the content is JSON.
	json bool
}

// field is a line above the content.
type field struct{ name, value, about string }

const rule = "---"

// text is the draft as it stands in the editor.
func (d draft) text() string {
	var b strings.Builder
	for _, f := range d.fields {
		fmt.Fprintf(&b, "# %s\n%s: %s\n", f.about, f.name, strings.Join(strings.Fields(f.value), " "))
	}
	b.WriteString(rule + "\n" + d.content)
	if !strings.HasSuffix(d.content, "\n") {
		b.WriteString("\n")
	}
	return b.String()
}

// read takes what the person left in the editor.
func (d *draft) read(text string) error {
	above, content, found := strings.Cut(text, "\n"+rule+"\n")
	if !found {
		return brenner.Errorf(brenner.CodeUsage, "the line %s between the fields and the content is gone", rule)
	}
	for line := range strings.Lines(above) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		i := slices.IndexFunc(d.fields, func(f field) bool { return f.name == strings.TrimSpace(name) })
		if i < 0 {
			return brenner.Errorf(brenner.CodeUsage, "%q is no field of the draft", oneLine(line, 60))
		}
		d.fields[i].value = strings.TrimSpace(value)
	}
	d.content = content
	return nil
}

// value is what a field says.
func (d draft) value(name string) string {
	for _, f := range d.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// edit lets the person write in the editor that VISUAL or EDITOR names. What was
// written is kept where it is if anything goes wrong with it; done removes it.
func (r *runner) edit(ctx context.Context, d *draft) (kept string, done func(), err error) {
	editor := r.env.Getenv("VISUAL")
	if editor == "" {
		editor = r.env.Getenv("EDITOR")
	}
	if editor == "" {
		return "", nil, brenner.Errorf(brenner.CodeUsage, "no editor is set").WithHint("set EDITOR, or give the content with --file or --content")
	}
	dir, err := os.MkdirTemp("", "brenner-draft-")
	if err != nil {
		return "", nil, fileError("the draft", err)
	}
	done = func() { _ = os.RemoveAll(dir) }
	name := filepath.Join(dir, "draft.md")
	if d.json {
		name = filepath.Join(dir, "draft.jsonc")
	}
	before := d.text()
	if err := os.WriteFile(name, []byte(before), 0o600); err != nil {
		done()
		return "", nil, fileError("the draft", err)
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", name) //nolint:gosec // the person's own choice
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.env.In, r.env.Out, r.env.Err
	if err := cmd.Run(); err != nil {
		done()
		return "", nil, brenner.Errorf(brenner.CodeFileError, "the editor %s did not end well: %v", editor, err)
	}
	after, err := os.ReadFile(name)
	if err != nil {
		return name, done, fileError("the draft", err)
	}
	if string(after) == before {
		done()
		return "", nil, brenner.Errorf(brenner.CodeUsage, "nothing was changed, and nothing is written")
	}
	if err := d.read(string(after)); err != nil {
		return name, done, err
	}
	return name, done, nil
}

// keep tells where a draft is that was refused: nothing typed is lost (N8).
func keep(err error, name string) error {
	var e *brenner.Error
	if name == "" || !errors.As(err, &e) {
		return err
	}
	return e.WithHint(strings.TrimSpace(e.Hint + "\nwhat you wrote is in " + name))
}

// editNew lets the person write the first version of an artifact.
func (r *runner) editNew(cmd *cobra.Command, req *api.CreateArtifactRequest) (name string, done func(), err error) {
	types, err := ask(r, cmd, api.Service.Types, api.TypesRequest{Name: req.Type})
	if err != nil {
		return "", nil, err
	}
	d := draft{fields: []field{{"summary", req.Summary, "What it says, in one or two sentences"}}}
	d.content, d.json = template(types.Types[0])
	if req.Type == artifact.TypeProjectBrief {
		d.content, d.json = "# The question\n\n## Goals\n\n- \n\n## In scope\n\n- \n\n## Out of scope\n\n- \n\n## Constraints\n\n- \n", false
	}
	if name, done, err = r.edit(cmd.Context(), &d); err != nil {
		return name, done, err
	}
	req.Summary, req.Content = d.value("summary"), d.body()
	return name, done, nil
}

// editVersion lets the person write a new version of an artifact.
func (r *runner) editVersion(cmd *cobra.Command, req *api.UpdateArtifactRequest) (name string, done func(), err error) {
	s, err := r.service(cmd.Context())
	if err != nil {
		return "", nil, err
	}
	ref := brenner.Ref{Artifact: req.ID, Version: req.Parent}
	if ref.Version == 0 {
		history, err := s.History(cmd.Context(), api.HistoryRequest{ID: req.ID, Newest: true, Page: api.Page{Limit: 1}})
		if err != nil {
			return "", nil, err
		}
		ref.Version = history.Head
	}
	v, err := s.Artifact(cmd.Context(), api.ArtifactRequest{Ref: ref, Again: true})
	if err != nil {
		return "", nil, err
	}
	what, why := "", ""
	if req.Change != nil {
		what, why = req.Change.What, req.Change.Why
	}
	d := draft{content: contentText(v.Version), json: v.Format == artifact.JSON, fields: []field{
		{"summary", v.Summary, "What it says, in one or two sentences"}, {"what", what, "What changes"}, {"why", why, "Why it changes"},
	}}
	if name, done, err = r.edit(cmd.Context(), &d); err != nil {
		return name, done, err
	}
	body := d.body()
	summary := d.value("summary")
	req.Content, req.Parent, req.Summary = &body, ref.Version, &summary
	if what, why := d.value("what"), d.value("why"); what != "" || why != "" {
		req.Change = &artifact.Change{What: what, Why: why}
	}
	return name, done, nil
}

// body is the content as it is sent.
func (d draft) body() api.Body {
	if d.json {
		return api.Body{Format: artifact.JSON, Data: d.content}
	}
	return api.Body{Format: artifact.Text, Data: d.content}
}

// template is what a person finds in the editor for a type: the fields of its
// schema, those that are required first, or nothing.
func template(t api.TypeInfo) (content string, isJSON bool) {
	var schema struct {
		Properties map[string]struct {
			Type  any            `json:"type"`
			Items jsontext.Value `json:"items"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if t.Schema == nil || json.Unmarshal(t.Schema, &schema) != nil || len(schema.Properties) == 0 {
		return "", false
	}
	names := slices.Clone(schema.Required)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var b strings.Builder
	b.WriteString("{")
	for i, name := range names {
		empty := `""`
		switch schema.Properties[name].Type {
		case "array":
			empty = "[]"
		case "object":
			empty = "{}"
		case "number", "integer":
			empty = "0"
		case "boolean":
			empty = "false"
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %q: %s", name, empty)
	}
	b.WriteString("\n}\n")
	return b.String(), true
}

// asBrief lets a brief be written as plain Markdown: it becomes the JSON of a
// brief, and its summary is the question unless another is given.
func asBrief(req *api.CreateArtifactRequest) error {
	if req.Type != artifact.TypeProjectBrief {
		return nil
	}
	question := ""
	if req.Content.Format == artifact.Text {
		data, asked, err := artifact.BriefOf(req.Content.Data)
		if err != nil {
			return err
		}
		req.Content, question = api.Body{Format: artifact.JSON, Data: string(data)}, asked
	} else {
		var brief struct {
			Question string `json:"question"`
		}
		_ = json.Unmarshal([]byte(req.Content.Data), &brief) // what is no brief is refused where it is written
		question = brief.Question
	}
	if req.Summary == "" {
		req.Summary = oneLine(question, brenner.MaxSummaryRunes)
	}
	return nil
}
