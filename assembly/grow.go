package assembly

// grow spends what is left (C34): where the view says so, summaries become full
// texts in the order of their rank, each that still fits, after everything that
// was selected has its place. What is too large is passed over, and stays a
// summary, and so does what its reader could have opened since it was last given one.
func (a *assembler) grow() error {
	if !a.in.View.Grow {
		return nil
	}
	for i, c := range a.chunks {
		if c.section != Selected || c.item == nil || c.item.Variant != Summary || a.in.old(c.source) {
			continue
		}
		rule, _ := a.in.View.Rule(c.item.Type)
		left := a.room - a.used + c.count
		if rule.Variant != Summary || a.in.Counter.AtLeast(int(c.source.Size)) > left {
			continue // it was tried in full already, or cannot fit
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
