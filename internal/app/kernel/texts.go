package kernel

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"brenner"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"

	"github.com/go-json-experiment/json/jsontext"
)

// Free text in records stands there by its hash, and is a content of its own: it
// can be redacted, and what is redacted is gone from the journal too (J7). Which
// members of a record are free text its kind says (Kind.Texts). The tables hold
// the text itself; a redaction makes them anew.

// RedactedText stands where a text was redacted.
const RedactedText = "[redacted]"

// GoneText is a text that was redacted, for good.
type GoneText struct {
	Digest brenner.Digest `json:"digest"`
}

// GoneTexts are the texts that were redacted. The store knows that itself; they are
// kept because they are part of the state (J4).
var GoneTexts = Table[GoneText]{Kind: "redacted_text", Key: func(g GoneText) Key { return Key{ID: string(g.Digest)} }}

// Quote is a free text that a record, or the result that is kept with it, says.
type Quote struct {
	At     string         // where: a JSON pointer into the payload
	Digest brenner.Digest // of the text
	Inline bool           // the record itself has the text: it is from before texts had contents
}

// pattern is a pointer in which * stands for any one step.
type pattern []string

func patterns(pointers []string) []pattern {
	out := make([]pattern, len(pointers))
	for i, p := range pointers {
		out[i] = strings.Split(p, "/")[1:]
	}
	return out
}

func (p pattern) matches(at jsontext.Pointer) bool {
	i := 0
	for step := range at.Tokens() {
		if i == len(p) || p[i] != "*" && p[i] != step {
			return false
		}
		i++
	}
	return i == len(p)
}

// rewriteTexts is rewrite for the texts of a record of a kind that are not empty.
func (e *entry) rewriteTexts(payload jsontext.Value, change func(at jsontext.Pointer, s string) (string, bool, error)) (jsontext.Value, error) {
	return rewrite(payload, e.texts, func(at jsontext.Pointer, s string) (string, bool, error) {
		if s == "" {
			return "", false, nil
		}
		return change(at, s)
	})
}

// rewrite goes through the strings of a JSON value, with patterns only through those
// that stand where one of them says, and puts others in their place where change says
// so. Everything else stays byte by byte.
func rewrite(raw jsontext.Value, among []pattern, change func(at jsontext.Pointer, s string) (string, bool, error)) (jsontext.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	var out []byte
	done := 0
	for {
		if dec.PeekKind() != '"' {
			if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			continue
		}
		quoted, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if of, n := dec.StackIndex(dec.StackDepth()); of == '{' && n%2 == 1 {
			continue // a name
		}
		if among != nil && !slices.ContainsFunc(among, func(p pattern) bool { return len(p) == dec.StackDepth() }) {
			continue
		}
		at := dec.StackPointer()
		if among != nil && !slices.ContainsFunc(among, func(p pattern) bool { return p.matches(at) }) {
			continue
		}
		end := int(dec.InputOffset())
		s, err := jsontext.AppendUnquote(nil, quoted)
		if err != nil {
			return nil, err
		}
		to, changed, err := change(at, string(s))
		if err != nil {
			return nil, err
		}
		if changed {
			out = append(out, raw[done:end-len(quoted)]...)
			if out, err = jsontext.AppendQuote(out, to); err != nil {
				return nil, err
			}
			done = end
		}
	}
	if done == 0 {
		return raw, nil
	}
	return append(out, raw[done:]...), nil
}

// lift puts the texts of a payload aside, each under its hash.
func (e *entry) lift(payload jsontext.Value, put func(text string) (brenner.Digest, error)) (jsontext.Value, error) {
	return e.rewriteTexts(payload, func(_ jsontext.Pointer, s string) (string, bool, error) {
		d, err := put(s)
		return string(d), true, err
	})
}

func (e *entry) isText(at jsontext.Pointer) bool {
	return slices.ContainsFunc(e.texts, func(p pattern) bool { return p.matches(at) })
}

// Whole is a record with the texts that stand in it by their hash. Of those that
// were redacted it says so; whole is then false.
func (all *Kinds) Whole(ctx context.Context, r store.Reader, rec journal.Record) (_ journal.Record, whole bool, err error) {
	e, ok := all.byName[rec.Kind]
	if !ok || !rec.Texts {
		return rec, true, nil
	}
	whole = true
	rec.Payload, err = e.rewriteTexts(rec.Payload, func(_ jsontext.Pointer, s string) (string, bool, error) {
		text, found, err := textOf(ctx, r, brenner.Digest(s))
		whole = whole && found
		return text, true, err
	})
	rec.Texts = false
	return rec, whole, err
}

