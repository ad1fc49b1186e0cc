package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/order"
)

// inbox is what waits for the person who looks (N1).
type inbox struct {
	Question string
	// Begun says that there is a brief that is canonical.
	Begun bool
	Items []waiting
	Next  string
	Total int
	// Kinds are the filters, with how many things each shows.
	Kinds []kindFilter
	// Bulk says that the versions in the list can be decided upon together.
	Bulk bool
}

// waiting is something that waits, and where it is dealt with.
type waiting struct {
	api.Waiting
	Label string
	Path  string
	// Ref is the version to decide upon, "" for what is no version.
	Ref string
}

// kindFilter is a kind of thing that waits.
type kindFilter struct {
	Label, Path string
	Count       int
	Chosen      bool
}

// kindWords are what is said of each kind: of one, and of several.
var kindWords = map[api.WaitKind]struct{ one, many string }{
	api.WaitStalemate: {"stalemate", "Stalemates"}, api.WaitConflict: {"conflict", "Conflicts"}, api.WaitCompile: {"to compile", "To compile"},
	api.WaitResend: {"not delivered", "Not delivered"}, api.WaitFork: {"fork", "Forks"}, api.WaitStale: {"stale", "Stale"},
	api.WaitPromotion: {"to decide", "To decide"}, api.WaitRebase: {"needs a rebase", "To rebase"}, api.WaitLesson: {"lessons", "Lessons"},
	api.WaitFinding: {"finding", "Findings"}, api.WaitTask: {"overdue", "Overdue"}, api.WaitRequest: {"request", "Requests"}, api.WaitMemo: {"memo", "Memos"},
	api.WaitAutomation: {"rule", "Rules"},
	api.WaitRun:        {"failed runs", "Failed runs"}, api.WaitConsolidation: {"consolidation", "Consolidation"}, api.WaitSpine: {"spine", "Spine"},
}

// placeOf is the page where something that waits is dealt with.
func placeOf(w api.Waiting) string {
	name := url.PathEscape(w.Subject)
	switch w.Kind {
	case api.WaitPromotion, api.WaitRebase, api.WaitFinding:
		return "/review/" + name
	case api.WaitStale:
		return "/stale/" + name
	case api.WaitStalemate:
		return "/stalemates/" + name + "#verdict"
	case api.WaitConflict:
		return "/sessions/" + name + "#conflicts"
	case api.WaitCompile, api.WaitResend:
		return "/sessions/" + name
	case api.WaitFork:
		return "/forks"
	case api.WaitLesson:
		return "/playbook"
	case api.WaitRun:
		return "/runs?work=" + url.QueryEscape(w.Subject)
	case api.WaitTask, api.WaitRequest:
		return "/tasks/" + name
	case api.WaitAutomation:
		return "/automation"
	case api.WaitMemo, api.WaitSpine:
		return "/knowledge#spine"
	case api.WaitConsolidation:
		return "/tasks?title=Consolidate#open"
	}
	return ""
}

func loadHome(v *visit) (string, any, error) {
	chosen := api.WaitKind(v.query("kind"))
	list, err := v.svc.Waiting(v.Context(), api.WaitingRequest{Page: v.page(perPage), Kinds: one[api.WaitKind](string(chosen))})
	if err != nil {
		return "", nil, err
	}
	spine, err := v.svc.Spine(v.Context())
	if err != nil {
		return "", nil, err
	}
	out := inbox{Begun: spine.Brief != nil, Next: list.Cursor, Total: list.Total}
	if out.Begun {
		out.Question = spine.Brief.Summary
	}
	for _, w := range list.Items {
		row := waiting{Waiting: w, Label: cmp.Or(kindWords[w.Kind].one, string(w.Kind)), Path: placeOf(w)}
		if w.Kind == api.WaitPromotion {
			row.Ref, out.Bulk = w.Subject, true
		}
		out.Items = append(out.Items, row)
	}
	for kind, n := range list.Counts {
		out.Kinds = append(out.Kinds, kindFilter{cmp.Or(kindWords[kind].many, string(kind)), v.with("kind", string(kind)), n, kind == chosen})
	}
	slices.SortFunc(out.Kinds, func(a, b kindFilter) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Label, b.Label)) })
	return "Inbox", out, nil
}

// homeActs decide about several versions at once (N4).
var homeActs = map[string]act{
	"promote":   decideMany(api.DecidePromote, false),
	"deprecate": decideMany(api.DecideDeprecate, false),
	"foresee":   decideMany(api.DecidePromote, true),
}

