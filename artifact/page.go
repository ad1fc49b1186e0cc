package artifact

import (
	"strings"
	"unicode/utf8"

	"brenner"
)

// Page gives the part of a text from an offset on that has at most size bytes,
// and where the next one starts, 0 if nowhere. It ends at a line if one ends in
// its second half, else between two characters. An offset that is not where a
// page starts is INVALID_VALUE.
func Page(text string, offset, size int) (part string, next int, err error) {
	if offset < 0 || offset > len(text) || (offset < len(text) && !utf8.RuneStart(text[offset])) {
		return "", 0, brenner.Errorf(brenner.CodeInvalidValue, "%d is not where a page starts", offset).
			At("/offset").WithHint("use next_offset of the page before")
	}
	if size < utf8.UTFMax {
		return "", 0, brenner.Errorf(brenner.CodeInvalidValue, "a page has at least %d bytes", utf8.UTFMax).At("/size")
	}
	rest := text[offset:]
	if len(rest) <= size {
		return rest, 0, nil
	}
	n := size
	if line := strings.LastIndexByte(rest[:n], '\n'); line >= n/2 {
		n = line + 1
	}
	for !utf8.RuneStart(rest[n]) {
		n--
	}
	return rest[:n], offset + n, nil
}
