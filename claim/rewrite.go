package claim

import (
	"slices"
	"strings"

	"brenner/internal/lazy"
)

// rewrite is a phrase and what it is read as.
type rewrite struct{ phrase, as []string }

// rewrites are by the first word of the phrase, the longest first.
var rewrites = lazy.Value(func() map[string][]rewrite { return rewriteTable(rewriteList) })

func rewriteTable(list string) map[string][]rewrite {
	out := map[string][]rewrite{}
	for _, line := range lines(list) {
		left, right, _ := strings.Cut(line, "=>")
		r := rewrite{strings.Fields(left), strings.Fields(right)}
		first := r.phrase[0]
		at, _ := slices.BinarySearchFunc(out[first], r, func(x, y rewrite) int { return len(y.phrase) - len(x.phrase) })
		out[first] = slices.Insert(out[first], at, r)
	}
	return out
}

// mostRewrites bounds how often what a phrase was read as is read again.
const mostRewrites = 3

// simplify reads phrases as what they mean.
func simplify(in []token) []token {
	for range mostRewrites {
		out, changed := simplifyOnce(in)
		if in = out; !changed {
			break
		}
	}
	return preferences(sequels(in))
}

func simplifyOnce(in []token) (out []token, changed bool) {
	out = make([]token, 0, len(in))
	for i := 0; i < len(in); {
		r, ok := rewriteAt(in, i)
		if !ok {
			out = append(out, in[i])
			i++
			continue
		}
		for k, w := range r.as {
			t := in[i]
			t.text = w
			if k > 0 {
				t.joined, t.hyphened, t.breaks, t.ends = false, false, false, false
			}
			out = append(out, t)
		}
		if next := i + len(r.phrase); len(r.as) == 0 && next < len(in) && in[i].breaks {
			in[next].breaks = true
		}
		changed = changed || !slices.Equal(r.phrase, r.as)
		i += len(r.phrase)
	}
	return out, changed
}

func rewriteAt(in []token, i int) (rewrite, bool) {
	if in[i].kind != wordToken {
		return rewrite{}, false
	}
	for _, r := range rewrites()[in[i].text] {
		if startsWith(in, i, r.phrase) {
			return r, true
		}
	}
	return rewrite{}, false
}

// sequels reads "first A, then B" and "A, then B" as "A before B".
func sequels(in []token) []token {
	if slices.ContainsFunc(in, func(t token) bool { return t.text == "if" || t.text == "when" }) {
		return in
	}
	then := -1
	for i, t := range in {
		if t.text == "then" && i > 0 && i < len(in)-1 && (t.breaks || in[i-1].text == "and") {
			then = i
		}
	}
	if then < 0 {
		return in
	}
	out := slices.Clone(in)
	out[then].text, out[then].breaks = "before", false
	if out[then-1].text == "and" {
		out = slices.Delete(out, then-1, then)
	}
	if out[0].text == "first" {
		out = out[1:]
	}
	return out
}

// preferences reads "prefer A over B", "prefer A to B" as "prefer A, not B".
func preferences(in []token) []token {
	prefers := slices.IndexFunc(in, func(t token) bool { return strings.HasPrefix(t.text, "prefer") })
	if prefers < 0 {
		return in
	}
	out := slices.Clone(in)
	for i := prefers + 1; i < len(out); i++ {
		if t := &out[i]; t.text == "over" || t.text == "to" && i+1 < len(out) && i > prefers+1 || t.text == "to" && strings.HasPrefix(out[i-1].text, "preferable") {
			t.text = "not"
			break
		}
	}
	return out
}
