package mcpserver_test

import (
	"testing"
)

// D5, C33: two agents change parts of one text over the tools before it is compiled:
// both stand, neither is told that it was overtaken, and who quotes what is not there
// any more is shown what is.
func TestDeltas_PartsOfOneText(t *testing.T) {
	_, blue, red := pair(t)
	submit := func(p *player, text string, more ...any) string {
		args := arguments{"session": "RS-pair", "text": text}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		words, _ := p.call("delta_submit", args)
		return words
	}
	part := func(old, now string) string {
		return deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":{"old":"`+old+`","new":"`+now+`"}}`, "")
	}
	submit(blue, hypothesis("Parser", "", "the parser is slow on long lines, and the printer waits for it"))
	submit(red, hypothesis("Disk", "", "the disk is slow"))
	blue.must(submit(blue, part("the printer", "the old printer"), "dry_run", true), "claim would say (data): the parser is slow on long lines, and the old printer waits for it", "nothing was kept")
	first := part("long lines", "lines over 4 kB")
	blue.must(submit(blue, first), ": applied")
	red.must(submit(red, part("the printer", "every printer")), ": applied")
	blue.must(submit(blue, first), "handed in before; nothing changed", ": applied")
	words := submit(red, part("long lines", "many lines")+hypothesis("Net", "", "the net is slow"))
	red.must(words, "ANCHOR_NOT_FOUND: the words of old do not stand in claim of H1, which RedSky wrote at", "(at /payload/claim/old)",
		"nearest, claim says (data): the parser is slow on lines over 4 kB, and every printer waits for it")
	words, _ = blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true})
	blue.must(words, "Claim: the parser is slow on lines over 4 kB, and every printer waits for it")
	words = submit(blue, part("no such words", "x"))
	blue.must(words, "no answer yet")
}
