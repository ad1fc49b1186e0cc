package cli

import "testing"

// X12: what an artifact says neither drives the terminal nor turns its lines.
func TestPrintable_NothingUnseenReachesTheTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\nc":                         "a\tb\nc",
		"\x1b[2Jx\r\x7f\u009b":            "\ufffd[2Jx\ufffd\ufffd\ufffd",
		"safe\u202egnp.exe":               "safe\ufffdgnp.exe",
		"\u2066a\u2069\u200f\u061c":       "\ufffda\ufffd\ufffd\ufffd",
		"one\u2028two\ufeff\U000e0041":    "one\ufffdtwo\ufffd\ufffd",
		"\u0645\u06cc\u200c\u062e \u4e16": "\u0645\u06cc\u200c\u062e \u4e16",
		"\U0001f469\u200d\U0001f52c":      "\U0001f469\u200d\U0001f52c",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}
