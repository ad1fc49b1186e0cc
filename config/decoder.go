package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner"
)

// decoder reads typed values out of a tree and gathers what is wrong with them,
// so that one look at the messages mends the whole file.
type decoder struct {
	source
	found []finding
	more  int // findings beyond the limit
}

type finding struct {
	at place
	brenner.Diagnostic
}

// member is a key an object may have, and who reads it.
type member struct {
	key  string
	read func(n node, at string)
}

// object reads the members of an object and refuses keys it does not have.
func (d *decoder) object(n node, at string, members []member) {
	if n.kind != object {
		d.wrong(n, at, object)
		return
	}
	for _, f := range n.fields {
		here := at + "/" + escape(f.key)
		i := slices.IndexFunc(members, func(m member) bool { return m.key == f.key })
		if i < 0 {
			d.report(f.at, here, fmt.Sprintf("unknown key %q", clip(f.key)), suggest(f.key, members))
			continue
		}
		members[i].read(f.value, here)
	}
}

func (d *decoder) list(n node, at string, read func(n node, at string)) {
	if n.kind != array {
		d.wrong(n, at, array)
		return
	}
	for i, item := range n.items {
		read(item, at+"/"+strconv.Itoa(i))
	}
}

func (d *decoder) text(n node, at string) string {
	if n.kind != text {
		d.wrong(n, at, text)
	}
	return n.text
}

func (d *decoder) texts(n node, at string) []string {
	var out []string
	d.list(n, at, func(n node, at string) { out = append(out, d.text(n, at)) })
	return out
}

func (d *decoder) oneOf(n node, at string, allowed ...string) string {
	s := d.text(n, at)
	if n.kind == text && !slices.Contains(allowed, s) {
		d.report(n.at, at, fmt.Sprintf("%q is not one of the values", clip(s)), fmt.Sprintf("use one of %q", allowed))
	}
	return s
}

func (d *decoder) bool(n node, at string) bool {
	if n.kind != boolean {
		d.wrong(n, at, boolean)
	}
	return n.truth
}

func (d *decoder) float(n node, at string) float64 {
	if n.kind != number {
		d.wrong(n, at, number)
		return 0
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil {
		d.report(n.at, at, n.text+" is not a number a configuration can have", "")
	}
	return f
}

// wrong reports a value of another kind than wanted.
func (d *decoder) wrong(n node, at string, want kind) {
	d.report(n.at, at, fmt.Sprintf("%s where %s was expected", n.kind, want), "")
}

// check reports the refusal of a value by its own type.
func (d *decoder) check(n node, at string, err error) {
	var e *brenner.Error
	if errors.As(err, &e) {
		d.report(n.at, at, e.Message, e.Hint)
	}
}

func (d *decoder) report(at place, pointer, message, hint string) {
	d.add(finding{at, brenner.Diagnostic{Code: brenner.CodeInvalidConfig, Message: message, Hint: hint, Pointer: pointer}})
}

func (d *decoder) add(f finding) {
	if len(d.found) == brenner.MaxConfigFindings {
		d.more++
		return
	}
	f.Severity = brenner.SeverityError
	f.Subject = d.where(f.at)
	d.found = append(d.found, f)
}

// refusal is the error of the file, nil if nothing was found: the first finding
// in the order of the file, with all of them attached.
func (d *decoder) refusal() error {
	if len(d.found) == 0 {
		return nil
	}
	slices.SortStableFunc(d.found, func(a, b finding) int {
		if a.at.line != b.at.line {
			return a.at.line - b.at.line
		}
		return a.at.column - b.at.column
	})
	first := d.found[0]
	message := first.Message
	if n := len(d.found) - 1 + d.more; n > 0 {
		message = fmt.Sprintf("%s (and %d more)", message, n)
	}
	all := make([]brenner.Diagnostic, len(d.found))
	for i, f := range d.found {
		all[i] = f.Diagnostic
	}
	return d.refuse(brenner.CodeInvalidConfig, first.at, "%s", message).
		WithHint(first.Hint).At(first.Pointer).WithDiagnostics(all)
}

// find gives the place of the value at a pointer, or of the nearest one around
// it that is in the file.
func (n node) find(pointer string) place {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		i, err := strconv.Atoi(token)
		f := slices.IndexFunc(n.fields, func(f field) bool { return f.key == token })
		switch {
		case f >= 0:
			n = n.fields[f].value
		case err == nil && i < len(n.items):
			n = n.items[i]
		default:
			return n.at
		}
	}
	return n.at
}

// escape writes a key as a token of a JSON pointer.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// suggest names the known key that a misspelt one most likely meant, or all of
// them.
func suggest(key string, members []member) string {
	known := make([]string, len(members))
	for i, m := range members {
		known[i] = m.key
	}
	if near := brenner.Nearest(key, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "known keys: " + strings.Join(known, ", ")
}
