package runner

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"
)

// transcript keeps what a run printed: its beginning and its end, with the
// secrets that we know struck out before anything is kept (W11).
type transcript struct {
	strike *strings.Replacer
	// tell is told each line as it is kept.
	tell func(line string)

	mu   sync.Mutex
	head bytes.Buffer
	tail []byte
	lost int64 // bytes between them
	all  int64 // bytes taken, kept or not
}

// The beginning says how it was started; the end is what people look for.
const (
	keptHead = brenner.MaxTranscriptBytes / 4
	keptTail = brenner.MaxTranscriptBytes - keptHead
)

// struck stands where a secret stood.
const struck = "[struck out]"

func newTranscript(secrets []string, tell func(string)) *transcript {
	var pairs []string
	for _, s := range forms(secrets) {
		pairs = append(pairs, s, struck)
	}
	return &transcript{strike: strings.NewReplacer(pairs...), tell: tell}
}

// forms gives the spellings in which a secret can turn up, longest first so
// that none is left in part.
func forms(secrets []string) []string {
	var all []string
	for _, s := range secrets {
		all = append(all, s, hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))))
		all = append(all, escaped(s)...)
		all = append(all, inURLs(s)...)
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			all = append(all, e.EncodeToString([]byte(s)))
			all = append(all, within(e.WithPadding(base64.NoPadding), s)...)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(all)
}

// escaped are the spellings of a secret between quotation marks: of programs, of JSON
// with and without care for HTML, and of shells.
func escaped(s string) []string {
	program := strconv.Quote(s)
	ascii := strconv.QuoteToASCII(s)
	out := []string{
		program[1 : len(program)-1], ascii[1 : len(ascii)-1],
		strings.ReplaceAll(s, "'", `'\''`), strings.ReplaceAll(s, "'", `'"'"'`),
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s),
	}
	for _, html := range []bool{false, true} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if e.Encode(s) == nil {
			text := strings.TrimSuffix(b.String(), "\n")
			out = append(out, text[1:len(text)-1], strings.ReplaceAll(text[1:len(text)-1], "/", `\/`))
		}
	}
	var b strings.Builder
	for _, r := range s { // printf %q, and words without quotation marks
		if r < utf8.RuneSelf && !plainInShells(byte(r)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return append(out, b.String())
}

func plainInShells(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-./:@%+,=", c) >= 0
}

// inURLs are the spellings of a secret in addresses and forms: which characters are
// escaped, and with which digits, differs from program to program.
func inURLs(s string) []string {
	out := []string{url.QueryEscape(s), url.PathEscape(s)}
	for _, safe := range []string{"", "/", "!*'()", "/!*'()", "!$&'()*+,;=:@/?"} {
		var b strings.Builder
		for _, c := range []byte(s) {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~"+safe, c) >= 0 {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		out = append(out, b.String())
	}
	for _, form := range slices.Clone(out) {
		out = append(out, escapes.ReplaceAllStringFunc(form, strings.ToLower))
	}
	return out
}

// escapes are the escaped bytes of an address.
var escapes = lazy.NewPattern("%[0-9A-F]{2}")

// within are the characters that stand for a secret in the base64 of any text that it
// is part of, such as "user:" before it: they depend on how many bytes stand before
// it, modulo three, and the first and the last may also be of what stands beside it.
func within(e *base64.Encoding, s string) []string {
	var out []string
	for before := range 3 {
		text := e.EncodeToString([]byte(strings.Repeat("\x00", before) + s))
		first, last := (before*8+5)/6, (before+len(s))*8/6
		out = append(out, text[first:last])
	}
	return out
}

// line keeps one line. A secret cannot hide across two: none holds a line end.
func (t *transcript) line(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all += int64(len(line)) + 1
	text := t.strike.Replace(strings.ToValidUTF8(strings.ReplaceAll(string(line), "\x00", "�"), "�"))
	t.keep(text + "\n")
	if t.tell != nil {
		t.tell(text)
	}
}

// note keeps something that we say ourselves.
func (t *transcript) note(format string, args ...any) {
	t.line([]byte("── " + fmt.Sprintf(format, args...)))
}

func (t *transcript) keep(text string) {
	if room := keptHead - t.head.Len(); room > 0 && len(t.tail) == 0 {
		n := min(room, len(text))
		for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		t.head.WriteString(text[:n])
		text = text[n:]
	}
	if text == "" {
		return
	}
	t.tail = append(t.tail, text...)
	if len(t.tail) > 2*keptTail { // now and then, not at every line
		t.trim()
	}
}

// trim cuts the end back to what is kept, at a line.
func (t *transcript) trim() {
	over := len(t.tail) - keptTail
	if over <= 0 {
		return
	}
	if i := bytes.IndexByte(t.tail[over:], '\n'); i >= 0 && i < 64<<10 {
		over += i + 1
	}
	for over < len(t.tail) && !utf8.RuneStart(t.tail[over]) {
		over++
	}
	t.lost += int64(over)
	t.tail = append([]byte(nil), t.tail[over:]...)
}

// bytes is how much was printed.
func (t *transcript) bytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all
}

// end is the end of what was printed, at a line where one is near, in at most so
// many bytes.
func (t *transcript) end(most int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.tail
	if len(text) < most {
		text = append(bytes.Clone(t.head.Bytes()), t.tail...)
	}
	if over := len(text) - most; over > 0 {
		text = text[over:]
		if i := bytes.IndexByte(text, '\n'); i >= 0 && i < most/2 {
			text = text[i+1:]
		}
	}
	return strings.ToValidUTF8(string(text), "")
}

// text is what is kept.
func (t *transcript) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trim()
	if t.lost == 0 {
		return t.head.String() + string(t.tail)
	}
	return fmt.Sprintf("%s\n── %d bytes are left out here\n%s", t.head.String(), t.lost, t.tail)
}