// decideMany takes one decision about the versions that were ticked, or shows
// what it would come to.
func decideMany(decision api.DecisionKind, dry bool) act {
	return func(v *visit) (string, error) {
		req := api.DecideRequest{Write: v.write(), Decision: decision, Reason: v.field("reason"), DryRun: dry}
		if dry {
			v.refill = true
		}
		if decision == api.DecideStillHolds {
			req.Filter = &api.DecisionFilter{Moved: brenner.ArtifactID(v.PathValue("id"))} // what the page is about
		}
		for _, name := range v.PostForm["ref"] {
			ref, err := brenner.ParseRef(name)
			if err != nil {
				return "", err
			}
			req.Refs = append(req.Refs, ref)
		}
		if len(req.Refs) == 0 {
			return "", brenner.Errorf(brenner.CodeInvalidValue, "nothing is ticked").At("/ref").WithHint("tick what you have decided upon")
		}
		res, err := v.svc.Decide(v.Context(), req)
		if err == nil {
			v.result = outcomeOf(decision, res)
		}
		return "", err
	}
}

// outcome is what decisions came to, or would come to, in the words of a page.
type outcome struct {
	Title   string
	Would   bool
	Changes []api.StatusChange
	Stale   []brenner.Ref
	Fresh   []brenner.Ref
	// MoreStale are not listed.
	MoreStale int
	Written   []brenner.Ref
	// Lost are replies of which something is in no version in use any more.
	Lost []api.LostReply
	// Against is what stands against what came into force, and MoreAgainst how much more.
	Against     []api.ReviewFinding
	MoreAgainst int
	// Task and Critique came of a request for changes.
	Task     string
	Critique brenner.Ref
}

// decisionWords are what a decision is called once it is taken.
var decisionWords = map[api.DecisionKind]string{
	api.DecidePromote: "Promoted", api.DecideDemote: "Demoted to draft", api.DecideDeprecate: "Deprecated: out of use, still readable",
	api.DecideStillHolds: "Confirmed: still holds",
}

func outcomeOf(decision api.DecisionKind, res api.DecideResult) outcome {
	out := outcome{Title: decisionWords[decision], Would: res.DryRun, Stale: res.Stale, Fresh: res.Fresh, MoreStale: res.MoreStale}
	for _, d := range res.Decisions {
		out.Changes = append(out.Changes, d.Changes...)
		out.Against, out.MoreAgainst = append(out.Against, d.Against...), out.MoreAgainst+d.MoreAgainst
		if d.New.Version != 0 {
			out.Written = append(out.Written, d.New)
		}
	}
	if out.Would {
		out.Title = "What it would come to"
	}
	return out
}

// single is the outcome of a decision about one version.
func single(decision api.DecisionKind, res api.DecisionResult) outcome {
	out := outcomeOf(decision, api.DecideResult{
		DryRun: res.DryRun, Stale: res.Stale, Fresh: res.Fresh, MoreStale: res.MoreStale, MoreFresh: res.MoreFresh, Decisions: []api.DecisionMade{{Changes: res.Changes, Against: res.Against, MoreAgainst: res.MoreAgainst}},
	})
	out.Lost = res.Lost
	return out
}

// causePage is what is stale because one artifact has moved.
type causePage struct {
	ID    brenner.ArtifactID
	Now   api.ArtifactView
	Items []api.StaleItem // the first of them
	Total int
}

func loadCause(v *visit) (string, any, error) {
	id := brenner.ArtifactID(v.PathValue("id"))
	now, err := v.svc.Artifact(v.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: id}, Brief: true})
	if err != nil {
		return "", nil, err
	}
	out := causePage{ID: id, Now: now}
	for next := (api.Page{Limit: brenner.MaxPage}); ; {
		found, err := v.svc.Stale(v.Context(), api.StaleRequest{Page: next, Moved: id})
		if err != nil {
			return "", nil, err
		}
		out.Items = append(out.Items, found.Items...)
		if next.Cursor = found.Cursor; next.Cursor == "" {
			break
		}
	}
	// What rests on another of them comes after it.
	order.By(out.Items, func(a, b api.StaleItem) int { return cmp.Compare(len(a.Path), len(b.Path)) })
	out.Total = len(out.Items)
	out.Items = out.Items[:min(out.Total, perPage)]
	return "What rests on the old " + string(id), out, nil
}

// causeActs confirm what is stale (N5).
var causeActs = map[string]act{
	"hold":    decideMany(api.DecideStillHolds, false),
	"foresee": decideMany(api.DecideStillHolds, true),
}

// reviewPage is everything needed to decide about a version (N2).
type reviewPage struct {
	api.ReviewView
	Ref     brenner.Ref
	Heading string
	// Changes and Items are what is different from what is canonical.
	Changes []change
	Items   []itemChange
	// Text, Document and JSON content are the version itself.
	Text     string
	Cut      bool
	Document []section
	Task     *api.TaskInfo
	Threads  []thread
	// Standing is what speaks against the version and nobody has answered.
	Standing []api.ReviewFinding
	// The forms that make sense, and are for the reader; the service decides. Who may
	// promote may request changes.
	CanPromote, CanDeprecate, CanHold, CanChange bool
	// Replace and Override are what a promotion takes.
	Replace, Override bool
}

// thread is a comment with its answers.
type thread struct {
	api.CommentInfo
	Replies []api.CommentInfo
}

