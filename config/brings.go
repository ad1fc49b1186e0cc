package config

import (
	"maps"
	"slices"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/policy"
)

// Brings lists, a line each and in order, what a configuration gives away when it
// is put in force: what its policies let roles do, to which addresses something
// is sent, what agents are told to do and what happens by itself. A person is shown it before a configuration that was merely
// found has effect (X12). The endpoint of embeddings and the programs of agents
// are none of it: each is allowed by itself, where it is used.
func (c *Config) Brings() []string {
	var out []string
	for _, role := range slices.Sorted(maps.Keys(c.Policies)) {
		out = append(out, "policy of "+string(role)+": "+powers(c.Policies[role]))
	}
	for _, hook := range c.Notify.Webhooks {
		out = append(out, "webhook: "+hook.URL)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Prompts)) {
		out = append(out, "prompt of "+name+": "+firstWords(c.Prompts[name]))
	}
	for _, rule := range c.Automation {
		if !rule.Off && rule.Do.Act != "" { // without an act it only says when a built-in one acts
			out = append(out, "rule "+rule.Name+": on "+list(rule.On)+", "+strings.TrimSpace(string(rule.Do.Act)+" "+rule.Do.Title))
		}
	}
	return out
}

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
	return strings.Join(parts, "; ")
}

func list[T ~string](all []T) string {
	out := make([]string, len(all))
	for i, word := range all {
		out[i] = string(word)
	}
	return strings.Join(out, ", ")
}
