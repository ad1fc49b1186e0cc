package anchor

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// folded is a text seen through an equivalence, such as "white space does not
// count", with a map back to positions in the original.
type folded struct {
	text string
	runs []run
	// size is the length of the original.
	size int
}

// run maps a stretch of the folded text. In a plain run the bytes are those of
// the original; an atom stands for width original bytes and has no inside.
type run struct {
	at, base int32
	width    int32 // of an atom; 0 in a plain run
}

// start gives the original position where the folded position i begins; ok is
// false inside an atom.
func (f *folded) start(i int) (base int, ok bool) {
	if i >= len(f.text) {
		return f.size, i == len(f.text)
	}
	r := f.runAt(i)
	if r.width > 0 {
		return int(r.base), int(r.at) == i
	}
	return int(r.base) + i - int(r.at), true
}

// end gives the original position just after the folded byte i-1, before
// anything that was folded away behind it; ok is false inside an atom.
func (f *folded) end(i int) (base int, ok bool) {
	if i == 0 {
		return 0, true
	}
	r := f.runAt(i - 1)
	if r.width == 0 {
		return int(r.base) + i - int(r.at), true
	}
	next := sort.Search(len(f.runs), func(k int) bool { return int(f.runs[k].at) >= i })
	atEnd := i == len(f.text) || next < len(f.runs) && int(f.runs[next].at) == i
	return int(r.base + r.width), atEnd
}

// index gives the folded position of an original one, and whether what stands
// there was kept.
func (f *folded) index(base int) (at int, kept bool) {
	k := sort.Search(len(f.runs), func(k int) bool { return int(f.runs[k].base) > base })
	if k == 0 {
		return 0, false
	}
	r, next := f.runs[k-1], len(f.text)
	if k < len(f.runs) {
		next = int(f.runs[k].at)
	}
	if r.width > 0 {
		if base < int(r.base+r.width) {
			return int(r.at), true
		}
		return next, false
	}
	if at = int(r.at) + base - int(r.base); at < next {
		return at, true
	}
	return next, false
}

func (f *folded) runAt(i int) run {
	k := sort.Search(len(f.runs), func(k int) bool { return int(f.runs[k].at) > i })
	return f.runs[k-1]
}

// folder builds a folded text from pieces in order.
type folder struct {
	out  strings.Builder
	runs []run
	// plain is where the open plain run started in the original; -1 if none.
	plain int
	src   string
}

func newFolder(src string) *folder {
	f := &folder{plain: -1, src: src}
	f.out.Grow(len(src))
	return f
}

// keep copies original bytes as they are.
func (f *folder) keep(at int) {
	if f.plain < 0 {
		f.plain = at
	}
}

// flush closes the open plain run at an original position.
func (f *folder) flush(at int) {
	if f.plain < 0 {
		return
	}
	f.runs = append(f.runs, run{at: int32(f.out.Len()), base: int32(f.plain)})
	f.out.WriteString(f.src[f.plain:at])
	f.plain = -1
}

// put writes s in place of original bytes; an empty s folds them away.
func (f *folder) put(s string, at, width int) {
	f.flush(at)
	if s == "" {
		return
	}
	f.runs = append(f.runs, run{at: int32(f.out.Len()), base: int32(at), width: int32(width)})
	f.out.WriteString(s)
}

func (f *folder) done() *folded {
	f.flush(len(f.src))
	return &folded{text: f.out.String(), runs: f.runs, size: len(f.src)}
}

// squeeze folds all Unicode white space away (P5). Zero-width characters are
// not white space.
func squeeze(s string) *folded {
	f := newFolder(s)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c == ' ' || '\t' <= c && c <= '\r' {
				f.put("", i, 1)
			} else {
				f.keep(i)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			f.put("", i, n)
		} else {
			f.keep(i)
		}
		i += n
	}
	return f.done()
}

// foldRunes folds character by character: fn gives what stands for r, and
// whether that differs from r itself.
func foldRunes(s string, fn func(r rune) (string, bool)) *folded {
	f := newFolder(s)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if to, changed := fn(r); changed {
			f.put(to, i, n)
		} else {
			f.keep(i)
		}
		i += n
	}
	return f.done()
}
