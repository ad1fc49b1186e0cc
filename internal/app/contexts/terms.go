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
	if w.task == nil {
		w.about = w.text
		w.terms, w.telling = nearTo(retrieval.Question(w.text), w.text), retrieval.Habits{}.Telling(w.text)
		return nil
	}
	known, err := r.habitsOf(c)
	if err != nil {
		return err
	}
	known = known.Without(w.task.Title + "\n" + w.task.Spec)
	w.about = known.About(w.text)
	w.terms, w.telling = nearTo(known.Task(w.text), w.about), known.Telling(w.text)
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

// nearWords is how many words near in meaning each word of a text brings at most.
const nearWords = 8

// nearTo adds the words that are near in meaning to those of a text, by the built-in
// model.
func nearTo(terms []retrieval.Term, text string) []retrieval.Term {
	var near []retrieval.Near
	for _, word := range strings.Fields(retrieval.Plain(text)) {
		of := retrieval.Words(word)
		if len(of) != 1 {
			continue
		}
		for _, n := range embed.Builtin().Nearest(word, nearWords, retrieval.LeastLikeness) {
			if other := retrieval.Words(n.Word); len(other) == 1 {
				near = append(near, retrieval.Near{Of: of[0], Word: other[0], Likeness: n.Likeness})
			}
		}
	}
	return retrieval.Expand(terms, near)
}
