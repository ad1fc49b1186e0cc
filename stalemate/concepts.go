package stalemate

import (
	"slices"
	"strings"
	"unicode"

	"brenner/anchor"
	"brenner/internal/lazy"
)

// Where no phrase of the table fits, a hypothesis is read by what it speaks of:
// its words stand for a few notions, and a cause is what several notions in one
// clause make together, whatever the words and their order.

// notions are what people speak of when a patch is refused, by the words that
// stand for each: whole words, or the beginnings of words where a star follows.
var notions = lazy.Value(func() map[string]string {
	return map[string]string{
		"line":        `line* row* rows statement* import*`,
		"front":       `start* front begin* prefix* lead* margin left preced* column gutter* head* before prepend* ahead`,
		"ending":      `end ends ending* terminat* separat* delimit* break* newline* return* feed*`,
		"number":      `number* digit* numeral* integer* enumerat* counter* ordinal*`,
		"viewer":      `viewer* listing* cat editor* pager* tool* display* reader* terminal* output grep`,
		"two":         `two both pair second twice double* each together mutual*`,
		"several":     `two three several many multiple twice duplicate* repeat* both either copies more* candidates ambiguous* elsewhere`,
		"numeral":     `0 1 2 3 4 5 6 7 8 9 zero one two three four five six seven`,
		"rewrap":      `wrap* re-wrap* rewrap* reflow* reformat* formatter* autoformat*`,
		"short":       `short brief little`,
		"distinct":    `distinct* specific surrounding context`,
		"found":       `found stands appears occurs at`,
		"empty":       `empty blank`,
		"single":      `single unique one lone`,
		"same":        `same identical shared common equal*`,
		"operation":   `operation* edit edits hunk* change changes group* replacement* ops op target* block blocks step*`,
		"touch":       `touch* cover* span* claim* intersect* conflict* region* range* compet* fight* fought contend* overwrit* clobber* rewrit* want* lap* step* grab* run`,
		"place":       `place* spot* position* location* occurrence* match* hit* site* call* candidate* point*`,
		"which":       `which unclear undecid* choose chose pick unspecific unspecified indistinguish* uniquely unique distinguish* tell disambiguat*`,
		"index":       `index* nth third fourth fifth seventh ordinal* counts counted match_index`,
		"exceeds":     `beyond further past exceed* out-of-range high higher large larger too only fewer less never nonexistent`,
		"none":        `no not never none nothing nowhere isn't doesn't don't didn't cannot can't without absent lacks lacking missing nonexistent neither`,
		"exist":       `exist* occur* appear* contain* present found find finds stands come comes came`,
		"invented":    `invent* hallucinat* imagine* imaginar* imagining fabricat* dream* misremember* memory recall* guess* paraphras* reconstruct* fiction* misquot* approximat* conjur* made nowhere`,
		"applied":     `applied appl* landed merged done patched resent replay* committed reappl* succeeded went made no-op submitted submission retried retry*`,
		"already":     `already before earlier previous* twice again second first yesterday redundant* duplicate* original now`,
		"there":       `there present in place contains has holds reads`,
		"character":   `character* char chars codepoint* point* glyph* letter* symbol* byte* unicode rune* sign* mark* space*`,
		"unseen":      `invisible unseen hidden zero-width nonprint* non-print* unprint* nbsp zwsp no-break non-breaking nonbreaking bom control joiner soft hyphen* ghost* unrender* hard right-to-left left-to-right colour color ansi`,
		"alike":       `look* alike similar* resembl* twin* imitat* masquerad* disguis* lookalike* homoglyph* substitut* impostor* visually curly smart typograph* fancy slanted`,
		"script":      `cyrillic greek russian latin alphabet* script* armenian typograph* fullwidth full-width ascii dash* apostroph* autocorrect* en-dash em-dash curly glyph*`,
		"compose":     `compos* decompos* precompos* nfc nfd normaliz* normalise* normalisation combining accent* diacritic* umlaut* diaeres*`,
		"space":       `space* spaces blank* whitespace tab tabs tabulator* indent* outdent* dedent* padding column* nesting deep* level* spacing`,
		"differ":      `differ* other convert* translat* style* mismatch* wrong unlike distinct`,
		"amount":      `amount* width* level* deep* depth* trailing leading extra too fewer four two eight mixed mix differ* instead off wrong* stray lost`,
		"moved":       `chang* modif* edit* moved mov* updat* rewrit* rewrote rewritten pushed push* merg* commit* landed revis* touch* overtak* overtook advanc* diverg* drift* refactor*`,
		"patch":       `patch* edit* change* diff*`,
		"since":       `since meanwhile meantime between after while then under* concurrent* race* raced earlier first ahead by behind ago`,
		"old":         `old older stale outdated previous earlier past former obsolete superseded yesterday* last snapshot ancient behind expired`,
		"version":     `version* revision* commit* copy copies snapshot* base state checkout* head text contents checksum hash file document`,
		"file":        `file files document* path* module* artifact* .py filename* target`,
		"copied":      `copied taken from quoted meant named`,
		"meant":       `meant intended destined belongs`,
		"other":       `other another different wrong elsewhere sibling mistaken misdirect* somewhere neighbour* unrelated`,
		"prompt":      "prompt* > >>> cited mail",
		"tag":         `tag tags`,
		"around":      `around above wrap* enclos* packag* surround*`,
		"chat":        `chat* answer* reply message rendering`,
		"enclosed":    `enclos* packag*`,
		"arrow":       "→ │ |",
		"fence":       "fence* backtick* ``` code-block codeblock markdown wrapper tilde*",
		"plusminus":   `plus minus pluses minuses diff diffs diff-style unified marker* hunk @@`,
		"escape":      `escap* unescap* backslash* encod* decod* serial* entit* literal* quot*`,
		"level":       `level* twice double* doubl* extra once more layer* over-* again too`,
		"omit":        `omit* left skip* elid* elision ellips* dots ... … abbreviat* shorten* snip* placeholder* condens* truncat* summar* abridg* stand-in stands`,
		"placeholder": `placeholder* comment* stand-in dots`,
		"rest":        `lines middle rest part* body section* interior content* real actual`,
		"adjacent":    `adjacen* directly immediately contiguous follow* next consecutive right straight apart neighbour* neighbor*`,
		"further":     `further later below down away lower`,
		"between":     `between gap* separat* apart intervening interpos* distance`,
		"quoted":      `quot* cited citation* passage* words wording text snippet* string*`,
		"anchor":      `anchor*`,
		"block":       `block* old_block`,
		"result":      `result* outcome* output* final after promis* expected produced result_sha256`,
		"checksum":    `checksum* hash* digest* sha* sha-256 sha256 fingerprint*`,
		"format":      `format* protocol* schema* rules grammar`,
		"json":        `json brace* bracket* comma* parse* parser* pars* syntax* schema* field* key* malform* well-formed deserial* invalid unreadable protocol*`,
		"broken":      `broken invalid malform* miss* unclosed truncat* incomplete bad wrong fail* cannot can't reject* chok* unknown unterminat* half cut lacks gives give corrupt*`,
	}
})

