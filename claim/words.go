package claim

import (
	_ "embed"
	"strings"

	"brenner/internal/lazy"
)

// The lists that rules of language need. They are data: a line that is missing
// makes a sentence be understood less, never wrongly.
var (
	//go:embed words/rewrites.txt
	rewriteList string
	//go:embed words/synonyms.txt
	synonymList string
	//go:embed words/opposites.txt
	oppositeList string
	//go:embed words/kinds.txt
	kindList string
)

// lines gives the lines of a list that say something.
func lines(list string) []string {
	var out []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// groups says which lines of a list a stem stands in.
type groups map[string][]int

func groupsOf(list string) groups {
	g := groups{}
	for i, line := range lines(list) {
		for _, w := range strings.Fields(line) {
			s := stem(w)
			if n := len(g[s]); n == 0 || g[s][n-1] != i {
				g[s] = append(g[s], i)
			}
		}
	}
	return g
}

// share reports whether two different stems stand in one line.
func (g groups) share(a, b string) bool {
	for _, x := range g[a] {
		for _, y := range g[b] {
			if x == y {
				return true
			}
		}
	}
	return false
}

var (
	synonyms = lazy.Value(func() groups { return groupsOf(synonymList) })
	kinds    = lazy.Value(func() groups { return groupsOf(kindList) })
)

// opposition says what kind of opposite one word is of another.
type opposition int

const (
	notOpposite      opposition = iota
	opposite                    // as good as a negation
	oppositeRelation            // undone by exchanging what it relates
)

// opposed lists pairs of opposites, by stem.
var opposed = lazy.Value(func() map[[2]string]opposition { return oppositePairs(oppositeList) })

func oppositePairs(list string) map[[2]string]opposition {
	out := map[[2]string]opposition{}
	kind := opposite
	for _, line := range lines(list) {
		if line == "relation" {
			kind = oppositeRelation
			continue
		}
		for _, pair := range strings.Fields(line) {
			x, y, _ := strings.Cut(pair, "/")
			out[[2]string{stem(x), stem(y)}] = kind
			out[[2]string{stem(y), stem(x)}] = kind
		}
	}
	return out
}

// negators turn round what follows them.
var negators = lazy.NewWords(`
	not no never none nothing nobody nowhere neither non without
	avoid avoids avoided avoiding refrain forbid forbids forbidden prohibit prohibits prohibited
`)

// looseNegators may stand at the subject and turn the verb round: no test
// should fail, tests should not fail.
var looseNegators = lazy.NewWords("no none nothing nobody nowhere neither without")

// badJudgements, said of something, are as good as a negation of doing it;
// goodJudgements say no more than to do it.
var (
	badJudgements = lazy.Value(func() map[string]bool {
		return stemSet(`harmful dangerous bad wrong useless pointless discouraged deprecated risky unwise detrimental
		counterproductive hurtful mistake unacceptable inadvisable worse hurts hurt damaging forbidden prohibited disastrous`)
	})
	goodJudgements = lazy.Value(func() map[string]bool {
		return stemSet(`helpful good useful beneficial recommended advisable best works helps preferable preferred essential important
		necessary required needed advised worthwhile wise`)
	})
)

// conditionWords begin a condition, exceptionWords an exception.
var (
	conditionWords = lazy.NewWords("if when while unless until once")
	exceptionWords = lazy.NewWords("except unless")
)

// obligations and permissions are how strongly something is said.
var (
	obligations = lazy.NewWords("must shall should required mandatory")
	permissions = lazy.NewWords("may might can optional optionally")
)

// adjunctWords begin a part of a sentence that can stand first or last.
var adjunctWords = lazy.NewWords(`
	before after when if while unless until once because since to for with in on at by from during without so
	under over through despite within between throughout using
`)

// progressive verbs tell of one event: is running.
var beForms = lazy.NewWords("is are was were be been being am")

// articles and the words that only carry grammar are left out of every
// comparison of order.
var grammarWords = lazy.NewWords(`
	a an the this that these those is are was were be been being am do does did has have had
	should must shall will would can could may might it its they them their there
`)

// lightWords name nothing by themselves.
var lightWords = lazy.NewWords(`
	a an the this that these those it its they them their theirs themselves itself we our ours us you your yours he she his her him i my me
	and or but so as if then than when whenever while until once because since though although however therefore thus hence
	of to in on at by for from with into onto over under through between within during against without
	before after above below about around across along behind beside beyond per via out up down off upon toward towards among amongst infront
	is are was were be been being am do does did done doing has have had having
	can could may might must shall should will would ought need needs needed
	all any some each every both either neither many much more most few fewer less least several other others another such same
	only just also even still yet already again always often usually sometimes ever very quite too rather really simply regardless
	onlysome notalways oneanother generally typically mostly rarely seldom certainly
	who whom whose which what where why how there here now
	make makes made making let lets use uses used using go goes going take takes taken taking took
	get gets got getting keep keeps kept keeping set sets setting put puts putting give gives given
	help helps helped helping thing things one ones way ways together own well instead whole entire like
	except unless not no never none nothing nobody nowhere nor non
	currently currently first second then finally
`)

// quantifier is how much of something is meant.
type quantifier int

const (
	unquantified quantifier = iota
	universal               // all, always
	mostly                  // most, usually
	partly                  // some, sometimes, several, many
	partlyOnly              // only some, not always, few, rarely
)

var quantifiers = lazy.Value(func() map[string]quantifier {
	return quantifierTable(map[quantifier]string{
		universal:  "all every each always everything everyone everybody everywhere whole entire invariably both fully completely entirely wholly",
		mostly:     "most mostly usually typically generally normally",
		partly:     "some sometimes several certain occasionally partly partially many often frequently",
		partlyOnly: "onlysome notalways few rarely seldom hardly barely scarcely",
	})
})

func quantifierTable(list map[quantifier]string) map[string]quantifier {
	out := map[string]quantifier{}
	for _, q := range []quantifier{universal, mostly, partly, partlyOnly} {
		for _, w := range strings.Fields(list[q]) {
			out[w] = q
		}
	}
	return out
}

func stemSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[stem(w)] = true
	}
	return set
}

