package fulltext

import (
	"context"
	"iter"
	"slices"
	"strings"

	"brenner/retrieval"
)

// widen adds the words that beginnings stand for, and puts those nearest in
// spelling for words that no text has.
func (r *ranking) widen(ctx context.Context) ([]retrieval.Term, error) {
	terms := r.query.Terms
	var err error
	if r.query.Respell {
		if terms, err = r.respell(ctx, retrieval.Heaviest(terms, maxLookups)); err != nil {
			return nil, err
		}
	}
	for _, p := range r.query.Prefixes {
		begun, err := r.beginning(ctx, p)
		if err != nil {
			return nil, err
		}
		known, err := r.known(ctx, begun)
		if err != nil {
			return nil, err
		}
		terms = retrieval.Complete(terms, known)
	}
	return terms, nil
}

// known counts who has some words, each of which is listed once.
func (r *ranking) known(ctx context.Context, all []string) ([]retrieval.Known, error) {
	slices.Sort(all)
	all = slices.Compact(all)
	have, err := r.count(ctx, all)
	out := make([]retrieval.Known, len(have))
	for i, n := range have {
		out[i] = retrieval.Known{Word: all[i], Have: n}
	}
	return out, err
}

// beginning lists the words of the index that begin with something, and the one
// that it may already be.
func (r *ranking) beginning(ctx context.Context, prefix string) ([]string, error) {
	var pages [][]byte
	for i, v := range r.views {
		numbers := v.Directory.PrefixPages(prefix)
		if i >= len(r.standing.Segments) {
			pages = append(pages, r.parts[i-len(r.standing.Segments)].take(numbers)...)
			continue
		}
		some, err := r.memory.read(ctx, r.rows, pagesOf(r.standing.Segments[i].ID, numbers))
		if err != nil {
			return nil, err
		}
		pages = append(pages, some...)
	}
	out := []string{retrieval.Begun(prefix)}
	for _, data := range pages {
		words, err := retrieval.ReadWords(data)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			if strings.HasPrefix(w, prefix) {
				out = append(out, w)
			}
		}
	}
	return out, nil
}

// respell reads the words that no text has as those nearest to them.
func (r *ranking) respell(ctx context.Context, terms []retrieval.Term) ([]retrieval.Term, error) {
	have, err := r.count(ctx, words(terms))
	if err != nil {
		return nil, err
	}
	instead := map[string][]retrieval.Term{}
	for i, t := range terms {
		if have[i] > 0 || retrieval.Slips(t.Word) == 0 {
			continue
		}
		near, err := r.near(ctx, t.Word)
		if err != nil {
			return nil, err
		}
		known, err := r.known(ctx, near)
		if err != nil {
			return nil, err
		}
		if others, as := retrieval.Respell(t, known); len(others) > 0 {
			instead[t.Word] = others
			r.spelled = append(r.spelled, as)
		}
	}
	return retrieval.Respelled(terms, instead), nil
}

// near lists the words of the index that differ from one in as few letters as
// may be a slip.
func (r *ranking) near(ctx context.Context, word string) ([]string, error) {
	var out []string
	for i := range r.views {
		all, err := r.vocabulary(ctx, i)
		if err != nil {
			return nil, err
		}
		for w := range all.each() {
			if retrieval.Distance(word, w, retrieval.Slips(word)) <= retrieval.Slips(word) {
				out = append(out, strings.Clone(w))
			}
		}
	}
	return out, nil
}

// pagesAtOnce is how many pages of words are read at a time.
const pagesAtOnce = 128

// vocabulary are the words of a segment, one behind another: there are many, which the
// collector need not follow.
type vocabulary struct {
	text string
	ends []uint32 // of the words in text
}

// each goes through the words, in order.
func (v vocabulary) each() iter.Seq[string] {
	return func(yield func(string) bool) {
		from := uint32(0)
		for _, end := range v.ends {
			if !yield(v.text[from:end]) {
				return
			}
			from = end
		}
	}
}

// vocabulary gives the words of a segment. To read them all takes a while; they
// are remembered, for a segment never changes.
func (r *ranking) vocabulary(ctx context.Context, view int) (vocabulary, error) {
	directory := r.views[view].Directory
	var w wordsRead
	if view >= len(r.standing.Segments) {
		err := w.read(r.parts[view-len(r.standing.Segments)].take(directory.PostingPages()))
		return w.all(), err
	}
	id := r.standing.Segments[view].ID
	r.memory.mu.Lock()
	words, known := r.memory.words[id]
	r.memory.mu.Unlock()
	if known {
		return words, nil
	}
	for some := range slices.Chunk(pagesOf(id, directory.PostingPages()), pagesAtOnce) {
		// Not by way of the memory: they would push out what searches need.
		data, err := r.rows.Pages(ctx, some)
		if err != nil {
			return vocabulary{}, err
		}
		if err := w.read(data); err != nil {
			return vocabulary{}, err
		}
	}
	words = w.all()
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	r.memory.words[id] = words
	return words, nil
}

// wordsRead is a vocabulary that is being read.
type wordsRead struct {
	text strings.Builder
	ends []uint32
	last string
}

// read takes in the words of pages; one that goes on on the next page is listed once.
func (w *wordsRead) read(pages [][]byte) error {
	for _, data := range pages {
		if data == nil {
			return errTornIndex
		}
		some, err := retrieval.ReadWords(data)
		if err != nil {
			return err
		}
		for _, word := range some {
			if word == w.last && len(w.ends) > 0 {
				continue
			}
			w.text.WriteString(word)
			w.ends = append(w.ends, uint32(w.text.Len()))
			w.last = word
		}
	}
	return nil
}

func (w *wordsRead) all() vocabulary { return vocabulary{w.text.String(), slices.Clip(w.ends)} }