// speaks says that a text has a word of a notion. Signs count wherever they
// stand.
func speaks(text string, words []string, notion string) bool {
	for _, w := range strings.Fields(notion) {
		begin, open := strings.CutSuffix(w, "*")
		switch {
		case !strings.ContainsFunc(w, isWord):
			if strings.Contains(text, w) {
				return true
			}
		case slices.ContainsFunc(words, func(s string) bool { return s == w || open && strings.HasPrefix(s, begin) }):
			return true
		}
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordsOf are the words of a text, and the parts of those with a hyphen.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("-'_.", r) })
	var out []string
	for _, w := range words {
		w = strings.Trim(w, "-'_.")
		out = append(out, w)
		if parts := strings.Split(w, "-"); len(parts) > 1 {
			out = append(out, parts...)
		}
	}
	return out
}

// fileNames counts the names of files in a text.
func fileNames(words []string) int {
	seen := map[string]bool{}
	for _, w := range words {
		if stem, ending, ok := strings.Cut(w, "."); ok && stem != "" && ending != "" && len(ending) <= 4 {
			seen[w] = true
		}
	}
	return len(seen)
}

// sense is a cause and the notions that make it, all of them in one sentence.
type sense struct {
	cause anchor.Cause
	all   []string
}

func senses(cause anchor.Cause, rows ...string) (out []sense) {
	for _, r := range rows {
		out = append(out, sense{cause, strings.Fields(r)})
	}
	return out
}

