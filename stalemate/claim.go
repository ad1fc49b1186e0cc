package stalemate

import (
	"regexp"
	"slices"
	"strings"

	"brenner/anchor"
)

// causeUnreadable is the cause of a refusal that comes before any text is
// looked at: the patch itself cannot be read.
const causeUnreadable anchor.Cause = "invalid_patch"

// claim is what a hypothesis holds to be the cause, in words of the explainer.
type claim struct {
	causes, denied []anchor.Cause
	// faultless: the patch is right as it is, and something else is not.
	faultless bool
}

// wording is how people speak of a cause.
type wording struct {
	cause anchor.Cause
	words *regexp.Regexp
}

// wordings go from the special to the general: what one has matched the next
// does not see, so that a zero-width space is not taken for white space.
var wordings = []wording{
	{anchor.CauseInvisible, said(`invisible`, `zero[- ]?width(?: space| joiner)?`, `non?[- ]?break(?:ing)? spaces?`, `byte[- ]order mark`, `\bbom\b`, `soft hyphen`, `non-?print\w*`, `(?:hidden|control) characters?`)},
	{anchor.CauseConfusable, said(`(?:smart|curly|typographic\w*|fancy) (?:quote|apostrophe|quotation mark|character|dash)s?`, `look-?alikes?`, `homoglyphs?`, `cyrillic`, `confusable\w*`, `(?:en|em)[- ]dash(?:es)?`, `wrong (?:kind of )?(?:quotes?|dash|apostrophe|quotation marks?)`)},
	{anchor.CauseNormalForm, said(`normali[sz]ation(?: form)?`, `normal form`, `\bnf[cd]\b`, `(?:de)?composed`, `combining (?:accent|character|mark)s?`)},
	{anchor.CauseLineNumbers, said(`line[- ]number\w*`, `numbered lines`, `line (?:prefix|counter)\w*`)},
	{anchor.CauseLineEndings, said(`line[- ]?endings?`, `\bcrlf\b`, `carriage returns?`, `windows (?:newlines?|lines?)`, `\beols?\b`, `newline style`)},
	{anchor.CauseFence, said("(?:code )?fences?", "(?:triple )?backticks?", "```", `markdown block`)},
	{anchor.CauseMarkers, said(`diff (?:markers?|signs?|prefix(?:es)?)`, `(?:plus|minus)(?: and (?:plus|minus))? (?:signs?|markers?)`, `(?:leading|stray) (?:\+|-|plus|minus)\w*`, `[+-] ?(?:and|or|/) ?[+-]`)},
	{anchor.CauseEscapeLevel, said(`(?:un|over|double[- ]?)?escap\w+`, `backslash\w*`, `double[- ]encoded`, `literal \\n`)},
	{anchor.CauseElided, said(`elid\w+|elision`, `ellips[ie]s`, `\.\.\.`, `…`, `abbreviat\w+`, `(?:lines|text|code|part|middle) (?:was |were |is |are |has been |have been )?(?:left out|omitted|skipped)`, `(?:left out|omitted|skipped) (?:the |some )?(?:lines|text|code|middle)`)},
	{anchor.CauseWrongResult, said(`result[_ ](?:sha\w*|hash|checksum|digest)`, `(?:hash|checksum|digest) of the result`, `promised result`, `wrong result`, `result (?:is not|differs|does not)`)},
	{anchor.CauseAlreadyApplied, said(`already (?:been )?(?:applied|there|made|done|in (?:place|the)|present|has|contains)`, `applied (?:twice|before|already|a second time)`, `(?:has|contains) (?:it|the change|the edit) already`, `second time`)},
	{anchor.CauseWrongIndex, said(`match[_ ]index`, `wrong (?:index|occurrence)`, `occurrence (?:number|index)`, `index is (?:off|wrong|too)`)},
	{anchor.CauseAmbiguous, said(`ambigu\w+`, `not unique`, `(?:several|many|multiple|two|three|different) (?:places|times|occurrences|matches|spots)`, `more than (?:one|once)(?: place| match)?`, `(?:occurs|appears|matches|found|exists|stands) (?:twice|several|more)`)},
	{anchor.CauseNotAdjacent, said(`(?:not |non-?)?adjacen\w+`, `(?:directly|immediately|right) (?:after|follow\w*|behind|below)`, `(?:lines?|something|text|gap) (?:stands? |lies? |is )?between`, `\bgap\b`)},
	{anchor.CauseOldInAnchor, said(`(?:repeats|contains|includes|part of|inside|within) (?:of )?the (?:anchor|old[_ ]block)`)},
	{anchor.CauseOverlap, said(`overlap\w*`, `intersect\w*`, `(?:two|both) (?:operations|edits|changes) (?:touch|change|hit|are about)`)},
	{anchor.CauseOtherFile, said(`(?:an)?other (?:file|document|path|artifact)`, `(?:wrong|different) (?:file|path|document|artifact)`)},
	{anchor.CauseTruncated, said(`truncat\w+`, `cut (?:off|short)`, `incomplete`, `(?:too short|stops early|ends early)`, `(?:lacks|missing) (?:the |its )?(?:end|rest|tail|last \w+)`)},
	{anchor.CauseStaleBase, said(`stale`, `out[- ]of[- ]date|outdated`, `(?:changed|moved(?: on)?|edited|modified|updated|rewritten|committed|written to) (?:since|meanwhile|in the meantime|underneath|in between|after|by (?:somebody|someone|another|a colleague))`,
		`(?:file|text|document|artifact|base|head|version|it)(?: that \w+ \w+)?(?: has| had| was| is| were)?(?: since| meanwhile| been)* (?:changed|moved|edited|modified|updated|rewritten)`,
		`(?:older|old|earlier|previous|former) (?:version|state|base|text|copy|revision|file)`, `concurrent\w*`, `base[_ ]checksum\w*`, `(?:somebody|someone|another agent|a colleague)(?: else)?(?: has)? (?:changed|edited|modified|updated)`)},
	{causeUnreadable, said(`malformed`, `(?:invalid|broken|bad|not valid|not) (?:json|patch|format|schema|syntax)`, `schema`, `unknown (?:field|op\w*|key|member)`, `missing (?:field|key|member)`, `syntax`, `(?:can(?:not|'t)|could not) be (?:read|parsed)`, `unreadable|unparsable|unparseable`, `wrong (?:format|shape|protocol|dialect)`, `protocol[_ ]id`, `trailing comma`)},
	{anchor.CauseWhitespace, said(`white-?space`, `white space`, `indent\w*`, `\btabs?\b`, `tabulators?`, `(?:trailing|leading|extra|missing|two|double|one) (?:space|blank)s?`, `\bspaces\b`, `\bspacing\b`)},
	{anchor.CauseNoSuchText, said(`no such (?:text|line|passage)`, `(?:never|not) (?:existed|stood|been) (?:there|in)`, `(?:do|does|did) not (?:exist|occur|appear|contain)`, `doesn't (?:exist|occur|appear|contain)`, `invented`, `hallucinat\w+`, `made up`, `misquot\w+`, `misremember\w*`, `(?:wrong|different|other) (?:quote|quotation|wording|words?)`, `typos?\b`, `mis-?typed`, `misspel\w+`, `(?:not|nowhere) in the (?:file|text)`)},
}

