package stalemate

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"brenner/anchor"
	"brenner/internal/lazy"
)

// causeUnreadable is the cause of a refusal that comes before any text is
// looked at: the patch itself cannot be read.
const causeUnreadable anchor.Cause = "invalid_patch"

// claim is what a hypothesis holds to be the cause, in words of the explainer.
type claim struct {
	causes, denied []anchor.Cause
	// hinted is what it seems to speak of. Where that may be the true cause it is
	// enough; what may have been misread is not held against it.
	hinted reading
	// faultless: the patch is right as it is, and something else is not.
	faultless bool
	// foreign: it is in a language that is not read.
	foreign bool
}

// wording is how people speak of a cause.
type wording struct {
	cause anchor.Cause
	words *lazy.Pattern
}

// wordings go from the special to the general: what one has matched the next
// does not see, so that a zero-width space is not taken for white space. The
// words are English; see readable.
var wordings = []wording{
	{causeUnreadable, said(`json\b[^.;]{0,25}(?:breaks? off|cut|ends?|broken|invalid|incomplete|truncated|malformed|syntax)`, `(?:invalid|broken|bad|malformed|truncated|incomplete) json`, `not (?:a )?(?:valid|well-?formed)(?: json)?`,
		`(?:can(?:not|'t)|could not|couldn't) (?:even )?be (?:read|parsed|decoded|loaded)`, `fails? to (?:parse|decode)`)},
	{anchor.CauseInvisible, said(`invisible`, `unseen`, `zero[- ]?width(?: space| joiner)?`, `\b(?:nbsp|zwsp|zwj|zwnj)\b`, `non?[- ]?break(?:ing)? spaces?`, `byte[- ]order mark`, `\bbom\b`, `soft hyphen`, `(?:non-?|un)print\w*`,
		`(?:hidden|control|format(?:ting)?) characters?`, `(?:can(?:not|'t)|nobody can|no one can|could not|couldn't) (?:be )?seen?\b`, `(?:not|n't) visible`)},
	{anchor.CauseConfusable, said(`(?:smart|curly|typographic\w*|fancy|slanted|curved)\W+(?:\w+\W+){0,2}?(?:quot\w+|apostroph\w+|marks?|characters?|dash(?:es)?)`, `straight (?:quotes?|ones)`, `look-?alikes?`,
		`look(?:s|ed|ing)? (?:just |exactly |only )?(?:like an?\b|the same|alike|identical|similar)`, `homoglyphs?`, `cyrillic`, `greek`, `(?:an)?other (?:alphabet|script)`, `confusable\w*`, `full-?width`, `(?:en|em)[- ]dash(?:es)?`,
		`wrong (?:kind of )?(?:quotes?|dash|apostrophe|quotation marks?|letter)`)},
	{anchor.CauseNormalForm, said(`normali[sz]ation(?: form)?`, `normal form`, `\bnf[cd]\b`, `(?:de)?composed`, `combining (?:accent|character|mark)s?`, `accent(?:s|ed)?\b`, `diacritic\w*`, `umlauts?`)},
	{anchor.CauseLineNumbers, said(`line[- ]number\w*`, `numbered lines`, `numbering`, `line (?:prefix|counter)\w*`, `cat -n`, `gutter`, `(?:begins?|starts?|prefixed|preceded) (?:with|by) (?:its|a|the|their) (?:line )?numbers?`,
		`numbers? (?:at|in|on) (?:the )?(?:left|margin|start|front|beginning)`)},
	{anchor.CauseLineEndings, said(`line[- ]?endings?`, `line[- ]?breaks?`, `line[- ]separators?`, `\bcrlf\b`, `\bcr\b`, `carriage returns?`, `(?:windows|dos|unix|mac) (?:newlines?|lines?|format)`, `\beols?\b`, `newline style`,
		`newlines? (?:was|were|are|got|had been|have been|has been) (?:converted|translated|changed|replaced)`)},
	{anchor.CauseFence, said("(?:code )?fences?", "(?:triple )?backticks?", "```", `markdown block`, `code block`)},
	{anchor.CauseMarkers, said(`diff (?:markers?|signs?|prefix(?:es)?|notation|syntax)`, `(?:plus|minus)(?: and (?:plus|minus))? (?:signs?|markers?)`, `(?:leading|stray) (?:\+|-|plus|minus)\w*`, `[+-] ?(?:and|or|/) ?[+-]`)},
	{anchor.CauseEscapeLevel, said(`(?:un|over|double[- ]?)?escap\w+`, `backslash\w*`, `(?:double[- ]|html[- ])encod\w+`, `(?:encoded|serialised|serialized|quoted) twice`, `literal \\n`, `\bentit(?:y|ies)\b`, `&\w+;`)},
	{anchor.CauseElided, said(`elid\w+|elision`, `ellips[ie]s`, `\.\.\.`, `…`, `\bdots\b`, `abbreviat\w+`, `shorten\w*`, `\bsnip\w*`, `(?:lines|text|code|part|middle|rest) (?:was |were |is |are |has been |have been )?(?:left out|omitted|skipped|dropped)`,
		`(?:left out|leaves? out|omit(?:s|ted)|skip(?:s|ped)) (?:the |some )?(?:lines|text|code|middle|rest)`)},
	{anchor.CauseWrongResult, said(`result[_ ](?:sha\w*|hash|checksum|digest)`, `(?:hash|checksum|digest) of the result`, `promised (?:result|hash|checksum)`, `wrong result`, `result (?:is not|differs|does not)`)},
	{anchor.CauseAlreadyApplied, said(`already (?:been )?(?:applied|there|made|done|in (?:place|the)|present|has|contains)`, `applied (?:twice|before|already|a second time)`, `(?:has|contains) (?:it|the change|the edit) already`,
		`(?:is|was|were|are) (?:there|in the (?:file|text|document)) already`, `second time`, `(?:applied|made|did|done) (?:it|this|that|the) ?(?:patch|change|edit)? (?:before|earlier|already)`, `nothing (?:is )?left to (?:do|change|apply)`,
		`(?:change|edit|new (?:line|text|block)) is (?:there|in (?:place|it))\b`)},
	{anchor.CauseWrongIndex, said(`match[_ ]index`, `wrong (?:index|occurrence)`, `occurrence (?:number|index)`, `index is (?:off|wrong|too)`, `(?:no )?(?:second|third|fourth|fifth|sixth|next|last|\d+(?:st|nd|rd|th)) (?:occurrence|hit|match)\b`,
		`(?:counter|count|number) of (?:the )?(?:occurrences|hits|matches)`)},
	{anchor.CauseAmbiguous, said(`ambigu\w+`, `not unique`, `duplicat\w+`, `(?:several|many|multiple|two|three|both|different) (?:places|times|occurrences|matches|spots|copies|calls|positions)`, `more than (?:one|once)(?: place| match)?`,
		`(?:occurs|appears|matches|found|exists|stands|fits) (?:twice|several|more|both)`, `which (?:one )?(?:is|was) meant`, `identical lines`)},
	{anchor.CauseNotAdjacent, said(`(?:not |non-?)?adjacen\w+`, `(?:directly|immediately|right) (?:after|follow\w*|behind|below)`, `(?:lines?|something|text|gap) (?:stands? |lies? |is )?between`, `\bgap\b`, `does(?: not|n't) follow`)},
	{anchor.CauseOldInAnchor, said(`(?:repeats|contains|includes|part of|inside|within) (?:of )?the (?:anchor|old[_ ]block)`)},
	{anchor.CauseOverlap, said(`overlap\w*`, `intersect\w*`, `collid\w+|collision`, `clash\w*`, `(?:step|tread)\w* on each other`, `share (?:a|one|the same|some) (?:line|range|text|place)s?`,
		`(?:two|both) (?:operations|edits|changes|groups|hunks) (?:touch|change|hit|are about|want|claim|rewrite|replace)`)},
	{anchor.CauseOtherFile, said(`(?:an)?other (?:file|document|path|artifact)`, `(?:wrong|different) (?:file|path|document|artifact)`)},
	{anchor.CauseTruncated, said(`truncat\w+`, `cut (?:off|short)`, `incomplete`, `(?:too short|(?:stops|ends) (?:too )?early)`, `(?:lacks|missing) (?:the |its )?(?:end|rest|tail|last \w+)`)},
	{anchor.CauseStaleBase, said(`stale`, `out[- ]of[- ]date|outdated`, `(?:changed|moved(?: on)?|edited|modified|updated|rewritten|committed|pushed|written to) (?:since|meanwhile|in the meantime|underneath|in between|after|by (?:somebody|someone|another|a colleague))`,
		`(?:file|text|document|artifact|base|head|version|it)(?: that \w+ \w+)?(?: has| had| was| is| were)?(?: since| meanwhile| been)* (?:changed|moved|edited|modified|updated|rewritten)`,
		`(?:older|earlier|previous|former|yesterday's) (?:version|state|base|text|copy|revision|file|commit)`, `old (?:version|state|base|copy|revision|file|commit)`, `newer (?:version|revision|commit)`, `(?:no longer|not) (?:the )?(?:current|latest|newest|head)\b`, `concurrent\w*`, `\braced?\b`,
		`base[_ ]checksum\w*`, `(?:was|were|is|are) behind\b`, `superseded`, `(?:somebody|someone|another agent|a colleague)(?: else)?(?: has| had)? (?:changed|edited|modified|updated|pushed|committed)`)},
	{causeUnreadable, said(`malformed`, `(?:invalid|broken|bad|not valid|not) (?:json|patch|format|schema|syntax)`, `schema`, `unknown (?:field|op\w*|key|member)`, `missing (?:field|key|member)`, `syntax`,
		`unreadable|unparsable|unparseable`, `wrong (?:format|shape|protocol|dialect)`, `protocol[_ ]id`, `trailing comma`)},
	{anchor.CauseWhitespace, said(`white-?space`, `white space`, `indent\w*`, `\btabs?\b`, `tabulators?`, `(?:trailing|leading|extra|missing|two|double|one) (?:space|blank)s?`, `\bspaces\b`, `\bspacing\b`)},
	{anchor.CauseNoSuchText, said(`no such (?:text|line|passage)`, `(?:never|not) (?:existed|stood|been) (?:there|in)`, `\b(?:lines?|text|passage|quot\w+|words?|block|anchor|string|code|it)\b[^.;,]{0,30}\b(?:do|does|did)(?: not|n't) (?:exist|occur|appear)`, `(?:file|text|document) (?:does not|doesn't) contain`, `invented`, `hallucinat\w+`, `made up`,
		`dream(?:s|ed|t)?\b`, `fabricat\w+`, `imagine[sd]?\b`, `imagining`, `imaginary`, `misquot\w+`, `misremember\w*`, `paraphras\w+`, `from memory`, `(?:wrong|different|other) (?:quote|quotation|wording|words?)`, `typos?\b`, `mis-?typed`, `misspel\w+`,
		`(?:not|nowhere) in the (?:file|text)`, `not there\b`, `no (?:line|passage|part) (?:of|in) the (?:file|text)`)},
}

