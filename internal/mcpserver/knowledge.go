package mcpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/delta"
	"brenner/internal/problem"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// contextRequest is what a context is for, and which page of it is wanted.
type contextRequest struct {
	keyed
	Task     string            `json:"task,omitzero" doc:"yours, or a free one: you take it"`
	Session  brenner.SessionID `json:"session,omitzero" doc:"default: the one that waits for you"`
	Question string            `json:"question,omitzero" doc:"what you want to know, outside a task"`
	Modules  []brenner.Module  `json:"modules,omitzero" doc:"one, for a question"`
	After    string            `json:"after,omitzero" doc:"your last context (ctx-…), not sent again"`
	Offset   int               `json:"offset,omitzero" doc:"next_offset of a page, with its key"`

	survey bool // of a session whose work is not divided yet
	room   int  // how many characters the answer may have; 0: as many as any
	told   bool // its reader was just told its part of the work
	part   bool // what bears on its part is asked for, in short
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

	more    string // what bears on its reader's part besides
	session string // what is new in the session that it is for
	rest    string // what is on further pages
	goOn    contextRequest
	quiet   bool // it has nothing, and enough is left
}

// surveyKey begins the keys of surveys, by which their further pages are known.
const surveyKey = "context-survey-"

// littleLeft is how much a context has left when that is said without being asked for.
const littleLeft = 8000

// assembleContext always gives a key, so that the pages are of one context.
func assembleContext(s api.Service, ctx context.Context, in contextRequest) (contextPage, error) {
	if in.Offset > 0 && in.Key == "" {
		return contextPage{}, brenner.Errorf(brenner.CodeInvalidValue, "an offset goes with the key of the first page").At("/" + keyName)
	}
	in.survey = in.survey || strings.HasPrefix(in.Key, surveyKey)
	repeatable := in.Key != "" // then it is the same call again, with the same arguments
	if !repeatable {
		in.Key = "context-" + rand.Text()
		if in.survey {
			in.Key = surveyKey + rand.Text()
		}
	}
	if in.Offset > 0 { // a further page is no repeat
		ctx, _ = api.WatchReplay(ctx)
	}
	req := api.ContextRequest{
		Write: in.write(), Task: in.Task, Session: in.Session, Question: in.Question, Modules: in.Modules, After: in.After, Survey: in.survey, Part: in.part, Format: assembly.Markdown,
	}
	room := pageRunes
	if in.room > 0 {
		room = min(room, max(in.room-endRunes, leastPage))
	}
	res, err := s.AssembleContext(ctx, req)
	taken := ""
	if brenner.CodeOf(err) == brenner.CodeTaskClosed {
		return closedTask(s, ctx, in.Task, err)
	}
	if brenner.CodeOf(err) == brenner.CodeTaskNotYours {
		t, failed := s.ClaimTask(ctx, api.ClaimTaskRequest{Write: in.also(in.Task), ID: in.Task})
		if failed != nil {
			return contextPage{}, failed
		}
		all := ""
		if in.After == "" && !repeatable {
			if in.After = contextNow(s, ctx, t.Session); in.After != "" {
				req.After, all = in.After, fmt.Sprintf("what you were given in %s is only named below; all of it, if you do not have that: %s\n", in.After, contextOf(t.ID, ""))
			}
		}
		taken = fmt.Sprintf("%s is yours until %s\n%s%s\n", t.ID, until(t.LeaseUntil), all, changedItems(t))
		res, err = s.AssembleContext(ctx, req)
		err = refusedWithTask(t, err)
	}
	if err != nil {
		return contextPage{}, err
	}
	out := contextPage{Invocation: res.Invocation, Used: res.Used, Size: res.Size, Left: res.Left, Unit: res.Unit}
	out.more = moreBears(res)
	out.Text, out.NextOffset, err = pageOf(res.Text, in.Offset, room)
	if out.NextOffset > 0 {
		out.rest = restOf(res, out.NextOffset)
		out.Key = in.Key
		out.goOn = contextRequest{keyed: in.keyed, Task: in.Task, Session: in.Session, Question: in.Question, Modules: in.Modules, After: in.After, Offset: out.NextOffset}
		return out, err
	}
	if said := assembly.BearsNothing(out.Text); said != out.Text {
		out.Text, out.quiet = said, res.Left >= littleLeft
	}
	out.Text = taken + out.Text
	if err != nil || in.Task != "" {
		return out, err
	}
	beside, found, err := sessionBeside(s, ctx, in, res, room-utf8.RuneCountInString(out.Text))
	if in.told {
		beside.part = ""
	}
	if found {
		out.session = beside.beside()
	}
	if beside.Left > 0 { // it is charged
		out.Used, out.Left = out.Used+out.Left-beside.Left, beside.Left
	}
	return out, err
}

