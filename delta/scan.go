package delta

import (
	"bytes"
	"slices"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// mayRescan keeps a reply full of broken fences from being read over and over.
func (x *extractor) mayRescan(part []byte) bool {
	x.again.times++
	x.again.bytes += len(part)
	if x.again.times > brenner.MaxReplyRescans || x.again.bytes > brenner.MaxReplyRescanBytes {
		return false
	}
	x.again.levels += levels(part)
	return x.again.levels <= brenner.MaxReplyLevels
}

// scan finds the delta blocks in a part of the source. Inside a closed fence
// that is not one of deltas (nested) there are none.
func (x *extractor) scan(from, to int, nested bool) {
	if x.look() {
		return
	}
	part := x.source[from:to]
	doc := newReplyParser().Parse(text.NewReader(part))
	w := walker{extractor: x, part: part, from: from, nested: nested}
	w.blocks(doc, false)
}

// walker goes through the blocks of one part of the source.
type walker struct {
	*extractor
	part   []byte
	from   int
	nested bool
}

func (w *walker) blocks(parent ast.Node, quoted bool) {
	for n := parent.FirstChild(); n != nil && !w.look(); n = n.NextSibling() {
		switch n := n.(type) {
		case *fence:
			w.fence(n, quoted)
		case *ast.Blockquote:
			w.blocks(n, true)
		case *ast.CodeBlock, *ast.Paragraph, *ast.TextBlock, *ast.HTMLBlock, *ast.Heading:
			w.leaf(n, quoted)
		default:
			w.blocks(n, quoted)
		}
	}
}

// leaf notes what stands in a block of text: something quoted is not looked
// into again, and is named if it is a delta.
func (w *walker) leaf(n ast.Node, quoted bool) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	from, to := w.from+lines.At(0).Start, w.from+lines.At(lines.Len()-1).Stop
	if !quoted {
		if _, ok := n.(*ast.CodeBlock); ok && !w.nested {
			w.places = append(w.places, region{from, to, "an indented block"})
		}
		return
	}
	w.taken = append(w.taken, region{from: from, to: to})
	var b strings.Builder
	for i := range lines.Len() {
		segment := lines.At(i)
		b.Write(segment.Value(w.part))
	}
	if len(w.looseDeltas(b.String())) > 0 {
		w.ignore(from, "a quoted delta is not a contribution", "repeat it unquoted, in a block named delta, if it is meant as one")
	}
}

// looseDeltas finds what looks like a delta in a short text.
func (x *extractor) looseDeltas(s string) []meant {
	i := strings.IndexByte(s, '{')
	if i < 0 {
		return nil
	}
	r := looseReader{text: s[i:], steps: &x.steps}
	v, ok := r.value(0)
	if !ok {
		return nil
	}
	return deltasIn(&v)
}

func (w *walker) fence(f *fence, quoted bool) {
	body := f.content(w.part)
	isDelta := f.info == "delta"
	whole := region{from: w.from + f.start, to: w.from + f.end, name: f.info}
	switch {
	case marked(body) && (isDelta || len(w.looseDeltas(string(body))) > 0):
		w.taken = append(w.taken, whole)
		w.ignore(whole.from, "an example was echoed", "take out the line "+EchoMarker+" if the block is meant as a contribution")
	case quoted:
		w.taken = append(w.taken, whole)
		if isDelta || len(w.looseDeltas(string(body))) > 0 {
			w.ignore(whole.from, "a quoted delta block is not a contribution", "repeat it unquoted if it is meant as one")
		}
	case isDelta && w.nested:
		w.places = append(w.places, region{whole.from, whole.to, "another block"})
	case isDelta && w.deltas(f, body):
		w.taken = append(w.taken, whole)
	case opensDelta(body) && w.mayRescan(w.part[f.body:f.end]):
		nested := w.nested || f.encloses(body)
		if nested {
			w.places = append(w.places, region{whole.from, whole.to, "another block"})
		}
		w.scan(w.from+f.body, w.from+f.end, nested)
	case isDelta:
		w.broken(f, body)
		w.taken = append(w.taken, whole)
	default:
		if n := f.Lines().Len(); n > 0 {
			whole.to = w.from + f.Lines().At(n-1).Stop
		}
		if whole.name == "" {
			whole.name = "a block without a name"
		} else {
			whole.name = "a block named " + clip(whole.name)
		}
		w.places = append(w.places, whole)
	}
}

// marked says whether a block is an example that was echoed.
func marked(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte(EchoMarker))
}

// opensDelta says whether a line of the text opens a delta block.
func opensDelta(text []byte) bool {
	_, n := deltaFence(text)
	return n > 0
}

// deltaFence gives the character and length of the first fence in the text
// that opens a delta block.
func deltaFence(text []byte) (char byte, length int) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 3 && strings.IndexByte("`~:", line[0]) >= 0 {
			if n := run(line); n >= 3 && string(bytes.TrimSpace(line[n:])) == "delta" {
				return line[0], n
			}
		}
	}
	return 0, 0
}

// encloses says whether a fence was meant to hold the delta block inside it. A
// delta fence that was only talked about does not, nor one that was never
// closed, nor a nameless one that only the fence of the block itself closed.
func (f *fence) encloses(body []byte) bool {
	if f.info == "delta" || !f.closed {
		return false
	}
	char, length := deltaFence(body)
	return f.info != "" || char != f.char || length < f.length
}

// deltas reads the content of a delta block, if it is JSON.
func (w *walker) deltas(f *fence, body []byte) bool {
	pieces, ok := splitJSON(body)
	if !ok {
		return false
	}
	for _, p := range pieces {
		w.whole(p.raw, w.from+f.start)
	}
	return true
}

