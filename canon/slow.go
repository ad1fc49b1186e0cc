package canon

import (
	"bytes"

	"brenner"
)

const (
	// quickDigits are as many as one machine word holds; of more the rest decides only where
	// two floating point numbers are equally near.
	quickDigits = 19
	// farDigits is from which power of ten on it takes long to see which of the two is nearer.
	farDigits = 40
	// edgeDigits is the power of ten at either end of what floating point holds.
	edgeDigits = 307
)

// CheckNumbers reports LIMIT_EXCEEDED if more than brenner.MaxSlowNumbers numbers of some JSON
// take long to read. It is asked of what comes from outside; what is stored is read as it is.
func CheckNumbers(raw []byte) error {
	n, _ := SlowNumbers(raw)
	if n <= brenner.MaxSlowNumbers {
		return nil
	}
	return brenner.Errorf(brenner.CodeLimitExceeded, "%d numbers take long to read: they have an exponent of %d and more, or more than %d digits and one beyond %d; at most %d may",
		n, edgeDigits, quickDigits, farDigits, brenner.MaxSlowNumbers).WithHint("write them as texts, in quotes")
}

// SlowNumbers counts the numbers of some JSON that take some thousand times as long to read as
// others, twenty or thirty microseconds each: those at the ends of what 64-bit floating point
// holds, and those of many digits far from its middle. It says where the first stands.
func SlowNumbers(raw []byte) (n, first int) {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i += StringEnd(raw[i:])
		case c >= '0' && c <= '9':
			end := i + 1
			for end < len(raw) && inNumber(raw[end]) {
				end++
			}
			if end-i > 4 && slow(raw[i:end]) { // 1e309 is the shortest
				if n == 0 {
					first = i
				}
				n++
			}
			i = end
		default:
			i++
		}
	}
	return n, first
}

// StringEnd is how long the string is with which some JSON begins.
func StringEnd(raw []byte) int {
	for at := 1; ; {
		n := bytes.IndexByte(raw[at:], '"')
		if n < 0 {
			return len(raw)
		}
		end := at + n
		escaped := 0
		for raw[end-1-escaped] == '\\' {
			escaped++
		}
		if at = end + 1; escaped%2 == 0 {
			return at
		}
	}
}

func inNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '+' || c == '-' || c|0x20 == 'e'
}

// slow says whether a number without its sign takes long to read.
func slow(number []byte) bool {
	power := 0 // of ten, of the first digit that is not 0
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		number, power = number[:i], exponent(number[i+1:])
	}
	whole, fraction, _ := bytes.Cut(number, []byte{'.'})
	whole = bytes.TrimLeft(whole, "0")
	digits := len(whole) + len(fraction)
	power += len(whole) - 1
	if len(whole) == 0 {
		digits = len(bytes.TrimLeft(fraction, "0"))
		power -= len(fraction) - digits
	}
	power = max(power, -power)
	return digits > 0 && (power >= edgeDigits || digits > quickDigits && power > farDigits)
}

// exponent reads what follows the e of a number; one that is far too large is said to be large.
func exponent(text []byte) int {
	const large = 1 << 40
	n, sign := 0, 1
	for _, c := range text {
		switch {
		case c == '-':
			sign = -1
		case c >= '0' && c <= '9' && n < large:
			n = 10*n + int(c-'0')
		}
	}
	return sign * n
}