// refusedWithTask adds to the refusal of a context that its task was taken for it, and how
// to give that back.
func refusedWithTask(t api.TaskInfo, err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return err
	}
	said := *e
	said.Message += fmt.Sprintf("; %s is yours all the same, until %s", t.ID, until(t.LeaseUntil))
	said.Actions = append(slices.Clone(e.Actions), brenner.Do("task.release", "id", t.ID))
	return &said
}

// moreBears says what bears on somebody's part besides what it was shown, and the call that
// lists it.
func moreBears(made api.ContextResult) string {
	if made.More == 0 {
		return ""
	}
	return fmt.Sprintf("%d more: artifact_search %s\n", made.More, jsonOf(searchRequest{Text: made.Find}))
}

// restOf says what of a context stands after an offset.
func restOf(made api.ContextResult, offset int) string {
	rest := made.Text[offset:]
	var names []string
	for _, i := range made.Record.Items {
		if strings.Contains(rest, i.Ref.String()+" (") {
			names = append(names, i.Ref.String())
		}
	}
	out := fmt.Sprintf("the rest of it, %d characters", utf8.RuneCountInString(rest))
	if len(names) > 0 {
		out += ", with " + listed(names)
	}
	return out
}

// endRunes is kept for what is said under a context: what is left, and what the rest is.
const endRunes = 700

// leastPage is how many characters a page has at least, however much is said before it.
const leastPage = 2000

// closedTask answers who would do a task that has ended meanwhile: that is no
// mistake of its own.
func closedTask(s api.Service, ctx context.Context, id string, closed error) (contextPage, error) {
	t, err := s.Task(ctx, api.TaskRequest{ID: id})
	if err != nil {
		return contextPage{}, closed
	}
	by := ""
	if t.State == api.TaskDone && t.Holder != "" {
		by = " by " + string(t.Holder)
	}
	return contextPage{Text: fmt.Sprintf("%s is %s%s: there is nothing to do for it any more, and no context was made\n", t.ID, t.State, by)}, nil
}

// sessionBeside is what a context for a session does not show of it: what others
// have proposed, and who is at work.
func sessionBeside(s api.Service, ctx context.Context, in contextRequest, made api.ContextResult, room int) (p sessionPage, found bool, err error) {
	id := in.Session
	if id == "" && len(in.Modules) == 0 {
		all, err := ownSessions(s, ctx)
		if err != nil {
			return p, false, err
		}
		me, err := s.Project(ctx)
		if err != nil {
			return p, false, err
		}
		id = waitingFor(all.Sessions, me.Actor)
	}
	if id == "" {
		return p, false, nil
	}
	head, err := s.Session(ctx, api.SessionRequest{ID: id, Unseen: true})
	if err != nil {
		return p, false, nil //nolint:nilerr // the context is made, whatever comes of this
	}
	p, err = showSession(s, ctx, sessionRequest{Session: id, Since: head.Ref.Version, room: max(room, leastPage), own: in.After == ""})
	p.unshown = !slices.ContainsFunc(made.Record.Items, func(i assembly.Included) bool { return i.Ref == head.Ref && i.Variant != assembly.Summary })
	return p, err == nil, nil
}

