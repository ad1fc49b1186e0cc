package delta_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json"
)

// row is what an item shows, in a form both merges can be brought to.
type row struct {
	Fields      map[string]string   // slot → JSON
	Lists       map[string][]string // field → elements
	Conflicts   map[string][]string // slot → candidates
	KilledCells map[string]string
	Killed      string
}

func (s *oracleState) show(it *oracleItem) row {
	r := row{map[string]string{}, map[string][]string{}, map[string][]string{}, map[string]string{}, ""}
	all := s.writes(it)
	for _, w := range all {
		winners := s.winners(all, w.slot)
		switch {
		case winners[0].killed:
			// The first of several kills in a row counts.
			first := winners[0].d
			for _, o := range all {
				if o.slot == w.slot && o.killed && s.before(o.d, first) && !s.writtenBetween(all, w.slot, o.d, first) {
					first = o.d
				}
			}
			r.KilledCells[strings.TrimPrefix(w.slot, "predictions.")] = s.death(first)
		case slices.ContainsFunc(winners, func(o oracleWrite) bool { return o.value != winners[0].value }):
			var list []string
			for _, o := range winners {
				list = append(list, fmt.Sprintf("%s %s %s %s", o.value, o.d.Agent, delta.FormatInstant(o.d.at), o.d.DeltaID))
			}
			sort.Strings(list)
			r.Conflicts[w.slot] = list
		case winners[0].value == "null": // taken out (D5)
		default:
			r.Fields[w.slot] = winners[0].value
		}
	}
	for _, field := range oracleLists {
		if list, written := s.list(it, field); written {
			r.Lists[field] = list
		}
	}
	if k := s.killOf(it); k != nil {
		r.Killed = s.death(k)
	}
	return r
}

func (s *oracleState) writtenBetween(all []oracleWrite, slot string, a, b *oracleDelta) bool {
	return slices.ContainsFunc(all, func(w oracleWrite) bool {
		return w.slot == slot && !w.killed && w.d.Operation == delta.Edit && s.before(a, w.d) && s.before(w.d, b)
	})
}

func (s *oracleState) death(k *oracleDelta) string {
	reason, _ := k.payload["reason"].(string)
	return fmt.Sprintf("%s %s %s", k.Agent, delta.FormatInstant(k.at), reason)
}

// judge says what became of a delta that was folded.
func (s *oracleState) judge(it *oracleItem, d *oracleDelta) (delta.Status, brenner.Code) {
	kill := s.killOf(it)
	isCell := strings.Contains(string(d.TargetID), ".")
	switch {
	case d.Operation == delta.Add:
		return delta.Applied, ""
	case d.Operation == delta.Kill && !isCell:
		if kill == d {
			return delta.Applied, ""
		}
		return delta.Skipped, ""
	case kill != nil && s.before(kill, d):
		return delta.Skipped, brenner.CodeTargetKilled
	}
	all := s.writes(it)
	status := delta.Superseded
	shown := s.show(it)
	for _, w := range all {
		if w.d != d {
			continue
		}
		winners := s.winners(all, w.slot)
		conflict := slices.ContainsFunc(winners, func(o oracleWrite) bool { return o.value != winners[0].value })
		among := slices.ContainsFunc(winners, func(o oracleWrite) bool { return o.d == d })
		switch {
		case conflict && among:
			return delta.Conflicted, ""
		case conflict:
		case w.killed:
			if shown.KilledCells[strings.TrimPrefix(w.slot, "predictions.")] == s.death(d) && s.firstDrop(all, w.slot, winners[0].d) == d {
				status = delta.Applied
			}
		case !winners[0].killed && winners[0].value == w.value:
			status = delta.Applied
		}
	}
	for _, field := range oracleLists {
		v, has := d.payload[field].([]any)
		if !has {
			continue
		}
		list, _ := s.list(it, field)
		for _, el := range v {
			text := el.(string)
			if field == "conflicts_with" {
				text = s.resolve(d, text)
			}
			if slices.Contains(list, text) {
				status = delta.Applied
			}
		}
		last := (*oracleDelta)(nil)
		for _, o := range s.visible(it) {
			if _, has := o.payload[field]; has && o.Operation == delta.Edit && (o.payload["replace"] == true || o.payload[field+"_replace"] == true) {
				last = o
			}
		}
		if last == d {
			status = delta.Applied
		}
	}
	return status, ""
}

// firstDrop is the first of the kills of a cell that nothing was written after.
func (s *oracleState) firstDrop(all []oracleWrite, slot string, last *oracleDelta) *oracleDelta {
	first := last
	for _, o := range all {
		if o.slot == slot && o.killed && s.before(o.d, first) && !s.writtenBetween(all, slot, o.d, last) {
			first = o.d
		}
	}
	return first
}

// rows brings the JSON of an artifact to the same form.
func rows(raw []byte) map[string]row {
	var doc struct {
		Sections map[string]struct {
			Items []struct {
				ID        string         `json:"id"`
				Fields    map[string]any `json:"fields"`
				Conflicts map[string][]struct {
					Value   any    `json:"value"`
					Agent   string `json:"agent"`
					Instant string `json:"instant"`
					Delta   string `json:"delta"`
				} `json:"conflicts"`
				KilledBy    string                       `json:"killed_by"`
				KilledAt    string                       `json:"killed_at"`
				KillReason  string                       `json:"kill_reason"`
				KilledCells map[string]map[string]string `json:"killed_cells"`
			} `json:"items"`
		} `json:"sections"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		panic(err)
	}
	out := map[string]row{}
	for _, section := range doc.Sections {
		for _, it := range section.Items {
			r := row{map[string]string{}, map[string][]string{}, map[string][]string{}, map[string]string{}, ""}
			for name, v := range it.Fields {
				switch v := v.(type) {
				case []any:
					list := []string{}
					for _, el := range v {
						list = append(list, el.(string))
					}
					r.Lists[name] = list
				case map[string]any:
					for key, value := range v {
						r.Fields[name+"."+key] = string(canon.MustMarshal(value))
					}
				default:
					r.Fields[name] = string(canon.MustMarshal(v))
				}
			}
			for slot, candidates := range it.Conflicts {
				for _, c := range candidates {
					r.Conflicts[slot] = append(r.Conflicts[slot], fmt.Sprintf("%s %s %s %s", canon.MustMarshal(c.Value), c.Agent, c.Instant, c.Delta))
				}
				sort.Strings(r.Conflicts[slot])
			}
			for key, d := range it.KilledCells {
				r.KilledCells[key] = fmt.Sprintf("%s %s %s", d["killed_by"], d["killed_at"], d["kill_reason"])
			}
			if it.KilledBy != "" {
				r.Killed = fmt.Sprintf("%s %s %s", it.KilledBy, it.KilledAt, it.KillReason)
			}
			out[it.ID] = r
		}
	}
	return out
}

func (s *oracleState) rows() map[string]row {
	out := map[string]row{}
	for _, it := range s.items {
		if len(it.log) > 0 {
			out[it.id()] = s.show(it)
		}
	}
	return out
}
