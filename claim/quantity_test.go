package claim

import "testing"

// C25: quantities are read with units, number words, separators, ranges and
// bounds, and compared across units.
func TestQuantity_Standing(t *testing.T) {
	names := map[Standing]string{Incomparable: "incomparable", Equal: "equal", Compatible: "compatible", Doubtful: "doubtful", Exclusive: "exclusive"}
	for _, c := range []struct{ want, a, b string }{
		{"equal", "2 h", "120 min"},
		{"equal", "7,200 s", "120 min"},
		{"equal", "2 h 30 min", "150 minutes"},
		{"equal", "an hour", "3600 seconds"},
		{"equal", "half an hour", "30 min"},
		{"exclusive", "8 h", "60 min"},
		{"equal", "5 %", "0.05"},
		{"equal", "five percent", "5%"},
		{"exclusive", "5 %", "0.5"},
		{"incomparable", "5 %", "5"},
		{"equal", "half", "50 %"},
		{"equal", "two thirds", "2/3"},
		{"equal", "1,000", "1000"},
		{"equal", "1 000", "one thousand"},
		{"equal", "0,5", "0.5"},
		{"equal", "1.5 × 10^3", "1,500"},
		{"equal", "1.5e3", "1500"},
		{"equal", "10k", "10 000"},
		{"equal", "2.5 million", "2,500,000"},
		{"equal", "two hundred and five", "205"},
		{"equal", "a dozen eggs", "12 eggs"},
		{"equal", "10 µm²/s", "1e-5 mm²/s"},
		{"exclusive", "10 µm²/s", "10 mm²/s"},
		{"equal", "36 km/h", "10 m/s"},
		{"equal", "1 mg/mL", "1 g/L"},
		{"equal", "5 mM", "0.005 M"},
		{"equal", "37 °C", "310.15 K"},
		{"equal", "37 degrees Celsius", "98.6 °F"},
		{"exclusive", "37 °C", "37 °F"},
		{"equal", "1 inch", "2.54 cm"},
		{"equal", "1 GB", "1000 MB"},
		{"exclusive", "1 GB", "1 GiB"},
		{"exclusive", "1 MB", "1 Mb"},
		{"equal", "512mb", "512 MB"},
		{"equal", "5 per second", "300 per minute"},
		{"equal", "10 requests/s", "600 requests per minute"},
		{"incomparable", "10 requests/s", "10 errors/s"},
		{"equal", "3 times a day", "21 times a week"},
		{"doubtful", "1 month", "30 days"},
		{"exclusive", "1 month", "2 weeks"},
		{"equal", "1 year", "12 months"},
		{"equal", "$5", "5 USD"},
		{"incomparable", "$5", "€5"},
		{"incomparable", "5 kg", "5 m"},
		{"incomparable", "5", "5 kg"},
		{"equal", "at least 5", "≥ 5"},
		{"equal", "5 or more", "5+"},
		{"equal", "at most 5", "no more than five"},
		{"equal", "3-5 mm", "between 3 and 5 mm"},
		{"equal", "3 to 5", "3–5"},
		{"compatible", "3-5", "4"},
		{"exclusive", "3-5", "6"},
		{"compatible", "5 ± 1", "5.5"},
		{"compatible", "at least 5", "at most 10"},
		{"compatible", "at least 5", "at most 5"},
		{"exclusive", "at least 10", "at most 5"},
		{"exclusive", "more than 5", "at most 5"},
		{"compatible", "at least 10 ms", "at most 1 s"},
		{"exclusive", "at least 10 s", "at most 1000 ms"},
		{"doubtful", "about 100", "105"},
		{"exclusive", "about 100", "500"},
		{"equal", "14:30", "2:30 pm"},
		{"exclusive", "14:30", "15:00"},
		{"exclusive", "1.2.3", "1.2.4"},
		{"exclusive", "2024-01-15", "2024-01-16"},
		{"exclusive", "-4", "4"},
	} {
		x, okX := ParseQuantity(c.a)
		y, okY := ParseQuantity(c.b)
		if !okX || !okY {
			t.Errorf("%q %v, %q %v", c.a, okX, c.b, okY)
			continue
		}
		for _, got := range []Standing{x.Compare(y), y.Compare(x)} {
			if names[got] != c.want {
				t.Errorf("%q, %q: %s, want %s", c.a, c.b, names[got], c.want)
			}
		}
	}
	for _, none := range []string{"", "large", "euler", "rk4 method", "5 mm long or so they say 3", "the 5", "1 2"} {
		if q, ok := ParseQuantity(none); ok {
			t.Errorf("%q was read as %+v", none, q)
		}
	}
}

// C25: relations have many spellings.
func TestParseRelation(t *testing.T) {
	for text, want := range map[string]Relation{
		"is":              {Name: Is, Bound: Exactly},
		"are":             {Name: Is, Bound: Exactly},
		"is not":          {Name: Is, Bound: Exactly, Denied: true},
		"=":               {Name: Equals, Bound: Exactly},
		"is equal to":     {Name: Equals, Bound: Exactly},
		"!=":              {Name: Equals, Bound: Exactly, Denied: true},
		"at_least":        {Name: "at least", Bound: AtLeast},
		"atLeast":         {Name: "at least", Bound: AtLeast},
		"is at least":     {Name: "at least", Bound: AtLeast},
		">=":              {Name: "at least", Bound: AtLeast},
		"does not exceed": {Name: "at most", Bound: AtMost},
		"must not exceed": {Name: "at most", Bound: AtMost},
		"no more than":    {Name: "at most", Bound: AtMost},
		"max":             {Name: "at most", Bound: AtMost},
		"greater_than":    {Name: "more than", Bound: MoreThan},
		"below":           {Name: "less than", Bound: LessThan},
		"is about":        {Name: Is, Bound: Exactly, Roughly: true},
		"between":         {Name: "between", Bound: Within},
		"activates":       {Name: "activat"},
		"doesn't have":    {Name: "hav", Denied: true},
	} {
		if got := ParseRelation(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestSubject_HasOneSpelling(t *testing.T) {
	for _, s := range []string{"decay rate", "decay_rate", "the Decay-Rate", "rate of decay", "DecayRate", "decay rates"} {
		if got := Subject(s); got != "decay rat" {
			t.Errorf("%q: %q", s, got)
		}
	}
	if Subject("mean of the variance") == Subject("variance of the mean") {
		t.Error("of is not symmetric")
	}
}

func TestStem_BringsFamiliesTogether(t *testing.T) {
	for _, family := range [][]string{
		{"cache", "caches", "cached", "caching"},
		{"retry", "retries", "retried", "retrying"},
		{"run", "runs", "running", "ran"},
		{"pass", "passes", "passed", "passing"},
		{"enable", "enables", "enabled", "enabling"},
		{"commit", "commits", "committed"},
		{"normalise", "normalize", "normalised", "normalizing"},
		{"colour", "color", "colours"},
		{"metre", "meter", "metres"},
	} {
		for _, w := range family[1:] {
			if stem(w) != stem(family[0]) {
				t.Errorf("%s → %s, %s → %s", family[0], stem(family[0]), w, stem(w))
			}
		}
	}
	for _, short := range []string{"", "a", "is", "as", "es", "ing", "red"} {
		if got := stem(short); got != short {
			t.Errorf("%q became %q", short, got)
		}
	}
}
