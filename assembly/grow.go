package assembly

import (
	"slices"

	"brenner"
)

// grow spends what is left (C34): where the view says so, summaries become full
// texts in the order of their rank, each that still fits, after everything that
// was selected has its place. What is too large is passed over, and stays a
// summary, and so does what its reader could have opened since it was last given one.
func (a *assembler) grow() error {
	if !a.in.View.Grow || a.in.Survey {
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
	if c.section != Selected || c.item == nil || c.item.Variant != Summary || a.in.old(c.source) {
		return false
	}
	if a.in.Part && c.source.Size > shortText && !a.bears(c) {
		return false
	}
	rule, _ := a.in.View.Rule(c.item.Type)
	return rule.Variant == Summary && a.in.Counter.AtLeast(int(c.source.Size)) <= left
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

// shortText is how many bytes of a text are given to whoever does a part of the work,
// whether or not they bear on it: to ask for them would take more.
const shortText = 2000

// bears says whether something bears on a part of the work.
func (a *assembler) bears(c chunk) bool {
	if slices.Contains(a.in.Named, c.source.Ref.Artifact) {
		return true
	}
	best := 0.0
	for _, o := range a.chunks {
		if o.section == Selected && o.item != nil && o.item.Score != nil {
			best = max(best, o.item.Score.Total)
		}
	}
	return c.item.Score != nil && 2*c.item.Score.Total >= best
}