// waitingFor is the session that waits for somebody, if it is one.
func waitingFor(all []api.SessionInfo, name brenner.ActorName) brenner.SessionID {
	var out []brenner.SessionID
	for _, info := range all {
		for _, r := range info.Recipients {
			if r.Name == name && r.Waiting {
				out = append(out, info.ID)
			}
		}
	}
	if len(out) != 1 {
		return ""
	}
	return out[0]
}

// Words implements spoken.
func (p contextPage) Words() string {
	var b strings.Builder
	b.WriteString(p.Text + p.more)
	if b.Len() > 0 && p.session != "" {
		b.WriteString("\n\n")
	}
	b.WriteString(p.session)
	if p.Invocation == "" {
		return b.String()
	}
	if !p.quiet || p.NextOffset > 0 {
		fmt.Fprintf(&b, "\n\n[%s: %d %s left for what you ask to read, then another follows by itself; news are counted apart]\n", p.Invocation, p.Left, p.Unit)
	}
	if p.NextOffset > 0 {
		fmt.Fprintf(&b, "%s: context_assemble %s\n", p.rest, jsonOf(p.goOn))
	}
	return b.String()
}

// Slim implements spoken.
func (p contextPage) Slim() contextPage { p.Text = ""; return p }

// cited is a version as texts cite it, or a part of one: oxygen-log@2, oxygen-log@2.4.
type cited struct {
	brenner.Ref
	part string
}

func (c cited) String() string {
	if c.part == "" {
		return c.Ref.String()
	}
	return c.Ref.String() + "." + c.part
}

// MarshalText writes the citation.
func (c cited) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a citation.
func (c *cited) UnmarshalText(text []byte) error {
	ref, part := brenner.CutPart(string(text))
	c.part = part
	return c.Ref.UnmarshalText([]byte(ref))
}

// renewed makes a context that goes on from the reader's where a read was refused since that
// is spent, and says so; it brings nothing but its budget (ADR 221).
func renewed(s api.Service, ctx context.Context, refused error) string {
	if brenner.CodeOf(refused) != brenner.CodeContextOverflow {
		return ""
	}
	e, _ := problem.From(refused)
	i := slices.IndexFunc(e.Actions, func(a brenner.Action) bool { return a.Name == assembling && a.Args["after"] != "" })
	if i < 0 {
		return ""
	}
	return renew(s, ctx, e.Actions[i])
}

// assembling is the action that makes a context.
const assembling = "context.assemble"

// renew is renewed by the action that goes on from a context.
func renew(s api.Service, ctx context.Context, next brenner.Action) string {
	req := api.ContextRequest{
		Write: api.Write{Key: "context-" + rand.Text()}, Task: next.Args["task"], Session: brenner.SessionID(next.Args["session"]), After: next.Args["after"], Renew: true,
	}
	if m := next.Args["module"]; m != "" {
		req.Modules = []brenner.Module{brenner.Module(m)}
	}
	made, err := s.AssembleContext(ctx, req)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s was spent: %s goes on from it, with %d %s for what you ask to read\n", req.After, made.Invocation, made.Left, made.Unit)
}

// getRequest names a version and where to go on in its content.
type getRequest struct {
	Ref    cited           `json:"ref" doc:"ID (the one in force), ID@VERSION, or ID@2.4: part .4"`
	Brief  bool            `json:"brief,omitzero" doc:"leave the content out"`
	Since  brenner.Version `json:"since,omitzero" doc:"only changes after this version"`
	Offset int             `json:"offset,omitzero" doc:"next_offset of a page"`
	Again  bool            `json:"again,omitzero" doc:"even if unchanged"`
	Task   string          `json:"task,omitzero" doc:"whose context"`
	File   bool            `json:"file,omitzero" doc:"fetch it by curl"`
	// More are read in the same call, each from its beginning.
	More []cited `json:"more,omitzero" doc:"further ones"`

	room   int  // how many characters the answer has for it, if that is less than a page
	beside bool // it comes with the answer to something else
	among  bool // one of several, which are given as what changed where the reader knows them
}

// size is how many bytes of a content are asked for.
func (in getRequest) size() int {
	if in.room > 0 {
		return min(in.room, brenner.ToolPageBytes)
	}
	return brenner.ToolPageBytes
}

