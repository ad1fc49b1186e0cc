package stalemate

import (
	"fmt"
	"strconv"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/internal/lazy"
)

// Kinds of evidence the package gives a meaning to; others are carried along.
const (
	KindErrorLog    = "error_log"
	KindFileContent = "file_content"
	// KindOlderContent is an earlier state of a text: one that a patch was
	// made for or quotes, when it was refused on another.
	KindOlderContent = "older_content"
	KindPatch        = "patch"
	KindExplanation  = "explanation"
)

// Evidence is one thing that can be looked at.
type Evidence struct {
	// ID is e1, e2… in the order given; findings cite it.
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	Description string `json:"description,omitzero"`
	// Path names the file that Content is the content of.
	Path    string `json:"path,omitzero"`
	Content string `json:"content"`
	// Digest addresses the content. It is empty if Missing.
	Digest brenner.Digest `json:"digest,omitzero"`
	// Missing marks imported evidence whose content is only a placeholder.
	Missing bool `json:"missing,omitzero"`
}

// addressed gives the evidence its id and digest, or marks it missing.
func (e Evidence) addressed(number int) Evidence {
	e.ID = fmt.Sprintf("e%d", number)
	e.Missing = IsPlaceholder(e.Content)
	e.Digest = ""
	if !e.Missing {
		e.Digest = canon.Sum([]byte(e.Content))
	}
	return e
}

func (e Evidence) name() string {
	if e.Path != "" {
		return e.ID + " (" + e.Path + ")"
	}
	return e.ID + " (" + e.Kind + ")"
}

// position is the index that the id was made from.
func (e Evidence) position() int {
	n, _ := strconv.Atoi(strings.TrimPrefix(e.ID, "e"))
	return n - 1
}

// Missing lists the evidence that is only a placeholder.
func (s Stalemate) Missing() (missing []Evidence) {
	for _, e := range s.Evidence {
		if e.Missing {
			missing = append(missing, e)
		}
	}
	return missing
}

// longestPlaceholder is more than anybody writes to stand for content.
const longestPlaceholder = 400

var placeholderWords = lazy.NewPattern(`(?i)^(?:\W*(?:tbd|tba|todo|n/?a|none|omitted|redacted|truncated|unchanged|attached|` +
	`see (?:above|below|attached|previous|earlier)[^\n]{0,80}|` +
	`(?:same|as) (?:as )?(?:above|before|previous)[^\n]{0,80}|` +
	`(?:paste|insert|add|put) [^\n]{0,80} here|` +
	`(?:full |complete |entire )?(?:file )?contents? (?:of|from|goes|omitted|here|above)[^\n]{0,120})\W*)$`)

// IsPlaceholder says that a text only stands for content: it is blank, dots, a
// phrase such as "see above", or one bracketed phrase that is neither JSON nor
// followed by anything.
func IsPlaceholder(content string) bool {
	s := strings.TrimSpace(content)
	if strings.Trim(s, ".… \n") == "" {
		return true
	}
	if len(s) > longestPlaceholder {
		return false
	}
	return placeholderWords.MatchString(s) || bracketed(s)
}

// bracketed says that one pair of brackets encloses the whole text and holds
// words, not data.
func bracketed(s string) bool {
	for _, pair := range []string{"[]", "<>", "{}", "()"} {
		if s[0] != pair[0] || s[len(s)-1] != pair[1] {
			continue
		}
		return closesAtEnd(s, pair) && !looksLikeData(s)
	}
	return false
}

// closesAtEnd says that the first bracket is closed by the last character.
func closesAtEnd(s, pair string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case pair[0]:
			depth++
		case pair[1]:
			depth--
		}
		if depth == 0 {
			return i == len(s)-1
		}
	}
	return false
}

// looksLikeData tells JSON, markup and code from a phrase.
func looksLikeData(s string) bool {
	return canon.Check([]byte(s)) == nil || strings.HasPrefix(s, "</") || strings.Contains(s, "/>") ||
		strings.ContainsAny(s, "=;\n")
}
