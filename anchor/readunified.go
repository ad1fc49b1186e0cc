package anchor

import (
	"fmt"
	"strconv"
	"strings"

	"brenner"
	"brenner/internal/lazy"
)

// hunkHeader is "@@ -12,3 +12,4 @@ func x"; counts are not trusted, for those
// who write diffs by hand get them wrong.
var hunkHeader = lazy.NewPattern(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// readUnified reads a unified diff as git, diff -u and people write it: with or
// without git's headers, with prose before it, in a fence.
func readUnified(text string) ([]Edit, error) {
	u := unifiedReader{lines: strings.SplitAfter(text, "\n")}
	for u.at < len(u.lines) {
		if err := u.next(); err != nil {
			return nil, err
		}
	}
	return u.edits, nil
}

type unifiedReader struct {
	lines []string
	at    int
	// from and to are the names in the header being read; made says that the
	// file is new.
	from, to string
	edits    []Edit
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
	if strings.HasPrefix(to, "b/") && (strings.HasPrefix(from, "a/") || from == "/dev/null") {
		return to[2:]
	}
	if to == "/dev/null" || to == "" {
		return strings.TrimPrefix(from, "a/")
	}
	// Tools other than git name two files, of which the first is the old one.
	if from != "/dev/null" && from != "" && strings.HasPrefix(from, to) {
		return to
	}
	return strings.TrimPrefix(to, "b/")
}

// gitNames reads the names in "diff --git a/x b/x".
func gitNames(line string) (from, to string) {
	rest := strings.TrimPrefix(line, "diff --git ")
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

// hunk reads a hunk to its end: the next header, or a line that is none of its
// own.
func (u *unifiedReader) hunk() error {
	header := u.line()
	m := hunkHeader.FindStringSubmatch(header)
	h := hunk{wholeLines: true, name: fmt.Sprintf("hunk %s", strings.TrimSpace(brenner.Clip(header, 60)))}
	oldCount, newCount := -1, -1
	if m != nil {
		h.line, _ = strconv.Atoi(m[1])
		oldCount, newCount = counted(m[2]), counted(m[4])
	}
	u.at++
	var old, fresh strings.Builder
	was, is, quoted := 0, 0, 0
	for ; u.at < len(u.lines); u.at++ {
		line := u.lines[u.at]
		full := m != nil && was >= oldCount && is >= newCount
		if line == "" || ends(line) && full || isHeader(u.lines[u.at:]) {
			break
		}
		switch line[0] {
		case ' ', '\n':
			if full && line[0] == '\n' {
				break // a blank line between this hunk and what follows
			}
			body := strings.TrimPrefix(line, " ")
			old.WriteString(body)
			fresh.WriteString(body)
			was, is, quoted = was+1, is+1, quoted+1
			continue
		case '-':
			old.WriteString(line[1:])
			was, quoted = was+1, quoted+1
			continue
		case '+':
			fresh.WriteString(line[1:])
			is++
			continue
		case '\\':
			u.noNewline(&old, &fresh)
			continue
		}
		if full {
			break
		}
		return invalidPatch("", "%s: line %s begins with none of space, + and -", h.name, quote(strings.TrimSuffix(line, "\n"))).
			WithHint("begin each line of a hunk with its mark")
	}
	if was+is == 0 {
		return invalidPatch("", "%s has no lines", h.name)
	}
	h.old, h.new = ended(old.String()), ended(fresh.String())
	return u.add(h, m != nil && h.line == 0 && quoted == 0)
}

func counted(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// ends says that a line cannot belong to a hunk that has all its lines.
func ends(line string) bool { return line[0] != '\\' }

// isHeader says that the next file or hunk begins here.
func isHeader(lines []string) bool {
	line := lines[0]
	return strings.HasPrefix(line, "@@ ") || line == "@@\n" || strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "Index: ") || strings.HasPrefix(line, "```") ||
		strings.HasPrefix(line, "--- ") && len(lines) > 1 && strings.HasPrefix(lines[1], "+++ ")
}

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

// add files a hunk under its file.
func (u *unifiedReader) add(h hunk, fromNothing bool) error {
	name := u.name()
	if name == "/dev/null" {
		name = ""
	}
	if u.from == "/dev/null" || fromNothing && h.old == "" {
		whole := h.new
		u.edits = append(u.edits, Edit{Path: name, whole: &whole, fresh: true})
		return nil
	}
	if h.old == "" {
		return invalidPatch("", "%s has no context, so that its place can be told by a line number only", h.name).
			WithHint("make the diff with lines of context")
	}
	u.edits = append(u.edits, Edit{Path: name, hunks: []hunk{h}})
	return nil
}
