package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/api"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/playbook"
)

// learnerBatch makes the process a learner: it reports batches of so many
// insights and prints the name of each batch that was acknowledged.
const learnerBatch = "BRENNER_TEST_LEARNER_BATCH"

// beLearner reports one insight again and again, or batches of insights that
// are all different. The task of an insight names its batch.
func beLearner(address string) error {
	ctx := context.Background()
	s, err := openAddress(ctx, address)
	if err != nil {
		return err
	}
	svc := app.New(s, app.Options{}).As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	var count, batch int
	if _, err := fmt.Sscan(os.Getenv(writerCount)+" "+os.Getenv(learnerBatch), &count, &batch); err != nil {
		return err
	}
	for i := range count {
		name := fmt.Sprintf("%s batch %d", os.Getenv(writerName), i)
		insights := []api.Insight{{Section: playbook.Helpful, Content: "Write the failing test before the fix.", Task: name}}
		for len(insights) < batch {
			insights = append(insights, api.Insight{Section: playbook.Neutral, Content: prose(rand.Int(), 60), Task: name})
		}
		if _, err := svc.Learn(ctx, api.LearnRequest{Insights: insights}); err != nil {
			return fmt.Errorf("batch %d: %w (%v)", i, err, errors.Unwrap(err))
		}
		fmt.Println(name)
	}
	return s.Close()
}

// pi opens the project again, as whoever looks at it afterwards.
func (s *stage) pi() api.Service {
	s.Helper()
	st, err := openAddress(s.Context(), s.address)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = st.Close() })
	return app.New(st, app.Options{
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	}).As(app.Identity{Name: "ada", Auth: app.AuthOwner})
}

// learned counts the records of bullets by the batch that they came from.
func (s *stage) learned(svc api.Service) map[string]int {
	s.Helper()
	out := map[string]int{}
	for req := (api.RecordsRequest{Limit: 1000}); ; {
		page, err := svc.Records(s.Context(), req)
		if err != nil {
			s.Fatal(err)
		}
		for _, rec := range page.Records {
			if rec.Kind != "bullet.updated" {
				continue
			}
			var u struct {
				playbook.DeltaUpdate `json:",inline"`
				Previous             int64 `json:"previous"`
			}
			if err := canon.Unmarshal(rec.Payload, &u); err != nil {
				s.Fatal(err)
			}
			if u.New != nil {
				out[u.New.Source.Task]++
			} else {
				out[u.Insight.Source.Task]++
			}
		}
		if req.After = page.Last; !page.More {
			return out
		}
	}
}

// intact asserts that the journal verifies and its replay gives the same
// tables: every record of every bullet continues the one before it.
func (s *stage) intact(svc api.Service) {
	s.Helper()
	verified, err := svc.Verify(s.Context(), api.VerifyRequest{})
	if err != nil || !verified.OK {
		s.Errorf("verify: %+v, %v", verified, err)
	}
	replayed, err := svc.Replay(s.Context(), api.ReplayRequest{})
	if err != nil || !replayed.Same {
		s.Errorf("replay: %+v, %v", replayed, err)
	}
}

// B3, B5, X7: several processes learn the same thing at once: one bullet, every
// insight counted, a record each, and the chain holds.
func TestFaults_SeveralProcessesLearnTheSame(t *testing.T) {
	processes, each := 4, 250
	if testing.Short() {
		processes, each = 2, 20
	}
	onBothStores(t, func(s *stage) {
		var all sync.WaitGroup
		for p := range processes {
			cmd, lines := s.start(fmt.Sprintf("learner %d", p), each, learnerBatch+"=1")
			all.Go(func() {
				for range lines { // only the end counts
				}
				if err := cmd.Wait(); err != nil {
					s.Errorf("learner %d: %v", p, err)
				}
			})
		}
		all.Wait()
		svc := s.pi()
		list, err := svc.Bullets(s.Context(), api.ListBulletsRequest{})
		if err != nil {
			s.Fatal(err)
		}
		if len(list.Bullets) != 1 || list.Bullets[0].Helpful != processes*each || list.Bullets[0].Revision != processes*each {
			s.Fatalf("%d bullets, the first %+v", len(list.Bullets), list.Bullets[0])
		}
		if n := len(s.learned(svc)); n != processes*each {
			s.Errorf("%d insights left a record, want %d", n, processes*each)
		}
		s.chained(svc, list.Bullets[0])
		s.intact(svc)
	})
}

// chained follows the records of a bullet back to the first and replays them.
func (s *stage) chained(svc api.Service, b playbook.Bullet) {
	s.Helper()
	var records []playbook.DeltaUpdate
	for req := (api.BulletRequest{ID: b.ID, History: true, Page: api.Page{Limit: 1000}}); ; {
		v, err := svc.Bullet(s.Context(), req)
		if err != nil {
			s.Fatal(err)
		}
		for _, u := range v.Records {
			records = append([]playbook.DeltaUpdate{u}, records...)
		}
		if req.Cursor = v.Cursor; req.Cursor == "" {
			break
		}
	}
	made, err := playbook.Replay(records)
	if err != nil || made.Digest() != b.Digest() || len(records) != b.Revision {
		s.Errorf("%d records make %+v, %v", len(records), made, err)
	}
}

// B3: a process killed with -9 in the middle of a batch leaves all of it or
// nothing, and all of what it acknowledged.
func TestFaults_ABatchKilledIsAllOrNothing(t *testing.T) {
	const batch = 40
	rounds := 5
	if soak() {
		rounds = 100
	}
	if testing.Short() {
		rounds = 2
	}
	onBothStores(t, func(s *stage) {
		var acked []string
		for round := range rounds {
			cmd, lines := s.start(fmt.Sprintf("round %d", round), 1_000_000, fmt.Sprintf("%s=%d", learnerBatch, batch))
			stop := 1 + rand.IntN(3)
			for line := range lines {
				acked = append(acked, line)
				if stop--; stop == 0 {
					break
				}
			}
			time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
			if err := cmd.Process.Kill(); err != nil {
				s.Fatal(err)
			}
			for line := range lines {
				acked = append(acked, line)
			}
			if err := cmd.Wait(); err == nil {
				s.Fatal("the learner ended before it was killed")
			}
		}
		svc := s.pi()
		learned := s.learned(svc)
		for _, name := range acked {
			if learned[name] == 0 {
				s.Errorf("acknowledged %s is gone", name)
			}
		}
		for name, n := range learned {
			if n != batch || !strings.HasPrefix(name, "round ") {
				s.Errorf("%d of %d insights of %s were learned", n, batch, name)
			}
		}
		if len(learned) < rounds {
			s.Errorf("only %d batches were learned in %d rounds", len(learned), rounds)
		}
		s.intact(svc)
	})
}
