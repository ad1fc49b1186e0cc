package kernel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store/memory"
	"brenner/policy"
)

// slowProject is a project whose clock only the test moves.
func slowProject(t *testing.T) (*kernel.Kernel, *time.Time) {
	t.Helper()
	at := now
	k := newProjectAt(t, memory.New(), func() time.Time { return at })
	return k, &at
}

func keepNote(t *testing.T, k *kernel.Kernel, id string) {
	t.Helper()
	_, err := kernel.Write(t.Context(), lead(k), "keep", api.Write{}, kernel.To(policy.Admin, id), func(ch *kernel.Change) (int64, error) {
		return note.Append(ch, noted{ID: id})
	})
	if err != nil {
		t.Error(err)
	}
}

// X9: a plan is made while others write, and one that took long and was
// overtaken is made again outside the transaction, never in it.
func TestWritePlan_NobodyWaitsForALongPlan(t *testing.T) {
	k, clock := slowProject(t)
	plans := 0
	plan := kernel.Plan[int64]{Make: func(c *kernel.Call) (int64, error) {
		plans++
		*clock = clock.Add(time.Minute)
		if plans == 1 {
			keepNote(t, k, "other") // would never end if the plan had the writers' turn
		}
		return c.Position, nil
	}}
	made, err := kernel.WritePlan(t.Context(), lead(k), "plan", api.Write{}, kernel.To(policy.Admin, "plan"), plan,
		func(ch *kernel.Change, p int64) (int64, error) {
			if _, err := note.Append(ch, noted{ID: "planned"}); err != nil {
				return 0, err
			}
			return ch.Position - p, nil
		})
	if err != nil || made != 0 || plans != 2 {
		t.Errorf("made %d times, %d behind, %v; want twice, and carried out on the state it was made for", plans, made, err)
	}
}

// X9: whoever is overtaken each time gives up with STORE_BUSY instead of
// stopping the others.
func TestWritePlan_GivesUpRatherThanStopTheWriters(t *testing.T) {
	k, clock := slowProject(t)
	plans := 0
	plan := kernel.Plan[struct{}]{Make: func(*kernel.Call) (struct{}, error) {
		plans++
		*clock = clock.Add(time.Minute)
		keepNote(t, k, "other")
		return struct{}{}, nil
	}}
	_, err := kernel.WritePlan(t.Context(), lead(k), "plan", api.Write{}, kernel.To(policy.Admin, "plan"), plan,
		func(*kernel.Change, struct{}) (int64, error) { t.Error("carried out an outdated plan"); return 0, nil })
	if !errors.Is(err, brenner.CodeStoreBusy) || plans != brenner.MaxPlans {
		t.Errorf("%d plans, %v", plans, err)
	}
}

// X9: a quick plan that was overtaken is made again in the transaction, so that
// it comes through among many writers.
func TestWritePlan_AQuickPlanComesThroughAtOnce(t *testing.T) {
	k, _ := slowProject(t)
	plans := 0
	plan := kernel.Plan[int64]{Make: func(c *kernel.Call) (int64, error) {
		if plans++; plans == 1 {
			keepNote(t, k, "other")
		}
		return c.Position, nil
	}}
	_, err := kernel.WritePlan(t.Context(), lead(k), "plan", api.Write{}, kernel.To(policy.Admin, "plan"), plan,
		func(ch *kernel.Change, p int64) (int64, error) {
			if p != ch.Position {
				t.Errorf("planned at %d, carried out at %d", p, ch.Position)
			}
			return note.Append(ch, noted{ID: "planned"})
		})
	if err != nil || plans != 2 {
		t.Errorf("%d plans, %v", plans, err)
	}
}

// X9: a request that keeps the other writers waiting is named while it does,
// and every turn is measured.
func TestWrite_TheWatchdogNamesWhoHoldsTheLock(t *testing.T) {
	k := newProject(t)
	told := make(chan kernel.Turn, 10)
	k.WatchTurns(func(_ context.Context, turn kernel.Turn) { told <- turn })
	var during kernel.Turn
	_, err := kernel.Write(t.Context(), lead(k), "slow.write", api.Write{}, kernel.To(policy.Admin, "slow"), func(ch *kernel.Change) (int64, error) {
		during = <-told // blocks the writers until the watchdog barks
		return note.Append(ch, noted{ID: "slow"})
	})
	if err != nil || during.Name != "slow.write" || during.Who.Name != "ada" || during.Over || during.Took < brenner.LongTurn {
		t.Errorf("told %+v, %v", during, err)
	}
	if after := <-told; !after.Over || after.Took < during.Took {
		t.Errorf("told %+v at the end", after)
	}
}
