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
