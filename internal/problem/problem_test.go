package problem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"brenner"
	"brenner/internal/problem"
)

// X1: one row per class gives the same verdict on every surface.
func TestOf_EveryClassHasItsOwnExitStatus(t *testing.T) {
	seen := map[int]brenner.Class{}
	for _, info := range brenner.Codes() {
		s := problem.Of(info.Class)
		if s.Exit == 0 || s.HTTP < 400 || s.MCP >= 0 {
			t.Errorf("%s: class %s has no full row: %+v", info.Code, info.Class, s)
		}
		if other, ok := seen[s.Exit]; ok && other != info.Class {
			t.Errorf("classes %s and %s share exit status %d", other, info.Class, s.Exit)
		}
		seen[s.Exit] = info.Class
	}
}

func TestFrom_HidesTheTextOfUnknownCauses(t *testing.T) {
	e, s := problem.From(errors.New("password=hunter2"))
	if e.Code != brenner.CodeInternal || s.Exit != 1 || e.Message != "something failed inside" {
		t.Errorf("got %v, %+v", e, s)
	}
	wrapped := fmt.Errorf("while writing: %w", brenner.Errorf(brenner.CodeConflictHead, "moved"))
	if e, s := problem.From(wrapped); e.Code != brenner.CodeConflictHead || s.Exit != 5 {
		t.Errorf("got %v, %+v", e, s)
	}
	if e, s := problem.From(context.Canceled); e.Code != brenner.CodeCanceled || s.Exit != 130 {
		t.Errorf("got %v, %+v", e, s)
	}
}

// X1: HTTP has statuses of its own for two codes; the exit status stays that
// of their class.
func TestFrom_WhatHTTPHasAStatusForKeepsTheExitOfItsClass(t *testing.T) {
	for code, want := range map[brenner.Code]problem.Status{
		brenner.CodeUnauthenticated: {Exit: 7, HTTP: 401},
		brenner.CodeRateLimited:     {Exit: 9, HTTP: 429},
		brenner.CodeWriteDenied:     {Exit: 7, HTTP: 403},
	} {
		if _, s := problem.From(brenner.Errorf(code, "no")); s.Exit != want.Exit || s.HTTP != want.HTTP {
			t.Errorf("%s: %+v", code, s)
		}
	}
}
