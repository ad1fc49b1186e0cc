package delta

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Conflict is a field for which several values were given and nothing decides
// between them (D10).
type Conflict struct {
	Section Section `json:"section"`
	Item    ItemID  `json:"item"`
	Field   string  `json:"field"`
	// Key is the key of a map field, "" for a plain field.
	Key        string      `json:"key,omitzero"`
	Candidates []Candidate `json:"candidates"`
}

// Name is the field as `conflict resolve` takes it: claim, or predictions.H2.
func (c *Conflict) Name() string {
	if c.Key == "" {
		return c.Field
	}
	return c.Field + "." + c.Key
}

// Conflicts lists every unsettled field, in the order in which items are shown.
func (a *Artifact) Conflicts() []Conflict {
	var all []Conflict
	for s := range a.sections {
		for _, it := range a.sections[s].list.all() {
			all = append(all, it.conflicts()...)
		}
	}
	return all
}

func (it *Item) conflicts() []Conflict {
	var all []Conflict
	for _, c := range it.contentions() {
		candidates := make([]Candidate, len(c.rival))
		for i := range c.rival {
			candidates[i] = c.rival[i].export()
		}
		all = append(all, Conflict{Section: it.Section(), Item: it.ID(), Field: c.field, Key: c.key, Candidates: candidates})
	}
	return all
}

// contention is a field, or a key of one, between whose values nothing decides.
type contention struct {
	field, key string
	rival      []candidate
}

func (it *Item) contentions() []contention {
	if !it.contended {
		return nil
	}
	var all []contention
	for i := range it.fields {
		f := &it.fields[i]
		if f.parts == nil {
			continue
		}
		if rival := f.parts.rival; rival != nil {
			all = append(all, contention{f.name(), "", rival})
		}
		for k := range f.parts.cells {
			if c := &f.parts.cells[k]; c.rival != nil {
				all = append(all, contention{f.name(), c.key, c.rival})
			}
		}
	}
	return all
}

func (c *contention) diagnostic(it *Item) brenner.Diagnostic {
	var values strings.Builder
	for i := range c.rival {
		if values.Len() > brenner.MaxQuote*utf8.UTFMax {
			break // no more of them would show
		}
		if i > 0 {
			values.WriteString("; ")
		}
		values.WriteString(string(c.rival[i].entry.agent) + " says " + clip(c.rival[i].value))
	}
	id, named := string(it.ID()), Conflict{Field: c.field, Key: c.key}
	return brenner.Diagnostic{
		Code: brenner.CodeFieldConflict, Severity: brenner.SeverityError, Subject: id,
		Message: id + " " + clip(named.Name()) + " is in conflict: " + clip(values.String()),
		Hint:    "settle it, or let a later EDIT decide",
	}
}

// Resolution is a decision about a conflict.
type Resolution struct {
	Item ItemID
	// Field is a field, or a field and key such as predictions.H2.
	Field string
	// Take names the candidate to keep by its delta id, or by its agent.
	Take string
	// Value is the value to write, as JSON, if none of the candidates is kept.
	Value jsontext.Value
	// By decides, Now is when, DeltaID names the delta that says so.
	By        brenner.ActorName
	Now       time.Time
	DeltaID   string
	Rationale string
}

// Resolve gives the EDIT that settles a conflict, ready to be merged. It
// stands one nanosecond after now and every candidate, so that it wins (D10).
//
// It reports NOT_FOUND if there is no such conflict or candidate, USAGE if the
// decision is not one, INVALID_VALUE if the value does not fit the field and
// LIMIT_EXCEEDED if no instant is left after the candidates.
func (a *Artifact) Resolve(r Resolution) (Entry, error) {
	c, err := a.conflict(r)
	if err != nil {
		return Entry{}, err
	}
	value, err := c.decide(r)
	if err != nil {
		return Entry{}, err
	}
	at := r.Now.UTC()
	for _, v := range c.Candidates {
		at = later(at, v.Instant)
	}
	at = at.Add(time.Nanosecond)
	if !representable(at) {
		return Entry{}, brenner.Errorf(brenner.CodeLimitExceeded, "a candidate stands at the end of time").
			WithHint("no later instant can be written")
	}
	var payload any = map[string]jsontext.Value{c.Field: value}
	if c.Key != "" {
		payload = map[string]map[string]jsontext.Value{c.Field: {c.Key: value}}
	}
	raw, err := canon.Marshal(payload)
	if err != nil {
		return Entry{}, err
	}
	d := Delta{
		DeltaID: r.DeltaID, Timestamp: FormatInstant(at), Agent: r.By, Operation: Edit,
		TargetID: Target(c.Item), Section: c.Section, Payload: raw, Rationale: r.Rationale,
	}
	if _, err := Check(d); err != nil {
		return Entry{}, err
	}
	return Entry{Delta: d, Received: at}, nil
}

// conflict finds the conflict a resolution is about.
func (a *Artifact) conflict(r Resolution) (*Conflict, error) {
	it, ok := a.Item(r.Item)
	if !ok {
		return nil, brenner.Errorf(brenner.CodeNotFound, "there is no item %q", clip(string(r.Item))).
			WithHint("see what is in conflict").Try(brenner.Do("conflict.list"))
	}
	for _, c := range it.conflicts() {
		if c.Name() == r.Field {
			return &c, nil
		}
	}
	return nil, brenner.Errorf(brenner.CodeNotFound, "%s %s is not in conflict", r.Item, clip(r.Field)).
		WithHint("see what is in conflict").Try(brenner.Do("conflict.list"))
}

// decide gives the value a resolution asks for.
func (c *Conflict) decide(r Resolution) (jsontext.Value, error) {
	if (r.Take == "") == (len(r.Value) == 0) {
		return nil, brenner.Errorf(brenner.CodeUsage, "a conflict is settled by one candidate or by one value").
			WithHint("name a candidate's delta or agent, or give a value")
	}
	if len(r.Value) > 0 {
		return canon.Transform(r.Value)
	}
	var value jsontext.Value
	for _, v := range c.Candidates {
		if v.DeltaID != r.Take && string(v.Agent) != r.Take {
			continue
		}
		if value != nil && string(value) != string(v.Value) {
			return nil, brenner.Errorf(brenner.CodeUsage, "%s stands for several candidates", strconv.Quote(clip(r.Take))).
				WithHint("name the delta, or give the value")
		}
		value = v.Value
	}
	if value == nil {
		return nil, brenner.Errorf(brenner.CodeNotFound, "no candidate comes from %q", clip(r.Take)).
			WithHint("see the candidates").Try(brenner.Do("conflict.list"))
	}
	return value, nil
}
