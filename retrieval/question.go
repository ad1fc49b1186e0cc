package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"
)

// Question gives the terms of a text that is asked for itself: all its words
// count, each the more the more often it stands there, and names more than other
// words. They come in byte order.
func Question(text string) []Term {
	var terms []Term
	for _, c := range clauses(text) {
		terms = append(terms, weigh(c, func(string) float64 { return 1 })...)
	}
	return together(terms)
}

// PartOf gives the terms of a part of something larger, whose own words count little.
func PartOf(part, whole string) []Term {
	terms := Question(part)
	for _, t := range Question(whole) {
		t.Own *= besideShare
		terms = append(terms, t)
	}
	return together(terms)
}

// nameWeight is how much more a name counts: of two who were asked about the same
// thing it says which one is meant.
const nameWeight = 1.5

func weigh(clause string, weight func(word string) float64) []Term {
	names := namesIn(clause)
	words := Words(clause)
	slices.Sort(words)
	var terms []Term
	for len(words) > 0 {
		n := 1
		for n < len(words) && words[n] == words[0] {
			n++
		}
		own := float64(n) * weight(words[0])
		if names[words[0]] {
			own *= nameWeight
		}
		terms = append(terms, Term{Word: words[0], Own: own})
		words = words[n:]
	}
	return terms
}

// namesIn gives the words of a clause that begin with a capital letter though they do
// not begin the clause; where most do, capitals tell nothing.
func namesIn(clause string) map[string]bool {
	var names map[string]bool
	capitals, all := 0, 0
	for i, field := range strings.Fields(clause) {
		field = strings.TrimLeftFunc(field, unletter)
		if r, _ := utf8.DecodeRuneInString(field); i == 0 || field == "" {
			continue
		} else if all++; !unicode.IsUpper(r) {
			continue
		}
		capitals++
		for _, w := range Words(field) {
			if names == nil {
				names = map[string]bool{}
			}
			names[w] = true
		}
	}
	if 2*capitals > all {
		return nil
	}
	return names
}

func unletter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Habits say how often words stand in the tasks of a project. A task says what
// it is about in a few words, and in many more what is to be done with it: to
// summarise, to compare, to cite. Those come again from task to task.
type Habits struct {
	tasks int
	with  map[string]int
	own   map[string]bool // words of a task that does not count
}

// NewHabits counts the words of some tasks of a project.
func NewHabits(tasks []string) Habits {
	h := Habits{tasks: len(tasks), with: map[string]int{}}
	for _, text := range tasks {
		words := Words(text)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			h.with[w]++
		}
	}
	return h
}

// Without gives the habits as they were without one task: what it has in common
// with itself is no habit.
func (h Habits) Without(task string) Habits {
	if h.tasks == 0 {
		return h
	}
	h.tasks--
	h.own = map[string]bool{}
	for _, w := range Words(task) {
		h.own[w] = true
	}
	return h
}

const (
	// supposedTasks is how many tasks we imagine a project to have had before
	// its first: so a word of two tasks is not yet a habit.
	supposedTasks = 10
	// supposedShare is the share of those that have a word of instructions.
	supposedShare = 0.7
	// leastWeight is what a word of a task keeps.
	leastWeight = 0.05
)

// weight is what is left of a word of a task: the smaller the share of tasks
// that have it, the more.
func (h Habits) weight(word string) float64 {
	have := float64(h.with[word])
	if h.own[word] && have > 0 {
		have--
	}
	share := have / float64(h.tasks+supposedTasks)
	if instructions()[word] {
		// However few of the tasks that are known say so: the next one may be worded
		// in another way.
		share = max(supposedShare, (have+supposedShare*supposedTasks)/float64(h.tasks+supposedTasks))
	}
	return max(leastWeight, 1-share)
}