// said is any of some phrases.
func said(phrases ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:` + strings.Join(phrases, "|") + `)`)
}

var (
	// denial before a phrase says that it is not the cause.
	denial = regexp.MustCompile(`(?i)(?:\b(?:is|are|was|were|it's|that's) not|n't been|\bisn't|\baren't|\bwasn't|\bweren't|\bnot (?:because of|due to|caused by|about|a|an|the|its)|\bnothing to do with|\brather than|\binstead of|\bno)\s+(?:[\w-]+\s+){0,2}$`)
	// blameless is that the patch is as it should be.
	blameless = said(`(?:patch|quotation|quote|edit|diff|anchor)s? (?:is|are|was|were|says?|looks?) (?:fine|right|correct|ok|valid|what (?:it|they) should|as (?:it|they) should)`,
		`(?:tool|engine|applier|patcher|matcher|server|program)(?: itself)? (?:is|has|must|gets|does) [^.;]{0,30}(?:wrong|broken|bug|fault|buggy)`, `bug in the (?:tool|engine|applier|patcher|matcher|server|program)`)
)

// claimed reads a hypothesis. A cause named in the explainer's own words is
// taken as it is; otherwise the statement is read and, if that says nothing,
// the justification.
func claimed(h Hypothesis) claim {
	if h.Cause != "" {
		return claim{causes: []anchor.Cause{anchor.Cause(h.Cause)}}
	}
	c := readClaim(h.Statement)
	if c.tells() {
		return c
	}
	return readClaim(h.Justification)
}

// tells says that there is something to test.
func (c claim) tells() bool { return len(c.causes)+len(c.denied) > 0 || c.faultless }

func readClaim(text string) (c claim) {
	left := []byte(text)
	for _, w := range wordings {
		for _, at := range w.words.FindAllIndex(left, -1) {
			list := &c.causes
			if denial.Match(clause(left[:at[0]])) {
				list = &c.denied
			}
			if !slices.Contains(*list, w.cause) {
				*list = append(*list, w.cause)
			}
			for i := at[0]; i < at[1]; i++ {
				left[i] = '#' // said; nothing more is read into it
			}
		}
	}
	c.faultless = blameless.MatchString(text) && len(c.causes) == 0
	return c
}

// clause is what stands before a phrase in its own clause.
func clause(before []byte) []byte {
	for _, stop := range []string{". ", "; ", ", ", ": ", " but "} {
		if i := strings.LastIndex(string(before), stop); i >= 0 {
			before = before[i+len(stop):]
		}
	}
	return before
}

// family is the name that causes go by which are one and the same to those who
// speak of them: a text that has moved is a quotation of an older one.
func family(c anchor.Cause) anchor.Cause {
	if c == anchor.CauseOlderVersion {
		return anchor.CauseStaleBase
	}
	return c
}

// names says that a list has a cause, or one of its family.
func names(list []anchor.Cause, c anchor.Cause) bool {
	return slices.ContainsFunc(list, func(d anchor.Cause) bool { return family(d) == family(c) })
}

// opposed says that two hypotheses cannot both hold: they name causes, and none
// of them is the same, or one denies what the other names.
func opposed(a, b Hypothesis) bool {
	x, y := claimed(a), claimed(b)
	for _, c := range x.causes {
		if names(y.causes, c) {
			return false
		}
	}
	if len(x.causes) > 0 && len(y.causes) > 0 {
		return true
	}
	return slices.ContainsFunc(x.causes, func(c anchor.Cause) bool { return names(y.denied, c) }) ||
		slices.ContainsFunc(y.causes, func(c anchor.Cause) bool { return names(x.denied, c) })
}