// leastAround is kept for what is said of an artifact besides its content.
const leastAround = 1500

// artifactPage is a version; its content comes as text, in pages.
type artifactPage struct {
	api.ArtifactView
	asked   getRequest
	ours    bool   // the text is ours, with what others wrote between fences
	summary string // as what became of it, if it changed since a version
	task    string // what is told of a task that was asked for
	more    string // the words of further ones
	anew    string // that the reader's context was renewed for it
	file    string // how it is fetched as a file
}

// mostRead is how many artifacts one call reads.
const mostRead = 5

func getArtifacts(s api.Service, ctx context.Context, in getRequest) (artifactPage, error) {
	if len(in.More) >= mostRead {
		return artifactPage{}, brenner.Errorf(brenner.CodeLimitExceeded, "%d artifacts at once", len(in.More)+1).At("/more").
			WithHint(fmt.Sprintf("read at most %d in one call", mostRead))
	}
	if in.File {
		return fetchCommands(s, ctx, in)
	}
	out, err := getArtifact(s, ctx, in)
	if err != nil {
		return out, err
	}
	room := pageRunes - utf8.RuneCountInString(out.Text)
	for _, ref := range in.More {
		left := fmt.Sprintf("\n%s is left for another call: artifact_get %s\n", ref, jsonOf(map[string]any{"ref": ref}))
		if room < leastPage {
			out.more += left
			continue
		}
		p, err := getArtifact(s, ctx, getRequest{Ref: ref, Brief: in.Brief, Again: in.Again, Task: in.Task, room: room - leastAround, among: true})
		if err != nil { // the others are read, and charged
			e, _ := problem.From(err)
			out.more += fmt.Sprintf("\n%s: %s: %s\n", ref, e.Code, e.Message)
			continue
		}
		words := p.amongWords()
		room -= utf8.RuneCountInString(words)
		out.more += "\n" + words
	}
	return out, nil
}

// amongWords are those of a page beside others: what its reader has is named, and what it
// had an earlier version of is said to be only what changed.
func (p artifactPage) amongWords() string {
	whole := "artifact_get " + jsonOf(getRequest{Ref: cited{Ref: p.Ref()}, Task: p.asked.Task, Again: true})
	switch {
	case p.Repeated:
		return fmt.Sprintf("%s: unchanged, you were given it in this context; all the same: %s\n", p.Ref(), whole)
	case p.ArtifactView.Since > 0:
		return p.Words() + fmt.Sprintf("you have version %d, so only what changed is sent; all of it: %s\n", p.ArtifactView.Since, whole)
	}
	return p.Words()
}

// artifactSince is a version as what changed in it after an earlier one.
func artifactSince(s api.Service, ctx context.Context, in getRequest) (artifactPage, error) {
	v, err := s.Artifact(ctx, api.ArtifactRequest{Ref: in.Ref.Ref, Brief: true, Task: in.Task, Again: true, Unasked: in.beside})
	if err != nil {
		return artifactPage{}, err
	}
	out := artifactPage{ArtifactView: v, asked: in}
	if v.Type == artifact.TypeSessionArtifact {
		p, err := showSession(s, ctx, sessionRequest{Session: brenner.SessionID(v.ID), Since: in.Since, Again: in.Again})
		out.Text, out.ours = p.Words(), true
		return out, err
	}
	d, err := s.Diff(ctx, api.DiffRequest{From: brenner.Ref{Artifact: v.ID, Version: in.Since}, To: v.Ref()})
	if err != nil {
		return artifactPage{}, err
	}
	words := d.Words()
	if f := d.Summary(); f != nil {
		out.summary = delta.Changed(summaryBefore(*f), v.Summary)
	}
	out.ArtifactView.Since = in.Since
	out.Text, out.NextOffset, err = page(words, in.Offset)
	return out, err
}

// summaryBefore is a summary as it was before it changed, "" where that is not at hand.
func summaryBefore(f artifact.FieldChange) string { return summaryOf(f, '-') }

