package program

import (
	"math"
	"strconv"
	"strings"

	"brenner"
)

// Money is an amount in millionths of a US dollar, so that sums are exact. In
// JSON it is a number of dollars.
type Money int64

const dollar = 1_000_000

// Dollars gives the amount that a program reported, rounded to a millionth;
// ok is false for what is no amount.
func Dollars(f float64) (m Money, ok bool) {
	if math.IsNaN(f) || f < 0 || f > 1e9 {
		return 0, false
	}
	return Money(math.Round(f * dollar)), true
}

// ParseMoney reads 2, 0.25 or $1.5.
func ParseMoney(s string) (Money, error) {
	f, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(s), "$"), 64)
	m, ok := Dollars(f)
	if err != nil || !ok {
		return 0, brenner.Errorf(brenner.CodeInvalidValue, "%q is not an amount in US dollars", brenner.Clip(s, 40)).WithHint("write it as 2 or 0.25")
	}
	return m, nil
}

// String writes the amount with as many digits as it needs, at least two.
func (m Money) String() string {
	s := strconv.FormatFloat(float64(m)/dollar, 'f', 6, 64)
	for strings.HasSuffix(s, "0") && len(s)-strings.IndexByte(s, '.') > 3 {
		s = s[:len(s)-1]
	}
	return "$" + s
}

// MarshalJSON writes dollars.
func (m Money) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m)/dollar, 'f', -1, 64), nil
}

// UnmarshalJSON reads dollars.
func (m *Money) UnmarshalJSON(raw []byte) error {
	read, err := ParseMoney(string(raw))
	*m = read
	return err
}
