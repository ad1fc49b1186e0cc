package tasks

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/lazy"
)

// What makes two pieces of work alike: how many words both use, and how large a
// part of the shorter one's that is, in what they are called or in all they say.
const (
	titleWords, titlePart = 3, 0.5
	allWords, allPart     = 5, 0.25

	wordRunes   = 3   // shorter words tell little
	alikeLooked = 200 // of the newest tasks
	alikeMost   = 3   // are named
	alikeSpec   = 300 // characters of what is asked
)

// alike finds the unfinished tasks that ask for much the same as a new one, and
// tells those who are at them or asked for them. What the caller may not be told
// of them is not named (C33).
func (r *Room) alike(ch *kernel.Change, t api.TaskInfo) ([]api.AlikeTask, error) {
	title, all := wordsOf(t.Title), wordsOf(t.Title+" "+t.Spec)
	var like []api.TaskInfo
	looked := 0
	unfinished := kernel.Query{States: kernel.Strings([]api.TaskState{api.TaskOpen, api.TaskClaimed}), Newest: true}
	err := tasks.Each(ch.Ctx, ch.Reader, unfinished, func(row kernel.Row[task]) (bool, error) {
		o := row.Value.info(ch.Now)
		if o.ID != t.ID && o.Session == t.Session && overlaps(title, all, o) {
			like = append(like, o)
		}
		looked++
		return len(like) < alikeMost && looked < alikeLooked, nil
	})
	if err != nil {
		return nil, err
	}
	var out []api.AlikeTask
	for _, o := range like {
		seen, err := r.told(ch.Call, o)
		if err != nil {
			return nil, err
		}
		if seen.Title == "" {
			continue
		}
		like := api.AlikeTask{ID: o.ID, Title: o.Title, State: o.State, Creator: o.Creator, Holder: o.Holder}
		// Who would do the same is shown what that is, as a read like any other.
		spec := brenner.Clip(brenner.OneLine(o.Spec), alikeSpec)
		if pays, err := ch.Pays("task "+o.ID, spec); err != nil {
			return nil, err
		} else if pays && t.Session != "" {
			like.Spec = spec
		}
		out = append(out, like)
		title := ""
		if t.Session != "" {
			title = ": " + t.Title
		}
		to := o.Holder
		if to == "" {
			to = o.Creator
		}
		if err := r.Mail.Tell(ch, to, api.MessageTask, fmt.Sprintf("OVERLAP: %s may overlap with %s", t.ID, o.ID), fmt.Sprintf(
			"%s, which %s has just opened, may overlap with %s, which is yours%s\nSettle who does what before both are done.\n", t.ID, ch.Who.Name, o.ID, title)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// wordsOf are the words of a text that tell something, without their endings.
func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = stem(w); utf8.RuneCountInString(w) >= wordRunes && !dull()[w] {
			out[w] = true
		}
	}
	return out
}

// stem takes the commonest English endings off a word.
func stem(w string) string {
	for _, ending := range []string{"ing", "ies", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(w, ending); ok && len(rest) >= 3 {
			return rest
		}
	}
	return w
}

// dull are the stems of words that any piece of work may be asked for in.
var dull = lazy.Value(func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`
		about agent all also analysis and another answer any are artifact both but can could does done each find for from give has have
		here how into its many may measure name need not number one only other out over project read result run scratch session should
		small some source task than that the their them then there these they this three through two was what when where which whether
		who why will with work would write yet you your`) {
		out[stem(w)] = true
	}
	return out
})

// overlaps says whether a task asks for much the same as a title, or as all words
// of another.
func overlaps(title, all map[string]bool, o api.TaskInfo) bool {
	return share(title, wordsOf(o.Title), titleWords, titlePart) || share(all, wordsOf(o.Title+" "+o.Spec), allWords, allPart)
}

// share says whether two sets have so many words in common, and such a part of the
// smaller one.
func share(a, b map[string]bool, words int, part float64) bool {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return common >= words && float64(common) >= part*float64(min(len(a), len(b)))
}