// Task gives the terms of a task, which is not among those the habits were
// learnt from: every word counts, those that tasks often have less, and those less
// that stand among such: what a sentence full of instructions says besides is
// rarely what the task is about.
func (h Habits) Task(text string) []Term {
	all, shares := h.clauses(text)
	var terms []Term
	for i, c := range all {
		terms = append(terms, weigh(c, func(word string) float64 { return shares[i] * h.weight(word) })...)
	}
	return together(terms)
}

// About gives the clauses of a task that say what it is about.
func (h Habits) About(text string) string {
	all, shares := h.clauses(text)
	var out []string
	for i, c := range all {
		if shares[i] >= tellingWeight {
			out = append(out, c)
		}
	}
	return strings.Join(out, "\n")
}

// clauses cuts a task, and says what is left of the words of each clause: everything
// in the one that tells most.
func (h Habits) clauses(text string) ([]string, []float64) {
	all := clauses(text)
	asks := slices.ContainsFunc(all, h.asks)
	shares := make([]float64, len(all))
	best := 0.0
	for i, c := range all {
		shares[i] = h.company(c)
		if asks && !strings.HasSuffix(c, "?") {
			shares[i] *= besideQuestion
		}
		best = max(best, shares[i])
	}
	for i := range shares {
		shares[i] /= max(best, leastWeight)
	}
	return all, shares
}

// asks reports whether a clause is a question that says what it is about.
func (h Habits) asks(clause string) bool {
	return strings.HasSuffix(clause, "?") && len(h.Telling(clause)) >= tellingQuestion
}

const (
	// tellingQuestion is how many words of a question must tell something for a task
	// to be about it, and besideQuestion what is left of what such a task says besides.
	tellingQuestion = 3
	besideQuestion  = 0.3
)

// company is what is left of the words of a clause for the others that stand in it:
// the fewer of them tasks often have, the more. What is asked keeps everything.
func (h Habits) company(clause string) float64 {
	if strings.HasSuffix(clause, "?") {
		return 1
	}
	words := Words(clause)
	often := 0
	for _, w := range words {
		if h.weight(w) < tellingWeight {
			often++
		}
	}
	if len(words) == 0 {
		return 0
	}
	share := float64(often) / float64(len(words))
	return max(leastWeight, 1-share*share)
}

// clauses cuts a text where a sentence or its part ends: at a full stop, colon,
// semicolon, question or exclamation mark before a blank, and at the end of a line.
// Each keeps the mark it ends with.
func clauses(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for line = strings.TrimSpace(line); line != ""; {
			end := len(line)
			for i := 0; i+1 < len(line); i++ {
				if strings.IndexByte(".:;?!", line[i]) >= 0 && line[i+1] == ' ' {
					end = i + 1
					break
				}
			}
			out = append(out, line[:end])
			line = strings.TrimSpace(line[end:])
		}
	}
	return out
}

// tellingWeight is what is left at least of a word of a task that says what the
// task is about.
const tellingWeight = 0.5

// Telling gives the words of a task that say what it is about, in byte order:
// without those that tasks often have.
func (h Habits) Telling(text string) []string {
	words := Words(text)
	slices.Sort(words)
	return slices.DeleteFunc(slices.Compact(words), func(w string) bool { return h.weight(w) < tellingWeight })
}