// whole notes a value that stands where a delta should. One that holds several
// deltas, such as {"deltas": […]}, is a near miss for each of them.
func (x *extractor) whole(raw []byte, at int) {
	if beginsDelta(raw) {
		x.finds = append(x.finds, find{at: at, raw: raw, whole: true})
		return
	}
	r := looseReader{text: string(raw), steps: &x.steps}
	v, ok := r.value(0)
	if ok && !ownMembers(&v) {
		if all := deltasIn(&v); len(all) > 0 && (len(all) > 1 || len(all[0].notes) > 0) {
			for i := range all {
				x.finds = append(x.finds, find{
					at: at, raw: []byte(all[i].object.json()), meant: &all[i], slips: r.slips,
					where: "a delta stands inside another object", advice: "send each delta as an object of its own, without what is around it",
				})
			}
			return
		}
	}
	if ok && x.inTexts(&v, at, 0) {
		return
	}
	x.finds = append(x.finds, find{at: at, raw: raw, whole: true})
}

// inTexts finds the delta blocks in the texts of a value that is no delta: of a
// message as an interface of a model gives it.
func (x *extractor) inTexts(v *loose, at, depth int) bool {
	const deep = 6
	found := false
	if depth > deep {
		return false
	}
	if v.kind == '"' && opensDelta([]byte(v.text)) {
		for _, f := range x.inside([]byte(v.text)) {
			f.at, f.whole = at, false
			f.where, f.advice = "a delta stands in a text of another object", "send the text itself, not the message as JSON"
			x.finds = append(x.finds, f)
			found = true
		}
	}
	for i := range v.members {
		found = x.inTexts(&v.members[i].value, at, depth+1) || found
	}
	for i := range v.items {
		found = x.inTexts(&v.items[i], at, depth+1) || found
	}
	return found
}

// beginsDelta says whether the first member of an object is one that only a
// delta has, as it nearly always is.
func beginsDelta(raw []byte) bool {
	name, ok := bytes.CutPrefix(bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("{")), " \t\r\n"), []byte(`"`))
	if !ok {
		return false
	}
	for _, member := range []string{"delta_id", "operation", "section", "target_id", "payload"} {
		if bytes.HasPrefix(name, []byte(member+`"`)) {
			return true
		}
	}
	return false
}

// ownMembers says whether an object has the two members that every delta has.
func ownMembers(v *loose) bool {
	return v.kind == '{' && v.member("operation") != nil && v.member("section") != nil
}

// broken reads a delta block that is not JSON. If it is one object after the
// other, each is read by itself; otherwise nothing in it is applied.
func (w *walker) broken(f *fence, body []byte) {
	at := w.from + f.start
	text, slips := unwound(string(body))
	body = []byte(text)
	pieces, clean := w.pieces(body)
	clean = clean && slips == nil
	if len(pieces) == 0 {
		w.finds = append(w.finds, find{at: at, raw: body, whole: true})
	}
	for _, p := range pieces {
		switch {
		case p.strict && clean:
			w.whole(p.raw, at)
		case p.value == nil:
			w.finds = append(w.finds, find{at: at, raw: p.raw, whole: true})
		default:
			w.looseFinds(p.value, slices.Concat(slips, p.slips), p.raw, at, "", "")
		}
	}
}

// brokenPiece is an object in a delta block that is not JSON.
type brokenPiece struct {
	raw    []byte
	strict bool
	value  *loose // nil if it cannot even be read loosely
	slips  []string
}

// pieces cuts a block into objects and says whether there is nothing else.
func (x *extractor) pieces(body []byte) (pieces []brokenPiece, clean bool) {
	clean = true
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
			continue
		case c != '{':
			clean = false
			i++
			continue
		}
		rest := body[i:]
		r := looseReader{text: string(rest), steps: &x.steps}
		v, ok := r.value(0)
		if raw, n := oneObject(rest); ok && n > 0 {
			pieces = append(pieces, brokenPiece{raw: raw, strict: true, value: &v})
			i += n
			continue
		}
		if ok {
			pieces = append(pieces, brokenPiece{raw: rest[:r.off], value: &v, slips: r.slips})
			i += r.off
			continue
		}
		n := bytes.Index(rest[1:], []byte("\n{")) + 1
		if n == 0 {
			n = len(rest)
		}
		pieces = append(pieces, brokenPiece{raw: rest[:n]})
		i += n
	}
	return pieces, clean
}

// oneObject gives the strict JSON object at the start of a text and where it
// ends, 0 if there is none.
func oneObject(text []byte) ([]byte, int) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := dec.ReadValue()
	if err != nil {
		return nil, 0
	}
	return bytes.Clone(v), int(dec.InputOffset())
}

// looseFinds notes the deltas in a value that was read loosely and says whether
// there is one. Without a where it stands in a delta block that is not JSON.
func (x *extractor) looseFinds(v *loose, slips []string, raw []byte, at int, where, advice string) bool {
	all := deltasIn(v)
	if len(all) == 0 && where == "" {
		all = []meant{{object: *v}}
	}
	for i := range all {
		f := find{at: at, raw: raw, whole: where == "", refused: where == "", where: where, advice: advice, meant: &all[i], slips: slips}
		if len(all) > 1 {
			f.raw = []byte(all[i].object.json())
		}
		x.finds = append(x.finds, f)
	}
	return len(all) > 0
}

// ignore names a block that is not a contribution.
func (x *extractor) ignore(at int, message, hint string) {
	x.out.Ignored = append(x.out.Ignored, Miss{Code: brenner.CodeBlockIgnored, Line: x.line(at), Message: message, Hint: hint})
}
