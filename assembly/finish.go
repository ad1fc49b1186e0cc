package assembly

import (
	"slices"
	"strings"

	"brenner/canon"
	"brenner/internal/order"
)

// finish counts the final text and takes out what ranks lowest until it fits:
// a bound on the parts is not yet a bound on the whole, unless the counter
// promises it.
func (a *assembler) finish() (Context, error) {
	text, counted := a.text()
	for counted > a.room {
		if !a.drop() {
			a.used = counted
			return Context{}, a.overflow()
		}
		text, counted = a.text()
	}
	c := Context{
		Agent: a.in.Agent, Role: a.in.View.Role,
		View: UsedView{From: a.in.ViewFrom, SHA256: canon.Sum(canon.MustMarshal(a.in.View))},
		Text: text, More: a.more, SHA256: canon.Sum([]byte(text)), Format: a.in.Format, Scope: a.scope, Made: a.in.Made,
		Budget: a.in.View.Budget, Used: a.in.View.Budget.scale(counted), Parts: a.parts(),
		Items: []Included{}, Bullets: []IncludedBullet{},
		LeftOut: orEmpty(a.leftOut), BulletsLeftOut: orEmpty(a.bulletsLeftOut), Rest: orEmpty(slices.Clone(a.in.Rest)),
	}
	if a.in.Task != nil {
		c.Task = a.in.Task.ID
	}
	for _, ch := range a.inOrderOfText() {
		if ch.item != nil {
			c.Items = append(c.Items, *ch.item)
		}
		if ch.bullet != nil {
			c.Bullets = append(c.Bullets, *ch.bullet)
		}
	}
	order.By(c.LeftOut, func(x, y LeftOut) int { return rankOrLast(x) - rankOrLast(y) })
	return c, nil
}

// rankOrLast orders what was ranked before what was not.
func rankOrLast(l LeftOut) int {
	if l.Rank == 0 {
		return 1 << 30
	}
	return l.Rank
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// drop makes the last thing that is not mandatory smaller: an item in full
// becomes a summary, anything else goes. It reports whether there was one.
func (a *assembler) drop() bool {
	last := len(a.chunks) - 1
	c := a.chunks[last]
	switch {
	case (c.section == Selected || c.section == Written) && c.item == nil: // says something of the others
	case (c.section == Selected || c.section == Written) && c.item.Variant == Full:
		a.replace(last, a.summary(c, "its content does not fit"))
		return true
	case c.section == Selected:
		a.leftOut = append(a.leftOut, LeftOut{
			Ref: c.item.Ref, Type: c.item.Type, Reason: OverBudget, Why: "with it the whole text does not fit",
			Rank: c.item.Rank, Score: c.item.Score, By: c.item.By,
		})
	case c.section == Written:
	case c.section == Lessons:
		a.bulletsLeftOut = append(a.bulletsLeftOut, LeftOutBullet{c.bullet.ID, BulletOverBudget})
	default:
		return false
	}
	a.chunks = a.chunks[:last]
	a.used -= c.count
	for last--; a.chunks[last].heading; last-- {
		h := a.chunks[last]
		a.chunks = a.chunks[:last]
		a.used -= h.count
		delete(a.opened, h.group)
	}
	return true
}

// text gives the final text and its count. What chunks were counted as is not counted
// again, but where two of them may have another count together.
func (a *assembler) text() (string, int) {
	var b strings.Builder
	total := 0
	var last chunk // not in total yet
	for _, c := range append(a.inOrderOfText(), a.footer) {
		b.WriteString(c.text)
		switch {
		case c.text == "":
		case last.text == "":
			last = c
		case a.in.Counter.Apart(last.text, c.text):
			total += last.count
			last = c
		default:
			last.text += c.text
			last.count = a.in.Counter.Count(last.text)
		}
	}
	return b.String(), total + last.count
}

// parts divides the count over the sections, and notes on every item what it
// takes. Shares are differences of rounded sums, so that they add up.
func (a *assembler) parts() []Part {
	budget := a.in.View.Budget
	parts := make([]Part, 0, len(Sections()))
	total := 0
	share := func(count int) int {
		before := budget.scale(total)
		total += count
		return budget.scale(total) - before
	}
	for _, s := range Sections() {
		p := Part{Section: s}
		for _, c := range a.chunks {
			if c.section != s {
				continue
			}
			tokens := share(c.count)
			p.Tokens += tokens
			switch {
			case c.item != nil:
				c.item.Tokens = tokens
				p.Items++
			case c.bullet != nil:
				c.bullet.Tokens = tokens
				p.Items++
			}
		}
		if s == Header {
			p.Tokens += share(a.footer.count)
		}
		if p.Tokens > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}
