package retrieval

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"

	"golang.org/x/text/unicode/norm"
)

// MaxWordBytes bounds a word; longer runs of letters (hashes, data) are cut.
const MaxWordBytes = 64

// maxRemembered bounds the words an Analyzer remembers. A project of 100,000
// notes has fewer; where a text brings more (data, not prose) it forgets.
const maxRemembered = 1 << 17

// Words gives the words of a text, in order and with repetitions: runs of
// letters and digits, however short, in lower case, without accents, without
// the commonest English words, reduced to their stem. An ideograph or kana is a
// word of its own.
func Words(text string) []string {
	var a Analyzer
	numbers := a.Words(nil, text)
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = a.Word(n)
	}
	return out
}

// An Analyzer cuts texts into words and numbers the words, 0, 1, 2… as it
// meets them. It remembers what it has met, so that cutting the next text costs
// little more than reading it. The zero Analyzer is ready; it is not safe for
// concurrent use.
type Analyzer struct {
	brief brief            // what was read, in lower case, → number, or common
	long  map[string]int32 // the same for what is longer
	stems map[string]int32 // stem → number
	words []string         // by number
	read  [MaxWordBytes + utf8.UTFMax]byte
}

// common is the number of a word that says nothing.
const common = -1

// Word gives the word of a number.
func (a *Analyzer) Word(n int32) string { return a.words[n] }

// Size is how many words have been numbered.
func (a *Analyzer) Size() int { return len(a.words) }

// Full reports that the Analyzer remembers about as much as it should. Numbers
// stay what they are.
func (a *Analyzer) Full() bool { return a.brief.used+len(a.long) >= maxRemembered }

// reset forgets all words and keeps the room they took, unless that is much.
func (a *Analyzer) reset() {
	if len(a.brief.slots) > 1<<13 {
		*a = Analyzer{}
		return
	}
	clear(a.brief.slots)
	clear(a.long)
	clear(a.stems)
	clear(a.words)
	a.brief.used, a.words = 0, a.words[:0]
}

// Words appends the numbers of the words of a text to a list.
func (a *Analyzer) Words(list []int32, text string) []int32 {
	text = undressed(text)
	n := 0 // bytes read of a word
	for i := 0; i < len(text); {
		b := text[i]
		if c := asciiWord[b]; c != 0 {
			if n < MaxWordBytes {
				a.read[n] = c
				n++
			}
			i++
			continue
		}
		if b < utf8.RuneSelf {
			list, n = a.take(list, n), 0
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case ideograph(r):
			list = a.take(list, n)
			list, n = a.take(list, utf8.EncodeRune(a.read[:], r)), 0
		case unicode.Is(unicode.Mn, r): // the accent of the letter before it
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if n < MaxWordBytes {
				n += utf8.EncodeRune(a.read[n:], unicode.ToLower(r))
			}
		default:
			list, n = a.take(list, n), 0
		}
	}
	return a.take(list, n)
}

// take appends the number of a word of n bytes that was read, unless it says
// nothing.
func (a *Analyzer) take(list []int32, n int) []int32 {
	if n == 0 {
		return list
	}
	number := a.numberOf(n)
	if number == common {
		return list
	}
	return append(list, number)
}

func (a *Analyzer) numberOf(n int) int32 {
	if n <= briefBytes {
		clear(a.read[n:briefBytes])
		key := briefKey{binary.LittleEndian.Uint64(a.read[:8]), binary.LittleEndian.Uint64(a.read[8:])}
		if number, known := a.brief.get(key); known {
			return number
		}
		number := a.learn(string(a.read[:n]))
		a.brief.put(key, number)
		return number
	}
	if number, known := a.long[string(a.read[:n])]; known {
		return number
	}
	if a.long == nil {
		a.long = map[string]int32{}
	}
	word := string(a.read[:n])
	number := a.learn(word)
	a.long[word] = number
	return number
}

// learn numbers a word that is met for the first time.
func (a *Analyzer) learn(word string) int32 {
	if commonWords()[word] {
		return common
	}
	stem := stem(word)
	number, known := a.stems[stem]
	if !known {
		if a.stems == nil {
			a.stems = map[string]int32{}
		}
		number = int32(len(a.words))
		a.words = append(a.words, stem)
		a.stems[stem] = number
	}
	return number
}

// brief maps words of up to 16 bytes, which nearly all are, to numbers. A map
// does that too and takes three times as long, which is most of what cutting a
// text into words takes.
type brief struct {
	slots []briefSlot // twice as many as are used at least, a power of two
	used  int
}

const briefBytes = 16

// briefKey is the bytes of a word; no word has a zero byte.
type briefKey struct{ low, high uint64 }

type briefSlot struct {
	key    briefKey
	number int32
}

func (b *brief) get(key briefKey) (number int32, known bool) {
	if len(b.slots) == 0 {
		return 0, false
	}
	s := b.slot(key)
	return s.number, s.key == key
}

// slot gives where a key is, or would be.
func (b *brief) slot(key briefKey) *briefSlot {
	last := uint64(len(b.slots) - 1)
	for i := key.hash(); ; i++ {
		if s := &b.slots[i&last]; s.key == key || s.key.low == 0 {
			return s
		}
	}
}

func (k briefKey) hash() uint64 {
	h := k.low*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(k.high*0xc2b2ae3d27d4eb4f, 31)
	return h ^ h>>29
}

func (b *brief) put(key briefKey, number int32) {
	if 2*(b.used+1) > len(b.slots) {
		old := b.slots
		b.slots = make([]briefSlot, max(16, 2*len(old))) // few at first: often it is one word
		for _, s := range old {
			if s.key.low != 0 {
				*b.slot(s.key) = s
			}
		}
	}
	*b.slot(key) = briefSlot{key, number}
	b.used++
}

// asciiWord maps the letters and digits of ASCII to lower case, all else to 0.
var asciiWord = func() (table [256]byte) {
	for c := byte('0'); c <= '9'; c++ {
		table[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = c, c
	}
	return table
}()

// undressed takes letters apart from their accents and other dress.
func undressed(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return norm.NFKD.String(text)
		}
	}
	return text
}

// commonWords are those that say nothing about a text: articles, pronouns,
// prepositions, conjunctions, auxiliaries, the words questions are asked with,
// and what is left of a contraction when its apostrophe is gone.
var commonWords = lazy.Value(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a about above after again against all almost along also although always am among an and another any anyone anything are
		around as at back be became because become becomes been before being below between both but by
		can cannot could d did do does doing done don down due during
		each either else enough etc ever every everyone everything except
		few for from further get gets getting give given go going gone got
		had has have having he hence her here hers herself him himself his how however
		i if in indeed instead into is it its itself just
		least less let like likely ll m made make makes many may maybe me mean means might mine more most mostly much must my myself
		neither never no nobody none nor not nothing now
		of off often on once one only onto or other others otherwise ought our ours ourselves out over own
		per perhaps please put quite rather re really
		s said same say says see seem seemed seems seen several shall she should since so some somebody someone something sometimes
		soon still such
		t take taken than that the their theirs them themselves then there thereby therefore these they thing things this those
		though through thus to together too toward towards
		under unless until up upon us use used uses using usually
		various ve very via was way we well went were what whatever when where whereas whether which while who whom whose why will
		with within without would yet you your yours yourself yourselves`) {
		m[w] = true
	}
	return m
})
