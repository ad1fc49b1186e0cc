package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"brenner"
	"brenner/automation"
	"brenner/canon"
	"brenner/internal/order"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decode turns a document into a Config, or reports everything that is wrong
// with it.
func (in source) decode(doc document) (Config, error) {
	found := findings{source: in}
	x := doc.index(func(p place, at jsontext.Pointer, message, hint string) {
		found.add(p, brenner.Diagnostic{Pointer: string(at), Message: message, Hint: hint})
	})
	c := Default()
	if len(found.all) == 0 {
		found.decode(doc.json, x, &c)
	}
	if err := found.refusal(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// findings gathers what is wrong with a file, so that one look at the messages
// mends all of it.
type findings struct {
	source
	all  []finding
	more int  // beyond the limit
	cut  bool // there may be others, which were not looked for
}

type finding struct {
	at place
	brenner.Diagnostic
}

// decode decodes JSON strictly. A part that does not fit is reported and struck
// out, and the rest decoded again, until nothing is left to report; then the
// values are checked.
func (f *findings) decode(raw jsontext.Value, x index, c *Config) {
	var struck []jsontext.Pointer
	for len(f.all) < brenner.MaxConfigFindings {
		*c = Default()
		err := json.Unmarshal(raw, c, json.RejectUnknownMembers(true), json.WithUnmarshalers(spellings(struck)))
		if err == nil {
			break
		}
		var e *json.SemanticError
		if !errors.As(err, &e) {
			panic(err) // the document is JSON
		}
		pointer, message, hint := misfit(e)
		at := x.of(pointer)
		if errors.Is(e, json.ErrUnknownName) {
			at = x.names[pointer]
		}
		f.add(at, brenner.Diagnostic{Pointer: string(pointer), Message: message, Hint: hint})
		struck = append(struck, e.JSONPointer)
		raw = strike(raw, e.JSONPointer)
	}
	if len(f.all) == brenner.MaxConfigFindings {
		f.cut = true
		return
	}
	c.settle()
	c.check(x, func(name bool, d brenner.Diagnostic) {
		at := jsontext.Pointer(d.Pointer)
		// What is missing because it was struck out was reported already.
		if slices.ContainsFunc(struck, func(s jsontext.Pointer) bool { return at.Contains(s) || s.Contains(at) }) {
			return
		}
		where := x.of(at)
		if name {
			where = x.names[at]
		}
		f.add(where, d)
	})
}

// spellings are the short forms that a file may use: a module as its name, a
// prompt as a path or a text, on and off. Null stands for nothing, except where
// something was struck out of a list.
func spellings(struck []jsontext.Pointer) *json.Unmarshalers {
	return json.JoinUnmarshalers(
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, m *Module) error {
			return fromText(dec, func(s string) { m.Name = brenner.Module(s) })
		}),
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, p *Prompt) error {
			return fromText(dec, func(s string) {
				if strings.Contains(s, "\n") {
					p.Text = s
				} else {
					p.Path = s
				}
			})
		}),
		json.UnmarshalFromFunc(readProgram), json.UnmarshalFromFunc(readBudget),
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, on *automation.On) error {
			return fromText(dec, func(s string) { *on = automation.On{automation.Trigger(s)} })
		}),
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, b *bool) error {
			if dec.PeekKind() != '"' {
				return errors.ErrUnsupported
			}
			tok, err := dec.ReadToken()
			if err != nil {
				return err
			}
			if s := tok.String(); s != "on" && s != "off" {
				return &json.SemanticError{JSONKind: '"', GoType: reflect.TypeFor[bool]()}
			}
			*b = tok.String() == "on"
			return nil
		}),
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v any) error {
			if _, any := v.(*jsontext.Value); any || dec.PeekKind() != 'n' {
				return errors.ErrUnsupported
			}
			if _, err := dec.ReadToken(); err != nil {
				return err
			}
			if slices.Contains(struck, dec.StackPointer()) {
				return nil
			}
			return &json.SemanticError{JSONKind: 'n', GoType: reflect.TypeOf(v).Elem()}
		}),
	)
}

