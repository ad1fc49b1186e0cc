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

// C21: as above, in a text.
func TestDocument_OfATextHasNoTimes(t *testing.T) {
	for text, want := range map[string]string{
		"":       "",
		"The T.": "The T.",
		`{"timestamp": "2026-11-16T16:05:27.811989Z", "n": 3}`:    `{"timestamp": "", "n": 3}`,
		"at 2026-11-16T16:05:27Z and 2026-11-16T16:05:28Z it did": "at  and  it did",
		"2026-11-16T16:05:27":                              "",
		"2026-11-16T16:05, on 2026-11-16, TTT, 16:05:27":   "2026-11-16T16:05, on 2026-11-16, TTT, 16:05:27",
		"2026-13-16T16:05:27Z is no time, 2026-11-16T16:0": "2026-13-16T16:05:27Z is no time, 2026-11-16T16:0",
	} {
		if got := (Version{Format: artifact.Text}).Document([]byte(text)).Text; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
