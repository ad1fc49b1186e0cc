package contexts

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"brenner/internal/app/kernel"
	"brenner/internal/embed"
	"brenner/retrieval"
)

// habitTasks is how many tasks, the newest, say what tasks of the project often
// have.
const habitTasks = 200

// habits remembers what the newest tasks of the project have in common, as long
// as no other task is opened.
type habits struct {
	mu     sync.Mutex
	newest string // task
	known  retrieval.Habits
}

// ask sets what the index is asked for, and which words tell what the work is
// about.
func (r *Room) ask(c *kernel.Call, w *work) error {
	if w.short {
		w.about = w.part
		w.terms, w.telling = r.near.widen(retrieval.PartOf(w.part, w.whole), w.part), retrieval.Habits{}.Telling(w.part)
		return nil
	}
	if w.task == nil {
		w.about = w.text
		w.terms, w.telling = r.near.widen(retrieval.Question(w.text), w.text), retrieval.Habits{}.Telling(w.text)
		return nil
	}
	known, err := r.habitsOf(c)
	if err != nil {
		return err
	}
	known = known.Without(w.task.Title + "\n" + w.task.Spec)
	w.about = known.About(w.text)
	w.terms, w.telling = r.near.widen(known.Task(w.text), w.about), known.Telling(w.text)
	return nil
}

// habitsOf gives what the newest tasks have in common.
func (r *Room) habitsOf(c *kernel.Call) (retrieval.Habits, error) {
	newest, err := r.Tasks.Newest(c, 1)
	if err != nil || len(newest) == 0 {
		return retrieval.Habits{}, err
	}
	r.habits.mu.Lock()
	known, ok := r.habits.known, r.habits.newest == newest[0].ID
	r.habits.mu.Unlock()
	if ok {
		return known, nil
	}
	tasks, err := r.Tasks.Newest(c, habitTasks)
	if err != nil {
		return retrieval.Habits{}, err
	}
	texts := make([]string, len(tasks))
	for i, t := range tasks {
		texts[i] = t.Title + "\n" + t.Spec
	}
	known = retrieval.NewHabits(texts)
	r.habits.mu.Lock()
	defer r.habits.mu.Unlock()
	r.habits.newest, r.habits.known = newest[0].ID, known
	return known, nil
}

const (
	// nearWords is how many words near in meaning each word of a text brings at most.
	nearWords = 8
	// maxNear bounds the words of which those near to them are remembered.
	maxNear = 1 << 14
)

// nearness remembers which words are near to which, as the index has them.
type nearness struct {
	mu    sync.Mutex
	known map[string][]retrieval.Near
}

// of gives, for each of some words, those that are near to it in meaning. Those of words
// that it has not met yet are looked for by all processors.
func (n *nearness) of(words []string) [][]retrieval.Near {
	out := make([][]retrieval.Near, len(words))
	var missing []int // each word once
	n.mu.Lock()
	for i, word := range words {
		near, known := n.known[word]
		if out[i] = near; !known && !slices.ContainsFunc(missing, func(m int) bool { return words[m] == word }) {
			missing = append(missing, i)
		}
	}
	n.mu.Unlock()
	if len(missing) == 0 {
		return out
	}
	workers := min(runtime.GOMAXPROCS(0), 4, len(missing))
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(missing); i += workers {
				out[missing[i]] = nearTo(words[missing[i]])
			}
		})
	}
	all.Wait()
	found := make(map[string][]retrieval.Near, len(missing))
	for _, m := range missing {
		found[words[m]] = out[m]
	}
	for i, word := range words {
		if near, new := found[word]; new {
			out[i] = near
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil || len(n.known)+len(found) > maxNear {
		n.known = map[string][]retrieval.Near{}
	}
	maps.Copy(n.known, found)
	return out
}

// nearTo gives the words that are near in meaning to one, by the built-in model.
func nearTo(word string) (near []retrieval.Near) {
	of := retrieval.Words(word)
	if len(of) != 1 {
		return nil
	}
	for _, other := range embed.Builtin().Nearest(word, nearWords, retrieval.LeastLikeness) {
		if as := retrieval.Words(other.Word); len(as) == 1 {
			near = append(near, retrieval.Near{Of: of[0], Word: as[0], Likeness: other.Likeness})
		}
	}
	return near
}

// widen adds the words that are near in meaning to those of a text.
func (n *nearness) widen(terms []retrieval.Term, text string) []retrieval.Term {
	return retrieval.Expand(terms, slices.Concat(n.of(strings.Fields(retrieval.Plain(text)))...))
}