// fromText reads a string, and leaves anything else to the usual way.
func fromText(dec *jsontext.Decoder, set func(string)) error {
	if dec.PeekKind() != '"' {
		return errors.ErrUnsupported
	}
	tok, err := dec.ReadToken()
	if err == nil {
		set(tok.String())
	}
	return err
}

// strike takes a member out of its object, or puts null in the place of an
// element of a list.
func strike(raw jsontext.Value, at jsontext.Pointer) jsontext.Value {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out)
	for {
		kind := dec.PeekKind()
		if kind == 0 {
			return out.Bytes()
		}
		tok, err := dec.ReadToken()
		if err != nil {
			panic(err) // it was decoded a moment ago
		}
		if dec.StackPointer() == at && kind != '}' && kind != ']' {
			if isName(dec) {
				err = dec.SkipValue()
			} else {
				err = errors.Join(skipRest(dec, kind), enc.WriteToken(jsontext.Null))
			}
		} else {
			err = enc.WriteToken(tok)
		}
		if err != nil {
			panic(err)
		}
	}
}

// skipRest skips what follows the first token of a value.
func skipRest(dec *jsontext.Decoder, first jsontext.Kind) error {
	if first != '{' && first != '[' {
		return nil
	}
	for depth := dec.StackDepth(); dec.StackDepth() >= depth; {
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}

// misfit says where and what is wrong with a part that does not fit its type. A
// type that reads itself says it in its own words.
func misfit(e *json.SemanticError) (at jsontext.Pointer, message, hint string) {
	at = e.JSONPointer
	var own *brenner.Error
	switch {
	case errors.As(e.Err, &own):
		return at + jsontext.Pointer(own.Pointer), own.Message, own.Hint
	case errors.Is(e, json.ErrUnknownName):
		name := at.LastToken()
		return at, fmt.Sprintf("unknown key %q", brenner.Clip(name, 60)), suggest(name, members(e.GoType))
	case e.JSONKind == '0' && e.GoType.Kind() == reflect.Int:
		return at, fmt.Sprintf("%s is not written as a whole number", brenner.Clip(string(e.JSONValue), 60)), ""
	}
	message, hint = canon.Misfit(e)
	return at, message, hint
}

// members lists the names of the members of an object, in their order.
func members(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// suggest names the known key that a misspelt one most likely meant, or all of
// them.
func suggest(key string, known []string) string {
	if near := brenner.Nearest(key, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "known keys: " + strings.Join(known, ", ")
}

func (f *findings) add(at place, d brenner.Diagnostic) {
	if len(f.all) == brenner.MaxConfigFindings {
		f.more++
		return
	}
	if d.Code == "" {
		d.Code = brenner.CodeInvalidConfig
	}
	d.Severity, d.Subject = brenner.SeverityError, f.where(at)
	f.all = append(f.all, finding{at, d})
}

// refusal is the error of the file, nil if nothing was found: the first finding
// in the order of the file, with all of them attached.
func (f *findings) refusal() error {
	if len(f.all) == 0 {
		return nil
	}
	order.By(f.all, func(a, b finding) int {
		if a.at.line != b.at.line {
			return a.at.line - b.at.line
		}
		return a.at.column - b.at.column
	})
	first := f.all[0]
	message := first.Message
	if n := len(f.all) - 1 + f.more; n > 0 {
		message = fmt.Sprintf("%s (and %s%d more)", message, map[bool]string{true: "at least "}[f.cut], n)
	}
	all := make([]brenner.Diagnostic, len(f.all))
	for i, one := range f.all {
		all[i] = one.Diagnostic
	}
	return f.refuse(brenner.CodeInvalidConfig, first.at, "%s", message).
		WithHint(first.Hint).At(first.Pointer).WithDiagnostics(all)
}