// summaryNow is a summary as it is after it changed, as far as that is at hand.
func summaryNow(f artifact.FieldChange) string {
	return cmp.Or(summaryOf(f, '+'), string(f.New))
}

// summaryOf are the lines of a summary on one side of its change.
func summaryOf(f artifact.FieldChange, side byte) string {
	var said []string
	for _, h := range f.Hunks {
		for _, line := range h.Lines {
			if line[0] == ' ' || line[0] == side {
				said = append(said, line[1:])
			}
		}
	}
	return strings.Join(said, "\n")
}

func getArtifact(s api.Service, ctx context.Context, in getRequest) (artifactPage, error) {
	if in.Since > 0 {
		return artifactSince(s, ctx, in)
	}
	req := api.ArtifactRequest{Ref: in.Ref.Ref, Part: in.Ref.part, Brief: in.Brief, Offset: in.Offset, Size: in.size(), Again: in.Again, Changes: in.among, Task: in.Task, Unasked: in.beside}
	v, err := s.Artifact(ctx, req)
	anew := ""
	if v.GoOn.Name != "" && !in.among && !in.beside { // no more than a part of the page was left
		if anew = renew(s, ctx, v.GoOn); anew != "" {
			req.Again = true
			v, err = s.Artifact(ctx, req)
		}
	}
	if brenner.CodeOf(err) == brenner.CodeInvalidValue && in.Offset > 0 {
		// The offset may be one of a stalemate's evidence, which is kept apart.
		brief, briefly := s.Artifact(ctx, api.ArtifactRequest{Ref: in.Ref.Ref, Brief: true, Task: in.Task})
		if briefly == nil && brief.Type == artifact.TypeStalemate {
			v, err = brief, nil
		}
	}
	if v.Type == artifact.TypeStalemate && in.Offset > 0 {
		v.Repeated = false // what was given is its own text; the evidence goes on
	}
	if brenner.CodeOf(err) == brenner.CodeNotFound && strings.HasPrefix(string(in.Ref.Artifact), "task-") {
		return taskPage(s, ctx, in, err)
	}
	out := artifactPage{ArtifactView: v, asked: in, anew: anew}
	if err != nil || in.Brief || v.Repeated || v.Type != artifact.TypeStalemate {
		return out, err
	}
	st, err := s.Stalemate(ctx, api.StalemateRequest{ID: v.ID, Offset: in.Offset, Size: in.size()})
	if err != nil {
		return out, err
	}
	out.Text, out.NextOffset, out.ours = stalemateText(st), st.NextOffset, true
	return out, nil
}

// leastNoted is how much is shown of what those said who held a task before the last.
const leastNoted = 300

// taskPage is a task that was asked for like an artifact, as far as the reader is
// told of it.
func taskPage(s api.Service, ctx context.Context, in getRequest, missing error) (artifactPage, error) {
	t, err := s.Task(ctx, api.TaskRequest{ID: string(in.Ref.Artifact)})
	if err != nil {
		return artifactPage{}, missing
	}
	out := artifactPage{asked: in}
	out.ID, out.Version.Version, out.Type, out.Status = in.Ref.Artifact, 1, artifact.TypeTask, artifact.Draft
	out.task = fmt.Sprintf("%s is a task, %s, for %s: %s (%s)\n", t.ID, t.State, brenner.A(t.Role), t.Asks(), holding(t))
	if t.Spec != "" {
		out.task += labelled("what is asked (data):", t.Spec)
	}
	if t.Note != "" {
		said := "what was said with it (data):"
		if t.State == api.TaskCanceled {
			said = "why it was canceled (data):"
		}
		out.task += labelled(said, t.Note)
	}
	for i, h := range slices.Backward(t.Earlier) {
		note := h.Note
		if i < len(t.Earlier)-1 {
			note = brenner.ClipWords(note, leastNoted)
		}
		out.task += h.Words() + "\n"
		if note != "" {
			out.task += labelled("why (data):", note)
		}
	}
	for _, o := range t.Written {
		out.task += fmt.Sprintf("%s: artifact_get %s\n", o.Words(), jsonOf(getRequest{Ref: cited{Ref: o.Ref}}))
	}
	for _, p := range t.Parts {
		out.task += fmt.Sprintf("leaves to %s (data): %s\n", p.Agent, brenner.OneLine(p.Part))
	}
	return out, nil
}

