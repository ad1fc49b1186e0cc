package delta

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText gives a text in UTF-8 without its byte order mark, and the name of
// the encoding it came in, "" for UTF-8. What was not sent in UTF-8 is decoded
// to be looked at, never to be applied (D20).
func decodeText(input []byte) (text []byte, encoding string) {
	switch {
	case bytes.HasPrefix(input, []byte{0xFF, 0xFE}):
		return fromUTF16(input[2:], binary.LittleEndian), "UTF-16"
	case bytes.HasPrefix(input, []byte{0xFE, 0xFF}):
		return fromUTF16(input[2:], binary.BigEndian), "UTF-16"
	}
	if order := unmarkedUTF16(input); order != nil {
		return fromUTF16(input, order), "UTF-16"
	}
	text = bytes.TrimPrefix(input, []byte("\uFEFF"))
	if utf8.Valid(text) {
		return text, ""
	}
	return fromWindows(text), "Windows-1252"
}

// DecodeReply gives a reply in UTF-8, and the name of the encoding it came in if
// that is another: whoever passes a reply on says so, or has it sent again.
func DecodeReply(reply []byte) (text, encoding string) {
	if utf8.Valid(reply) && !bytes.HasPrefix(reply, []byte("\uFEFF")) && unmarkedUTF16(reply) == nil {
		return string(reply), ""
	}
	decoded, encoding := decodeText(reply)
	return string(decoded), encoding
}

// unmarkedUTF16 recognises UTF-16 without a byte order mark: text in Latin
// letters has every other byte zero, and UTF-8 has none.
func unmarkedUTF16(input []byte) binary.ByteOrder {
	head := input[:min(len(input), 512)]
	if len(head) < 4 || len(input)%2 != 0 {
		return nil
	}
	zeros := [2]int{}
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch most := len(head) / 3; {
	case zeros[1] > most && zeros[0] == 0:
		return binary.LittleEndian
	case zeros[0] > most && zeros[1] == 0:
		return binary.BigEndian
	}
	return nil
}

func fromUTF16(input []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(input)/2)
	for i := range units {
		units[i] = order.Uint16(input[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// windows1252 are the characters 0x80 to 0x9F of Windows-1252; above them it is
// Latin-1. A byte that stands for nothing becomes U+FFFD.
var windows1252 = [...]rune{
	'€', utf8.RuneError, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', utf8.RuneError, 'Ž', utf8.RuneError,
	utf8.RuneError, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', utf8.RuneError, 'ž', 'Ÿ',
}

// fromWindows decodes the bytes that are not UTF-8 as Windows-1252, and leaves
// those that are.
func fromWindows(input []byte) []byte {
	out := make([]byte, 0, len(input)+len(input)/8)
	for len(input) > 0 {
		r, n := utf8.DecodeRune(input)
		if r == utf8.RuneError && n == 1 {
			if r = rune(input[0]); r < 0xA0 {
				r = windows1252[r-0x80]
			}
		}
		out = utf8.AppendRune(out, r)
		input = input[n:]
	}
	return out
}
