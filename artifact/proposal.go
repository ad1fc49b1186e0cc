package artifact

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
)

// Proposal is what somebody wants to write as a new version. Content has been
// through NewContent and is checked against its schema by the Registry; here
// is what holds for every type.
type Proposal struct {
	Type    Type
	Summary string
	Content Content
	Tags    []string
	Links   []Link
	Change  *Change
}

// Prev is what the version that an update goes on says.
type Prev struct {
	Summary string
	Content brenner.Digest
	Format  Format
	Tags    []string
	Links   []Link
	Version brenner.Version
	// Dead says that it is out of use: who writes it once more brings it back.
	Dead bool
}

// says reports whether a proposal says the same: its words, tags and links. What
// a version takes the place of is its own affair.
func (v Prev) says(p Proposal) bool {
	same := func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.Artifact, b.Artifact), cmp.Compare(a.Version, b.Version))
	}
	kept := slices.DeleteFunc(slices.Clone(v.Links), func(l Link) bool { return l.Rel == Supersedes })
	return v.Content == p.Content.Digest() && v.Format == p.Content.Format && v.Summary == p.Summary &&
		slices.Equal(slices.Sorted(slices.Values(v.Tags)), slices.Sorted(slices.Values(p.Tags))) &&
		slices.Equal(slices.SortedFunc(slices.Values(kept), same), slices.SortedFunc(slices.Values(p.Links), same))
}

// CheckDraft checks what every new version must keep. It reports
// SUMMARY_INVALID, INVALID_TEXT, INVALID_VALUE for a tag, INVALID_LINK,
// SCHEMA_VIOLATION for a placeholder or LIMIT_EXCEEDED, with a pointer into the proposal.
func CheckDraft(p Proposal) error {
	if err := checkSummary(p.Summary); err != nil {
		return err
	}
	if err := checkTags(p.Tags); err != nil {
		return err
	}
	if err := checkLinks(p.Links); err != nil {
		return err
	}
	if err := checkSaid(p.Type, p.Content); err != nil {
		return err
	}
	if p.Change == nil {
		return nil
	}
	if err := checkNote("/change/what", p.Change.What); err != nil {
		return err
	}
	return checkNote("/change/why", p.Change.Why)
}

// CheckUpdate checks, besides CheckDraft, what an update owes to the version
// it goes on: it says something else (NOTHING_CHANGED, C13) unless that one is out of
// use and is brought back, new content needs a
// new summary unless the writer says that the old one holds (SUMMARY_STALE,
// C11), a core type needs a change note (CHANGE_NOTE_REQUIRED, C15), and a record
// type has no second version (STATUS_CONFLICT, C4).
func CheckUpdate(prev Prev, p Proposal, summaryHolds bool) error {
	if p.Type.Record {
		return brenner.Errorf(brenner.CodeStatusConflict, "%s has one version", brenner.A(p.Type.Name)).
			WithHint("its state changes through commands of its own")
	}
	if err := CheckDraft(p); err != nil {
		return err
	}
	if !prev.Dead && prev.says(p) {
		return brenner.Errorf(brenner.CodeNothingChanged, "version %d says the same already", prev.Version).
			WithHint("change something, or leave it as it is; that a stale version still holds is said by reaffirming it")
	}
	sameSummary := slices.Equal(strings.Fields(p.Summary), strings.Fields(prev.Summary))
	if sameSummary && !summaryHolds && p.Content.Digest() != prev.Content {
		return brenner.Errorf(brenner.CodeSummaryStale, "the content differs from version %d but the summary is the same", prev.Version).
			At("/summary").WithHint("summarise the new content, or confirm that the old summary holds")
	}
	if p.Type.Core && (p.Change == nil || blank(p.Change.What) || blank(p.Change.Why)) {
		return brenner.Errorf(brenner.CodeChangeNoteRequired, "a new version of %s must say what changed and why", brenner.A(p.Type.Name)).
			At("/change").WithHint("say what changed, and why")
	}
	return nil
}

func checkSummary(s string) error {
	const where = "/summary"
	if err := checkText("the summary", []byte(s)); err != nil {
		return at(err, where)
	}
	if blank(s) {
		return brenner.Errorf(brenner.CodeSummaryInvalid, "the summary %s", missing(s)).At(where).
			WithHint("say in a sentence or two what the content says")
	}
	if n := utf8.RuneCountInString(s); n > brenner.MaxSummaryRunes {
		return brenner.Errorf(brenner.CodeSummaryInvalid, "the summary has %d characters, more than %d", n, brenner.MaxSummaryRunes).
			At(where).WithHint("move details into the content")
	}
	return nil
}

