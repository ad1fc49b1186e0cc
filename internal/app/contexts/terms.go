package contexts

import (
	"sync"

	"brenner/internal/app/kernel"
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

// termsOf gives what the index is asked for.
func (r *Room) termsOf(c *kernel.Call, w work) ([]retrieval.Term, error) {
	if w.task == nil {
		return retrieval.Question(w.text), nil
	}
	newest, err := r.Tasks.Newest(c, 1)
	if err != nil || len(newest) == 0 {
		return retrieval.Habits{}.Task(w.text), err
	}
	r.habits.mu.Lock()
	known, ok := r.habits.known, r.habits.newest == newest[0].ID
	r.habits.mu.Unlock()
	own := w.task.Title + "\n" + w.task.Spec
	if !ok {
		tasks, err := r.Tasks.Newest(c, habitTasks)
		if err != nil {
			return nil, err
		}
		texts := make([]string, len(tasks))
		for i, t := range tasks {
			texts[i] = t.Title + "\n" + t.Spec
		}
		known = retrieval.NewHabits(texts)
		r.habits.mu.Lock()
		r.habits.newest, r.habits.known = newest[0].ID, known
		r.habits.mu.Unlock()
	}
	return known.Without(own).Task(w.text), nil
}
