package anchor

import (
	"slices"
	"strings"
)

// indents is how a quotation indents lines and how the text does, line by line,
// and which of the two the new block goes with.
type indents struct {
	was, real []string
	// likeQuoted and likeText count places where quotation and text differ in
	// white space and the new block agrees with one of them.
	likeQuoted, likeText int
	// known lists the indentations that the text uses anywhere.
	known map[string]bool
}

// learn takes note of a line that is quoted with one indentation and has
// another.
func (n *indents) learn(was, real string) {
	n.was, n.real = append(n.was, was), append(n.real, real)
}

// learnGaps takes the lines that begin inside a quotation.
func (n *indents) learnGaps(quoted, actual []token) {
	for i := 1; i < len(quoted); i++ {
		was, real := strings.LastIndexByte(quoted[i].gap, '\n'), strings.LastIndexByte(actual[i].gap, '\n')
		if was >= 0 && real >= 0 {
			n.learn(quoted[i].gap[was+1:], actual[i].gap[real+1:])
		}
	}
}

// witness takes note of white space in the new block where quotation and text
// differ.
func (n *indents) witness(is, was, real string) {
	switch {
	case was == real:
	case is == was:
		n.likeQuoted++
	case is == real:
		n.likeText++
	}
}

// clean says that the new block has not the quotation's white space, tainted
// that it has.
func (n indents) clean() bool   { return n.likeText > 0 && n.likeQuoted == 0 }
func (n indents) tainted() bool { return n.likeQuoted > 0 && n.likeText == 0 }

// undo gives the indentation that the text would use where the author wrote is.
// It is not sure where the quotation does not tell, or where the author may
// have written the new block better than the quotation.
func (n indents) undo(is string) (string, bool) {
	to, sure := n.translate(is)
	switch {
	case n.clean():
		return is, true
	case to == is && sure || n.tainted():
		return to, sure
	case n.likeQuoted+n.likeText > 0 || !sure:
		return is, false
	}
	// Nothing in the new block tells. An indentation that the text does not use
	// at all, and that the quotation uses, came with the quotation.
	return to, !n.known[is] && slices.Contains(n.was, is)
}

// translate finds what stands for an indentation: as on another line, or by the
// one rule that explains all lines.
func (n indents) translate(is string) (string, bool) {
	differ, found, to := false, false, is
	for i, was := range n.was {
		differ = differ || was != n.real[i]
		if was != is {
			continue
		}
		if found && n.real[i] != to {
			return is, false
		}
		found, to = true, n.real[i]
	}
	if found || !differ {
		return to, true
	}
	var answers []string
	for _, rule := range []func(string) (string, bool){n.deeper, n.shallower, n.otherUnit} {
		if a, ok := rule(is); ok {
			answers = append(answers, a)
		}
	}
	if len(answers) == 0 {
		return is, false
	}
	for _, a := range answers {
		if a != answers[0] {
			return is, false
		}
	}
	return answers[0], true
}

// deeper: the text has the same more on every line. Lines that were quoted with
// no indentation at all say nothing of one that has some.
func (n indents) deeper(is string) (string, bool) {
	some := slices.ContainsFunc(n.was, func(was string) bool { return was != "" })
	more, ok := "", some || is == "" && len(n.was) > 0
	for i, was := range n.was {
		m, ends := strings.CutSuffix(n.real[i], was)
		ok = ok && ends && m != "" && (i == 0 || m == more)
		more = m
	}
	return more + is, ok
}

// shallower: the text has the same less on every line.
func (n indents) shallower(is string) (string, bool) {
	less, ok := "", len(n.was) > 0
	for i, was := range n.was {
		m, ends := strings.CutSuffix(was, n.real[i])
		ok = ok && ends && m != "" && (i == 0 || m == less)
		less = m
	}
	out, has := strings.CutPrefix(is, less)
	return out, ok && has
}

// otherUnit: the text indents by as many steps, of another width or kind.
func (n indents) otherUnit(is string) (string, bool) {
	units := []string{"\t", " ", "  ", "   ", "    ", "        "}
	var answer string
	found := false
	for _, from := range units {
		steps, whole := stepsOf(is, from)
		if !whole {
			continue
		}
		for _, to := range units {
			if from == to || !n.explains(from, to) {
				continue
			}
			a := strings.Repeat(to, steps)
			if found && a != answer {
				return "", false
			}
			answer, found = a, true
		}
	}
	return answer, found
}

// explains says that every line is indented by the same number of steps, and
// some line by one at least.
func (n indents) explains(from, to string) bool {
	some := false
	for i, was := range n.was {
		a, ok := stepsOf(was, from)
		b, ok2 := stepsOf(n.real[i], to)
		if !ok || !ok2 || a != b {
			return false
		}
		some = some || a > 0
	}
	return some
}

func stepsOf(indent, unit string) (int, bool) {
	n := len(indent) / len(unit)
	return n, indent == strings.Repeat(unit, n)
}
