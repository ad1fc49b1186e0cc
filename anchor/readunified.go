package anchor

import (
	"fmt"
	"strconv"
	"strings"

	"brenner"
	"brenner/internal/lazy"
)

// hunkHeader is "@@ -12,3 +12,4 @@ func x". Its counts say where the hunk ends,
// for a removed "-- x" looks like the header of a file; a header without
// numbers counts nothing.
var hunkHeader = lazy.NewPattern(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// readUnified reads a unified diff as git, diff -u and people write it: with or
// without git's headers, with prose before it, in a fence.
func readUnified(text Text) ([]Edit, error) {
	u := unifiedReader{text: text, lines: strings.SplitAfter(text.s, "\n")}
	for u.at < len(u.lines) {
		if err := u.next(); err != nil {
			return nil, err
		}
	}
	return u.edits, nil
}

type unifiedReader struct {
	text  Text
	lines []string
	at    int
	// from and to are the names in the header being read; git says that git wrote
	// it, and bare that it did so without a/ and b/.
	from, to  string
	git, bare bool
	edits     []Edit
}

func (u *unifiedReader) line() string {
	if u.at >= len(u.lines) {
		return ""
	}
	return strings.TrimSuffix(u.lines[u.at], "\n")
}

// next reads one line of a header, or a hunk.
func (u *unifiedReader) next() error {
	line := u.line()
	switch {
	case strings.HasPrefix(line, "diff --git "):
		u.from, u.to = gitNames(line)
		u.git, u.bare = true, u.from == u.to
	case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "), strings.HasPrefix(line, "@@@ "):
		return invalidPatch("", "a combined diff, as of a merge, changes a file from several bases at once").WithHint("make a diff against one of them")
	case strings.HasPrefix(line, "rename from "), strings.HasPrefix(line, "copy from "):
		return inexpressible("%s: a file is %s, which is not a change of its text", u.name(), strings.Fields(line)[0]+"d")
	case strings.HasPrefix(line, "deleted file mode "):
		return inexpressible("%s: removing a file is not a change of its text", u.name())
	case strings.HasPrefix(line, "old mode "):
		return inexpressible("%s: a change of the file's mode is not one of its text", u.name())
	case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files "):
		return brenner.Errorf(brenner.CodeInvalidText, "%s: this is a change of a binary file", u.name()).WithHint("patches change text files only")
	case strings.HasPrefix(line, "*** ") && u.at+1 < len(u.lines) && strings.HasPrefix(u.lines[u.at+1], "--- ") && !strings.HasPrefix(line, "*** Begin"):
		return invalidPatch("", "this is a context diff, not a unified one").WithHint("make it with diff -u")
	case strings.HasPrefix(line, "--- ") && u.at+1 < len(u.lines) && strings.HasPrefix(u.lines[u.at+1], "+++ "):
		u.from = fileName(line[4:])
		u.at++
		u.to = fileName(u.line()[4:])
		if u.to == "/dev/null" {
			return inexpressible("%s: removing a file is not a change of its text", u.name())
		}
	case strings.HasPrefix(line, "@@"):
		return u.hunk()
	}
	u.at++
	return nil
}

// name is the file that is being read, without the a/ and b/ of git.
func (u *unifiedReader) name() string {
	from, to := u.from, u.to
	short, marked := strings.CutPrefix(to, "b/")
	switch {
	case to == "/dev/null" || to == "":
		if u.bare {
			return from
		}
		return strings.TrimPrefix(from, "a/")
	case marked && !u.bare && (strings.HasPrefix(from, "a/") || from == "/dev/null" || from == "" || from == short):
		return short
	}
	return to // tools other than git name two files, of which the first is the old one
}

// guessed says that nothing but custom tells the b/ of a new file from a
// directory.
func (u *unifiedReader) guessed() bool {
	return !u.git && u.from == "/dev/null" && strings.HasPrefix(u.to, "b/")
}

// gitNames reads the names in "diff --git a/x b/x".
func gitNames(line string) (from, to string) {
	rest := strings.TrimPrefix(line, "diff --git ")
	if half := len(rest) / 2; len(rest)%2 == 1 && rest[half] == ' ' && rest[:half] == rest[half+1:] {
		return unquoteName(rest[:half]), unquoteName(rest[:half])
	}
	if i := strings.Index(rest, " b/"); i >= 0 {
		return unquoteName(rest[:i]), unquoteName(rest[i+1:])
	}
	from, to, _ = strings.Cut(rest, " ")
	return unquoteName(from), unquoteName(to)
}

// fileName takes the time off that diff -u puts behind a name.
func fileName(s string) string {
	name, _, _ := strings.Cut(s, "\t")
	return unquoteName(strings.TrimRight(name, " "))
}

// unquoteName reads a name that git put in quotation marks.
func unquoteName(s string) string {
	if strings.HasPrefix(s, `"`) {
		if name, err := strconv.Unquote(s); err == nil {
			return name
		}
	}
	return s
}

// hunk reads a hunk to its end: as many lines as its header counts or, where it
// counts none, the next header.
func (u *unifiedReader) hunk() error {
	header := u.line()
	m := hunkHeader.FindStringSubmatch(header)
	h := hunk{wholeLines: true, name: fmt.Sprintf("hunk %s", strings.TrimSpace(brenner.Clip(header, 60)))}
	var said, read sides
	if m != nil {
		h.line, _ = strconv.Atoi(m[1])
		said = sides{counted(m[2]), counted(m[4])}
	}
	u.at++
	first := u.at
	var old, fresh strings.Builder
	for ; u.at < len(u.lines); u.at++ {
		line := u.lines[u.at]
		if line == "" || m == nil && isHeader(u.lines[u.at:]) || m != nil && said.within(read) && line[0] != '\\' {
			break
		}
		if line[0] == '\\' {
			u.noNewline(&old, &fresh)
			continue
		}
		if !read.add(line) {
			if isHeader(u.lines[u.at:]) {
				break
			}
			return invalidPatch("", "%s: line %s begins with none of space, + and -", h.name, quote(strings.TrimSuffix(line, "\n"))).
				WithHint("begin each line of a hunk with its mark")
		}
		body := line
		if line != "\n" {
			body = line[1:]
		}
		if line[0] != '+' {
			old.WriteString(body)
		}
		if line[0] != '-' {
			fresh.WriteString(body)
		}
	}
	if m != nil && read.plus(u.marked(u.at)) != said {
		found := u.marked(first)
		return invalidPatch("", "%s counts %s, and %s follow", h.name, said, found).
			WithHint(fmt.Sprintf("send the hunk whole, with the header @@ -%s,%d +%s,%d @@, or with @@ @@, which counts nothing", m[1], found.old, m[3], found.new))
	}
	if read == (sides{}) {
		return invalidPatch("", "%s has no lines", h.name)
	}
	h.old, h.new = ended(old.String()), ended(fresh.String())
	return u.add(h, m != nil && h.line == 0 && read.old == 0, first)
}

// sides counts the lines of a hunk on its old and its new side.
type sides struct{ old, new int }

// within says that others are at least as many on both sides.
func (s sides) within(others sides) bool { return others.old >= s.old && others.new >= s.new }

// add counts a line by its mark, and says whether it has one. A blank line of
// both sides is often written without its space; that a newline is missing is
// no line.
func (s *sides) add(line string) bool {
	switch line[0] {
	case ' ', '\n':
		s.old, s.new = s.old+1, s.new+1
	case '-':
		s.old++
	case '+':
		s.new++
	case '\\':
	default:
		return false
	}
	return true
}

func (s sides) plus(more sides) sides { return sides{s.old + more.old, s.new + more.new} }

func (s sides) String() string { return fmt.Sprintf("%d old and %d new lines", s.old, s.new) }

// marked counts the lines from one on that look like lines of a hunk, until a
// header. Blank ones at their end may as well part the hunk from what follows.
func (u *unifiedReader) marked(from int) (found sides) {
	var all sides
	for i, line := range u.lines[from:] {
		if line == "" || isHeader(u.lines[from+i:]) || isSignature(line) || !all.add(line) {
			break
		}
		if strings.TrimSpace(line) != "" {
			found = all
		}
	}
	return found
}

func counted(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// isHeader says that the next file or hunk begins here, where lines are not
// counted.
func isHeader(lines []string) bool {
	line := lines[0]
	return strings.HasPrefix(line, "@@ ") || line == "@@\n" || strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "Index: ") || strings.HasPrefix(line, "```") ||
		strings.HasPrefix(line, "--- ") && len(lines) > 2 && strings.HasPrefix(lines[1], "+++ ") && strings.HasPrefix(lines[2], "@@")
}

// isSignature says that a mailed patch ends here.
func isSignature(line string) bool { return strings.TrimRight(line, " \n") == strings.Repeat("-", 2) }

// noNewline takes the last newline off what the line before belongs to.
func (u *unifiedReader) noNewline(old, fresh *strings.Builder) {
	trim := func(b *strings.Builder) {
		s := strings.TrimSuffix(b.String(), "\n")
		b.Reset()
		b.WriteString(s + noNewlineMark)
	}
	switch u.lines[u.at-1][0] {
	case '-':
		trim(old)
	case '+':
		trim(fresh)
	default:
		trim(old)
		trim(fresh)
	}
}

// noNewlineMark stands for the missing newline until a hunk is complete. U+0000
// is in no text.
const noNewlineMark = "\x00"

// ended gives a side of a hunk its newline, or takes the mark for none off. A
// diff that was cut at its end lacks only that newline.
func ended(s string) string {
	if out, marked := strings.CutSuffix(s, noNewlineMark); marked {
		return out
	}
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}

// add files a hunk, whose lines are those from first on, under its file.
func (u *unifiedReader) add(h hunk, fromNothing bool, first int) error {
	name := u.name()
	if name == "/dev/null" {
		name = ""
	}
	if u.from == "/dev/null" || fromNothing && h.old == "" {
		whole := h.new
		e := Edit{Path: name, whole: &whole, fresh: true}
		if u.guessed() {
			e.prefixed = u.to
		}
		for i := first; i < u.at; i++ {
			e.spelled = e.spelled || u.text.endsOtherwise(i)
		}
		u.edits = append(u.edits, e)
		return nil
	}
	if h.old == "" {
		return invalidPatch("", "%s has no context, so that its place can be told by a line number only", h.name).
			WithHint("make the diff with lines of context")
	}
	u.edits = append(u.edits, Edit{Path: name, hunks: []hunk{h}})
	return nil
}
