package playbook

import (
	"cmp"
	"slices"

	"brenner"
)

// Witness is who said something of a bullet, in which task or session, and how
// often. Counters count every word; for the gates a witness counts once,
// whatever it repeats (C36).
type Witness struct {
	Agent brenner.ActorName `json:"agent,omitempty"`
	// Occasion is the task or session it was said in, as the service knows it.
	Occasion string `json:"occasion,omitempty"`
	Person   bool   `json:"person,omitempty"`
	Counts   `json:",inline"`
	// Contexts are those that feedback was given in: one each.
	Contexts []string `json:"contexts,omitempty"`
}

// witness is the actor of an act as one that says something under a section.
func (a Act) witness(agent brenner.ActorName, as Section) []Witness {
	w := Witness{Agent: agent, Occasion: a.Occasion, Person: a.Actor.Person, Counts: one(as)}
	if a.Context != "" {
		w.Contexts = []string{a.Context}
	}
	return []Witness{w}
}

func (w Witness) compare(o Witness) int {
	person := func(p bool) int {
		if p {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(w.Agent, o.Agent), cmp.Compare(w.Occasion, o.Occasion), cmp.Compare(person(w.Person), person(o.Person)))
}

// withdrawn are witnesses whose words are taken back.
func withdrawn(all []Witness) []Witness {
	out := slices.Clone(all)
	for i := range out {
		out[i].Counts = out[i].negated()
	}
	return out
}

// testify adds what witnesses say, or takes it back, in a fixed order. A bullet
// keeps at most brenner.MaxWitnesses; what more say is kept together under no
// name.
func testify(all, more []Witness) []Witness {
	out := slices.Clone(all)
	for _, w := range more {
		at, there := slices.BinarySearchFunc(out, w, Witness.compare)
		if !there && (len(out) >= brenner.MaxWitnesses || w.retracts()) {
			w = Witness{Counts: w.Counts}
			at, there = slices.BinarySearchFunc(out, w, Witness.compare)
		}
		if !there {
			if !w.retracts() {
				out = slices.Insert(out, at, w)
			}
			continue
		}
		if out[at] = out[at].plusWords(w); out[at].silent() {
			out = slices.Delete(out, at, at+1)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (w Witness) retracts() bool { return w.Helpful < 0 || w.Harmful < 0 || w.Neutral < 0 }

func (w Witness) silent() bool { return w.Helpful <= 0 && w.Harmful <= 0 && w.Neutral <= 0 }

func (w Witness) plusWords(o Witness) Witness {
	w.Counts = w.plus(o.Counts)
	contexts := slices.Clone(w.Contexts)
	for _, c := range o.Contexts {
		if contexts = slices.DeleteFunc(contexts, func(have string) bool { return have == c }); !o.retracts() {
			contexts = append(contexts, c)
		}
	}
	if extra := len(contexts) - brenner.MaxWitnessContexts; extra > 0 {
		contexts = contexts[extra:]
	}
	if w.Contexts = contexts; len(contexts) == 0 {
		w.Contexts = nil
	}
	return w
}

// Standing is the evidence that counts for the gates of a bullet (B6, C36):
// each agent once per task or session, a person as often as they say it. What was counted before witnesses were
// kept counts as it did, as the word of one agent.
type Standing struct {
	Support    int `json:"support"`
	Opposition int `json:"opposition"`
	// Agents is how many agents the support comes from; Person says that a
	// human being is among those who support it.
	Agents int  `json:"agents"`
	Person bool `json:"person,omitzero"`
}

// Independent reports whether the support comes from at least two agents, or
// from a person.
func (s Standing) Independent() bool { return s.Agents >= 2 || s.Person }

// Standing weighs the evidence of a bullet as its gates do.
func (b Bullet) Standing() Standing {
	var out Standing
	unattributed := b.Counts
	agents := map[brenner.ActorName]bool{}
	for _, w := range b.Witnesses {
		unattributed = unattributed.plus(w.negated())
		said := Bullet{Section: b.Section, Counts: w.Counts}
		if w.Agent == "" { // many, kept together
			out.Support += said.Support()
			out.Opposition += said.Opposition()
			continue
		}
		if said.Support() > 0 {
			out.Support += w.weight(said.Support())
			out.Person = out.Person || w.Person
			agents[w.Agent] = true
		}
		if said.Opposition() > 0 {
			out.Opposition += w.weight(said.Opposition())
		}
	}
	before := Bullet{Section: b.Section, Counts: unattributed}
	if n := before.Support(); n > 0 {
		out.Support += n
		agents[b.Source.Agent] = true
	}
	out.Opposition += max(0, before.Opposition())
	out.Agents = len(agents)
	return out
}

// opposedIndependently reports whether the opposition comes from at least two
// agents, from a person, or from before witnesses were kept.
func (b Bullet) opposedIndependently() bool {
	unattributed, agents := b.Counts, map[brenner.ActorName]bool{}
	for _, w := range b.Witnesses {
		unattributed = unattributed.plus(w.negated())
		if said := (Bullet{Section: b.Section, Counts: w.Counts}); said.Opposition() > 0 {
			if w.Person || w.Agent == "" {
				return true
			}
			agents[w.Agent] = true
		}
	}
	return len(agents) >= 2 || Bullet{Section: b.Section, Counts: unattributed}.Opposition() > 0
}

// weight is how often words of a witness count: an agent's once, a person's as
// often as they say it, since a person could force the stage as well.
func (w Witness) weight(words int) int {
	if w.Person {
		return words
	}
	return 1
}

// judgedIn reports whether an agent has given feedback in a context already.
func (b Bullet) judgedIn(agent brenner.ActorName, context string) bool {
	return slices.ContainsFunc(b.Witnesses, func(w Witness) bool { return w.Agent == agent && slices.Contains(w.Contexts, context) })
}
