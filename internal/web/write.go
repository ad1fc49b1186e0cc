package web

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"github.com/go-json-experiment/json/jsontext"
)

// writePage is the form in which a version is written: the first of an
// artifact, or another.
type writePage struct {
	// Types are what can be written, as long as none is chosen.
	Types []api.TypeInfo
	Type  api.TypeInfo
	// Old is the version that the new one goes on; nil for a new artifact.
	Old *api.ArtifactView
	// Text says that the content is Markdown, otherwise it has Fields. Other is
	// the address of the form that takes it the other way, "" if there is none.
	Text   bool
	Other  string
	Body   string
	Fields []formField
	// Rest is content without a field, kept as it is.
	Rest  string
	Links string
	Tags  string
}

// madeElsewhere are the types whose versions come from acts of their own.
var madeElsewhere = []brenner.TypeName{
	artifact.TypeSessionArtifact, artifact.TypeStalemate, artifact.TypeVerdict, artifact.TypeTask, artifact.TypeRoster,
	artifact.TypeRolePolicy, artifact.TypeContextView, artifact.TypeRawLog,
}

// writtenByHand says that a person writes versions of a type.
func writtenByHand(t brenner.TypeName) bool { return !slices.Contains(madeElsewhere, t) }

func loadNew(v *visit) (string, any, error) {
	name := brenner.TypeName(v.query("type"))
	if name == "" {
		all, err := v.svc.Types(v.Context(), api.TypesRequest{})
		types := slices.DeleteFunc(all.Types, func(t api.TypeInfo) bool { return !writtenByHand(t.Name) })
		return "Write something", writePage{Types: types}, err
	}
	t, err := v.typeInfo(name)
	if err != nil {
		return "", nil, err
	}
	out := writePage{Type: t, Text: writesText(t.Formats, v.query("as"))}
	if len(t.Formats) > 1 {
		out.Other = v.with("as", otherWay(out.Text))
	}
	err = out.begin(v, nil)
	return "New " + strings.ToLower(t.Title), out, err
}

func loadEdit(v *visit) (string, any, error) {
	ref, err := v.ref()
	if err != nil {
		return "", nil, err
	}
	view, err := v.headOf(ref.Artifact)
	if err != nil {
		return "", nil, err
	}
	t, err := v.typeInfo(view.Type)
	if err != nil {
		return "", nil, err
	}
	out := writePage{Type: t, Old: &view, Text: view.Format == artifact.Text, Tags: strings.Join(view.Metadata.Tags, ", "), Links: linkLines(view.Links)}
	err = out.begin(v, view.Content)
	return "New version of " + string(view.ID), out, err
}

// headOf reads the newest version of an artifact, on which another goes.
func (v *visit) headOf(id brenner.ArtifactID) (api.ArtifactView, error) {
	view, err := v.svc.Artifact(v.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: id}})
	if err != nil || view.Ref().Version == view.Head {
		return view, err
	}
	return v.svc.Artifact(v.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: id, Version: view.Head}})
}

func (v *visit) typeInfo(name brenner.TypeName) (api.TypeInfo, error) {
	found, err := v.svc.Types(v.Context(), api.TypesRequest{Name: name})
	if err != nil {
		return api.TypeInfo{}, err
	}
	return found.Types[0], nil
}

// writesText chooses Markdown where a type takes it, unless fields are asked
// for.
func writesText(formats []artifact.Format, as string) bool {
	return slices.Contains(formats, artifact.Text) && (as != "fields" || !slices.Contains(formats, artifact.JSON))
}

func otherWay(text bool) string {
	if text {
		return "fields"
	}
	return "text"
}

// begin fills the form: with what was typed, or with a content.
func (p *writePage) begin(v *visit, content jsontext.Value) error {
	if v.PostForm != nil {
		p.Body = v.PostForm.Get("content")
	} else if p.Text && content != nil {
		p.Body = plain(content)
	}
	if p.Text {
		return nil
	}
	fields, err := schemaFields(p.Type.Schema)
	if err != nil {
		return err
	}
	if len(fields) == 0 { // a type without a schema: all of it as JSON
		fields = nil
		if p.Body == "" {
			p.Body = string(content)
		}
	}
	if content != nil && fields != nil {
		rest, err := fillFields(fields, content)
		if err != nil {
			return err
		}
		p.Rest = string(rest)
	}
	if v.PostForm != nil {
		p.Rest = v.PostForm.Get("rest")
		for i := range fields {
			fields[i].refill(v.PostForm)
		}
	}
	p.Fields = fields
	return nil
}

