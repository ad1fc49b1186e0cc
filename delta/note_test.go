package delta_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"brenner"
	"brenner/canon"
	"brenner/delta"
)

func TestChangeNote_CountsAndRationales(t *testing.T) {
	// D18: generated from counts and rationales, in any order.
	deltas := entries(t, seedExample1, seedExample2, seedExample3, say("x", 0, "Eve", "EDIT", "H9", "H", `{"claim":"c"}`))
	base := seedBase(t)
	what, why := delta.ChangeNote(deltas, delta.Merge(base, deltas, delta.Options{}))
	if what != "1 added, 1 edited, 1 killed by 3 agents" {
		t.Errorf("what: %s", what)
	}
	want := "GreenDog: H4 incorporates H2 as special case; maintaining both is redundant\n" +
		"PurpleMountain: Adding cell viability check to strengthen potency control\n" +
		"RedCreek: Adding alternative mechanism that doesn't fit lineage/gradient dichotomy"
	if why != want {
		t.Errorf("why: %s", why)
	}
	slices.Reverse(deltas)
	if what2, why2 := delta.ChangeNote(deltas, delta.Merge(base, deltas, delta.Options{})); what2 != what || why2 != why {
		t.Errorf("another order: %s, %s", what2, why2)
	}
	long := entries(t, strings.Replace(say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"`+strings.Repeat("é", 5000)+`"}`),
		`"rationale":"r"`, `"rationale":"`+strings.Repeat("é", brenner.MaxNoteRunes)+`"`, 1))
	r := delta.Merge(nil, long, delta.Options{})
	if _, why := delta.ChangeNote(long, r); utf8.RuneCountInString(why) != brenner.MaxNoteRunes {
		t.Errorf("why has %d characters", utf8.RuneCountInString(why))
	}
	// C11: the longest slate leaves room for the counts.
	full := []string{say("0", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"`+strings.Repeat("é", 5000)+`"}`)}
	for i := range 6 {
		full = append(full, say(strconv.Itoa(i+1), i, "Ann", "ADD", "-", "H", `{"claim":"`+strings.Repeat("é", 5000)+`","mechanism":"m"}`))
	}
	summary := delta.Summary(mergeAll(t, nil, full...).Artifact)
	if n := utf8.RuneCountInString(summary); n > brenner.MaxSummaryRunes || !strings.HasSuffix(summary, "é…. Hypothesis Slate: 6.") {
		t.Errorf("a summary of %d characters: %s", n, summary)
	}
}

func TestSummary_SaysWhatThereIs(t *testing.T) {
	// D18: the summary of a compiled version.
	a := mergeAll(t, seedBase(t), seedExample1, seedExample3, say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"Where\n am I?"}`),
		say("2", 0, "Bob", "EDIT", "RT", "RT", `{"context":"a"}`), say("3", 0, "Ann", "EDIT", "RT", "RT", `{"context":"b"}`)).Artifact
	want := "Where am I? H1 Cell fate is determined by ancestry; H3 Position is not read at all; " +
		"H4 Cells use chromatin state inheritance for fate determination. " +
		"Hypothesis Slate: 3 and 1 killed, Discriminative Tests: 1. Fields in conflict: 1."
	if got := delta.Summary(a); got != want {
		t.Errorf("%s", got)
	}
	// The answer, once there is one, is what a reader wants to know of it first.
	a = mergeAll(t, seedBase(t), seedExample1, say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"Where am I?","answer":"By ancestry,\n as T1 shows."}`)).Artifact
	want = "Where am I? Answer: By ancestry, as T1 shows. H1 Lineage-dominant; H2 Gradient-dominant;"
	if got := delta.Summary(a); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
}

func TestMerge_PriorityKeepsOnlyNames(t *testing.T) {
	// D3: a list may hold anything; what can be no agent decides nothing and
	// is not written into the artifact.
	one := entries(t, say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"a"}`))
	a := delta.Merge(nil, one, delta.Options{Priority: []brenner.ActorName{"no name", "Bob", "", "Bob", "Ann"}}).Artifact
	if got := strings.Join(names(a.Metadata().Priority), " "); got != "Bob Ann" {
		t.Errorf("priority %q", got)
	}
	if _, err := delta.ReadArtifact(canon.MustMarshal(a)); err != nil {
		t.Error(err)
	}
}