// Words implements spoken.
func (p artifactPage) Words() string {
	switch {
	case p.task != "":
		return p.task + p.more
	case p.file != "":
		return p.file + p.more
	}
	var b strings.Builder
	b.WriteString(p.anew)
	view := p.ArtifactView
	view.Summary = cmp.Or(p.summary, view.Summary)
	if p.ours {
		view.Text = ""
	}
	if p.ours && p.asked.Offset > 0 {
		b.WriteString(view.Ref().String() + ", further on\n")
	} else {
		b.WriteString(view.Words())
	}
	if p.ours {
		b.WriteString("\n" + p.Text)
	}
	if p.Repeated {
		b.WriteString("unchanged: you were given it in this context, so it is not sent again\n")
		b.WriteString("send it all the same: artifact_get " + jsonOf(map[string]any{"ref": p.Ref(), "again": true}) + "\n")
	}
	if p.NextOffset > 0 && !p.Ends {
		b.WriteString(p.goOn())
	}
	b.WriteString(p.more)
	return b.String()
}

// goOn says how the rest is had.
func (p artifactPage) goOn() string {
	arguments := []any{"ref", p.Ref().String(), "offset", p.NextOffset}
	if p.asked.Since > 0 {
		arguments = append(arguments, "since", p.asked.Since)
	}
	out := more("artifact_get", arguments...)
	if p.asked.Since == 0 && !p.ours {
		out += fmt.Sprintf("[as a file: artifact_get %s]\n", jsonOf(getRequest{Ref: cited{Ref: p.Ref()}, File: true}))
	}
	return out
}

// Slim implements spoken.
func (p artifactPage) Slim() artifactPage { p.Text, p.Content = "", nil; return p }

// searchRequest is a search of the project's knowledge.
type searchRequest struct {
	Text     string             `json:"text" doc:"words, \"a phrase\", begin*, author:X, since:7d"`
	Types    []brenner.TypeName `json:"types,omitzero" doc:"as in artifact_write or hits; default all"`
	Modules  []brenner.Module   `json:"modules,omitzero" doc:"of your context"`
	Statuses []artifact.Status  `json:"statuses,omitzero" doc:"of the version; default: in use"`
	Tag      string             `json:"tag,omitzero" doc:"it must have"`
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

// UnmarshalJSONFrom takes a text alone for a content that is text.
func (b *body) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		b.Format = artifact.Text
		return json.UnmarshalDecode(dec, &b.Data)
	}
	type object body
	return json.UnmarshalDecode(dec, (*object)(b))
}

// link is a link from what is written to what it rests on.
type link struct {
	Rel      artifact.Relation  `json:"rel" doc:"what this does to it"`
	Artifact brenner.ArtifactID `json:"artifact" doc:"its ID"`
	Version  brenner.Version    `json:"version,omitzero" doc:"default: the one you were given"`
}

