package app

import (
	"context"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/store"
	"brenner/internal/store/memory"
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
		forge      func(ch *change, info api.SessionInfo, queue []pendingDelta) error
	}{
		{"a version with a delta more", "RS-1@2 is not what its deltas make", func(ch *change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Deltas = rec.Deltas[:1] })
		}},
		{"another outcome", "was rejected when it was compiled, now it is applied", func(ch *change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Deltas[1].Outcome.Status = delta.Rejected })
		}},
		{"contributors left out", "RS-1@2 is not what its deltas make", func(ch *change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Contributors = []brenner.ActorName{} })
		}},
		{"a compile that says it recorded nothing", "a compile of RS-1 that recorded nothing now records 2 deltas", func(ch *change, info api.SessionInfo, queue []pendingDelta) error {
			return forged(ch, info, queue, func(rec *sessionCompiled) { rec.Version = 0 })
		}},
		{"a version without a compile", "RS-1@2 was not made by a compile", func(ch *change, info api.SessionInfo, queue []pendingDelta) error {
			head, base, err := ch.sessionArtifact(info.ID, 0)
			if err != nil {
				return err
			}
			var out api.CompileResult
			return ch.writeCompiled(&out, head, delta.Merge(base, entries(queue), delta.Options{}), queue)
		}},
		{"a compile without its version", "RS-1@2 is missing", func(ch *change, info api.SessionInfo, queue []pendingDelta) error {
			_, err := ch.append(kindSessionCompiled, sessionCompiled{Session: info.ID, Base: 1, Version: 2, Contributors: []brenner.ActorName{}, Deltas: []compiledDelta{}})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := New(memory.New(), Options{Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil }})
			if _, err := a.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
				t.Fatal(err)
			}
			s := a.As(Identity{Name: "ada", Auth: AuthOwner}).(*service)
			team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.TestDesigner}}}
			if _, err := s.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Roster: team}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{From: "BlueLake", Text: "[" + one + "," + two + "]"}); err != nil {
				t.Fatal(err)
			}
			verify := func() api.VerifyResult {
				t.Helper()
				res, err := s.Verify(t.Context(), api.VerifyRequest{Deep: true})
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			if res := verify(); !res.OK || res.Rebuilt != 1 {
				t.Fatalf("before: %+v", res)
			}
			_, err := write(t.Context(), s, "forge", api.Write{}, nil, func(ch *change) (struct{}, error) {
				info, err := ch.lead("RS-1")
				if err != nil {
					return struct{}{}, err
				}
				queue, err := ch.pendingDeltas(info.ID)
				if err != nil {
					return struct{}{}, err
				}
				return struct{}{}, c.forge(ch, info, queue)
			})
			if err != nil {
				t.Fatal(err)
			}
			res := verify()
			if res.OK || len(res.Findings) == 0 || res.Findings[0].Code != brenner.CodeJournalCorrupt {
				t.Fatalf("not found: %+v", res)
			}
			said := ""
			for _, f := range res.Findings {
				said += f.Message + "\n"
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("found:\n%swant %q", said, c.want)
			}
		})
	}
}

// forged compiles as compileSession does, and records something else.
func forged(ch *change, info api.SessionInfo, queue []pendingDelta, change func(*sessionCompiled)) error {
	head, base, err := ch.sessionArtifact(info.ID, 0)
	if err != nil {
		return err
	}
	rec := sessionCompiled{Session: info.ID, Base: head.Version, Contributors: info.Contributors}
	res := delta.Merge(base, entries(queue), rec.options())
	var out api.CompileResult
	if err := ch.writeCompiled(&out, head, res, queue); err != nil {
		return err
	}
	rec.Version = out.Ref.Version
	for i, q := range queue {
		rec.Deltas = append(rec.Deltas, compiledDelta{ID: q.id, Digest: q.digest, Outcome: res.Outcomes[i]})
	}
	change(&rec)
	_, err = ch.append(kindSessionCompiled, rec)
	return err
}
