package anchor

import (
	"fmt"
	"strings"
)

// The lines of an apply_patch envelope.
const (
	envelopeBegin  = "*** Begin Patch"
	envelopeEnd    = "*** End Patch"
	envelopeAdd    = "*** Add File: "
	envelopeUpdate = "*** Update File: "
	envelopeDelete = "*** Delete File: "
	envelopeMove   = "*** Move to: "
	envelopeEOF    = "*** End of File"
)

// readApplyPatch reads an apply_patch envelope, also inside a shell's here
// document or with prose around it.
func readApplyPatch(text Text) ([]Edit, error) {
	lines := strings.SplitAfter(text.s, "\n")
	at := 0
	for at < len(lines) && strings.TrimSpace(lines[at]) != envelopeBegin {
		at++
	}
	if at == len(lines) {
		return nil, invalidPatch("", "there is no line %q", envelopeBegin)
	}
	r := envelopeReader{text: text, lines: lines, at: at + 1}
	for r.at < len(r.lines) {
		done, err := r.section()
		if done || err != nil {
			return r.edits, err
		}
	}
	return nil, invalidPatch("", "the envelope is not closed by %q", envelopeEnd).WithHint("it may have been cut short; send it whole")
}

type envelopeReader struct {
	text  Text
	lines []string
	at    int
	edits []Edit
}

// section reads what is said of one file; done is set at the end.
func (r *envelopeReader) section() (done bool, err error) {
	line := strings.TrimRight(r.lines[r.at], " \t\n")
	r.at++
	switch {
	case line == envelopeEnd:
		return true, nil
	case line == "":
		return false, nil
	case strings.HasPrefix(line, envelopeDelete):
		return false, inexpressible("%s: removing a file is not a change of its text", line[len(envelopeDelete):])
	case strings.HasPrefix(line, envelopeAdd):
		return false, r.added(line[len(envelopeAdd):])
	case strings.HasPrefix(line, envelopeUpdate):
		return false, r.updated(line[len(envelopeUpdate):])
	}
	return false, invalidPatch("", "line %s is none of an envelope", quote(line)).
		WithHint("name the file first, as in " + envelopeUpdate + "path")
}

// over says that the section of a file is over.
func (r *envelopeReader) over() bool {
	if r.at >= len(r.lines) || r.lines[r.at] == "" {
		return true
	}
	line := r.lines[r.at]
	return strings.HasPrefix(line, "*** ") && strings.TrimSpace(line) != envelopeEOF && !strings.HasPrefix(line, envelopeMove)
}

// added reads a new file. A blank line of it is often written without its mark;
// at the end it parts the file from what follows.
func (r *envelopeReader) added(name string) error {
	var b strings.Builder
	e := Edit{Path: name, fresh: true}
	blank := 0
	for ; !r.over(); r.at++ {
		line := r.lines[r.at]
		body, ok := strings.CutPrefix(line, "+")
		if !ok {
			if strings.TrimSpace(line) == "" {
				blank++
				continue
			}
			return invalidPatch("", "%s: line %s of a new file does not begin with +", name, quote(strings.TrimSuffix(line, "\n")))
		}
		b.WriteString(strings.Repeat("\n", blank) + body)
		blank = 0
		e.spelled = e.spelled || r.text.endsOtherwise(r.at)
	}
	whole := b.String()
	e.whole = &whole
	r.edits = append(r.edits, e)
	return nil
}

// updated reads the chunks of one file. A chunk begins at @@, which may be
// followed by a line to look below, and several may follow each other.
func (r *envelopeReader) updated(name string) error {
	e := Edit{Path: name}
	var h *hunk
	var old, fresh strings.Builder
	flush := func() error {
		if h == nil {
			return nil
		}
		h.old, h.new = old.String(), fresh.String()
		old.Reset()
		fresh.Reset()
		if h.old == "" && h.new == "" {
			return invalidPatch("", "%s of %s has no lines", h.name, name)
		}
		if h.old == "" && h.atEnd {
			h.append = true
		}
		e.hunks = append(e.hunks, *h)
		h = nil
		return nil
	}
	begin := func() {
		if h == nil {
			h = &hunk{name: fmt.Sprintf("chunk %d", len(e.hunks)+1), wholeLines: true}
		}
	}
	for ; !r.over(); r.at++ {
		line := r.lines[r.at]
		bare := strings.TrimRight(line, " \t\n")
		switch {
		case strings.HasPrefix(line, envelopeMove):
			return inexpressible("%s: renaming a file is not a change of its text", name)
		case bare == envelopeEOF:
			begin()
			h.atEnd = true
		case strings.HasPrefix(line, "@@"):
			if h == nil || old.Len()+fresh.Len() > 0 {
				if err := flush(); err != nil {
					return err
				}
				begin()
			}
			if below := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(bare, "@@"), "@@")); below != "" {
				h.below = append(h.below, below)
			}
		case line[0] == ' ' || line[0] == '\n':
			begin()
			old.WriteString(strings.TrimPrefix(line, " "))
			fresh.WriteString(strings.TrimPrefix(line, " "))
		case line[0] == '-':
			begin()
			old.WriteString(line[1:])
		case line[0] == '+':
			begin()
			fresh.WriteString(line[1:])
		default:
			return invalidPatch("", "%s: line %s begins with none of space, + and -", name, quote(bare)).
				WithHint("begin each line of a chunk with its mark")
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if len(e.hunks) == 0 {
		return invalidPatch("", "%s is to be changed, but nothing says how", name)
	}
	r.edits = append(r.edits, e)
	return nil
}
