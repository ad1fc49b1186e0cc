package reviews

import (
	"sync"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
)

// lookups remembers what waited for each person. What waits follows from the
// journal and, for what becomes overdue, from the time: as long as the journal
// has not grown, a list is good for a minute. Pages ask for it again and again,
// and what rests on something takes a while to count.
type lookups struct {
	mu sync.Mutex
	by map[brenner.ActorName]lookup
}

type lookup struct {
	position int64
	at       time.Time
	all      []api.Waiting
}

// goodFor is how long a list is good for.
const goodFor = time.Minute

// lately is All as a person saw it last, if nothing has happened since. What
// it gives is not to be changed.
func (r *Room) lately(c *kernel.Call) ([]api.Waiting, error) {
	if !c.Person() { // what an agent sees depends on more than its name
		return r.All(c)
	}
	position, err := c.Size(c.Ctx)
	if err != nil {
		return nil, err
	}
	r.found.mu.Lock()
	last, known := r.found.by[c.Who.Name]
	r.found.mu.Unlock()
	if since := c.Now.Sub(last.at); known && last.position == position && since >= 0 && since < goodFor {
		return last.all, nil
	}
	all, err := r.All(c)
	if err != nil {
		return nil, err
	}
	r.found.mu.Lock()
	defer r.found.mu.Unlock()
	if r.found.by == nil || len(r.found.by) >= brenner.MaxLogins {
		r.found.by = map[brenner.ActorName]lookup{}
	}
	r.found.by[c.Who.Name] = lookup{position, c.Now, all}
	return all, nil
}
