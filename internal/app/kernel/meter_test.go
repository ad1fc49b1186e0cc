package kernel_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/admission"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
)

// X10: of many who compare large contents at once, so many do as there is memory
// for; the others wait outside of any snapshot, those beyond are RATE_LIMITED,
// and who asks for little is served meanwhile.
func TestView_LargeContentsAreAdmittedBeforeTheyAreRead(t *testing.T) {
	k := newProject(t)
	large := bytes.Repeat([]byte("0123456789abcd\n"), 1<<20) // 15 MB
	digest := canon.Sum(large)
	if err := k.Store().Write(t.Context(), func(tx store.Tx) error { return tx.PutBlob(t.Context(), digest, large) }); err != nil {
		t.Fatal(err)
	}
	var inside, most, refused, done atomic.Int64
	release := make(chan struct{})
	first := make(chan struct{})
	begun := sync.OnceFunc(func() { close(first) })
	compare := func(k kernel.Caller) (int, error) {
		return kernel.View(t.Context(), k, kernel.To(policy.Status, "x"), func(c *kernel.Call) (int, error) {
			for range 2 {
				if err := c.Compares(int64(len(large))); err != nil {
					return 0, err
				}
				if _, err := c.Blob(c.Ctx, digest); err != nil {
					return 0, err
				}
			}
			if n := inside.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer inside.Add(-1)
			begun()
			<-release
			return 1, nil
		})
	}
	var all sync.WaitGroup
	asked := 24 + brenner.MaxWorkWaiting
	for range asked {
		all.Go(func() {
			switch _, err := compare(agent(k)); {
			case errors.Is(err, brenner.CodeRateLimited):
				refused.Add(1)
			case err == nil:
				done.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	<-first
	// Others are served while these work and wait.
	if _, err := kernel.View(t.Context(), lead(k), kernel.To(policy.Status, "x"), func(c *kernel.Call) (int64, error) { return c.Size(c.Ctx) }); err != nil {
		t.Error(err)
	}
	keepNote(t, k, "other")
	close(release)
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d of the largest comparisons at once", most.Load())
	}
	if done.Load()+refused.Load() != int64(asked) || done.Load() < 1+brenner.MaxWorkWaiting {
		t.Errorf("%d done, %d refused of %d", done.Load(), refused.Load(), asked)
	}
}

// X10: a caller that is gone does not wait.
func TestView_WhoIsGoneLeavesTheLine(t *testing.T) {
	k := newProject(t)
	inside, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, err := kernel.View(t.Context(), lead(k), kernel.To(policy.Status, "x"), func(c *kernel.Call) (int, error) {
			err := c.Compares(brenner.MaxWorkBytes / 12)
			close(inside)
			<-release
			return 0, err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	_, err := kernel.View(ctx, agent(k), kernel.To(policy.Status, "x"), func(c *kernel.Call) (int, error) {
		err := c.Compares(brenner.MaxWorkBytes / 12)
		cancel()
		return 0, err
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	all.Wait()
}

// X10: what a large request brought waits for room before it takes a writer's
// turn, and others write meanwhile.
func TestWrite_WhatARequestBroughtWaitsForRoom(t *testing.T) {
	k := newProject(t)
	inside, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, err := kernel.View(t.Context(), lead(k), kernel.To(policy.Status, "x"), func(c *kernel.Call) (int, error) {
			err := c.Compares(brenner.MaxWorkBytes / 12)
			close(inside)
			<-release
			return 0, err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	visit, leave := admission.Visit(ctx)
	admission.Brings(visit, 20<<20)
	began := make(chan bool, 1)
	all.Go(func() {
		_, err := kernel.Write(visit, agent(k), "x", api.Write{}, kernel.To(policy.Status, "x"), func(*kernel.Change) (int, error) {
			began <- true
			return 0, nil
		})
		leave()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it was not kept waiting: %v", err)
		}
	})
	keepNote(t, k, "other")
	cancel()
	if len(began) > 0 {
		t.Error("it had its turn")
	}
	close(release)
	all.Wait()
}
