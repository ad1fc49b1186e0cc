package anchor

import (
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/canon"
)

func sumOf(t Text) brenner.Digest { return canon.Sum(t.Bytes()) }

// explainResult deals with a patch whose operations all fit but whose result
// is not the one it promises. The promise proves every correction.
func (x *explainer) explainResult() {
	result, _, _ := transform(x.p, x.base)
	finding := Finding{Pointer: "/result_sha256", Code: x.out.Code}
	if cause, how := otherForm(result, x.p.Result); cause != "" {
		finding.Cause, finding.Message = cause, "the checksum is that of "+how+"; it must be taken over the canonical text"
		x.add(finding)
		q := x.p
		q.Result = result.Sum()
		x.propose(q, Likely)
		return
	}
	if x.p.size()+len(x.base.s) <= largestResult && (x.tryWrittenNew(finding) || x.tryTruncated(finding)) {
		return
	}
	finding.Cause = CauseWrongResult
	finding.Message = "every operation fits, but together they do not give the promised result"
	finding.Hint = "check the blocks, or leave result_sha256 out if it was not computed"
	x.add(finding)
}

// tryWrittenNew: the new blocks were written at another level, or carry
// characters they should not.
func (x *explainer) tryWrittenNew(f Finding) bool {
	for _, rd := range append([]reading{
		{CauseInvisible, "a new block carries invisible characters", "take them out", cleaned, never},
		{CauseLineEndings, "a new block lacks its last newline", "end it like the old block", func(s string) string { return s + "\n" }, never},
		{CauseLineEndings, "a new block has a newline too many", "end it like the old block", func(s string) string { return strings.TrimSuffix(s, "\n") }, never},
	}, readings...) {
		q := x.p.clone()
		for i := range q.Groups {
			for j := range q.Groups[i].Ops {
				op := &q.Groups[i].Ops[j]
				if op.Kind != DeleteBlock {
					op.New = rd.fn(op.New)
				}
			}
		}
		if x.propose(q, Proved) { // it promises the same result
			f.Cause, f.Message, f.Hint = rd.cause, rd.message, rd.hint
			x.add(f)
			return true
		}
	}
	return false
}

// tryTruncated: an old block was cut short, so that its rest stays behind. Every
// longer old block is tried, up to a bound on the bytes hashed.
func (x *explainer) tryTruncated(f Finding) bool {
	edits, _ := resolve(x.p, x.base.s)
	budget := mostEffort / (len(x.base.s) + x.p.size() + 64*len(edits) + 1)
	for i, e := range edits {
		stop := len(x.base.s)
		if i+1 < len(edits) {
			stop = edits[i+1].start
		}
		for _, end := range longerEnds(x.base.s, e.end, stop) {
			if budget--; budget < 0 {
				return false
			}
			longer := append([]edit(nil), edits...)
			longer[i].end = end
			if !x.proves(longer) {
				continue
			}
			f.Pointer, f.Cause = e.from.pointer(), CauseTruncated
			f.Message = "the old block was cut short; " + quote(x.base.s[e.end:end]) + " is missing at its end"
			f.Hint = "quote the old block to its end"
			x.add(f)
			return true
		}
	}
	return false
}

// longerEnds lists where a block that ends at from may have meant to end: at
// any character nearby, then at the ends of lines.
func longerEnds(text string, from, stop int) (ends []int) {
	const chars, lines = 400, 400
	at := from
	for range chars {
		if at >= stop {
			return ends
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
		ends = append(ends, at)
	}
	for range lines {
		i := strings.IndexByte(text[at:stop], '\n')
		if i < 0 {
			return append(ends, stop)
		}
		at += i + 1
		ends = append(ends, at)
	}
	return ends
}
