package playbook

import (
	"strings"
	"unicode"
)

// guardWords cuts a text into lower-case runs of letters and digits. An
// apostrophe inside a word vanishes, so that "don't" is one word.
func guardWords(text string) []string {
	text = apostrophes.Replace(strings.ToLower(text))
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var apostrophes = strings.NewReplacer("'", "", "’", "")

// negators turn a statement round.
var negators = wordSet(`
	not no never none nothing nobody nowhere neither nor non without cannot unless
	cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt
	couldnt hasnt havent hadnt mustnt neednt shant aint
	avoid avoids avoided avoiding refrain refrains forbid forbids forbidden
	instead rather
`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// clauseWords, by stem, begin a clause that can stand first or last.
var clauseWords = stemSet(`
	before after when whenever if while unless until once because since to for with
	in on at by from during without so that
`)

func stemSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[stem(w)] = true
	}
	return set
}

// lightWords name nothing by themselves.
var lightWords = wordSet(`
	a an the this that these those it its they them their we our you your he she his her i my
	and or but so as if then than when whenever while until once because since though although
	of to in on at by for from with into onto over under through between within during against
	about around across along behind beside beyond per via out up down off upon toward towards
	is are was were be been being am do does did done doing has have had having
	can could may might must shall should will would ought need needs needed
	all any some each every both either many much more most few less least several other another such same
	only just also even still yet already again always often usually sometimes ever very quite too
	who whom whose which what where why how there here now
	make makes made making let lets use uses used using go goes going take takes taken taking
	get gets got getting keep keeps kept keeping set sets setting put puts give gives
	help helps helped thing things one ones way ways together own well rather instead whole entire
`)

// kinds groups things of one kind whose vectors lie close: different members
// are different things. By stem.
var kinds = kindSet(
	"millisecond second minute hour day week month quarter year decade",
	"monday tuesday wednesday thursday friday saturday sunday",
	"january february march april may june july august september october november december",
	"morning noon afternoon evening night",
	"north south east west", "spring summer autumn winter",
	"bit byte kilobyte megabyte gigabyte terabyte",
	"millimetre centimetre metre kilometre inch foot mile", "gram kilogram pound",
	"celsius fahrenheit kelvin",
	"cpu gpu tpu", "heap stack", "encoder decoder", "frontend backend", "input output",
	"tcp udp", "http https", "get post put patch", "integer float string boolean",
	"postgresql postgres mysql sqlite mariadb oracle",
	"java javascript typescript python ruby rust kotlin", "train validation test",
	"mouse mice rat hamster", "cat dog horse", "oxygen hydrogen nitrogen carbon",
	"doctor nurse", "mean median mode", "row column", "red green blue yellow black white",
)

func kindSet(groups ...string) map[string]int {
	set := map[string]int{}
	for i, group := range groups {
		for _, w := range strings.Fields(group) {
			set[stem(w)] = i + 1
		}
	}
	return set
}

// opposition says what kind of opposite one word is of another.
type opposition int

const (
	notOpposite      opposition = iota
	opposite                    // as good as a negation
	oppositeRelation            // undone by exchanging what it relates
)

// opposed lists pairs of opposites, by stem.
var opposed = pairSet(opposite, `
	enable/disable allow/deny allow/forbid permit/deny accept/reject include/exclude
	increase/decrease increase/reduce raise/lower add/remove add/delete insert/delete
	open/close start/stop begin/end on/off true/false yes/no succeed/fail pass/fail
	success/failure public/private synchronous/asynchronous sync/async up/down
	min/max minimum/maximum minimise/maximise minimize/maximize best/worst good/bad better/worse
	high/low higher/lower fast/slow faster/slower hot/cold warm/cold positive/negative
	internal/external push/pull read/write encode/decode encrypt/decrypt compress/decompress
	even/odd left/right early/late earlier/later ascending/descending always/sometimes
	small/large smaller/larger short/long shorter/longer many/few often/rarely easy/hard easier/harder
	import/export attach/detach connect/disconnect mount/unmount verbose/quiet eager/lazy
	upgrade/downgrade eagerly/lazily keep/drop strong/weak old/new
`).and(oppositeRelation, `
	before/after above/below over/under more/less more/fewer greater/smaller
`)

type pairs map[[2]string]opposition

func pairSet(kind opposition, list string) pairs { return pairs{}.and(kind, list) }

func (p pairs) and(kind opposition, list string) pairs {
	for _, pair := range strings.Fields(list) {
		x, y, _ := strings.Cut(pair, "/")
		p[[2]string{stem(x), stem(y)}] = kind
		p[[2]string{stem(y), stem(x)}] = kind
	}
	return p
}

// opposites compares two stems: a listed pair, or one the other with a
// negating prefix.
func opposites(x, y string) opposition {
	if kind := opposed[[2]string{x, y}]; kind != notOpposite {
		return kind
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) >= 3 {
		for _, prefix := range []string{"un", "non", "in", "im", "ir", "dis"} {
			if y == prefix+x {
				return opposite
			}
		}
	}
	return notOpposite
}

// stem strips the commonest endings, alike for words of one family; the result
// need not be a word.
func stem(w string) string {
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ies"), len(w) > 5 && strings.HasSuffix(w, "ied"):
		return w[:len(w)-3] + "y"
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = undouble(w[:len(w)-3])
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = undouble(w[:len(w)-2])
	case len(w) > 4 && strings.HasSuffix(w, "es"):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		w = w[:len(w)-1]
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// undouble turns "runn" into "run", but leaves "pass" and "call".
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("sl", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
