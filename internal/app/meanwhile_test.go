package app_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/playbook"
)

// X9: what is prepared while others write is looked at again before it is
// carried out. Every story is told while somebody else writes between what is
// prepared and what is done. What was prepared quickly and no longer holds is made
// again at once; every other story is told slowly, and there it begins anew and
// nobody waits meanwhile.
func TestService_OnMemoryMeanwhile(t *testing.T) {
	skipShort(t)
	apitest.Run(t, func(t *testing.T) apitest.World {
		story := storyOf(t)
		if slices.Contains(countRecords, story) {
			t.Skip("it counts records, or who is there")
		}
		s, step := &crowded{Store: memory.New(), every: 1}, time.Millisecond
		if len(story)%2 == 1 {
			s.every, step = 2, brenner.QuickPlan+time.Millisecond
		}
		w := openNotedAt(t, s, step)
		s.begin(w.app)
		t.Cleanup(func() {
			if t.Failed() || slices.Contains(unordered, story) {
				return
			}
			told := w.in.calls
			s.every = 1 // who is slow has no chance now
			_, _ = w.PI().Learn(context.Background(), api.LearnRequest{
				Insights: []api.Insight{{Section: playbook.Helpful, Content: "Who is slow is overtaken."}},
			})
			w.in.state(t, s)
			w.in.keep(t, "testdata/meanwhile.golden", story, told)
		})
		return crowdedWorld{w, s}
	})
}

// countRecords are the stories that count what was written, or who is there.
var countRecords = []string{
	"the journal records who did what",
	"the journal is searched by kind, actor, name and text",
	"verify passes on what was written and replay changes nothing",
	"an export holds every record and content",
	"agents have names and roles that exist",
	"overlaps and unused drafts become tasks, once",
	"a context tells the question, relations, disputes, newer drafts and authors, of what its reader may read",
}

// crowdedWorld is a world in which somebody else writes.
type crowdedWorld struct {
	notedWorld
	s *crowded
}

func (w crowdedWorld) PI() api.Service { return uncrowded{w.notedWorld.PI(), w.s} }

// uncrowded is the service without what somebody else wrote.
type uncrowded struct {
	api.Service
	s *crowded
}

func (u uncrowded) Project(ctx context.Context) (api.ProjectInfo, error) {
	p, err := u.Service.Project(ctx)
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	p.Size -= u.s.others
	return p, err
}

// crowded is a store in which somebody else writes before others do.
type crowded struct {
	store.Store
	every int // before every such write

	mu     sync.Mutex
	other  api.Service // nil: nobody writes
	writes int
	others int64 // what somebody else wrote
	inside bool
}

// begin lets somebody else write from now on.
func (s *crowded) begin(a *app.App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other = a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
}

func (s *crowded) Write(ctx context.Context, fn func(store.Tx) error) error {
	s.mu.Lock()
	if !s.inside {
		s.writes++
	}
	writes := s.other != nil && !s.inside && s.writes%s.every == 0
	if writes {
		s.inside = true
		s.others++
	}
	s.mu.Unlock()
	if writes {
		_, err := s.other.AddAgent(ctx, api.AddAgentRequest{Name: "BusyBee", Role: brenner.PI, Person: true, Update: true, Note: time.Duration(s.writes).String()})
		s.mu.Lock()
		s.inside = false
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return s.Store.Write(ctx, fn)
}
