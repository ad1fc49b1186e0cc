package embed

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/playbook"
)

// vectors are the published test vectors of the model's format: the first
// eight components of the static vector, and the tokens.
var vectors = []struct {
	text   string
	first  [8]float64
	tokens []string
}{
	{"Access tokens expire after fifteen minutes.", [8]float64{-0.037163, 0.002734, 0.034489, -0.014315, -0.025528, -0.018871, -0.021665, -0.027714}, []string{"access", "tokens", "expire", "after", "fifteen", "minutes"}},
	{"The lifetime of an access token is 15 minutes.", [8]float64{-0.008894, -0.038304, -0.006083, -0.036960, -0.027819, -0.023534, 0.016954, -0.021762}, []string{"the", "lifetime", "of", "an", "access", "token", "is", "15", "minutes"}},
	{"Don't retry non-idempotent requests.", [8]float64{-0.023156, 0.014655, -0.006020, 0.008837, -0.010183, -0.007487, -0.056325, 0.028341}, []string{"dont", "retry", "non", "idempotent", "requests"}},
	{"Never re-send requests that are not idempotent.", [8]float64{0.021697, 0.019531, 0.011928, 0.043816, -0.072648, 0.015335, -0.022017, 0.076099}, []string{"never", "re", "send", "requests", "that", "are", "not", "idempotent"}},
	{"Batch size 1,024 gave a 3.5% speed-up.", [8]float64{0.015914, -0.024034, -0.025368, -0.055314, 0.036762, -0.002761, 0.028578, -0.048948}, []string{"batch", "size", "1024", "gave", "a", "3.5", "speed", "up"}},
	{"Learning-rate warmup prevents early divergence.", [8]float64{-0.029628, -0.034323, 0.014206, 0.033321, -0.017995, -0.028724, 0.001259, -0.016211}, []string{"learning", "rate", "warmup", "prevents", "early", "divergence"}},
	{"Training blows up at the start unless the step size is ramped.", [8]float64{0.003950, -0.003389, 0.025881, -0.034170, 0.004474, 0.035749, -0.023813, 0.036706}, []string{"training", "blows", "up", "at", "the", "start", "unless", "the", "step", "size", "is", "ramped"}},
	{"A cat sits on the mat.", [8]float64{-0.065293, -0.035540, 0.001567, -0.039489, -0.008177, 0.005083, -0.014645, 0.029350}, []string{"a", "cat", "sits", "on", "the", "mat"}},
	{"Ünïcode naïve café — tést", [8]float64{-0.043111, -0.019515, 0.005737, 0.028329, 0.001647, 0.004395, -0.009979, -0.003763}, []string{"ünïcode", "naïve", "café", "tést"}},
	{"zxqvbl9000 frobnicator", [8]float64{-0.008948, -0.023106, -0.022398, -0.014441, 0.025022, 0.009994, 0.022213, 0.000097}, []string{"zxqvbl9000", "frobnicator"}},
}

func TestStatic_GivesThePublishedVectors(t *testing.T) {
	m := Builtin()
	for _, c := range vectors {
		if got := m.Tokens(c.text); !slices.Equal(got, c.tokens) {
			t.Errorf("tokens of %q: %q", c.text, got)
		}
		v := m.Static(c.text)
		for i, want := range c.first {
			if math.Abs(float64(v[i])-want) > 2e-5 {
				t.Errorf("%q component %d: %f, want %f", c.text, i, v[i], want)
			}
		}
	}
}

func TestVec_GivesThePublishedCosines(t *testing.T) {
	m := Builtin()
	for _, c := range []struct {
		a, b        int
		static, vec float64
	}{
		{1, 2, 0.630383, 0.666409},
		{3, 4, 0.780803, 0.799384},
		{6, 7, 0.378081, 0.454180},
		{1, 8, -0.020513, 0.230188},
		{9, 10, 0.414260, 0.480232},
	} {
		a, b := vectors[c.a-1].text, vectors[c.b-1].text
		if got := product(m.Static(a), m.Static(b)); math.Abs(got-c.static) > 2e-5 {
			t.Errorf("static cosine of %d,%d is %f, want %f", c.a, c.b, got, c.static)
		}
		// The published figure adds the sparse lexical cosine; ours folds it
		// into 512 components first, which moves unrelated texts a little.
		if got := product(m.Vec(a), m.Vec(b)); math.Abs(got-c.vec) > 0.03 {
			t.Errorf("cosine of %d,%d is %f, want %f", c.a, c.b, got, c.vec)
		}
	}
}

