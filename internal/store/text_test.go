package store

import (
	"testing"

	"brenner/artifact"
)

// C21: what is found by are the words of a text, not the times it was written at.
func TestDocument_HasNoTimes(t *testing.T) {
	v := Version{Format: artifact.JSON}
	got := v.Document([]byte(`{"at":"2026-11-16T11:39:05.120345Z","by":"BlueLake","was":"2026-11-16T12:39:05+01:00","said":"on 2026-11-16 it rained","name":"2026-11-16Thursday-or-so"}`)).Text
	if want := "BlueLake\non 2026-11-16 it rained\n2026-11-16Thursday-or-so\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
