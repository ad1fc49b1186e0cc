package contexts

import (
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

// to gives the words that are near in meaning to one, by the built-in model.
func (n *nearness) to(word string) []retrieval.Near {
	n.mu.Lock()
	near, known := n.known[word]
	n.mu.Unlock()
	if known {
		return near
	}
	if of := retrieval.Words(word); len(of) == 1 {
		for _, other := range embed.Builtin().Nearest(word, nearWords, retrieval.LeastLikeness) {
			if as := retrieval.Words(other.Word); len(as) == 1 {
				near = append(near, retrieval.Near{Of: of[0], Word: as[0], Likeness: other.Likeness})
			}
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil || len(n.known) >= maxNear {
		n.known = map[string][]retrieval.Near{}
	}
	n.known[word] = near
	return near
}

// widen adds the words that are near in meaning to those of a text.
func (n *nearness) widen(terms []retrieval.Term, text string) []retrieval.Term {
	var near []retrieval.Near
	for word := range strings.FieldsSeq(retrieval.Plain(text)) {
		near = append(near, n.to(word)...)
	}
	return retrieval.Expand(terms, near)
}
