package artifact

import (
	"strings"
	"unicode/utf8"

	"brenner"
)

// Page gives the part of a text from an offset on that has at most size bytes,
// and where the next one starts, 0 if nowhere. It ends where PageEnd says. An offset
// that is not where a page starts is INVALID_VALUE.
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
	n := PageEnd(text, offset, size)
	return rest[:n], offset + n, nil
}

// PageEnd is how many of the bytes of a text after an offset a page takes that has room for
// fewer than there are: it ends behind a paragraph or a block between fences if one ends in
// its last third, else at a line if one ends in its second half, else between two characters.
func PageEnd(text string, offset, size int) int {
	rest := text[offset:]
	fence := ""
	for line := range strings.Lines(text[:offset]) {
		fence = fenced(fence, line)
	}
	at, line, block := 0, 0, 0
	for l := range strings.Lines(rest[:size]) {
		if at += len(l); !strings.HasSuffix(l, "\n") {
			break
		}
		was := fence
		fence = fenced(fence, l)
		if line = at; fence == "" && (was != "" || strings.TrimSpace(l) == "") {
			block = at
		}
	}
	switch {
	case 3*block >= 2*size:
		return block
	case 2*line > size:
		return line
	}
	n := size
	for !utf8.RuneStart(rest[n]) {
		n--
	}
	return n
}

// fenced is what opened the block that the line after one stands in, "" if none did.
func fenced(open, line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if !strings.HasPrefix(line, mark) {
			continue
		}
		run := line[:len(line)-len(strings.TrimLeft(line, mark[:1]))]
		switch {
		case open == "":
			return run
		case run == line && strings.HasPrefix(run, open):
			return ""
		}
	}
	return open
}