func linksOf(all []link) []artifact.Link {
	var out []artifact.Link
	for _, l := range all {
		out = append(out, artifact.Link{Rel: l.Rel, Artifact: l.Artifact, Version: l.Version})
	}
	return out
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
	ID           brenner.ArtifactID `json:"id,omitzero" doc:"of your own: its deltas can cite it; without type: a new version"`
	Type         *brenner.TypeName  `json:"type,omitzero" doc:"of a new one: analysis_result, paper_note, critique, model_spec, assumption, test_plan, manuscript_section, integrated_memo, project_summary, or the project's own"`
	Module       brenner.Module     `json:"module,omitzero" doc:"default: your context's"`
	Parent       brenner.Version    `json:"parent,omitzero" doc:"version you worked on; default: your last"`
	Expect       brenner.Version    `json:"expect,omitzero" doc:"refuse if this is not the head"`
	Summary      *string            `json:"summary,omitzero" doc:"at most 1,200 characters"`
	SummaryHolds bool               `json:"summary_holds,omitzero" doc:"the old one holds"`
	Content      *body              `json:"content,omitzero" doc:"all of it"`
	File         bool               `json:"file,omitzero" doc:"send content by curl"`
	Tags         *[]string          `json:"tags,omitzero" doc:"to find it by"`
	Links        []link             `json:"links,omitzero" doc:"what it rests on"`
	DropLinks    bool               `json:"drop_links,omitzero" doc:"don't keep the parent's links"`
	Change       *change            `json:"change,omitzero" doc:"core types need it"`
	Task         string             `json:"task,omitzero" doc:"the task this is for"`
	Done         bool               `json:"done,omitzero" doc:"close the task with it"`
	Deltas       loose              `json:"deltas,omitzero" doc:"your answer to the session, as in delta_submit"`
	Session      brenner.SessionID  `json:"session,omitzero" doc:"as in delta_submit"`
	Doing        string             `json:"doing,omitzero" doc:"as in inbox"`
	Wait         int                `json:"wait,omitzero" doc:"as in inbox"`
	Review       bool               `json:"review,omitzero" doc:"hand it in for a decision"`
}

// written says what a write made.
type written struct {
	api.WriteResult
	over, closed, answered, news string

	file string // how its content is sent as a file
}

// overlooked quotes what a write replaced that its writer was not shown.
func overlooked(s api.Service, ctx context.Context, res api.WriteResult) string {
	if res.Overlooked == (brenner.Ref{}) {
		return ""
	}
	if res.Known > 0 {
		known := brenner.Ref{Artifact: res.Overlooked.Artifact, Version: res.Known}
		d, err := s.Diff(ctx, api.DiffRequest{From: known, To: res.Overlooked, Unasked: true, Most: mostReplaced})
		if err == nil {
			return fmt.Sprintf("what %s had changed after %s (data):\n%s", res.Overlooked, known, beginning(d))
		}
	}
	return fmt.Sprintf("what it says: artifact_get %s\n", jsonOf(map[string]any{"ref": res.Overlooked}))
}

// mostReplaced is how much is quoted of a text that was replaced unseen.
const mostReplaced = 1500

func writeArtifact(s api.Service, ctx context.Context, in writeRequest) (written, error) {
	if err := checkWait(in.Wait); err != nil {
		return written{}, err
	}
	if in.File {
		return sendCommand(ctx, in)
	}
	watched, repeated := api.WatchReplay(ctx)
	res, err := writeVersion(s, watched, in)
	if err != nil {
		return written{}, err
	}
	if *repeated { // whose program gave up while it waited is not made to wait again
		api.Replayed(ctx)
		in.Wait = 0
	}
	out := written{WriteResult: res, over: overlooked(s, ctx, res) + asFileNext(s, ctx, in)}
	if in.Review {
		out.over = "handed in for a decision; a version after it is handed in by itself, with review\n" + out.over
	}
	if in.Done && in.Task != "" {
		out.closed = finish(s, ctx, api.CompleteTaskRequest{Write: in.also(in.Task), ID: in.Task})
	}
	ended := ""
	if in.Deltas != "" {
		mark := answeringMark(s, ctx, in.Task)
		out.answered = handIn(s, ctx, deltaRequest{keyed: keyed{in.also("deltas").Key}, Session: in.Session, Text: in.Deltas, Doing: in.Doing, Wait: in.Wait, named: res.Warnings})
		ended = endMark(s, ctx, in.keyed, mark, res.Ref)
	}
	switch {
	case ended != "":
		out.closed = ended
	case in.Task == "" && in.Done:
		out.closed = endOnly(s, ctx, in.keyed, res.Ref)
	case in.Task == "":
		out.closed = markedWork(s, ctx, res.Ref)
	case !in.Done:
		out.closed = stillHeld(in.Task)
	}
	if in.Deltas == "" {
		out.over += namesTests(s, ctx, in)
		if in.Doing != "" { // what is written is written
			said, err := sayDoing(s, ctx, in.keyed, in.Doing, "")
			if said.alike {
				in.Wait = 0 // it decides first what it does
			}
			if err != nil {
				e, _ := problem.From(err)
				said.words = fmt.Sprintf("what you do next was not told: %s: %s\n", e.Code, e.Message)
			}
			out.over += said.words + said.hold
		}
		if news, waited := afterAWait(s, ctx, in.Wait); waited {
			out.news = news
			out.over += movedTexts(s, ctx, res.Warnings).words
			return out, nil
		}
		news, moved := meanwhileBut(s, ctx, "", res.Warnings)
		out.news = news
		out.over += moved
	}
	return out, nil
}

