package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"brenner/delta"
)

// C16, X11: who names an item is not at it: a clause says so that begins with what its author does,
// and with a list or a range all that is in it (ADR 219).
func TestAtNow_IsWhatAClauseBeginsWith(t *testing.T) {
	for _, c := range []struct{ words, runs, writes string }{
		{"timing T1 T2 T3 in one hold, then results", "T1 T2 T3", ""},
		{"I run T1, T2 and T4; then edits of H2", "T1 T2 T4", "H2"},
		{"next: measuring T2-T4 on 64 MB", "T2 T4 T3", ""},
		{"T8 as soon as the machine is free", "T8", ""},
		{"T1, with a warm cache", "T1", ""},
		{"T-FROST: the rows of March", "T-FROST", ""},
		{"I am writing RT, then I settle C2", "", "RT C2"},
		{"edit T3's procedure", "", "T3"},
		{"machine free: go ahead with T8. I csv-diff what T8 yields, then sign or mend RT", "", ""},
		{"writing ONE clean candidate; I publish it as csv-fused for csv-diff and T1-T6", "", ""},
		{"csv-diff on csv-fused@2, then timing tables of it, then C1-C4 and the answer in RT", "", ""},
		{"timing csv-fused on my own harness. I do NOT run T1 or T6: they are for another", "", ""},
		{"C6 taken up in csv-hybrid@2; nothing more to measure: signing RT once it rests", "", ""},
		{"T4 is on my list", "", ""},
	} {
		runs, writes := atNow(c.words)
		said := func(ids []delta.ItemID) string { return strings.Trim(fmt.Sprint(ids), "[]") }
		if said(runs) != c.runs || said(writes) != c.writes {
			t.Errorf("%q runs %v and writes %v", c.words, runs, writes)
		}
	}
}
