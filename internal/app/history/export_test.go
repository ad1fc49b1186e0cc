package history

import (
	"bytes"
	"testing"

	"brenner/canon"
)

// J5: the line of a content is the canonical one, whatever its bytes are.
func TestExport_LinesOfContentsAreCanonical(t *testing.T) {
	for _, data := range [][]byte{{}, {0}, []byte("a"), []byte("<&\u2028\"é\n"), bytes.Repeat([]byte{0xff, 0xfb, 1, 2, 3}, 999)} {
		d := canon.Sum(data)
		want, err := canon.Marshal(exportLine{Blob: &exportBlob{SHA256: d, Data: data}})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := writeBlob(&got, d, data); err != nil || got.String() != string(want)+"\n" {
			t.Errorf("%q, %v; want %q", got.String(), err, want)
		}
	}
}
