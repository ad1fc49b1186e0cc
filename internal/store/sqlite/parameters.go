package sqlite

import (
	"bytes"
	"cmp"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner"
	"brenner/internal/order"
	"brenner/internal/store/fulltext"
)

// keysParameter writes keys as a JSON array.
func keysParameter(keys iter.Seq[int64]) string {
	out := []byte{'['}
	for key := range keys {
		out = append(strconv.AppendInt(out, key, 10), ',')
	}
	return string(append(bytes.TrimSuffix(out, []byte{','}), ']'))
}

// refsParameter writes the references that can be, each once, as members of a
// JSON object: "ID": VERSION.
func refsParameter(refs []brenner.Ref) string {
	object := []byte{'{'}
	for _, ref := range distinct(refs) {
		if !possible(ref.Version) {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = appendText(object, string(ref.Artifact))
		object = strconv.AppendInt(append(object, ':'), int64(ref.Version), 10)
	}
	return string(append(object, '}'))
}

// settledParameter writes the versions that notes want as members of a JSON object, in
// the order of the keys of their artifacts: "KEY": "VERSIONS".
func settledParameter(notes []fulltext.Note) string {
	notes = order.Of(notes, func(a, b fulltext.Note) int { return cmp.Compare(a.Key, b.Key) })
	object := []byte{'{'}
	for i, n := range notes {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(strconv.AppendInt(append(object, '"'), n.Key, 10), '"', ':')
		object = appendText(object, fulltext.Encode(n.Wanted))
	}
	return string(append(object, '}'))
}

// textsParameter writes texts as a JSON array, for json_each.
func textsParameter[T ~string](texts []T) string {
	array := []byte{'['}
	for i, t := range texts {
		if i > 0 {
			array = append(array, ',')
		}
		array = appendText(array, string(t))
	}
	return string(append(array, ']'))
}

// appendText appends a JSON string. Text that cannot be stored is not found
// whatever it becomes.
func appendText(out []byte, text string) []byte {
	out, _ = jsontext.AppendQuote(out, strings.ToValidUTF8(text, "\ufffd"))
	return out
}
