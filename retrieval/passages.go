package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Passage is a part of a text that can be read alone: a paragraph, an entry of a list,
// some rows of a table.
type Passage struct {
	Text  int // which of the texts it is of
	Line  int // where it begins, from 0
	Words string
}

// How large a passage becomes before the next line begins another, and where a line
// alone is cut.
const (
	fairPassage = 400
	mostPassage = 900
)

// How many passages of one text are chosen, what share of the points of the best one has at
// least, and which of the words of the question, up to so many.
const (
	mostOfText  = 3
	leastPoints = 0.5
	oneOf       = 5 // one of five
	leastWords  = 3
)

// Passages chooses of some texts what bears most on a question, no more bytes than that
// in all, and gives it in the order of the texts. It ranks passages as texts are
// ranked, by the words they share with the question and how rare these are here.
func Passages(question string, texts []string, most int) []Passage {
	asked := Words(question)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	all := make([]rated, 0, len(texts))
	for i, text := range texts {
		for _, p := range passagesOf(text) {
			p.Text = i
			all = append(all, rated{Passage: p})
		}
	}
	rate(all, asked)
	slices.SortStableFunc(all, func(a, b rated) int { return cmp.Compare(b.points, a.points) })
	least := max(1, min(len(asked)/oneOf, leastWords))
	taken, of, used := []Passage{}, map[int]int{}, 0
	for _, p := range all {
		if p.points < leastPoints*all[0].points || p.shared < least {
			continue
		}
		if of[p.Text] == mostOfText || used+len(p.Words) > most {
			continue
		}
		taken, used = append(taken, p.Passage), used+len(p.Words)
		of[p.Text]++
	}
	slices.SortFunc(taken, func(a, b Passage) int { return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Line, b.Line)) })
	return taken
}

// rated is a passage and how much it bears on a question.
type rated struct {
	Passage
	shared int // how many words of the question it has
	points float64
}

// rate says how much passages bear on a question of these words.
func rate(all []rated, asked []string) {
	index := make(map[string]int, len(asked))
	for i, word := range asked {
		index[word] = i
	}
	counts, lengths, have, mean := make([][]int, len(all)), make([]int, len(all)), make([]int, len(asked)), 0.0
	for i, p := range all {
		words := Words(p.Words)
		lengths[i], counts[i] = len(words), make([]int, len(asked))
		mean += float64(len(words)) / float64(len(all))
		for _, word := range words {
			if at, is := index[word]; is {
				counts[i][at]++
			}
		}
		for at, n := range counts[i] {
			if n > 0 {
				have[at]++
			}
		}
	}
	for i := range all {
		p := &all[i]
		for at, n := range counts[i] {
			if n == 0 {
				continue
			}
			p.shared++
			rare := math.Log(1 + (float64(len(all)-have[at])+0.5)/(float64(have[at])+0.5))
			long := saturation * (1 - lengthShare + lengthShare*float64(lengths[i])/mean)
			p.points += rare * float64(n) * (saturation + 1) / (float64(n) + long)
		}
	}
}

// passagesOf divides a text. A heading goes with what comes below it.
func passagesOf(text string) []Passage {
	lines := strings.Split(text, "\n")
	var out []Passage
	from, size, headed := 0, 0, false // of the passage under way: its first line, its bytes, whether it is only a heading yet
	end := func(to int) {
		if words := strings.TrimSpace(strings.Join(lines[from:to], "\n")); words != "" {
			out = append(out, Passage{Line: from, Words: clip(words)})
		}
		from, size, headed = to, 0, false
	}
	for i, line := range lines {
		switch heading := strings.HasPrefix(line, "#"); {
		case strings.TrimSpace(line) == "":
			if !headed {
				end(i)
				from = i + 1
			}
			continue
		case heading && !headed, !headed && (size >= fairPassage && begins(line) || size+len(line) > mostPassage):
			end(i)
			headed = heading
		default:
			headed = headed && heading
		}
		size += len(line) + 1
	}
	end(len(lines))
	return out
}

// begins says whether a line begins an entry of a list or a row of a table.
func begins(line string) bool {
	line = strings.TrimLeft(line, " \t")
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "|") {
		return true
	}
	digits := strings.TrimLeft(line, "0123456789")
	return len(digits) < len(line) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// clip cuts a passage that is a single long line.
func clip(words string) string {
	if len(words) <= 2*mostPassage {
		return words
	}
	return words[:blankBefore(words, mostPassage)] + "…"
}