// instructions are words, by stem, that say what to do with a subject, and what
// is asked for as the outcome, whatever the subject is. They are what we suppose
// of a project whose tasks we do not know yet.
var instructions = lazy.Value(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		accept add address agree aim analyse analyze analysis annotate answer append appropriate argue artifact ask assess assessment
		assign attach attempt author available aware base basis begin brief briefly bring bullet canonical careful carefully case change
		check choose cite citation claim clarify clear clearly collect comment compare compile complete conclude conclusion concise
		confidence confirm consider consistent contain contradict contribute cover create critique current decide decision define
		deliver deliverable derive describe description detail determine develop differ disagree discuss discussion document draft
		edit ensure establish estimate evaluate evaluation evidence examine example existing expand expect explain explanation explore
		extend extract fill final find finding finish focus follow following form format formulate gap gather general goal handle
		hand help highlight identify illustrate important improve include indicate inform information input integrate interpret
		introduce introduction investigate issue item judge justify keep know known leave limit limitation line link list literature
		look main mark material matter meet meeting memo mention minimal module name necessary need new note number objective open
		option order organise organize outcome outline output overview page paper paragraph part piece plan point possible precise
		prepare present previous prior problem procedure proceed produce project proper propose proposal prove provide publish purpose
		question quick quote rank read reader reason recommend recommendation record refer reference regard relate relevant remain
		remark remove repeat reply report request require requirement research resolve respond response restate result return
		review revise rewrite role run scope search section sentence separate set short show shown simple sketch solve sort source
		specific specify start state statement status step store study subject submit suggest suggestion suitable summarise summarize
		summary supersede support sure table task team tell test text think time title today topic treat try type understand unknown
		update useful verify version view want word work write writing`) {
		m[stem(w)] = true
	}
	return m
})

// Near is a word that is near in meaning to one of a question.
type Near struct {
	Of, Word string  // both as Words gives them
	Likeness float64 // cosine
}

const (
	// expansionShare is how much a word that is near in meaning counts beside
	// the word itself, were they the same.
	expansionShare = 0.2
	// LeastLikeness is the cosine below which words are not near.
	LeastLikeness = 0.4
)

// Expand adds the words that are near in meaning to those of a question.
func Expand(terms []Term, near []Near) []Term {
	own := map[string]float64{}
	for _, t := range terms {
		own[t.Word] = t.Own
	}
	added := map[string]float64{}
	for _, n := range near {
		if own[n.Word] == 0 && n.Likeness >= LeastLikeness {
			added[n.Word] = max(added[n.Word], expansionShare*n.Likeness*own[n.Of])
		}
	}
	out := slices.Clone(terms)
	for w, weight := range added { // order-free: sorted below
		if weight > 0 {
			out = append(out, Term{Word: w, Expansion: weight})
		}
	}
	return together(out)
}

// together makes one term of those that have the same word, in byte order.
func together(terms []Term) []Term {
	slices.SortStableFunc(terms, func(a, b Term) int { return strings.Compare(a.Word, b.Word) })
	var out []Term
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].Word == t.Word {
			out[n-1].Own += t.Own
			out[n-1].Feedback += t.Feedback
			out[n-1].Expansion += t.Expansion
			continue
		}
		out = append(out, t)
	}
	return out
}

// Telling keeps the terms that tell most where there are more than most, of
// which so many documents have each. Terms that none has stay: feedback puts the
// words of the best texts in their place.
func Telling(stats Statistics, terms []Term, have []int64, most int) ([]Term, []int64) {
	order := keep(terms, most, func(i int) float64 { return terms[i].weight() * stats.Rarity(have[i]) })
	kept, counts := make([]Term, len(order)), make([]int64, len(order))
	for i, o := range order {
		kept[i], counts[i] = terms[o], have[o]
	}
	return kept, counts
}

// Weighty leaves out the terms that tell next to nothing beside the one that tells most:
// nearly every document has them, so that looking for them takes longest.
func Weighty(stats Statistics, terms []Term, have []int64) ([]Term, []int64) {
	most := 0.0
	for i, t := range terms {
		most = max(most, t.weight()*stats.Rarity(have[i]))
	}
	var kept []Term
	var counts []int64
	for i, t := range terms {
		if t.weight()*stats.Rarity(have[i]) >= leastShare*most {
			kept, counts = append(kept, t), append(counts, have[i])
		}
	}
	return kept, counts
}

// Heaviest keeps the terms that count most, whoever has them.
func Heaviest(terms []Term, most int) []Term {
	order := keep(terms, most, func(i int) float64 { return terms[i].weight() })
	kept := make([]Term, len(order))
	for i, o := range order {
		kept[i] = terms[o]
	}
	return kept
}

// keep gives the places of those terms that are worth most, in their order;
// ties go to the first.
func keep(terms []Term, most int, worth func(i int) float64) []int {
	order := make([]int, len(terms))
	worths := make([]float64, len(terms))
	for i := range terms {
		order[i], worths[i] = i, worth(i)
	}
	if len(order) > most {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worths[b], worths[a]) })
		order = order[:most]
		slices.Sort(order)
	}
	return order
}

const (
	// FeedbackTexts is how many of the best texts the question is widened by,
	// feedbackWords by how many of their words, and ownShare is what the words
	// of the question keep of the whole.
	FeedbackTexts = 5
	feedbackWords = 20
	ownShare      = 0.5
	// FirstWords is how many words of the question lead to those texts: those that tell
	// most. See docs/adr/0136 for it and for leastShare.
	FirstWords = 12
	// leastShare is what a word tells at least, beside the one that tells most, to be
	// looked for where others find enough.
	leastShare = 0.03
)

// Reading is one of the best texts for a question, and its score.
type Reading struct {
	Document
	Score float64
}

// Candidate is a word that feedback may add, of which it knows everything but
// its rarity.
type Candidate struct {
	Word string
	base float64
}

// worth is how much the word tells about the best texts, where so many have it. One
// that a single text has leads to no other.
func (c Candidate) worth(stats Statistics, have int64) float64 {
	if have < 2 {
		return 0
	}
	return c.base * stats.Rarity(have)
}

// Candidates gives the words of the best texts, those first that stand most in
// the best of them.
func Candidates(stats Statistics, best []Reading) []Candidate {
	return new(Builder).Candidates(stats, best)
}

// Candidates is the function of that name. The Builder, which is to have nothing else, has
// nothing afterwards: another call is quicker.
func (b *Builder) Candidates(stats Statistics, best []Reading) []Candidate {
	total := 0.0
	for _, r := range best {
		total += r.Score
	}
	scale := stats.scale()
	var base []float64 // by number of the word
	for _, r := range best {
		length := uint16(b.count(r.Document))
		base = append(base, make([]float64, b.analyzer.Size()-len(base))...)
		for _, w := range b.touched {
			share := scale.impact(uint16(min(b.counts[w], maxCount)), length) / (saturation + 1)
			base[w] += float64(r.Score / total * share)
			b.counts[w] = 0
		}
	}
	out := make([]Candidate, len(base))
	for w, x := range base {
		out[w] = Candidate{b.analyzer.Word(int32(w)), x}
	}
	b.analyzer.reset()
	slices.SortFunc(out, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.base, a.base), strings.Compare(a.Word, b.Word))
	})
	return out
}

// EnoughCandidates reports whether none but the first so many candidates, of
// which the number of documents that have each is known, can be among the words
// that feedback takes.
func EnoughCandidates(stats Statistics, all []Candidate, have []int64) bool {
	if len(have) == len(all) {
		return true
	}
	if len(have) < feedbackWords {
		return false
	}
	taken := make([]float64, len(have))
	for i, n := range have {
		taken[i] = all[i].worth(stats, n)
	}
	slices.Sort(taken)
	return all[len(have)].worth(stats, 2) < taken[len(taken)-feedbackWords]
}

// Feedback widens a question by the words that tell most about the best texts
// for it. Have counts the documents that have each of the first candidates.
func Feedback(stats Statistics, terms []Term, all []Candidate, have []int64) []Term {
	added := make([]Term, len(have))
	for i, n := range have {
		added[i] = Term{Word: all[i].Word, Feedback: all[i].worth(stats, n)}
	}
	slices.SortFunc(added, func(a, b Term) int {
		return cmp.Or(cmp.Compare(b.Feedback, a.Feedback), strings.Compare(a.Word, b.Word))
	})
	added = added[:min(feedbackWords, len(added))]
	sum, own := 0.0, 0.0
	for _, t := range added {
		sum += t.Feedback
	}
	for _, t := range terms {
		own += t.Own
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return terms
	}
	for i := range added {
		added[i].Feedback *= own * (1 - ownShare) / ownShare / sum
	}
	return together(slices.Concat(terms, added))
}