// textOf reads a text; one that was redacted says so.
func textOf(ctx context.Context, r store.Reader, d brenner.Digest) (text string, found bool, err error) {
	b, err := r.Blob(ctx, d)
	if errors.Is(err, brenner.CodeRedacted) {
		return RedactedText, false, nil
	}
	return string(b), err == nil, err
}

// Quotes lists the texts of a record.
func (all *Kinds) Quotes(rec journal.Record) ([]Quote, error) {
	var out []Quote
	if e, ok := all.byName[rec.Kind]; ok && len(e.texts) > 0 {
		_, err := e.rewriteTexts(rec.Payload, func(at jsontext.Pointer, s string) (string, bool, error) {
			q := Quote{At: string(at), Digest: brenner.Digest(s)}
			if q.Inline = !rec.Texts; q.Inline {
				q.Digest = canon.Sum([]byte(s))
			}
			out = append(out, q)
			return "", false, nil
		})
		if err != nil {
			return nil, err
		}
	}
	if rec.Request == nil {
		return out, nil
	}
	_, err := rewrite(rec.Request.Result, nil, func(at jsontext.Pointer, s string) (string, bool, error) {
		if d, ok := strings.CutPrefix(s, lifted); ok {
			out = append(out, Quote{At: "/result" + string(at), Digest: brenner.Digest(d)})
		}
		return "", false, nil
	})
	return out, err
}

// MayQuote lists contents by which a stored record may say its texts, found by its bytes without
// reading it: all that stand in its payload for a text, and perhaps some that do not.
func (all *Kinds) MayQuote(row store.Record) []brenner.Digest {
	e, ok := all.byName[row.Kind]
	if !ok || len(e.texts) == 0 {
		return nil
	}
	const length = 2 * sha256.Size
	var out []brenner.Digest
	for from, data := 0, row.Data; ; {
		quote := bytes.IndexByte(data[from:], '"')
		if quote < 0 || from+quote+length+1 >= len(data) {
			return out
		}
		before, s := data[:from+quote], data[from+quote+1:]
		from += quote + 1
		if s[length] == '"' && isHex(s[:length]) && e.mayStandAfter(before) {
			out = append(out, brenner.Digest(s[:length]))
		}
	}
}

func isHex(s []byte) bool {
	for _, b := range s {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

// mayStandAfter tells whether a text may follow on such bytes of a record: the name of a
// member that is one, or the beginning of a list or an item of it.
func (e *entry) mayStandAfter(before []byte) bool {
	for _, p := range e.texts {
		if last := p[len(p)-1]; last == "*" {
			if bytes.HasSuffix(before, []byte("[")) || bytes.HasSuffix(before, []byte(",")) {
				return true
			}
		} else if name, ok := bytes.CutSuffix(before, []byte(`":`)); ok && bytes.HasSuffix(name, []byte(last)) {
			return true
		}
	}
	return false
}

// lifted begins a string in a stored result that is the hash of a text.
const lifted = "\x01"

// worded are the members of results that are free text, whatever they say.
var worded = []string{
	"content", "hint", "label", "message", "note", "question", "reason", "said", "spec", "subject", "summary", "text", "title", "what", "why",
}

// liftResult puts the texts of a result aside, each under its hash: those that
// the change itself wrote, whatever is more than a word, and what stands where
// words do.
func liftResult(result jsontext.Value, wrote map[string]bool, put func(text string) (brenner.Digest, error)) (jsontext.Value, error) {
	return rewrite(result, nil, func(at jsontext.Pointer, s string) (string, bool, error) {
		if s == "" || !wrote[s] && !strings.HasPrefix(s, lifted) && strings.IndexFunc(s, unicode.IsSpace) < 0 && !slices.Contains(worded, at.LastToken()) {
			return "", false, nil
		}
		d, err := put(s)
		return lifted + string(d), true, err
	})
}

// wholeResult is a stored result with its texts.
func wholeResult(ctx context.Context, r store.Reader, result jsontext.Value) (jsontext.Value, error) {
	return rewrite(result, nil, func(_ jsontext.Pointer, s string) (string, bool, error) {
		d, ok := strings.CutPrefix(s, lifted)
		if !ok {
			return "", false, nil
		}
		text, _, err := textOf(ctx, r, brenner.Digest(d))
		return text, true, err
	})
}
