package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/policy"
)

// Alters lists, a line each and in order, what a configuration would give away,
// take back or loosen if it came in force in place of another: what its policies
// let roles do, how many must approve, to which addresses something is sent, what
// agents are told to do, what happens by itself, what contents of a type must
// hold, and the bounds of what runs cost and actors store. A person is shown it
// before a configuration that was merely found has effect (X12).
//
// What only asks for more is none of it: approvals, a budget or a type where there
// was none, a lower bound. Nor are views, which pick among what a policy allows,
// the endpoint of embeddings and the programs of agents: each of these is allowed
// by itself, where it is used.
func (c *Config) Alters(inForce *Config) []string {
	now, before := c.terms(), inForce.terms()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		n, b := now[name], before[name]
		switch {
		case b.words == "" && !n.stricter:
			out = append(out, "brings "+name+": "+n.words)
		case b.words != "" && n.loosens(b):
			out = append(out, "changes "+name+": "+n.words+"; in force is: "+b.words)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now[name].words == "" {
			out = append(out, "drops "+name+": "+before[name].words)
		}
	}
	return out
}

// Unconfirmed refuses a configuration that came with the directory, and shows
// what it alters: naming the file confirms it.
func Unconfirmed(name string, alters []string) *brenner.Error {
	shown := make([]brenner.Diagnostic, len(alters))
	for i, line := range alters {
		shown[i] = brenner.Diagnostic{Severity: brenner.SeverityWarning, Code: brenner.CodeConfigNotConfirmed, Subject: name, Message: line}
	}
	return brenner.Errorf(brenner.CodeConfigNotConfirmed, "the %s found here alters what nobody has confirmed", name).
		WithDiagnostics(shown).WithHint("read it")
}

// term is one thing that a configuration settles: in words, and exactly.
type term struct {
	words, exact string
	// stricter says that having it asks for more than not having it.
	stricter bool
	// bound is the number of a term that is one, otherwise 0: only a higher one loosens.
	bound float64
}

func (t term) loosens(before term) bool {
	return t.exact != before.exact && (t.bound == 0 || t.bound > before.bound)
}

// terms are what a configuration settles, by name.
func (c *Config) terms() map[string]term {
	out := map[string]term{}
	for role, raw := range c.Policies { // order-free: a map into a map
		out["policy of "+string(role)] = term{words: powers(raw), exact: string(raw)}
	}
	for typ, a := range c.Approvals { // order-free: a map into a map
		out["approvals of "+string(typ)] = term{words: fmt.Sprintf("%d by %s", a.Count, list(a.Roles)), exact: exactly(a), stricter: true}
	}
	for _, hook := range c.Notify.Webhooks {
		out["webhook "+hook.URL] = term{words: "signed with " + hook.Secret, exact: exactly(hook)}
	}
	if kinds := c.Notify.Kinds; len(kinds) > 0 {
		out["what is told outside"] = term{words: strings.Join(kinds, ", "), exact: exactly(kinds)}
	}
	if hosts := c.Notify.Allow; len(hosts) > 0 {
		out["private hosts that may be told"] = term{words: strings.Join(hosts, ", "), exact: exactly(hosts)}
	}
	for name, p := range c.Prompts { // order-free: a map into a map
		out["prompt of "+name] = term{words: firstWords(p), exact: exactly(p)}
	}
	for _, rule := range c.Automation {
		words := "on " + list(rule.On) + ", " + strings.TrimSpace(string(rule.Do.Act)+" "+rule.Do.Title)
		switch {
		case rule.Off:
			words = "off"
		case rule.Do.Act == "": // it only says when a built-in one acts
			words = "when " + exactly(rule.When)
		}
		out["rule "+rule.Name] = term{words: words, exact: exactly(rule)}
	}
	for _, t := range c.Types {
		words := "format " + t.Format
		for _, part := range []struct {
			is  bool
			say string
		}{{t.Core, "core"}, {t.Singleton != "", "one per " + t.Singleton}, {len(t.Schema) > 0, "with a schema"}} {
			if part.is {
				words += ", " + part.say
			}
		}
		t.Title, t.Description = "", ""
		out["type "+string(t.Name)] = term{words: words, exact: exactly(t), stricter: true}
	}
	if day := c.Budget.Day; day > 0 {
		out["budget of a day"] = limit(float64(day), day.String())
	}
	if runs := c.Budget.Runs; runs > 0 {
		out["runs of a day"] = limit(float64(runs), fmt.Sprint(runs))
	}
	if most := c.StoragePerActor(); most > 0 {
		out["bytes that one actor may store"] = limit(float64(most), fmt.Sprint(most))
	}
	out["artifacts of a module that may change before its memo is due"] = limit(float64(c.CompressionThreshold), fmt.Sprint(c.CompressionThreshold))
	book := c.Playbook
	out["matching of lessons"] = term{words: fmt.Sprintf("from %g, guard %t", book.Threshold, book.Guard), exact: exactly([]any{book.Threshold, book.Guard})}
	return out
}

// limit is a bound that asks for more by being there.
func limit(n float64, words string) term {
	return term{words: words, exact: words, stricter: true, bound: n}
}

func exactly(v any) string { return string(canon.MustMarshal(v)) }

// firstWords is how a prompt begins, or the file that it stands in.
func firstWords(p Prompt) string {
	if p.Text == "" {
		return p.Path
	}
	return brenner.Clip(strings.Join(strings.Fields(p.Text), " "), 80)
}

// powers says in words what a policy allows.
func powers(raw []byte) string {
	var p policy.Policy
	if err := canon.Unmarshal(raw, &p); err != nil {
		return string(raw) // whoever puts it in force says what is wrong
	}
	var parts []string
	for _, part := range []struct {
		what  string
		words string
	}{
		{"reads", list(p.Read)}, {"writes", list(p.Write)}, {"promotes", list(p.Promote)}, {"may", list(p.Acts)}, {"kept to", list(p.Modules)},
	} {
		if part.words != "" {
			parts = append(parts, part.what+" "+part.words)
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	if len(p.Acts) == 0 {
		parts = append(parts, "shut out of all else (no acts)")
	}
	return strings.Join(parts, "; ")
}

func list[T ~string](all []T) string {
	out := make([]string, len(all))
	for i, word := range all {
		out[i] = string(word)
	}
	return strings.Join(out, ", ")
}
