package runner

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"brenner"
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
		quoted := strconv.Quote(s)
		all = append(all, s, quoted[1:len(quoted)-1], url.QueryEscape(s), url.PathEscape(s),
			base64.StdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)))
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(all)
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