// said is any of some phrases.
func said(phrases ...string) *lazy.Pattern {
	return lazy.NewPattern(`(?i)(?:` + strings.Join(phrases, "|") + `)`)
}

var (
	// denial before a phrase says that it is not the cause.
	denial = lazy.NewPattern(`(?i)(?:\b(?:is|are|was|were|it's|that's) not|n't been|\bisn't|\baren't|\bwasn't|\bweren't|\bnot (?:because of|due to|caused by|about|a|an|the|its)|\bnothing to do with|\brather than|\binstead of|\bno)\s+(?:[\w-]+\s+){0,2}$`)
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
	if c.tells() || c.foreign {
		return c
	}
	if why := readClaim(h.Justification); why.tells() || len(c.hinted.causes) == 0 {
		return why
	}
	return c
}

// Causes lists the causes that a hypothesis can be tested for, in the words that
// it may name them by.
func Causes() []anchor.Cause {
	var all []anchor.Cause
	for _, w := range wordings {
		all = append(all, w.cause)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tells says that there is something to test.
func (c claim) tells() bool { return len(c.causes)+len(c.denied) > 0 || c.faultless }

func readClaim(text string) (c claim) {
	if !readable(text) {
		return claim{foreign: true}
	}
	left := []byte(text)
	for _, at := range codePoint.Regexp().FindAllSubmatchIndex(left, -1) {
		r, err := strconv.ParseUint(text[at[2]:at[3]], 16, 32)
		if err != nil {
			continue
		}
		c.causes = append(c.causes, causeOfCharacter(rune(r)))
		blank(left[at[0]:at[1]])
	}
	for _, w := range wordings {
		for _, at := range w.words.Regexp().FindAllIndex(left, -1) {
			list := &c.causes
			if denial.Match(clause(left[:at[0]])) {
				list = &c.denied
			}
			if !slices.Contains(*list, w.cause) {
				*list = append(*list, w.cause)
			}
			blank(left[at[0]:at[1]])
		}
	}
	if len(c.causes) > 1 {
		// Whoever says of a minus sign that it is not in the text speaks of the
		// sign.
		c.causes = slices.DeleteFunc(c.causes, func(c anchor.Cause) bool { return c == anchor.CauseNoSuchText })
	}
	c.faultless = blameless.MatchString(text) && len(c.causes) == 0
	c.hinted = readNotions(text)
	return c
}

// blank takes out what has been read: nothing more is read into it.
func blank(phrase []byte) {
	for i := range phrase {
		phrase[i] = '#'
	}
}

var codePoint = lazy.NewPattern(`(?i)\bu\+([0-9a-f]{4,6})\b`)

// causeOfCharacter says what goes wrong with a character that is named by its
// code point.
func causeOfCharacter(r rune) anchor.Cause {
	switch {
	case r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029:
		return anchor.CauseLineEndings
	case r == ' ' || r == '\t':
		return anchor.CauseWhitespace
	case unicode.Is(unicode.Mn, r) && (r < 0xfe00 || r > 0xfe0f):
		return anchor.CauseNormalForm
	case unicode.IsSpace(r) || !unicode.IsGraphic(r) || unicode.Is(unicode.Mn, r):
		return anchor.CauseInvisible
	}
	return anchor.CauseConfusable
}

// Words that are frequent in English, and in others of the languages that agents
// write and not in English.
var (
	english = lazy.NewWords(`the a an no is are was were has had have of in on at to for by with and or not it its that this from as be been than there they he she we you who which what nobody somebody something`)
	foreign = lazy.NewWords(`der die das den dem ist sind wurde und nicht von mit ein eine einen im auf für le la les est une un des du dans pas par été il elle el los las es una por con del se que lo
		och är inte det en ett som av på har til av ikke er het een niet van zijn il gli della di è che são não uma`)
)

// readable says that a text seems to be English, which is all that is read
// here: of what is not, nothing is held to be said. A few words may be anything,
// and are read.
func readable(text string) bool {
	const few = 4
	ours, theirs, latin, other := 0, 0, 0, 0
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	for _, w := range words {
		if english.Has(w) {
			ours++
		}
		if foreign.Has(w) {
			theirs++
		}
		for _, r := range w {
			if unicode.Is(unicode.Latin, r) {
				latin++
			} else {
				other++
			}
		}
	}
	return latin >= other && theirs <= ours && (ours > 0 || len(words) <= few)
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
