package brenner_test

import (
	"strings"
	"testing"

	"brenner"
)

func TestRef_PrintsBackWhatItParsed(t *testing.T) {
	for _, s := range []string{"a", "a@1", "RS-20251230-cell-fate@12", "x.y_z-9@3"} {
		r, err := brenner.ParseRef(s)
		if err != nil || r.String() != s {
			t.Errorf("ParseRef(%q) = %v, %v", s, r, err)
		}
		var back brenner.Ref
		if err := back.UnmarshalText([]byte(r.String())); err != nil || back != r {
			t.Errorf("UnmarshalText(%q) = %v, %v", s, back, err)
		}
	}
	for _, s := range []string{"", "@1", "a@", "a@0", "a@-1", "a@+1", "a@1x", "a b", "../a", "a@1@2", strings.Repeat("x", 129)} {
		if r, err := brenner.ParseRef(s); brenner.CodeOf(err) != brenner.CodeInvalidID {
			t.Errorf("ParseRef(%q) = %v, %v; want INVALID_ID", s, r, err)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("a@1")
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := brenner.ParseRef(s)
		if err != nil {
			return
		}
		if again, err := brenner.ParseRef(r.String()); err != nil || again != r {
			t.Fatalf("%q became %v, then %v (%v)", s, r, again, err)
		}
	})
}

func TestCheck_NamesMustBeNames(t *testing.T) {
	for _, err := range []error{
		brenner.ArtifactID("").Check(), brenner.SessionID("a/b").Check(), brenner.ActorName("a b").Check(),
		brenner.Role("PI").Check(), brenner.TypeName("paper-note").Check(), brenner.Module("Main").Check(),
		brenner.Digest("abc").Check(), brenner.ActorName(strings.Repeat("x", 65)).Check(),
	} {
		if brenner.CodeOf(err) != brenner.CodeInvalidID {
			t.Errorf("got %v, want INVALID_ID", err)
		}
	}
	if err := brenner.ActorName("BlueLake").Check(); err != nil {
		t.Error(err)
	}
}

func TestCodes_AreUnique(t *testing.T) {
	seen := map[brenner.Code]bool{}
	for _, c := range brenner.Codes() {
		if seen[c.Code] || c.Meaning == "" || c.Remedy == "" || brenner.ClassOf(c.Code) != c.Class {
			t.Errorf("row %+v", c)
		}
		seen[c.Code] = true
	}
	if brenner.ClassOf("NO_SUCH_CODE") != brenner.ClassInternal {
		t.Error("an unknown code must be internal")
	}
}
