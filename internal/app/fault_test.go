package app_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// The test binary runs itself as a writer: a process of its own that writes to
// a project and prints what was acknowledged, one reference a line.
const (
	writerStore = "BRENNER_TEST_WRITER_STORE" // address of the project
	writerCount = "BRENNER_TEST_WRITER_COUNT" // how many writes
	writerName  = "BRENNER_TEST_WRITER_NAME"  // to tell writers apart
)

func TestMain(m *testing.M) {
	if address := os.Getenv(writerStore); address != "" {
		be := beWriter
		if os.Getenv(learnerBatch) != "" {
			be = beLearner
		}
		if err := be(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func openAddress(ctx context.Context, address string) (store.Store, error) {
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		return sqlite.Open(ctx, path, sqlite.Options{Create: true})
	}
	return postgres.Open(ctx, address, postgres.Options{Create: true})
}

// beWriter updates one shared artifact and creates others, in turn.
func beWriter(address string) error {
	ctx := context.Background()
	s, err := openAddress(ctx, address)
	if err != nil {
		return err
	}
	svc := app.New(s, app.Options{}).As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	var count int
	if _, err := fmt.Sscan(os.Getenv(writerCount), &count); err != nil {
		return err
	}
	for i := range count {
		text := fmt.Sprintf("%s wrote %d", os.Getenv(writerName), i)
		var res api.WriteResult
		if i%2 == 0 {
			res, err = svc.CreateArtifact(ctx, api.CreateArtifactRequest{
				Type: "paper_note", Module: "lineage", Summary: text, Content: api.Body{Format: artifact.Text, Data: text},
			})
		} else {
			res, err = svc.UpdateArtifact(ctx, api.UpdateArtifactRequest{
				ID: "shared", Summary: &text, Content: &api.Body{Format: artifact.Text, Data: text},
			})
		}
		if err != nil {
			return fmt.Errorf("write %d: %w (%v)", i, err, errors.Unwrap(err))
		}
		fmt.Printf("%s %s\n", res.Ref, res.SHA256)
	}
	return s.Close()
}

// stage is a project for several processes to write to.
type stage struct {
	*testing.T
	address string
}

// start runs a writer; what it has acknowledged comes out of the channel, which
// closes when the process ends.
func (s *stage) start(name string, count int, env ...string) (*exec.Cmd, <-chan string) {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerStore+"="+s.address, writerCount+"="+fmt.Sprint(count), writerName+"="+name)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	acked := make(chan string)
	go func() {
		defer close(acked)
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return // a line cut short was not received
			}
			acked <- strings.TrimSuffix(line, "\n")
		}
	}()
	return cmd, acked
}

// check asserts that every acknowledged write is there, versions have no gaps,
// and the whole verifies and replays.
func (s *stage) check(acked []string) {
	s.Helper()
	st, err := openAddress(s.Context(), s.address)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	svc := app.New(st, app.Options{
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	}).As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	for _, line := range acked {
		name, sum, _ := strings.Cut(line, " ")
		ref, err := brenner.ParseRef(name)
		if err != nil {
			s.Fatal(err)
		}
		v, err := svc.Artifact(s.Context(), api.ArtifactRequest{Ref: ref})
		if err != nil || string(v.SHA256) != sum {
			s.Errorf("acknowledged %s is gone or other: %v", line, err)
		}
	}
	shared, err := svc.Artifact(s.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "shared"}, Brief: true})
	if err != nil {
		s.Fatal(err)
	}
	for v := brenner.Version(1); v <= shared.Latest; v++ {
		if _, err := svc.Artifact(s.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "shared", Version: v}}); err != nil {
			s.Errorf("shared@%d of %d: %v", v, shared.Latest, err)
		}
	}
	verified, err := svc.Verify(s.Context(), api.VerifyRequest{})
	if err != nil || !verified.OK {
		s.Errorf("verify: %+v, %v", verified, err)
	}
	replayed, err := svc.Replay(s.Context(), api.ReplayRequest{})
	if err != nil || !replayed.Same {
		s.Errorf("replay: %+v, %v", replayed, err)
	}
}

// soak says that the long version was asked for.
func soak() bool { return os.Getenv("BRENNER_SOAK") != "" }

// onBothStores runs a test on a project in SQLite and one in PostgreSQL.
func onBothStores(t *testing.T, run func(s *stage)) {
	t.Helper()
	for name, address := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "p.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Open(t) + "&project=fate" },
	} {
		t.Run(name, func(t *testing.T) {
			s := &stage{t, address(t)}
			st, err := openAddress(t.Context(), s.address)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, st)
			_, err = w.PI().CreateArtifact(t.Context(), api.CreateArtifactRequest{
				ID: "shared", Type: "paper_note", Module: "lineage", Summary: "shared", Content: api.Body{Format: artifact.Text, Data: "shared"},
			})
			if err != nil {
				t.Fatal(err)
			}
			run(s)
		})
	}
}

// X7, J1: several processes write one project; every acknowledged write is
// there, versions have no gaps, and no busy database reaches a user.
func TestFaults_SeveralProcessesWriteOneProject(t *testing.T) {
	processes, writes := 4, 50
	if soak() {
		processes, writes = 8, 200
	}
	if testing.Short() {
		processes, writes = 2, 10
	}
	onBothStores(t, func(s *stage) {
		var mu sync.Mutex
		var acked []string
		var all sync.WaitGroup
		for p := range processes {
			cmd, lines := s.start(fmt.Sprintf("writer %d", p), writes)
			all.Go(func() {
				for line := range lines {
					mu.Lock()
					acked = append(acked, line)
					mu.Unlock()
				}
				if err := cmd.Wait(); err != nil {
					s.Errorf("writer %d: %v", p, err)
				}
			})
		}
		all.Wait()
		if len(acked) != processes*writes {
			s.Errorf("%d writes were acknowledged, want %d", len(acked), processes*writes)
		}
		s.check(acked)
	})
}

// J1: a process killed with -9 loses nothing it acknowledged and leaves nothing
// half written.
func TestFaults_KilledWritersLoseNothing(t *testing.T) {
	rounds := 10
	if soak() {
		rounds = 1000
	}
	if testing.Short() {
		rounds = 2
	}
	onBothStores(t, func(s *stage) {
		var acked []string
		for round := range rounds {
			cmd, lines := s.start(fmt.Sprintf("round %d", round), 1_000_000)
			stop := len(acked) + 1 + rand.IntN(20)
			for line := range lines {
				if acked = append(acked, line); len(acked) == stop {
					break
				}
			}
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			if err := cmd.Process.Kill(); err != nil {
				s.Fatal(err)
			}
			for line := range lines {
				acked = append(acked, line)
			}
			if err := cmd.Wait(); err == nil {
				s.Fatal("the writer ended before it was killed")
			}
		}
		s.check(acked)
	})
}
