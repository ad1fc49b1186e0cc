package lazy_test

import (
	"testing"

	"brenner/internal/lazy"
)

// A value is made once, and not before it is asked for.
func TestValue_IsMadeOnceAndNotBefore(t *testing.T) {
	made := 0
	value := lazy.Value(func() int { made++; return 7 })
	if made != 0 {
		t.Error("made before it was asked for")
	}
	for range 2 {
		if got := value(); got != 7 || made != 1 {
			t.Errorf("got %d, made %d times", got, made)
		}
	}
}

func TestPattern_Matches(t *testing.T) {
	p := lazy.NewPattern(`^(\d+):`)
	if !p.MatchString("12: x") || p.MatchString("x") || p.ReplaceAllString("12: x", "") != " x" || p.FindStringSubmatch("12: x")[1] != "12" {
		t.Error("not the pattern")
	}
}

func TestWords_HasThoseOfTheListOnly(t *testing.T) {
	w := lazy.NewWords("if when\n\twhile")
	if !w.Has("if") || !w.Has("while") || w.Has("") || w.Has("i") || w.Has("if when") {
		t.Error("not the words of the list")
	}
}
