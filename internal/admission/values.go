package admission

import (
	"brenner"
	"brenner/canon"
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
// is read, a list of millions of empty objects, or that takes long to read for its
// numbers. It is asked before that is read.
func CheckValues(raw []byte) error {
	var objects, values int64
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{':
			objects++
		case '[', ',':
			values++
		case '"':
			i += canon.StringEnd(raw[i:]) - 1
		}
	}
	if objectBytes*objects+valueBytes*values > valuesWeight*int64(len(raw))+brenner.FreeWorkBytes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the request has %d values, too many for its %d bytes", objects+values, len(raw)).
			WithHint("send lists in parts, and no empty elements")
	}
	return canon.CheckNumbers(raw)
}
