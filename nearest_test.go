package brenner

import (
	"strings"
	"testing"
)

func TestNearest_FindsWhatWasMeantAndNothingElse(t *testing.T) {
	known := []string{"artifact", "session", "show", "status", "paper_note", "gc"}
	for word, want := range map[string]string{
		"artefact": "artifact", "shwo": "show", "statsu": "status", "papernote": "paper_note", "Sessions": "session", "show": "show",
		"gcc": "gc", "": "", "x": "", "ls": "", "frobnicate": "", strings.Repeat("artifact", 20): "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestNearest_OfEqualsTheFirst(t *testing.T) {
	if got := Nearest("bat", []string{"cat", "rat", "hat"}); got != "cat" {
		t.Errorf("got %s", got)
	}
}

func TestSlip_FindsSlipsAndNotOtherWords(t *testing.T) {
	known := []string{"must_not", "text", "in_scope", "out_of_scope", "question", "goals", "constraints", "id"}
	for word, want := range map[string]string{
		"mustnot": "must_not", "mustNot": "must_not", "must-not": "must_not", "MUST_NOT": "must_not", "text": "text", "texts": "text", "tex": "",
		"goal": "goals", "questoin": "", "qestion": "question", "constraintz": "constraints", "constriants": "constraints", "inscope": "in_scope",
		"test": "", "ids": "", "ID": "id", "notes": "", "scope": "", "": "", "_": "", strings.Repeat("constraints", 9): "",
	} {
		if got := Slip(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := Slip("goalz", []string{"goaly", "goals"}); got != "" {
		t.Errorf("another letter in a short word: %q", got)
	}
}

func TestRemedy_EveryCodeHasOne(t *testing.T) {
	for _, info := range Codes() {
		if got := Remedy(info.Code); got == "" || got != info.Remedy {
			t.Errorf("%s: %q", info.Code, got)
		}
	}
	if got := Remedy("NO_SUCH_CODE"); got != "" {
		t.Errorf("an unknown code has the remedy %q", got)
	}
}
