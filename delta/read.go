package delta

import (
	"bytes"
	"errors"
	"io"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadDeltas reads whatever deltas come in: JSON (one object or an array),
// JSON Lines, or a reply in Markdown. JSON counts as such only when it is the
// whole input; anything else is Markdown (D20). It reports LIMIT_EXCEEDED for
// more than is accepted; what is wrong with one delta stands in its entry.
//
// A Markdown reply without a message id gets one from its own text, so that
// reading it twice gives the same deltas.
func ReadDeltas(input []byte, env Envelope) (Extraction, error) { return ReadUntil(nil, input, env) }

// ReadUntil is ReadDeltas for who may no longer want it: it asks again and again
// whether to stop, and is then CANCELED.
func ReadUntil(stop func() bool, input []byte, env Envelope) (Extraction, error) {
	if len(input) > brenner.MaxDeltaInputBytes {
		return Extraction{}, brenner.Errorf(brenner.CodeLimitExceeded, "the input has more than %d bytes", brenner.MaxDeltaInputBytes).
			WithHint("merge it in several batches")
	}
	text, encoding := decodeText(input)
	pieces, ok := wholeJSON(text)
	if !ok {
		if env.Message == "" {
			env.Message = "reply-" + string(canon.Sum(text))[:12]
		}
		return extractUntil(stop, input, env)
	}
	if len(pieces) > brenner.MaxDeltas {
		return Extraction{}, brenner.Errorf(brenner.CodeLimitExceeded, "the input has more than %d deltas", brenner.MaxDeltas).
			WithHint("merge it in several batches")
	}
	x := newExtractor(text, encoding, env)
	x.stop = stop
	for _, p := range pieces {
		x.whole(p.raw, p.at)
	}
	return x.done()
}

// piece is a JSON value and where it stands in its text.
type piece struct {
	raw []byte
	at  int
}

// wholeJSON splits input that is JSON or JSON Lines from beginning to end. A
// line that is broken is a piece of its own, to be refused alone.
func wholeJSON(input []byte) ([]piece, bool) {
	trimmed := bytes.TrimSpace(input)
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return nil, false
	}
	if pieces, ok := splitJSON(input); ok {
		return pieces, true
	}
	if lines, ok := jsonLines(input); ok {
		return lines, true
	}
	// One broken value is still JSON, not Markdown, if nothing surrounds it.
	return []piece{{trimmed, bytes.IndexByte(input, trimmed[0])}}, looksWhole(trimmed)
}

// looksWhole says whether a broken text is an object or an array of them from
// its first to its last character.
func looksWhole(text []byte) bool {
	inner := bytes.TrimSpace(text[1:])
	switch text[len(text)-1] {
	case '}':
		return text[0] == '{' && !opensDelta(text)
	case ']':
		return text[0] == '[' && (inner[0] == '{' || inner[0] == '[') && !opensDelta(text)
	}
	return false
}

// jsonLines takes input as JSON Lines if each line opens an object and some
// line is one.
func jsonLines(input []byte) ([]piece, bool) {
	var lines []piece
	whole, at := false, 0
	for line := range bytes.Lines(input) {
		start := at
		at += len(line)
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] != '{' {
			return nil, false
		}
		lines = append(lines, piece{line, start})
		whole = whole || isJSON(line)
	}
	return lines, whole
}

func isJSON(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// splitJSON splits a text that is one JSON value after the other, each an
// object or an array, whose elements count singly. It judges nothing but where
// a value ends, so that each is refused or accepted on its own.
func splitJSON(input []byte) ([]piece, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	pieces := []piece{}
	for {
		kind, top := dec.PeekKind(), dec.StackDepth() == 0
		switch {
		case top && kind == '[' || !top && kind == ']':
			if _, err := dec.ReadToken(); err != nil {
				return nil, false
			}
		case top && kind != '{':
			_, err := dec.ReadToken()
			return pieces, errors.Is(err, io.EOF) && dec.InputOffset() > 0
		default:
			v, err := dec.ReadValue()
			if err != nil {
				return nil, false
			}
			pieces = append(pieces, piece{bytes.Clone(v), int(dec.InputOffset()) - len(v)})
		}
	}
}
