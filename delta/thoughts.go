package delta

import (
	"bytes"

	"brenner/internal/lazy"
)

// Models think aloud between tags, and try deltas out there. What they thought
// is not what they say: it is no contribution, and that is said.

// thoughtTags are what models put around their thoughts, at the start of a line.
var (
	thoughtOpens  = lazy.NewPattern(`(?im)^[ \t]*<(think|thinking|thoughts?|reasoning|scratchpad|reflection|analysis)>`)
	thoughtCloses = lazy.NewPattern(`(?i)</(think|thinking|thoughts?|reasoning|scratchpad|reflection|analysis)>`)
)

// thoughts blanks what stands between such tags and names the deltas in it. A
// reply may begin with the thoughts themselves: the tag before them was part of
// what the model was given. Thoughts that never end are not looked for: all
// might be lost with them.
func (x *extractor) thoughts() {
	for at := 0; ; {
		closing := thoughtCloses.Regexp().FindSubmatchIndex(x.source[at:])
		if closing == nil {
			return
		}
		from, to := at, at+closing[1]
		switch opening := thoughtOpens.Regexp().FindSubmatchIndex(x.source[at:to]); {
		case opening != nil && bytes.EqualFold(x.source[at+opening[2]:at+opening[3]], x.source[at+closing[2]:at+closing[3]]):
			from = at + opening[0]
		case at > 0 || opening != nil || !bytes.HasPrefix(bytes.ToLower(x.source[to-closing[1]+closing[2]:]), []byte("think")):
			at = to
			continue
		}
		x.forget(from, to)
		at = to
	}
}

// inside gives what is found in a text of its own; where there are too many to
// be looked into, that there may be something.
func (x *extractor) inside(text []byte) []find {
	if !x.mayRescan(text) {
		return []find{{raw: text}}
	}
	inner := newExtractor(bytes.Clone(text), "", x.env)
	inner.steps, inner.stop, inner.again = x.steps, x.stop, x.again
	inner.scan(0, len(inner.source), false)
	inner.sweep()
	x.steps, x.stopped, x.again = inner.steps, inner.stopped, inner.again
	return inner.finds
}

// forget blanks a part of the source; nothing moves.
func (x *extractor) forget(from, to int) {
	if bytes.IndexByte(x.source[from:to], '{') >= 0 {
		for _, f := range x.inside(x.source[from:to]) {
			x.ignore(from+f.at, "a delta in the model's thoughts is not a contribution", "repeat it outside of them if it is meant as one")
		}
	}
	if !x.owned {
		x.source, x.owned = bytes.Clone(x.source), true
	}
	for i := from; i < to; i++ {
		if x.source[i] != '\n' {
			x.source[i] = ' '
		}
	}
}
