package artifact_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
)

// C5: a number that canonical JSON would store as another is refused, and what is
// stored is taken in again as it is.
func TestNewContent_RefusesNumbersThatWouldChange(t *testing.T) {
	for _, number := range []string{
		"0", "-0", "7", "-7", "0.1", "1e5", "9007199254740992", "-9007199254740994", "1" + strings.Repeat("0", 40), "1.7976931348623157e308", "5e-324",
		"3.14159265358979323846", "0.0", "0e400", "123456789012345680000",
	} {
		c, err := artifact.NewContent(artifact.JSON, []byte(`{ "n": [`+number+`]}`))
		if err != nil {
			t.Errorf("%s: %v", number, err)
			continue
		}
		if again, err := artifact.NewContent(artifact.JSON, c.Data); err != nil || string(again.Data) != string(c.Data) {
			t.Errorf("%s, stored as %s: %v", number, c.Data, err)
		}
	}
	for _, number := range []string{"9007199254740993", "-9007199254740993", "1e400", "-1e400", "1e-400", "12345678901234567890", strings.Repeat("9", 400)} {
		_, err := artifact.NewContent(artifact.JSON, []byte(`{ "n": [`+number+`]}`))
		var refused *brenner.Error
		if !errors.As(err, &refused) || refused.Code != brenner.CodeInvalidJSON || refused.Pointer != "/n/0" {
			t.Errorf("%s: %v", brenner.Clip(number, 30), err)
		}
	}
}
