package main

import (
	"math"
	"strconv"
	"strings"
)

// shown is how a number is written for a reader.
type shown func(float64) string

// nanoseconds writes a time in the unit that suits it.
func nanoseconds(v float64) string {
	switch {
	case v < 1e3:
		return significant(v) + " ns"
	case v < 1e6:
		return significant(v/1e3) + " µs"
	case v < 1e9:
		return significant(v/1e6) + " ms"
	}
	return significant(v/1e9) + " s"
}

func milliseconds(v float64) string { return nanoseconds(v * 1e6) }
func microseconds(v float64) string { return nanoseconds(v * 1e3) }

// perSecond writes a rate, and rate the same from the time of one.
func perSecond(v float64) string { return significant(v) + "/s" }
func rate(ns float64) string     { return perSecond(1e9 / ns) }

func times(v float64) string { return significant(v) + "×" }

// number is anything else, with what it counts.
func number(unit string) shown {
	return func(v float64) string { return significant(v) + " " + unit }
}

// significant writes three significant digits, thousands set apart.
func significant(v float64) string {
	switch {
	case math.Abs(v) >= 1000:
		return thousands(strconv.FormatFloat(v, 'f', 0, 64))
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case math.Abs(v) >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func thousands(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
