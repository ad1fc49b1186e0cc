package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
)

// perPage is how many entries a list shows at once: on a phone, where each is a
// card, that is still a page and not a wall.
const perPage = 30

// artifactList is the list page.
type artifactList struct {
	Items    []listed
	Next     string
	Total    int // on all pages; 0 of a search, which shows what fits best
	Searched bool
	Filtered bool
	Types    []api.TypeInfo
	Statuses []string
	Remarks  []string // about a search
}

// listed is an artifact of the list, with the passage that has the words that were
// looked for.
type listed struct {
	api.ArtifactItem
	Found   brenner.Version // 0 unless a draft behind the version in force was found
	Snippet []piece
	Befell  string // what is newer, or against it
}

// piece is a part of a text; Hit marks a word that was looked for.
type piece struct {
	Text string
	Hit  bool
}

// pieces cuts a passage at the words that were looked for.
func pieces(text string, marked []string) []piece {
	if text == "" {
		return nil
	}
	var out []piece
	done := 0
	for at := 0; at < len(text); {
		to := at + strings.IndexFunc(text[at:], unletter)
		if to < at {
			to = len(text)
		}
		if to > at && slices.Contains(marked, text[at:to]) {
			out = append(out, piece{Text: text[done:at]}, piece{text[at:to], true})
			done = to
		}
		at = to + 1
	}
	return append(out, piece{Text: text[done:]})
}

// unletter reports whether a character is no part of a word.
func unletter(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
}

func loadArtifacts(v *visit) (string, any, error) {
	types, err := v.svc.Types(v.Context(), api.TypesRequest{})
	if err != nil {
		return "", nil, err
	}
	out := artifactList{Types: types.Types, Statuses: statuses()}
	typ, module := one[brenner.TypeName](v.query("type")), one[brenner.Module](v.query("module"))
	status, tag := one[artifact.Status](v.query("status")), v.query("tag")
	if text := v.query("q"); text != "" {
		found, err := v.svc.SearchArtifacts(v.Context(), api.SearchArtifactsRequest{
			Text: text, Types: typ, Modules: module, Statuses: status, Tag: tag, Limit: perPage + 1,
			Author: brenner.ActorName(v.query("author")), Since: v.query("since"),
		})
		cut := len(found.Items) > perPage
		for _, hit := range found.Items[:min(len(found.Items), perPage)] {
			one := listed{ArtifactItem: hit.ArtifactItem, Snippet: pieces(hit.Snippet, hit.Marked), Befell: hit.Remark()}
			if hit.Draft {
				one.Found = hit.Found
			}
			out.Items = append(out.Items, one)
		}
		out.Searched, out.Remarks = true, found.Remarks()
		if cut {
			out.Remarks = append(out.Remarks, fmt.Sprintf("these are the %d that fit best, and there are more: add words or choose a type", perPage))
		}
		return "Artifacts", out, err
	}
	req := api.ListArtifactsRequest{
		Page: v.page(perPage), Types: typ, Modules: module, Statuses: status, Tag: tag,
		Sort: api.ArtifactSort(v.query("sort")), Total: true,
	}
	list, err := v.svc.Artifacts(v.Context(), req)
	for _, item := range list.Items {
		out.Items = append(out.Items, listed{ArtifactItem: item})
	}
	out.Next, out.Total = list.Cursor, list.Total
	out.Filtered = len(req.Types)+len(req.Modules)+len(req.Statuses)+len(req.Tag) > 0
	return "Artifacts", out, err
}

// artifactPage is one version, its history and what can be decided about it.
type artifactPage struct {
	api.ArtifactView
	// Heading is the summary, or the question of a session.
	Heading string
	Ref     brenner.Ref
	Format  artifact.Format
	Text    string
	Cut     bool // there is more than is shown
	History api.HistoryResult
	// Decisions are the newest of those about the artifact, the newest first.
	Decisions part[api.Decision]
	// Before is the version that this one is compared with.
	Before brenner.Version
	// Board is where an artifact of this type is worked on, if not here.
	Board *link
	// Document is the content of a session artifact, by its sections.
	Document []section
	// CanWrite says that a person can write a new version on this page.
	CanWrite bool
	// CanPromote, CanDemote and CanDeprecate say which forms make sense, and are for the
	// reader; the service decides.
	CanPromote, CanDemote, CanDeprecate bool
}

// shownContent is how much of a content a page shows unless asked for all.
const shownContent = 48 << 10

// may says whether a decision about a version is for its reader: what is not is not offered.
func may(view api.ArtifactView, decision api.DecisionKind) bool {
	return !slices.Contains(view.MayNot, string(decision))
}

func loadArtifact(v *visit) (string, any, error) {
	ref, err := v.ref()
	if err != nil {
		return "", nil, err
	}
	view, err := v.svc.Artifact(v.Context(), api.ArtifactRequest{Ref: ref})
	if err != nil {
		return "", nil, err
	}
	history, err := v.svc.History(v.Context(), api.HistoryRequest{ID: view.ID, Newest: true, Page: v.page(perPage)})
	if err != nil {
		return "", nil, err
	}
	const reason = "a reason will be given"
	out := artifactPage{
		ArtifactView: view, Heading: view.Summary, Ref: view.Ref(), Format: view.Format, History: history,
		Before: parentOf(view.Version), Decisions: newest(history.Decisions),
		CanPromote:   artifact.CanPromote(view.Status, true, reason) == nil && may(view, api.DecidePromote),
		CanDemote:    artifact.CanDemote(view.Status, reason) == nil && may(view, api.DecideDemote),
		CanDeprecate: artifact.CanDeprecate(view.Status, reason) == nil && may(view, api.DecideDeprecate),
	}
	switch view.Type {
	case artifact.TypeSessionArtifact:
		out.Board = &link{"The session", sessionPath(brenner.SessionID(view.ID))}
	case artifact.TypeStalemate:
		out.Board = &link{"The stalemate", stalematePath(view.ID)}
	}
	out.CanWrite = writtenByHand(view.Type)
	if view.Type == artifact.TypeSessionArtifact {
		a, err := readDocument(view.Version)
		if err != nil {
			return "", nil, err
		}
		out.Heading = orID(a.Metadata().Question, view.Summary)
		out.Document = document(a, v.query("full") != "")
		return view.Ref().String(), out, nil
	}
	out.Text = contentText(view.Version)
	if v.query("full") == "" && len(out.Text) > shownContent {
		out.Text, out.Cut = strings.ToValidUTF8(out.Text[:shownContent], ""), true
	}
	return view.Ref().String(), out, nil
}

// readDocument reads the document that a session's artifact is.
func readDocument(v artifact.Version) (*delta.Artifact, error) { return delta.ReadArtifact(v.Content) }

// artifactActs are the decisions about a version (C14, C18).
var artifactActs = map[string]act{
	"promote":   reviewActs["promote"],
	"demote":    decide(api.Service.Demote, api.DecideDemote),
	"deprecate": decide(api.Service.Deprecate, api.DecideDeprecate),
}

// decision is a use case that changes the status of a version.
type decision func(api.Service, context.Context, api.DecisionRequest) (api.DecisionResult, error)

// decide takes such a decision and shows what it came to (N3).
func decide(how decision, kind api.DecisionKind) act {
	return func(v *visit) (string, error) {
		ref, err := v.ref()
		if err != nil {
			return "", err
		}
		res, err := how(v.svc, v.Context(), api.DecisionRequest{Write: v.write(), Ref: ref, Reason: v.field("reason")})
		v.result = single(kind, res)
		return "", err
	}
}
