package delta_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/delta"
)

// longReading are texts over which a reader can be kept long.
var longReading = map[string]string{
	"open objects":  `{"a":`,
	"members":       `{"a":1,`,
	"fences":        "```delta\n{\n",
	"lists":         "- - - x\n",
	"deltas":        "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"x\"},\"rationale\":\"r\"}\n```\n\n",
	"broken deltas": "{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"x\n\n",
}

// X9: a reply that nobody waits for is not read to its end: when it is said so,
// nothing more is asked after that.
func TestReadUntil_StopsWhenNobodyWaits(t *testing.T) {
	for name, unit := range longReading {
		text := []byte(strings.Repeat(unit, 100_000/len(unit)))
		asked := 0
		if _, err := delta.ReadUntil(func() bool { asked++; return false }, text, delta.Envelope{Agent: "RedSky"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if asked < 10 {
			t.Errorf("%s: in all it was asked only %d times", name, asked)
		}
		at := asked / 2
		asked = 0
		_, err := delta.ReadUntil(func() bool { asked++; return asked >= at }, text, delta.Envelope{Agent: "RedSky"})
		if !errors.Is(err, brenner.CodeCanceled) || asked != at {
			t.Errorf("%s: told to stop at %d it asked %d times and said %v", name, at, asked, err)
		}
	}
}