var allSenses = lazy.Value(func() []sense {
	return slices.Concat(
		senses(causeUnreadable, "json broken", "format none operation", "format other", "format broken"),
		senses(anchor.CauseInvisible, "unseen character", "unseen space"),
		senses(anchor.CauseConfusable, "alike character", "alike script", "script character", "script other", "script line"),
		senses(anchor.CauseNormalForm, "compose"),
		senses(anchor.CauseLineNumbers, "number line front", "number front viewer", "number viewer", "viewer front", "place front line", "numeral front", "arrow front"),
		senses(anchor.CauseLineEndings, "line ending other", "line ending character", "line ending differ", "ending differ"),
		senses(anchor.CauseFence, "fence", "tag around", "around chat", "enclosed", "tag chat"),
		senses(anchor.CauseMarkers, "plusminus front", "plusminus line", "prompt front", "prompt line", "plusminus none"),
		senses(anchor.CauseEscapeLevel, "escape level", "escape character"),
		senses(anchor.CauseElided, "omit rest", "omit placeholder", "omit line"),
		senses(anchor.CauseWrongResult, "result checksum"),
		senses(anchor.CauseAlreadyApplied, "applied already", "already there", "same patch already"),
		senses(anchor.CauseWrongIndex, "index exceeds", "index none", "index place", "place number", "place numeral"),
		senses(anchor.CauseAmbiguous, "several place", "which place", "several which", "several distinct", "short single", "several line found", "none single place"),
		senses(anchor.CauseNotAdjacent, "anchor between", "anchor adjacent", "block adjacent", "block between", "anchor further", "block further"),
		senses(anchor.CauseOverlap, "two operation touch", "operation touch same", "operation same line"),
		senses(anchor.CauseOtherFile, "file other", "names", "file none copied", "file meant"),
		senses(anchor.CauseStaleBase, "moved since", "old version", "version moved"),
		senses(anchor.CauseWhitespace, "space amount", "space rewrap", "empty line omit", "space line", "space front", "space differ"),
		senses(anchor.CauseNoSuchText, "invented", "none exist line", "none exist file", "none exist quoted"),
	)
})

// reading is what the notions of a text make.
type reading struct {
	has map[string]bool
	// causes are those that most notions make: what needs three says more than
	// what needs two of them.
	causes []anchor.Cause
}

func readNotions(text string) reading {
	text = strings.ToLower(text)
	words := wordsOf(text)
	r := reading{has: map[string]bool{"names": fileNames(words) > 1}}
	for name, notion := range notions() { // order-free: a set is filled
		r.has[name] = speaks(text, words, notion)
	}
	most := 0
	for _, s := range allSenses() {
		if len(s.all) < most || slices.ContainsFunc(s.all, func(n string) bool { return !r.has[n] }) {
			continue
		}
		if len(s.all) > most {
			r.causes, most = nil, len(s.all)
		}
		r.causes = append(r.causes, s.cause)
	}
	r.causes = slices.Compact(r.causes)
	return r
}

// excludes says that a text clearly speaks of something else than a cause: it
// makes one other, and has none of the notions of this one.
func (r reading) excludes(cause anchor.Cause) bool {
	if len(r.causes) != 1 || family(r.causes[0]) == family(cause) {
		return false
	}
	for _, s := range allSenses() {
		if family(s.cause) == family(cause) && slices.ContainsFunc(s.all, func(n string) bool { return r.has[n] }) {
			return false
		}
	}
	return true
}
