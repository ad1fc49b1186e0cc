package admission

import (
	"bytes"

	"brenner"
)

// What a value of a request becomes in memory, by estimate: an object a struct
// in a list that grows, anything else a string or a number in one.
const (
	objectBytes = 256
	valueBytes  = 24
	// valuesWeight is how much more than its bytes a request may become, beyond
	// the first brenner.FreeWorkBytes.
	valuesWeight = 6
)

// CheckValues refuses a request in JSON that is small as it comes and large as it
// is read: a list of millions of empty objects. It is asked before that is read.
func CheckValues(raw []byte) error {
	var objects, values int64
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{':
			objects++
		case '[', ',':
			values++
		case '"':
			i += stringEnd(raw[i+1:])
		}
	}
	if objectBytes*objects+valueBytes*values > valuesWeight*int64(len(raw))+brenner.FreeWorkBytes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the request has %d values, too many for its %d bytes", objects+values, len(raw)).
			WithHint("send lists in parts, and no empty elements")
	}
	return nil
}

// stringEnd is how far the quote is that ends a string.
func stringEnd(rest []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(rest[at:], '"')
		if n < 0 {
			return len(rest)
		}
		end := at + n
		backslashes := 0
		for end-1-backslashes >= at && rest[end-1-backslashes] == '\\' {
			backslashes++
		}
		if at = end + 1; backslashes%2 == 0 {
			return at
		}
	}
}
