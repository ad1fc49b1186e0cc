package canon

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ordered gives the canonical form of what the JSON library wrote of a value: it has no
// space and canonical strings, so that only numbers are left to look at, and the members of
// objects to put in order. Where it finds what it does not know it leaves all of it to the
// library, which reads every object twice.
func ordered(raw []byte) ([]byte, error) {
	o := orderer{raw: raw}
	if o.value() && o.at == len(raw) {
		o.write()
		return o.out, nil
	}
	val := jsontext.Value(raw)
	err := val.Canonicalize()
	return val, err
}

// orderer reads JSON and writes it again. Its methods report whether they know what they read.
type orderer struct {
	raw     []byte
	at      int // what is read next
	from    int // what was read and is not written begins there
	out     []byte
	members []member // of the objects that are being read, the outermost first
	aside   []byte
}

// member is a member of an object: where its name stands in what is read, and where all of
// it will stand in what is written.
type member struct{ name, nameEnd, from, to int }

// place is where what is read next will be written.
func (o *orderer) place() int { return len(o.out) + o.at - o.from }

// write writes what was read.
func (o *orderer) write() {
	if o.out == nil {
		o.out = make([]byte, 0, len(o.raw))
	}
	o.out, o.from = append(o.out, o.raw[o.from:o.at]...), o.at
}

// next is the next byte, 0 at the end.
func (o *orderer) next() byte {
	if o.at < len(o.raw) {
		return o.raw[o.at]
	}
	return 0
}

func (o *orderer) value() bool {
	switch o.next() {
	case '{':
		return o.object()
	case '[':
		return o.array()
	case '"':
		return o.text()
	case 't', 'n':
		return o.skip(len("true"))
	case 'f':
		return o.skip(len("false"))
	}
	return o.number()
}

func (o *orderer) skip(n int) bool {
	o.at += n
	return o.at <= len(o.raw)
}

// mark reads a mark if it comes next.
func (o *orderer) mark(c byte) bool { return o.next() == c && o.skip(1) }

func (o *orderer) text() bool {
	if !o.mark('"') {
		return false
	}
	for {
		end := bytes.IndexByte(o.raw[o.at:], '"')
		if end < 0 {
			return false
		}
		last := o.at + end
		for last > o.at && o.raw[last-1] == '\\' {
			last--
		}
		escaped := (o.at+end-last)%2 == 1
		if o.at += end + 1; !escaped {
			return true
		}
	}
}

func (o *orderer) array() bool {
	o.skip(len("["))
	for first := true; !o.mark(']'); first = false {
		if !first && !o.mark(',') || !o.value() {
			return false
		}
	}
	return true
}

func (o *orderer) object() bool {
	begin, own := o.place()+1, len(o.members)
	o.skip(len("{"))
	sorted := true
	for first := true; !o.mark('}'); first = false {
		if !first && !o.mark(',') {
			return false
		}
		m := member{name: o.at, from: o.place()}
		if !o.text() {
			return false
		}
		m.nameEnd = o.at
		if !plain(o.name(m)) || !o.mark(':') || !o.value() {
			return false
		}
		m.to = o.place()
		sorted = sorted && (first || o.before(o.members[len(o.members)-1], m))
		o.members = append(o.members, m)
	}
	known := sorted || o.sort(o.members[own:], begin)
	o.members = o.members[:own]
	return known
}

// name gives the name of a member, between its marks.
func (o *orderer) name(m member) []byte { return o.raw[m.name+1 : m.nameEnd-1] }

// before reports whether a member comes before another.
func (o *orderer) before(m, n member) bool { return bytes.Compare(o.name(m), o.name(n)) < 0 }

// plain reports whether names of these bytes are in order where their bytes are. Names are
// ordered by how UTF-16 has them, which differs beyond ASCII.
func plain(name []byte) bool {
	for _, c := range name {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// sort puts the members of an object in order, which was read to its end and whose first
// member stands at a place of what is written. It knows none that has two of a name.
func (o *orderer) sort(members []member, begin int) bool {
	o.write()
	slices.SortFunc(members, func(m, n member) int { return bytes.Compare(o.name(m), o.name(n)) })
	for i := 1; i < len(members); i++ {
		if !o.before(members[i-1], members[i]) {
			return false
		}
	}
	o.aside = o.aside[:0]
	for _, m := range members {
		o.aside = append(append(o.aside, o.out[m.from:m.to]...), ',')
	}
	copy(o.out[begin:], o.aside[:len(o.aside)-1])
	return true
}

// number reads a number: as it is, if it is one of few digits that can be written in one
// way only, else as the library has it.
func (o *orderer) number() bool {
	end := o.at
	for end < len(o.raw) && (o.raw[end] >= '0' && o.raw[end] <= '9' || strings.IndexByte("+-.eE", o.raw[end]) >= 0) {
		end++
	}
	written := o.raw[o.at:end]
	if onlyWay(written) {
		return o.skip(len(written))
	}
	o.write()
	n := jsontext.Value(bytes.Clone(written))
	if n.Canonicalize() != nil {
		return false
	}
	o.out, o.at, o.from = append(o.out, n...), end, end
	return true
}

// onlyWay reports whether a number is written in the only way for it: of up to fifteen
// digits, which no two doubles share, without an exponent and without zeros that tell
// nothing, and not so small that it is written with one.
func onlyWay(number []byte) bool {
	digits := bytes.TrimPrefix(number, []byte("-"))
	point := len(digits)
	for i, c := range digits {
		switch {
		case c == '.' && point == len(digits):
			point = i
		case c < '0' || c > '9':
			return false
		}
	}
	switch whole := digits[:point]; {
	case len(whole) == 0, len(digits) > 15, whole[0] == '0' && len(whole) > 1:
		return false
	case point < len(digits):
		broken := digits[point+1:]
		return len(broken) > 0 && broken[len(broken)-1] != '0' && (whole[0] != '0' || !bytes.HasPrefix(broken, []byte("000000")))
	}
	return digits[0] != '0' || len(number) == len(digits)
}