// negativePrefix takes a negating prefix off a word: unsafe is not safe. Words
// that only look so stay as they are.
func negativePrefix(w string) (base string, negated bool) {
	if b, ok := strings.CutPrefix(w, "un"); ok && len(b) >= 4 && !looksNegated(w) {
		return b, true
	}
	if b, ok := strings.CutPrefix(w, "non"); ok && len(b) >= 4 && !looksNegated(w) {
		return b, true
	}
	if b, ok := latinNegations()[w]; ok {
		return b, true
	}
	if adjective, ok := strings.CutSuffix(w, "ly"); ok {
		if b, ok := latinNegations()[adjective]; ok {
			return b + "ly", true
		}
	}
	return w, false
}

func looksNegated(w string) bool {
	for _, start := range []string{
		"under", "union", "uniq", "unit", "univers", "unif", "until", "unless", "uncle", "unanim", "unison", "unilateral", "unary",
		"nonsense", "nonetheless", "none", "unzip", "undo", "unto", "unload", "unlock", "uninstall", "unmount", "unpack", "unmarshal",
	} {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	return false
}

// latinNegations are words with in-, im-, ir-, il-, dis- or a- that deny their
// base; the prefix alone does not tell, as input shows.
var latinNegations = lazy.Value(func() map[string]string {
	return prefixed(map[string]string{
		"in": `accessible accurate active adequate admissible appropriate capable coherent compatible complete comprehensible conclusive
			consistent convenient correct definite dependent direct efficient effective eligible equal exact expensive experienced
			flexible formal frequent glorious hospitable human offensive secure sensitive separable significant sincere soluble
			stability sufficient tolerant valid variant visible voluntary accuracy activity consistency dependence dependently efficiency
			correctly directly completely accurately consistently sensitivity validity`,
		"im":  "balanced measurable mature mobile moral mutable partial patient perfect permeable polite possible practical precise probable proper pure properly perfectly",
		"ir":  "rational recoverable reducible refutable regular relevant replaceable resistible responsible reversible regularly",
		"il":  "legal legible legitimate literate logical legally",
		"dis": "advantage agree allow appear approve belief comfort connect continue honest honour like obey order organised prove qualify satisfied similar trust agreement advantageous",
		"a":   "symmetric symmetrical typical periodic synchronous",
		"mis": "match matched",
	})
})

func prefixed(list map[string]string) map[string]string {
	out := map[string]string{}
	for _, prefix := range []string{"in", "im", "ir", "il", "dis", "a", "mis"} {
		for _, base := range strings.Fields(list[prefix]) {
			out[prefix+base] = base
		}
	}
	return out
}
