package assembly

import (
	"slices"
	"strings"

	"brenner"
	"brenner/artifact"
)

// grow spends what is left (C34): where the view says so, summaries become full
// texts in the order of their rank, each that still fits, after everything that
// was selected has its place. What is too large is passed over, and stays a
// summary, and so does what its reader could have opened since it was last given one.
func (a *assembler) grow() error {
	if !a.in.View.Grow || a.in.Survey || a.in.ForPart != nil {
		return nil
	}
	a.announce()
	for i, c := range a.chunks {
		left := a.room - a.used + c.count
		if !a.growable(c, left) {
			continue
		}
		full, err := a.item(Selected, c.source, Full, c.item.Why)
		if err != nil {
			return err
		}
		if full.item.Variant != Full || full.count > left {
			continue
		}
		it := *full.item
		it.Why += "; in full: the budget had room left"
		it.Rank, it.Score, it.By = c.item.Rank, c.item.Score, c.item.By
		full.item = &it
		a.replace(i, full)
	}
	return nil
}

// growable says whether a summary can become a full text of so much at most. One that
// its rule wanted in full was tried already.
func (a *assembler) growable(c chunk, left int) bool {
	wanted := a.in.Bearing == nil || c.source.Size <= tinyText || c.source.Type == artifact.TypeSessionArtifact || slices.Contains(a.in.Named, c.source.Ref.Artifact)
	return wanted && a.summed(c) && a.in.Counter.AtLeast(int(c.source.Size)) <= left
}

// summed says whether a chunk is the summary of something of which more may be given.
func (a *assembler) summed(c chunk) bool {
	if c.section != Selected || c.item == nil || c.item.Variant != Summary || a.in.old(c.source) {
		return false
	}
	rule, _ := a.in.View.Rule(c.item.Type)
	return rule.Variant == Summary
}

// announce tells which texts will be loaded if each is as short as it can be.
func (a *assembler) announce() {
	if a.in.Soon == nil {
		return
	}
	var soon []brenner.Ref
	left := a.room - a.used
	for _, c := range a.chunks {
		if a.growable(c, left+c.count) {
			soon = append(soon, c.source.Ref)
			left -= max(0, a.in.Counter.AtLeast(int(c.source.Size))-c.count)
		}
	}
	if len(soon) > 0 {
		a.in.Soon(soon)
	}
}

// mostSearched is how many bytes a text has at most in which passages are looked for.
const mostSearched = 1 << 18

// quote gives, to whoever does a part of the work, of each text that is not given in full
// the passages that bear on it, and a short text whole that has one. What it finds
// nothing in stays a summary.
func (a *assembler) quote() error {
	if a.in.Bearing == nil || !a.in.View.Grow || a.in.Survey || a.in.ForPart != nil {
		return nil
	}
	var at []int // the chunks of the texts
	var contents []artifact.Content
	for i, c := range a.chunks {
		if !a.summed(c) || c.source.Size > mostSearched || c.source.Notes.Author == a.in.Agent ||
			c.source.Type == artifact.TypeRawLog || c.source.Type == artifact.TypeSessionArtifact {
			continue
		}
		content, err := a.in.Load(c.source.Ref)
		if brenner.CodeOf(err) == brenner.CodeRedacted {
			continue
		}
		if err == nil {
			content, err = artifact.NewContent(content.Format, content.Data)
		}
		if err != nil {
			return err
		}
		at, contents = append(at, i), append(contents, content)
	}
	texts := make([]string, len(contents))
	for i, c := range contents {
		texts[i] = string(c.Data)
	}
	of := make([][]string, len(texts))
	for _, p := range a.in.Bearing(texts) {
		of[p.Text] = append(of[p.Text], p.Words)
	}
	for i, words := range of {
		if len(words) == 0 {
			continue
		}
		c, variant, why := a.chunks[at[i]], Passages, "; in passages: what bears on the part"
		content := artifact.Content{Format: artifact.Text, Data: []byte(strings.Join(words, "\n[…]\n"))}
		if len(texts[i]) <= shortText {
			content, variant, why = contents[i], Full, "; in full: it is short and bears on the part"
		}
		it := *c.item
		it.Variant, it.Why = variant, it.Why+why
		more := c
		more.item, more.text = &it, a.writer.item(Selected, c.source, variant, content)
		if more.count = a.count(more.text); more.count <= a.room-a.used+c.count {
			a.replace(at[i], more)
		}
	}
	return nil
}

// A text of no more bytes than tinyText is given to whoever does a part of the work,
// whether or not it bears on it: to ask for it would take more. One of shortText is where
// a passage of it does.
const (
	tinyText  = 600
	shortText = 1400
)