// refill shows what was typed, in the way it was typed in.
func (f *formField) refill(form url.Values) {
	f.Value = ""
	for _, kind := range []fieldKind{fieldText, fieldLines, fieldNumber, fieldChoice, fieldJSON} {
		as := formField{Kind: kind, Name: f.Name}
		if typed, ok := form[as.Input()]; ok {
			f.Kind, f.Value = kind, typed[0]
		}
	}
}

// linkLines writes links, one a line, as they are typed in.
func linkLines(links []artifact.Link) string {
	var out []string
	for _, l := range links {
		out = append(out, string(l.Rel)+" "+l.To().String())
	}
	return strings.Join(out, "\n")
}

// readLinks reads such lines: a relation and what it leads to.
func readLinks(text string) ([]artifact.Link, error) {
	var out []artifact.Link
	for _, line := range lines(text) {
		rel, to, _ := strings.Cut(line, " ")
		ref, err := brenner.ParseRef(strings.TrimSpace(to))
		if err != nil {
			return nil, brenner.Errorf(brenner.CodeInvalidLink, "“%s” is not a link", line).At("/links").
				WithHint("write one a line, such as: cites oxygen-log@2")
		}
		out = append(out, artifact.Link{Rel: artifact.Relation(rel), Artifact: ref.Artifact, Version: ref.Version})
	}
	return out, nil
}

// tags reads a list of words with commas between.
func tags(text string) []string {
	var out []string
	for tag := range strings.SplitSeq(text, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

// body reads the content that was written.
func (v *visit) body(t api.TypeInfo) (api.Body, error) {
	if v.field("format") == string(artifact.Text) {
		return api.Body{Format: artifact.Text, Data: strings.ReplaceAll(v.PostForm.Get("content"), "\r\n", "\n")}, nil
	}
	if v.PostForm.Has("content") {
		return api.Body{Format: artifact.JSON, Data: v.PostForm.Get("content")}, nil
	}
	var rest jsontext.Value
	if text := v.PostForm.Get("rest"); text != "" {
		rest = jsontext.Value(text)
	}
	data, err := readFields(t.Schema, rest, v.PostForm)
	return api.Body{Format: artifact.JSON, Data: string(data)}, err
}

// changeNote reads what changed and why; nil if neither is said.
func (v *visit) changeNote() *artifact.Change {
	note := artifact.Change{What: v.field("what"), Why: v.field("why")}
	if note == (artifact.Change{}) {
		return nil
	}
	return &note
}

// newActs write the first version of an artifact, or show it as it will be.
var newActs = map[string]act{
	"preview": preview,
	"write": func(v *visit) (string, error) {
		t, err := v.typeInfo(brenner.TypeName(v.query("type")))
		if err != nil {
			return "", err
		}
		body, err := v.body(t)
		if err != nil {
			return "", err
		}
		links, err := readLinks(v.field("links"))
		if err != nil {
			return "", err
		}
		req := api.CreateArtifactRequest{
			Write: v.write(), ID: brenner.ArtifactID(v.field("id")), Type: t.Name, Module: brenner.Module(v.field("module")),
			Summary: v.field("summary"), Content: body, Tags: tags(v.field("tags")), Links: links, Change: v.changeNote(),
		}
		if req.Summary == "" && t.Name == artifact.TypeProjectBrief {
			req.Summary = brenner.Clip(v.field("text.question"), brenner.MaxSummaryRunes)
		}
		res, err := v.svc.CreateArtifact(v.Context(), req)
		return artifactPath(res.Ref), err
	},
}

// editActs write another version on the one the form was filled with: if
// somebody was faster, the form comes back.
var editActs = map[string]act{
	"preview": preview,
	"write": func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		head, err := v.headOf(ref.Artifact)
		if err != nil {
			return "", err
		}
		t, err := v.typeInfo(head.Type)
		if err != nil {
			return "", err
		}
		body, err := v.body(t)
		if err != nil {
			return "", err
		}
		links, err := readLinks(v.field("links"))
		if err != nil {
			return "", err
		}
		summary, words := v.field("summary"), tags(v.field("tags"))
		on, err := brenner.ParseRef(v.field("on"))
		if err != nil {
			return "", err
		}
		res, err := v.svc.UpdateArtifact(v.Context(), api.UpdateArtifactRequest{
			Write: v.write(), ID: ref.Artifact, Expect: on.Version, Summary: &summary, SummaryHolds: v.field("holds") != "",
			Content: &body, Tags: &words, Links: links, DropLinks: true, Change: v.changeNote(),
		})
		return artifactPath(res.Ref), err
	},
}

// preview shows a text as it will look, and the form as it was typed.
func preview(v *visit) (string, error) {
	v.refill = true
	v.result = previewed{HTML: markdown(v.PostForm.Get("content"))}
	return "", nil
}

// previewed is a text as it will look.
type previewed struct{ HTML template.HTML }