// checkSaid reports SCHEMA_VIOLATION where a content, or a text that its type needs in it,
// is a placeholder.
func checkSaid(t Type, c Content) error {
	refuse := func(pointer, what, text string) error {
		return brenner.Errorf(brenner.CodeSchemaViolation, "%s %s", what, missing(text)).At(pointer).WithHint("write it out")
	}
	if c.Format != JSON {
		if brenner.IsPlaceholder(string(c.Data)) {
			return refuse("/content", "the content", string(c.Data))
		}
		return nil
	}
	if !bytes.Contains(c.Data, []byte(`…"`)) && !bytes.Contains(c.Data, []byte(`."`)) {
		return nil
	}
	said := members(c.Data)
	for _, name := range t.required() {
		if text := word(said[name]); brenner.IsPlaceholder(text) {
			return refuse("/"+name, name, text)
		}
	}
	return nil
}

func checkTags(tags []string) error {
	if len(tags) > brenner.MaxTags {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%d tags, more than %d", len(tags), brenner.MaxTags).At("/tags")
	}
	for i, tag := range tags {
		where := "/tags/" + strconv.Itoa(i)
		if err := checkText("the tag", []byte(tag)); err != nil {
			return at(err, where)
		}
		if utf8.RuneCountInString(tag) > brenner.MaxTagRunes {
			return brenner.Errorf(brenner.CodeLimitExceeded, "the tag %q is longer than %d characters", brenner.Clip(tag, brenner.MaxQuote), brenner.MaxTagRunes).At(where)
		}
		if tag == "" || tag != strings.TrimSpace(tag) || strings.ContainsFunc(tag, notPrintable) {
			return brenner.Errorf(brenner.CodeInvalidValue, "%q is not a tag", tag).At(where).
				WithHint("a tag is printable text without blanks around it")
		}
		if slices.Contains(tags[:i], tag) {
			return brenner.Errorf(brenner.CodeInvalidValue, "the tag %q is given twice", tag).At(where).
				WithHint("give each tag once")
		}
	}
	return nil
}

func checkLinks(links []Link) error {
	if len(links) > brenner.MaxLinks {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%d links, more than %d", len(links), brenner.MaxLinks).At("/links")
	}
	seen := make(map[Link]bool, len(links))
	for i, l := range links {
		if err := l.Check(); err != nil {
			return at(err, "/links/"+strconv.Itoa(i))
		}
		if seen[l] {
			return brenner.Errorf(brenner.CodeInvalidLink, "the link %s %s is given twice", l.Rel, l.To()).
				At("/links/" + strconv.Itoa(i)).WithHint("give each link once")
		}
		seen[l] = true
	}
	return nil
}

// Check reports INVALID_LINK unless the link has a known relation and names a
// definite version. Whether that version exists is for its keeper to say.
func (l Link) Check() error {
	if !slices.Contains(Relations(), l.Rel) {
		return brenner.Errorf(brenner.CodeInvalidLink, "unknown relation %q", brenner.Clip(string(l.Rel), brenner.MaxQuote)).
			WithHint("the relations are " + relationList())
	}
	if l.Artifact.Check() != nil || l.Version < 1 {
		return brenner.Errorf(brenner.CodeInvalidLink, "%q does not name a version", brenner.Clip(l.To().String(), brenner.MaxQuote)).
			WithHint("link to ID@VERSION, for example notes-1@3")
	}
	return nil
}

func relationList() string {
	words := make([]string, 0, len(Relations()))
	for _, r := range Relations() {
		words = append(words, string(r))
	}
	return strings.Join(words, ", ")
}

// checkNote bounds a change note or a reason, which may be empty.
func checkNote(where, note string) error {
	if err := checkText("the note", []byte(note)); err != nil {
		return at(err, where)
	}
	if n := utf8.RuneCountInString(note); n > brenner.MaxNoteRunes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the note has %d characters, more than %d", n, brenner.MaxNoteRunes).At(where)
	}
	return nil
}

// missing says of a text that has to say something and does not why it does not.
func missing(s string) string {
	if brenner.IsPlaceholder(s) {
		return fmt.Sprintf("is %q, which only keeps the place of one", strings.TrimSpace(s))
	}
	return "is missing"
}

func blank(s string) bool { return brenner.SaysNothing(s) }

func notPrintable(r rune) bool { return !unicode.IsPrint(r) }

// at says where in the proposal an error of ours belongs.
func at(err error, pointer string) error {
	var e *brenner.Error
	if errors.As(err, &e) {
		return e.At(pointer)
	}
	return err
}
