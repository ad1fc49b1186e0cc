package delta

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// payload gives the canonical form of a payload, "" for none, and
// whether its texts hold nothing that could be garbled.
func (s *plainScan) payload(raw jsontext.Value) (payload string, clean bool, _ *brenner.Error) {
	if len(raw) == 0 {
		return "", true, nil
	}
	if len(raw) > brenner.MaxDeltaBytes {
		return "", false, brenner.Errorf(brenner.CodeLimitExceeded, "the payload has more than %d bytes", brenner.MaxDeltaBytes).
			At("/payload").WithHint("split it into several deltas")
	}
	if text, ok := s.canonical(raw); ok {
		return text, true, nil
	}
	v := slices.Clone(raw)
	if v.Canonicalize() != nil || nesting(v) > brenner.MaxJSONDepth || bytes.Contains(v, []byte(`\u0000`)) {
		transformed, err := canon.Transform(raw) // for its refusal
		if err != nil {
			e := asInvalid(err)
			return "", false, e.At("/payload" + e.Pointer)
		}
		v = transformed
	}
	if v[0] != '{' {
		return "", false, invalid("/payload", "payload is not a JSON object", "")
	}
	if pointer, ok := numberOutOfRange(v); ok {
		return "", false, badValue("/payload"+pointer, "the number is out of range", "use a number that a 64-bit float can hold")
	}
	return string(v), false, nil
}

// clamped is what canonicalisation makes of a number too large for a float64.
const clamped = "1.7976931348623157e+308"

// numberOutOfRange finds a number that canonicalisation had to clamp.
func numberOutOfRange(payload []byte) (pointer string, found bool) {
	if !bytes.Contains(payload, []byte(clamped)) {
		return "", false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(payload))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		if tok.Kind() == '0' && strings.TrimPrefix(tok.String(), "-") == clamped {
			return string(dec.StackPointer()), true
		}
	}
}

// plainScan walks JSON that can be seen at a glance to be canonical, or to be
// so once the members of the outermost object are sorted: no white space, no
// escapes, no control characters, short whole numbers, names in ASCII. Nearly
// every payload is; whatever is not takes the long way. Each step gives the
// place after what it walked, and false for anything else.
type plainScan struct {
	text     []byte
	members  []span // of the outermost object
	unsorted bool
	sorted   []byte // buffer
	texts    texts
}

// span is a member of an object: where its name starts and ends, without the
// quotes, and where its value ends.
type span struct{ name, colon, end int }

// canonical gives the canonical form of an object, if it is plain.
func (s *plainScan) canonical(raw []byte) (string, bool) {
	if raw[0] != '{' || !utf8.Valid(raw) {
		return "", false
	}
	s.text, s.members, s.unsorted = raw, s.members[:0], false
	end, ok := s.object(0, 1)
	if !ok || end != len(raw) {
		return "", false
	}
	if !s.unsorted {
		return s.texts.keep(raw), true
	}
	slices.SortFunc(s.members, func(a, b span) int { return bytes.Compare(raw[a.name:a.colon], raw[b.name:b.colon]) })
	s.sorted = s.sorted[:0]
	for i, m := range s.members {
		if i > 0 && bytes.Equal(raw[s.members[i-1].name:s.members[i-1].colon], raw[m.name:m.colon]) {
			return "", false
		}
		s.sorted = append(append(s.sorted, "{,"[min(i, 1)]), raw[m.name-1:m.end]...)
	}
	s.sorted = append(s.sorted, '}')
	return s.texts.keep(s.sorted), true
}

func (s *plainScan) value(i, depth int) (int, bool) {
	if i >= len(s.text) || depth > brenner.MaxJSONDepth {
		return i, false
	}
	switch c := s.text[i]; {
	case c == '"':
		return s.str(i, false)
	case c == '{':
		return s.object(i, depth)
	case c == '[':
		return s.array(i, depth)
	case c == '-' || digit(c):
		return s.number(i)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if len(s.text)-i >= len(word) && string(s.text[i:i+len(word)]) == word {
			return i + len(word), true
		}
	}
	return i, false
}

func (s *plainScan) object(i, depth int) (int, bool) {
	if i++; i < len(s.text) && s.text[i] == '}' {
		return i + 1, true
	}
	var last []byte
	for {
		end, ok := s.str(i, true)
		if !ok || end >= len(s.text) || s.text[end] != ':' {
			return i, false
		}
		if name := s.text[i+1 : end-1]; last != nil && bytes.Compare(last, name) >= 0 {
			if depth > 1 {
				return i, false
			}
			s.unsorted = true
		} else {
			last = name
		}
		colon := end - 1
		if end, ok = s.value(end+1, depth+1); !ok || end >= len(s.text) {
			return i, false
		}
		if depth == 1 {
			s.members = append(s.members, span{i + 1, colon, end})
		}
		switch s.text[end] {
		case '}':
			return end + 1, true
		case ',':
			i = end + 1
		default:
			return i, false
		}
	}
}

func (s *plainScan) array(i, depth int) (int, bool) {
	if i++; i < len(s.text) && s.text[i] == ']' {
		return i + 1, true
	}
	for {
		end, ok := s.value(i, depth+1)
		if !ok || end >= len(s.text) {
			return i, false
		}
		switch s.text[end] {
		case ']':
			return end + 1, true
		case ',':
			i = end + 1
		default:
			return i, false
		}
	}
}

// str walks a string; names have to be ASCII, so that bytes sort as RFC 8785
// wants.
func (s *plainScan) str(i int, name bool) (int, bool) {
	if i >= len(s.text) || s.text[i] != '"' {
		return i, false
	}
	for i++; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			return i + 1, true
		case c < ' ' || c == '\\' || c == 0x7F || name && c >= utf8.RuneSelf:
			return i, false
		case c == '&' && i+1 < len(s.text) && s.text[i+1] == '#': // a character as HTML writes it
			return i, false
		case c == 0xC2 && s.text[i+1] < 0xA0: // C1 controls; the text is valid UTF-8
			return i, false
		case c == 0xEF && s.text[i+1] == 0xBF && s.text[i+2] == 0xBD: // U+FFFD
			return i, false
		}
	}
	return i, false
}

// number walks a whole number that a float64 holds exactly.
func (s *plainScan) number(i int) (int, bool) {
	start := i
	if s.text[i] == '-' {
		i++
	}
	first := i
	for i < len(s.text) && digit(s.text[i]) {
		i++
	}
	digits := i - first
	if digits == 0 || digits > 15 || s.text[first] == '0' && (digits > 1 || first > start) {
		return i, false
	}
	if i < len(s.text) && strings.IndexByte(".eE", s.text[i]) >= 0 {
		return i, false
	}
	return i, true
}
