package admission

import (
	"bytes"
	"io"

	"brenner"
)

// ReadBody reads a body that says how long it is (less than 0: it does not) into
// as much memory as that.
func ReadBody(r io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(r)
	}
	b := bytes.NewBuffer(make([]byte, 0, min(length, brenner.MaxRequestBytes)+bytes.MinRead))
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}
