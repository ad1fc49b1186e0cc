// Package fulltext keeps the full-text index of a store up to date and searches
// it, the same on every database. Package retrieval knows words, scores and
// pages; a backend keeps the rows; this package stands between the two.
//
// A write only notes which versions of an artifact are to be found (ADR 4). A
// search looks through the segments of the index and through what is noted, with
// the same words and the same scores, so nothing written is missed. Settling
// makes a segment of what is noted, in large batches, behind the writers; merging
// keeps the segments few. Neither changes a ranking.
//
// Pages never change and segments are never renumbered, so whatever was read of
// them is remembered (Index) until a redaction or a replay makes another
// generation of the whole.
package fulltext

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/internal/store"
	"brenner/retrieval"
)

// Rows is what a backend keeps for the index, as one reader sees it.
type Rows interface {
	// Standing gives the state of the index, its live segments in order, and up
	// to most notes, in any order.
	Standing(ctx context.Context, most int) (Standing, error)
	// Describe gives the directory and the dead of segments, in their order.
	Describe(ctx context.Context, segments []int64) ([]Description, error)
	// Pages gives pages, in their order.
	Pages(ctx context.Context, pages []Page) ([][]byte, error)
	// Texts gives the texts of versions, in their order: summary and content,
	// of a version whose content was redacted the summary alone. Kind and
	// vector are not filled in.
	Texts(ctx context.Context, names []retrieval.Name) ([]retrieval.Document, error)
}

// Standing is how the index stands.
type Standing struct {
	State
	Segments []Segment
	Notes    []Note
	// Noted is how many notes there are in all.
	Noted int
}

// State is the row of the index.
type State struct {
	// Generation grows when something is taken out of the index for good.
	Generation int64
	// Changes grows with every batch that is settled and every merge.
	Changes int64
	retrieval.Statistics
}

// Segment is the row of a segment, without what is large in it.
type Segment struct {
	ID        int64
	Documents int
	Dead      int // how many of them
}

// Description is what is large in the row of a segment.
type Description struct{ Directory, Dead []byte }

// Page names a page.
type Page struct {
	Segment int64
	Number  int
}

// Note says that other versions of an artifact are to be found than those in
// the segments.
type Note struct {
	Artifact brenner.ArtifactID
	// Key is the number that a backend knows the artifact by, if it has one.
	Key    int64
	Type   brenner.TypeName
	Module brenner.Module
	// Wanted are the versions to be found, Settled those in the segments, each
	// in order of version.
	Wanted, Settled []store.Indexed
}

func (n Note) equal(o Note) bool {
	return n.Artifact == o.Artifact && slices.Equal(n.Wanted, o.Wanted) && slices.Equal(n.Settled, o.Settled)
}

// change is one version that comes in or goes out.
type change struct {
	name retrieval.Name
	kind retrieval.Kind
}

// changes gives what a note brings in and takes out.
func (n Note) changes() (in, out []change) {
	of := func(list, without []store.Indexed) (all []change) {
		for _, v := range list {
			if !slices.Contains(without, v) {
				all = append(all, change{
					retrieval.Name{Artifact: n.Artifact, Version: v.Version},
					retrieval.Kind{Type: n.Type, Module: n.Module, Draft: v.Draft},
				})
			}
		}
		return all
	}
	return of(n.Wanted, n.Settled), of(n.Settled, n.Wanted)
}

// Encode writes down which versions of an artifact are found: their numbers with
// a blank between them, a d behind that of a draft.
func Encode(versions []store.Indexed) string {
	var b []byte
	for i, v := range versions {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(v.Version), 10)
		if v.Draft {
			b = append(b, 'd')
		}
	}
	return string(b)
}

// Decode reads what Encode wrote.
func Decode(text string) []store.Indexed {
	var out []store.Indexed
	for word := range strings.FieldsSeq(text) {
		number, draft := strings.CutSuffix(word, "d")
		n, _ := strconv.Atoi(number)
		out = append(out, store.Indexed{Version: brenner.Version(n), Draft: draft})
	}
	return out
}
