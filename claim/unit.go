package claim

import (
	"math"
	"slices"
	"strings"

	"brenner/internal/lazy"
)

// dimension says what a unit measures: powers of the base units, and what is
// counted, for units that are no measure, such as requests or dollars.
type dimension struct {
	length, mass, time, current, temperature, amount, data int8
	of                                                     string // counted
	per                                                    string // counted in the denominator
}

// bare is the dimension of a plain number, a share or a ratio.
var bare dimension

// unit is what a number is of.
type unit struct {
	dimension
	factor float64 // how many base units it is
	offset float64 // of a temperature: what to add to the number first
	// loose units have no exact length: a month is a month. They are compared
	// with others to within a twentieth.
	loose bool
	// share marks percent and its kin: a share written as such.
	share bool
	name  string
}

func (d dimension) times(o dimension, sign int8) dimension {
	d.length += sign * o.length
	d.mass += sign * o.mass
	d.time += sign * o.time
	d.current += sign * o.current
	d.temperature += sign * o.temperature
	d.amount += sign * o.amount
	d.data += sign * o.data
	of, per := o.of, o.per
	if sign < 0 {
		of, per = per, of
	}
	d.of, d.per = joinCounted(d.of, of), joinCounted(d.per, per)
	return d
}

func joinCounted(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// over divides one unit by another.
func (u unit) over(o unit, power int8) unit {
	out := unit{dimension: u.dimension, factor: u.factor, loose: u.loose || o.loose, name: u.name + "/" + o.name}
	for range max(power, -power) {
		if power > 0 {
			out.dimension, out.factor = out.times(o.dimension, -1), out.factor/o.factor
		} else {
			out.dimension, out.factor = out.times(o.dimension, 1), out.factor*o.factor
		}
	}
	return out
}

// to raises a unit to a power.
func (u unit) to(power int8) unit {
	if power == 1 {
		return u
	}
	return unit{factor: 1}.over(u, -power).named(u.name)
}

func (u unit) named(name string) unit { u.name = name; return u }

// counted is the unit of things that are counted.
func counted(what string) unit {
	return unit{dimension: dimension{of: what}, factor: 1, name: what}
}

const (
	hour = 3600.0
	day  = 24 * hour
	year = 365.2425 * day
)

// symbols are the units that have one, as it is written; those with a prefix
// are made from it. names are spelled out, in the singular.
var units = lazy.Value(unitTables)

type unitTable struct{ symbols, names map[string]unit }

func unitTables() unitTable {
	symbols, names := map[string]unit{}, map[string]unit{}
	for _, d := range unitList {
		for _, s := range strings.Fields(d.symbols) {
			symbols[s] = d.unit.named(s)
		}
		for _, n := range strings.Fields(d.names) {
			names[n] = d.unit.named(n)
		}
		for _, p := range prefixes {
			if d.prefixed == "" || strings.Contains(p.only, "data") && d.unit.data == 0 || p.factor < 1 && d.unit.data != 0 {
				continue
			}
			scaled := d.unit
			scaled.factor *= p.factor
			for _, s := range strings.Fields(d.prefixed) {
				if _, taken := symbols[p.symbol+s]; !taken {
					symbols[p.symbol+s] = scaled.named(p.symbol + s)
				}
			}
			for _, n := range strings.Fields(d.names) {
				names[p.name+n] = scaled.named(p.name + n)
			}
		}
	}
	return unitTable{symbols, names}
}

var prefixes = []struct {
	symbol, name string
	factor       float64
	only         string
}{
	{"f", "femto", 1e-15, ""},
	{"p", "pico", 1e-12, ""},
	{"n", "nano", 1e-9, ""},
	{"µ", "micro", 1e-6, ""},
	{"u", "micro", 1e-6, ""},
	{"m", "milli", 1e-3, ""},
	{"c", "centi", 1e-2, ""},
	{"d", "deci", 1e-1, ""},
	{"h", "hecto", 1e2, ""},
	{"k", "kilo", 1e3, ""},
	{"K", "kilo", 1e3, "data"},
	{"M", "mega", 1e6, ""},
	{"G", "giga", 1e9, ""},
	{"T", "tera", 1e12, ""},
	{"P", "peta", 1e15, ""},
	{"Ki", "kibi", 1 << 10, "data"},
	{"Mi", "mebi", 1 << 20, "data"},
	{"Gi", "gibi", 1 << 30, "data"},
	{"Ti", "tebi", 1 << 40, "data"},
}

// unitList defines the units: symbols stand as they are, prefixed ones also
// behind a prefix, names are words.
var unitList = []struct {
	unit                     unit
	symbols, prefixed, names string
}{
	{unit{dimension: dimension{time: 1}, factor: 1}, "s sec secs", "s", "second"},
	{unit{dimension: dimension{time: 1}, factor: 60}, "min mins", "", "minute"},
	{unit{dimension: dimension{time: 1}, factor: hour}, "h hr hrs", "", "hour"},
	{unit{dimension: dimension{time: 1}, factor: day}, "d", "", "day"},
	{unit{dimension: dimension{time: 1}, factor: 7 * day}, "wk wks", "", "week"},
	{unit{dimension: dimension{time: 1}, factor: 14 * day}, "", "", "fortnight"},
	{unit{dimension: dimension{time: 1}, factor: year / 12, loose: true}, "mo", "", "month"},
	{unit{dimension: dimension{time: 1}, factor: year, loose: true}, "yr yrs", "", "year"},
	{unit{dimension: dimension{time: 1}, factor: 10 * year, loose: true}, "", "", "decade"},
	{unit{dimension: dimension{time: 1}, factor: 100 * year, loose: true}, "", "", "century"},
	{unit{dimension: dimension{time: -1}, factor: 1}, "Hz", "Hz", "hertz"},
	{unit{dimension: dimension{time: -1}, factor: 1.0 / 60}, "rpm bpm", "", ""},

	{unit{dimension: dimension{length: 1}, factor: 1}, "m", "m", "metre meter"},
	{unit{dimension: dimension{length: 1}, factor: 1e-6}, "", "", "micron"},
	{unit{dimension: dimension{length: 1}, factor: 1e-10}, "Å", "", "angstrom"},
	{unit{dimension: dimension{length: 1}, factor: 0.0254}, "", "", "inch"},
	{unit{dimension: dimension{length: 1}, factor: 0.3048}, "ft", "", "foot"},
	{unit{dimension: dimension{length: 1}, factor: 0.9144}, "yd", "", "yard"},
	{unit{dimension: dimension{length: 1}, factor: 1609.344}, "mi", "", "mile"},
	{unit{dimension: dimension{length: 2}, factor: 1e4}, "ha", "", "hectare"},
	{unit{dimension: dimension{length: 3}, factor: 1e-3}, "l L", "l L", "litre liter"},
	{unit{dimension: dimension{length: 3}, factor: 3.785411784e-3}, "gal", "", "gallon"},
	{unit{dimension: dimension{length: 1, time: -1}, factor: 0.44704}, "mph", "", ""},
	{unit{dimension: dimension{length: 1, time: -1}, factor: 1 / 3.6}, "kmh kph", "", ""},

	{unit{dimension: dimension{mass: 1}, factor: 1e-3}, "g", "g", "gram gramme"},
	{unit{dimension: dimension{mass: 1}, factor: 1e3}, "t", "", "tonne"},
	{unit{dimension: dimension{mass: 1}, factor: 0.45359237}, "lb lbs", "", "pound"},
	{unit{dimension: dimension{mass: 1}, factor: 0.028349523125}, "oz", "", "ounce"},
	{unit{dimension: dimension{mass: 1}, factor: 1.66053906660e-27}, "Da", "Da", "dalton"},

	{unit{dimension: dimension{temperature: 1}, factor: 1}, "K", "", "kelvin"},
	{unit{dimension: dimension{temperature: 1}, factor: 1, offset: 273.15}, "°C ℃", "", "celsius centigrade"},
	{unit{dimension: dimension{temperature: 1}, factor: 5.0 / 9, offset: 459.67}, "°F ℉", "", "fahrenheit"},

	{unit{dimension: dimension{amount: 1}, factor: 1}, "mol", "mol", "mole"},
	{unit{dimension: dimension{amount: 1, length: -3}, factor: 1e3}, "M", "M", "molar"},

	{unit{dimension: dimension{current: 1}, factor: 1}, "A", "A", "ampere amp"},
	{unit{dimension: dimension{mass: 1, length: 2, time: -3, current: -1}, factor: 1}, "V", "V", "volt"},
	{unit{dimension: dimension{mass: 1, length: 2, time: -3, current: -2}, factor: 1}, "Ω", "Ω", "ohm"},
	{unit{dimension: dimension{mass: 1, length: 1, time: -2}, factor: 1}, "N", "N", "newton"},
	{unit{dimension: dimension{mass: 1, length: 2, time: -2}, factor: 1}, "J", "J", "joule"},
	{unit{dimension: dimension{mass: 1, length: 2, time: -2}, factor: 4.184}, "cal", "cal", "calorie"},
	{unit{dimension: dimension{mass: 1, length: 2, time: -2}, factor: 1.602176634e-19}, "eV", "eV", ""},
	{unit{dimension: dimension{mass: 1, length: 2, time: -2}, factor: hour}, "Wh", "Wh", ""},
	{unit{dimension: dimension{mass: 1, length: 2, time: -3}, factor: 1}, "W", "W", "watt"},
	{unit{dimension: dimension{mass: 1, length: -1, time: -2}, factor: 1}, "Pa", "Pa", "pascal"},
	{unit{dimension: dimension{mass: 1, length: -1, time: -2}, factor: 1e5}, "bar", "bar", ""},
	{unit{dimension: dimension{mass: 1, length: -1, time: -2}, factor: 101325}, "atm", "", "atmosphere"},
	{unit{dimension: dimension{mass: 1, length: -1, time: -2}, factor: 133.322387415}, "mmHg torr", "", "torr"},
	{unit{dimension: dimension{mass: 1, length: -1, time: -2}, factor: 6894.757293168}, "psi", "", ""},

	{unit{dimension: dimension{data: 1}, factor: 8}, "B", "B", "byte"},
	// Lower-case kb, mb … are bytes in what people write.
	{unit{dimension: dimension{data: 1}, factor: 8e3}, "kb", "", ""},
	{unit{dimension: dimension{data: 1}, factor: 8e6}, "mb", "", ""},
	{unit{dimension: dimension{data: 1}, factor: 8e9}, "gb", "", ""},
	{unit{dimension: dimension{data: 1}, factor: 8e12}, "tb", "", ""},
	{unit{dimension: dimension{data: 1}, factor: 1}, "bit", "bit b", "bit"},
	{unit{dimension: dimension{data: 1, time: -1}, factor: 1}, "bps", "bps", ""},

	{unit{factor: 1e-2, share: true}, "% pct", "", "percent"},
	{unit{factor: 1e-3, share: true}, "‰", "", "permille"},
	{unit{factor: 1e-6, share: true}, "ppm", "", ""},
	{unit{factor: 1e-9, share: true}, "ppb", "", ""},
	// Degrees alone may be of an angle or of heat.
	{counted("degree"), "°", "", ""},
	{unit{dimension: dimension{of: "degree"}, factor: 180 / math.Pi}, "rad", "", "radian"},

	{counted("usd"), "$ USD", "", "dollar"},
	{counted("eur"), "€ EUR", "", "euro"},
	{counted("gbp"), "£ GBP", "", "sterling"},
	{counted("jpy"), "¥ JPY", "", "yen"},
	{counted("basepair"), "bp", "bp", "basepair"},
	{counted("frame").over(unit{dimension: dimension{time: 1}, factor: 1}, 1), "fps", "", ""},
}

// ratios are units only behind a number.
var ratios = strings.Fields("times fold")

// lookUnit finds the unit that a word or sign names.
func lookUnit(t token) (unit, bool) {
	raw := strings.ReplaceAll(t.raw, "μ", "µ")
	if u, ok := units().symbols[raw]; ok {
		return u, true
	}
	for _, name := range []string{t.text, strings.TrimSuffix(t.text, "s"), strings.TrimSuffix(t.text, "es")} {
		if u, ok := units().names[name]; ok {
			return u, true
		}
	}
	switch t.text {
	case "feet":
		return units().names["foot"].named("foot"), true
	case "inches":
		return units().names["inch"], true
	case "centuries":
		return units().names["century"], true
	}
	if slices.Contains(ratios, t.text) {
		return counted(t.text), true
	}
	return unit{}, false
}

// readUnit reads the unit that begins at in[i]: "mg/mL", "µm²/s", "square
// metres", "degrees Celsius", "requests per second" without the requests. size
// is how many tokens it takes, 0 if there is none.
func readUnit(in []token, i int) (u unit, size int) {
	if u, size = oneUnit(in, i); size == 0 {
		if i >= len(in) || in[i].text != "per" && in[i].text != "/" {
			return unit{}, 0
		}
		if _, more := denominator(in, i); more == 0 {
			return unit{}, 0
		}
		u = unit{factor: 1} // 5 per second, 5/s
	}
	for i+size < len(in) {
		below, more := denominator(in, i+size)
		if more == 0 {
			break
		}
		u, size = u.over(below, 1), size+more
	}
	return u, size
}

// denominator reads "/s", "per second", "a day" after "times".
func denominator(in []token, i int) (u unit, size int) {
	if t := in[i]; t.breaks || t.text != "/" && t.text != "per" && !(t.text == "a" && i > 0 && strings.HasPrefix(in[i-1].text, "time")) {
		return unit{}, 0
	}
	if i+1 >= len(in) || in[i+1].kind == numberToken {
		return unit{}, 0
	}
	if u, size = oneUnit(in, i+1); size > 0 {
		return u, size + 1
	}
	if in[i].text == "per" && in[i+1].kind == wordToken {
		return counted(stem(in[i+1].text)), 2
	}
	return unit{}, 0
}

// oneUnit reads a unit without a denominator, with its power.
func oneUnit(in []token, i int) (u unit, size int) {
	if i >= len(in) || in[i].breaks && i > 0 {
		return unit{}, 0
	}
	t := in[i]
	var power int8
	if (t.text == "square" || t.text == "cubic") && i+1 < len(in) {
		if power = 2; t.text == "cubic" {
			power = 3
		}
		if u, ok := lookUnit(in[i+1]); ok && u.length == 1 {
			return u.to(power), 2
		}
		return unit{}, 0
	}
	if u, size = degrees(in, i); size > 0 {
		return u, size
	}
	u, ok := lookUnit(t)
	if !ok {
		return unit{}, 0
	}
	size = 1
	if i+1 < len(in) && in[i+1].joined {
		switch in[i+1].text {
		case "²":
			return u.to(2), 2
		case "³":
			return u.to(3), 2
		case "^":
			if i+2 < len(in) && in[i+2].kind == numberToken && math.Abs(in[i+2].number) <= 4 {
				return u.to(int8(in[i+2].number)), 3
			}
		}
	}
	if i+1 < len(in) && u.length == 1 && (in[i+1].text == "squared" || in[i+1].text == "cubed") {
		if power = 2; in[i+1].text == "cubed" {
			power = 3
		}
		return u.to(power), 2
	}
	return u, size
}

// degrees reads "°C", "° F", "degrees Celsius", "degrees", and C or F after a
// number.
func degrees(in []token, i int) (u unit, size int) {
	t := in[i]
	switch {
	case t.text == "°" || t.text == "degree" || t.text == "degrees" || t.text == "deg":
		if i+1 < len(in) && !in[i+1].breaks {
			switch in[i+1].text {
			case "c", "celsius", "centigrade":
				return units().symbols["°C"], 2
			case "f", "fahrenheit":
				return units().symbols["°F"], 2
			case "k", "kelvin":
				return units().symbols["K"], 2
			}
		}
		return units().symbols["°"], 1
	case t.raw == "C" && i > 0 && in[i-1].kind == numberToken:
		return units().symbols["°C"], 1
	case t.raw == "F" && i > 0 && in[i-1].kind == numberToken:
		return units().symbols["°F"], 1
	}
	return unit{}, 0
}
