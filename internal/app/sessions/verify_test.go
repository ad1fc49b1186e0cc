package sessions

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/policy"
	"brenner/roster"
)

// D18: verify --deep makes every version again from the deltas that the
// journal names. A journal whose hashes hold can still say something that is
// not so; each case writes one.
func TestVerifyDeep_FindsVersionsThatTheirDeltasDoNotMake(t *testing.T) {
	const one = `{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"one","mechanism":"m"}}`
	const two = `{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"two","mechanism":"m"}}`
	for _, c := range []struct {
		name, want string
		forge      func(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta) error
	}{
		{"a version with a delta more", "RS-1@2 is not what its deltas make", func(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Deltas = rec.Deltas[:1] })
		}},
		{"another outcome", "was rejected when it was compiled, now it is applied", func(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Deltas[1].Outcome.Status = delta.Rejected })
		}},
		{"contributors left out", "RS-1@2 is not what its deltas make", func(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Contributors = []brenner.ActorName{} })
		}},
		{"a compile that says it recorded nothing", "a compile of RS-1 that recorded nothing now records 2 deltas", func(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Version = 0 })
		}},
		{"a version without a compile", "RS-1@2 was not made by a compile", func(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta) error {
			m, err := (&Room{}).planMerge(ch.Call, info, queue, nil, nil)
			if err != nil {
				return err
			}
			return m.writeDraft(ch, &api.CompileResult{})
		}},
		{"a compile without its version", "RS-1@2 is missing", func(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta) error {
			_, err := kindSessionCompiled.Append(ch, sessionCompiled{Session: info.ID, Base: 1, Version: 2, Rules: delta.Rules, Contributors: []brenner.ActorName{}, Deltas: []compiledDelta{}})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newRoom(t).As(kernel.Identity{Name: "ada", Auth: kernel.AuthOwner})
			team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
			if _, err := s.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Roster: team, Compile: api.CompileManual}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{From: "BlueLake", Text: "[" + one + "," + two + "]"}); err != nil {
				t.Fatal(err)
			}
			rebuild := func() (said string, rebuilt int) {
				t.Helper()
				_, err := kernel.View(t.Context(), s.caller, kernel.To(policy.Audit, ""), func(c *kernel.Call) (struct{}, error) {
					findings, n, err := s.Rebuild(c, func(string, int64, int64) {})
					for _, f := range findings {
						if f.Code != brenner.CodeJournalCorrupt {
							t.Errorf("the finding has the code %s", f.Code)
						}
						said += f.Message + "\n"
					}
					rebuilt = n
					return struct{}{}, err
				})
				if err != nil {
					t.Fatal(err)
				}
				return said, rebuilt
			}
			if said, rebuilt := rebuild(); said != "" || rebuilt != 1 {
				t.Fatalf("before: %d rebuilt, %s", rebuilt, said)
			}
			_, err := kernel.Write(t.Context(), s.caller, "forge", api.Write{}, leading("RS-1"), func(ch *kernel.Change) (struct{}, error) {
				info, err := findSession(ch.Call, "RS-1")
				if err != nil {
					return struct{}{}, err
				}
				queue, err := pendingDeltas(ch.Call, info)
				if err != nil {
					return struct{}{}, err
				}
				return struct{}{}, c.forge(ch, info, queue)
			})
			if err != nil {
				t.Fatal(err)
			}
			if said, _ := rebuild(); !strings.Contains(said, c.want) {
				t.Errorf("found:\n%swant %q", said, c.want)
			}
		})
	}
}

// X9: who goes away ends it, also among records that are of no session.
func TestVerifyDeep_EndsWithItsClient(t *testing.T) {
	s := newRoom(t).As(kernel.Identity{Name: "ada", Auth: kernel.AuthOwner})
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := kernel.View(t.Context(), s.caller, kernel.To(policy.Audit, ""), func(c *kernel.Call) (int, error) {
		c.Ctx = ended
		_, n, err := s.Rebuild(c, func(string, int64, int64) {})
		return n, err
	})
	if !errors.Is(err, context.Canceled) && !errors.Is(err, brenner.CodeCanceled) {
		t.Errorf("it went on: %v", err)
	}
}

// newRoom is a room in a new project led by ada.
func newRoom(t *testing.T) *Room {
	t.Helper()
	k := kernel.New(memory.New(), time.Now)
	kinds, err := kernel.NewKinds(kernel.OwnKinds(), ledger.Kinds(), Kinds())
	if err != nil {
		t.Fatal(err)
	}
	k.SetUp(kinds, nil)
	r := &Room{Kernel: k, Ledger: &ledger.Room{Kernel: k, Tasks: noTasks{}}}
	r.Ledger.Sessions = r
	err = k.Found(t.Context(), store.Project{ID: "p-1", Name: "Fate", At: k.Now()}, "ada", func(ch *kernel.Change) error {
		_, err := kernel.ProjectCreated.Append(ch, kernel.Project{ID: "p-1", Name: "Fate", PI: "ada"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noTasks is a project without tasks.
type noTasks struct{}

func (noTasks) Enter(*kernel.Call, string) error { return nil }

func (noTasks) Compressed(*kernel.Call, []brenner.Module) error { return nil }

// forged compiles as compileSession does, and records something else.
func forged(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta, change func(*sessionCompiled)) error {
	m, err := (&Room{}).planMerge(ch.Call, info, queue, info.Contributors, nil)
	if err != nil {
		return err
	}
	var out api.CompileResult
	if err := m.writeDraft(ch, &out); err != nil {
		return err
	}
	m.record.Version = out.Ref.Version
	change(&m.record)
	_, err = kindSessionCompiled.Append(ch, m.record)
	return err
}