func TestVec_IsAUnitVectorThatCheckVectorAccepts(t *testing.T) {
	m := Builtin()
	for _, c := range vectors {
		v := m.Vec(c.text)
		if err := playbook.CheckVector(v, m.Describe().Dimension); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		if n := norm(v); math.Abs(n-1) > 1e-6 {
			t.Errorf("%q has length %f", c.text, n)
		}
	}
	for _, empty := range []string{"", "  ", "— !?", "\xff\xfe"} {
		v := m.Vec(empty)
		if last := float64(v[len(v)-1]); norm(v) != last || last == 0 {
			t.Errorf("%q has more than the constant component", empty)
		}
		if norm(m.Static(empty)) != 0 {
			t.Errorf("static vector of %q is not zero", empty)
		}
	}
}

func TestVec_IsTheSameFromManyGoroutines(t *testing.T) {
	m := Builtin()
	want := make([][]float32, len(vectors))
	for i, c := range vectors {
		want[i] = m.Vec(c.text)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				for i, c := range vectors {
					if !slices.Equal(m.Vec(c.text), want[i]) {
						t.Errorf("%q differs", c.text)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// B12: the embedding is named by provider, model, dimension and fingerprint.
func TestDescribe_FingerprintIsTheDigestOfTheWeights(t *testing.T) {
	if got := canon.Sum([]byte(builtinBytes)); got != builtinDigest {
		t.Fatalf("the model's digest is %s", got)
	}
	want := Identity{Provider: "builtin", Model: "semb-v1", Dimension: 769, Fingerprint: builtinDigest}
	if got := Builtin().Describe(); got != want {
		t.Errorf("got %+v", got)
	}
}

func TestEmbed_StopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Builtin().Embed(ctx, []string{"x"}); brenner.CodeOf(err) != brenner.CodeCanceled {
		t.Errorf("got %v", err)
	}
	got, err := Builtin().Embed(t.Context(), []string{"one", "two"})
	if err != nil || len(got) != 2 || !slices.Equal(got[1], Builtin().Vec("two")) {
		t.Errorf("got %d vectors, %v", len(got), err)
	}
}

func TestReadModel_RefusesADamagedFile(t *testing.T) {
	mutate := func(at int, b ...byte) string {
		c := []byte(builtinBytes)
		copy(c[at:], b)
		return string(c)
	}
	for name, c := range map[string]struct{ file, why string }{
		"empty":           {"", "not a SEMB file"},
		"another magic":   {mutate(0, 'X'), "not a SEMB file"},
		"another version": {mutate(4, 2), "format version 2"},
		"no dimensions":   {mutate(8, 0, 0, 0, 0), "out of bounds"},
		"huge vocabulary": {mutate(12, 255, 255, 255, 255), "out of bounds"},
		"odd alpha":       {mutate(44, 0, 0, 192, 255), "out of bounds"}, // NaN
		"cut":             {builtinBytes[:1<<20], "cut short"},
		"one byte more":   {builtinBytes + "x", "1 bytes too many"},
		"long first word": {mutate(headerLength, 255), "vocabulary"},
	} {
		if _, err := readModel(c.file); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: got %v, want %q", name, err, c.why)
		}
	}
}

func TestSimilarity_OfSingleWords(t *testing.T) {
	m := Builtin()
	if near, far := m.Similarity("minutes", "hours"), m.Similarity("minutes", "cat"); near <= far {
		t.Errorf("minutes~hours %f, minutes~cat %f", near, far)
	}
	if got := m.Similarity("zxqvbl", "zxqvbl"); math.Abs(got-1) > 1e-6 {
		t.Errorf("an unknown word is %f like itself", got)
	}
	if got := m.Similarity("", "cat"); math.IsNaN(got) {
		t.Error("the similarity of an empty word is not a number")
	}
}