// namesTests tells who writes what it measured which of the tests that its summary names
// others run or have run.
func namesTests(s api.Service, ctx context.Context, in writeRequest) string {
	if in.Summary == nil {
		return ""
	}
	items := ofTests(itemsOf(api.TaskInfo{Title: *in.Summary}))
	if len(items) == 0 {
		return ""
	}
	me, err := s.Project(ctx)
	if err != nil {
		return ""
	}
	session := in.Session
	if session == "" {
		list, err := ownSessions(s, ctx)
		if err != nil {
			return ""
		}
		own := slices.DeleteFunc(list.Sessions, func(i api.SessionInfo) bool { return !i.Closed.IsZero() || !takesPart(i, me.Actor) })
		if len(own) != 1 {
			return "" // nobody knows of which it is
		}
		session = own[0].ID
	}
	return runBefore(s, ctx, session, items, me.Actor)
}

// handIn hands in deltas with what was just written. That is written whatever
// comes of this, so that a refusal is said, and is none of the call.
func handIn(s api.Service, ctx context.Context, in deltaRequest) string {
	res, err := submitDeltas(s, ctx, in)
	if err != nil {
		e, _ := problem.From(err)
		return fmt.Sprintf("the deltas were not handed in: %s: %s; hand them in with delta_submit\n", e.Code, e.Message) + movedTexts(s, ctx, in.named).words
	}
	return res.Words()
}

func writeVersion(s api.Service, ctx context.Context, in writeRequest) (api.WriteResult, error) {
	var content *api.Body
	if in.Content != nil {
		content = &api.Body{Format: in.Content.Format, Data: in.Content.Data}
	}
	links := linksOf(in.Links)
	if in.Type == nil {
		return s.UpdateArtifact(ctx, api.UpdateArtifactRequest{
			Write: in.write(), ID: in.ID, Parent: in.Parent, Expect: in.Expect, Summary: in.Summary, SummaryHolds: in.SummaryHolds,
			Content: content, Tags: in.Tags, Links: links, DropLinks: in.DropLinks, Change: in.Change.note(), Task: in.Task, Review: in.Review,
		})
	}
	if in.Parent != 0 || in.Expect != 0 {
		return api.WriteResult{}, brenner.Errorf(brenner.CodeInvalidValue, "a new artifact has no parent").
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
	return s.CreateArtifact(ctx, req)
}

// Words implements spoken.
func (w written) Words() string {
	if w.file != "" {
		return w.file
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s, %s\n", w.Ref, w.Status)
	b.WriteString(w.beside())
	b.WriteString(findings(w.Warnings))
	b.WriteString(w.over)
	b.WriteString(w.closed + w.answered + w.news)
	return b.String()
}

// beside says what a version stands beside, and how they become one.
func (w written) beside() string {
	if len(w.Fork) < 2 {
		return ""
	}
	if w.Parent == 0 {
		return fmt.Sprintf("live heads: %s\n", list(w.Fork))
	}
	return fmt.Sprintf("it is a change of version %d, which is not the head any more: both are kept; live heads: %s\n"+
		"to make them one, write what both say with the other as parent and links [%s]\n",
		w.Parent, list(w.Fork), jsonOf(link{Rel: artifact.Supersedes, Artifact: w.Ref.Artifact, Version: w.Ref.Version}))
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
	Direction lineageDirection `json:"direction,omitzero" doc:"default up"`
	Depth     int              `json:"depth,omitzero" doc:"links at most"`
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