func loadReview(v *visit) (string, any, error) {
	ref, err := v.ref()
	if err != nil {
		return "", nil, err
	}
	view, err := v.svc.Review(v.Context(), api.ReviewRequest{Ref: ref})
	if err != nil {
		return "", nil, err
	}
	out := reviewPage{ReviewView: view, Ref: view.Ref(), Heading: view.Summary, Threads: threads(view.Comments)}
	for _, f := range view.Findings {
		if f.Stands() {
			out.Standing = append(out.Standing, f)
		}
	}
	const reason = "a reason will be given"
	out.CanChange = may(view.ArtifactView, api.DecidePromote)
	out.CanPromote = artifact.CanPromote(view.Status, true, reason) == nil && out.CanChange
	out.CanDeprecate = artifact.CanDeprecate(view.Status, reason) == nil && may(view.ArtifactView, api.DecideDeprecate)
	out.CanHold = view.NeedsUpdate && view.Status.Live() && writtenByHand(view.Type) && out.CanChange
	if h := view.Hindrance; h != nil {
		out.Replace, out.Override = h.Code == brenner.CodeSlotTaken, h.Code == brenner.CodeNeedsRebase
	}
	if d := view.Difference; d != nil {
		for _, f := range d.Fields {
			if f.Pointer == "/status" { // that is what is to be decided
				continue
			}
			out.Changes = append(out.Changes, change{place(f.Pointer), rows(f)})
		}
	}
	if err := out.content(v); err != nil {
		return "", nil, err
	}
	if out.ArtifactView.Task != "" {
		t, err := v.svc.Task(v.Context(), api.TaskRequest{ID: out.ArtifactView.Task})
		if err != nil {
			return "", nil, err
		}
		out.Task = &t
	}
	return "Review of " + out.Ref.String(), out, nil
}

// content lays out what the version says, and how that differs.
func (p *reviewPage) content(v *visit) error {
	if p.Type == artifact.TypeSessionArtifact {
		a, err := readDocument(p.Version)
		if err != nil {
			return err
		}
		p.Heading, p.Document = orID(a.Metadata().Question, p.Summary), document(a, v.query("full") != "")
		if p.Difference != nil {
			p.Items, err = v.itemChanges(p.Against, p.Version.Ref())
		}
		return err
	}
	if p.Difference != nil {
		for _, f := range p.Difference.Content {
			p.Changes = append(p.Changes, change{place("/content" + f.Pointer), rows(f)})
		}
	}
	p.Text = contentText(p.Version)
	if v.query("full") == "" && len(p.Text) > shownContent {
		p.Text, p.Cut = strings.ToValidUTF8(p.Text[:shownContent], ""), true
	}
	return nil
}

// threads puts answers under what they answer.
func threads(all []api.CommentInfo) []thread {
	var out []thread
	at := map[string]int{}
	for _, c := range all {
		if i, answers := at[c.Reply]; answers {
			out[i].Replies = append(out[i].Replies, c)
			at[c.ID] = i
			continue
		}
		at[c.ID] = len(out)
		out = append(out, thread{CommentInfo: c})
	}
	return out
}

func reviewPath(ref brenner.Ref) string { return "/review/" + url.PathEscape(ref.String()) }

// reviewActs decide about the version, and talk about it (N3, N5, N6).
var reviewActs = map[string]act{
	"promote": func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		res, err := v.svc.Promote(v.Context(), api.PromoteRequest{
			Write: v.write(), Ref: ref, Reason: v.field("reason"), Replace: v.field("replace") != "", Override: v.field("override") != "",
		})
		v.result = single(api.DecidePromote, res)
		return "", err
	},
	"approve": func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		_, err = v.svc.Approve(v.Context(), api.ApproveRequest{Write: v.write(), Ref: ref})
		return "/review/" + ref.String() + "#approvals", err
	},
	"deprecate": decide(api.Service.Deprecate, api.DecideDeprecate),
	"hold": func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		res, err := v.svc.Decide(v.Context(), api.DecideRequest{Write: v.write(), Decision: api.DecideStillHolds, Refs: []brenner.Ref{ref}, Reason: v.field("reason")})
		v.result = outcomeOf(api.DecideStillHolds, res)
		return "", err
	},
	"changes": func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		res, err := v.svc.RequestChanges(v.Context(), api.RequestChangesRequest{Write: v.write(), Ref: ref, Reason: v.field("reason")})
		v.result = outcome{Title: "Sent back", Task: res.Task.ID, Critique: res.Critique}
		return "", err
	},
	"comment": func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		_, err = v.svc.Comment(v.Context(), api.CommentRequest{Write: v.write(), Ref: ref, Text: v.field("text"), Reply: v.field("reply")})
		return reviewPath(ref) + "#comments", err
	},
	"settle": func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		_, err = v.svc.SettleComment(v.Context(), api.SettleCommentRequest{Write: v.write(), ID: v.field("id")})
		return reviewPath(ref) + "#comments", err
	},
}
