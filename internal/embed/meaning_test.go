package embed

import "testing"

// How much a word tells grows with how rare it is; one that nobody knows tells most.
func TestModel_Tells(t *testing.T) {
	last := -1.0
	for _, word := range []string{"the", "two", "shown", "approval", "flutter", "qzxv"} {
		now := Builtin().Tells(word)
		if now <= last || now > 1 {
			t.Errorf("%s tells %v, the one before %v", word, now, last)
		}
		last = now
	}
}

// D4: what two texts share is more for one in other words than for one about the same
// thing, all for the same text, and nothing without words.
func TestMeaning_Shared(t *testing.T) {
	read := Builtin().Meaning
	said := read("Since only the main database file is copied and not its write-ahead log, whatever was written in about the hour before a backup is missing after restoring it.")
	other := read("A restore of the nightly backup lacks the records of the last 50 to 60 minutes before it was taken. The write-ahead log is not part of the copied files.")
	about := read("A backup made on x86 is refused on ARM with a checksum error, although both machines are little-endian and the file arrives byte for byte equal.")
	if same := said.Shared(said); same != 1 {
		t.Errorf("the same text shares %v", same)
	}
	if near, far := said.Shared(other), said.Shared(about); near <= far || near != other.Shared(said) || far < 0 {
		t.Errorf("in other words %v (and back %v), about the same %v", near, other.Shared(said), far)
	}
	if nothing := said.Shared(read("… — !")); nothing != 0 {
		t.Errorf("no words share %v", nothing)
	}
	if zero := read("12 of 40").Shared(read("13 of 41")); zero > 0.1 {
		t.Errorf("other numbers share %v", zero)
	}
}
