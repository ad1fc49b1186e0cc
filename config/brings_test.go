package config_test

import (
	"slices"
	"testing"

	"brenner/config"
)

// X12: of two configurations every difference that gives away, takes back or
// loosens is named, in both directions, and what only asks for more is not.
func TestAlters_NamesWhatIsGivenTakenOrLoosened(t *testing.T) {
	const base = `modules: [a]
`
	for _, tt := range []struct {
		name, before, after string
		want                []string
	}{
		{"nothing", base, base, nil},
		{"modules and views", base, "modules: [a, b]\n", nil},
		{"a prompt beyond its first words", "prompts: {unified: {text: \"" + long + "one\"}}\n", "prompts: {unified: {text: \"" + long + "two\"}}\n", []string{
			"changes prompt of unified: " + long[:79] + "…; in force is: " + long[:79] + "…",
		}},
		{"a storage bound lifted", base, "storage_per_actor: -1\n", []string{"drops bytes that one actor may store: 4294967296"}},
		{"a storage bound set", "storage_per_actor: -1\n", "storage_per_actor: 5\n", nil},
		{"the guard off", base, "playbook: {guard: false}\n", []string{"changes matching of lessons: from 0.8, guard false; in force is: from 0.8, guard true"}},
		{"fewer approvals", "approvals: {model_spec: {count: 2, roles: [pi]}}\n", "approvals: {model_spec: {count: 1, roles: [pi]}}\n", []string{
			"changes approvals of model_spec: 1 by pi; in force is: 2 by pi",
		}},
		{"a budget lifted", "budget: 3\n", base, []string{"drops budget of a day: $3.00"}},
		{"a budget lowered", "budget: 3\n", "budget: 2\n", nil},
		{"a rule that waits for longer", base, "automation: [{name: distil, when: {count: 9000}}]\n", []string{`brings rule distil: when {"count":9000}`}},
		{"another secret", "notify: {webhooks: [{url: 'https://a.example/', secret: A}]}\n", "notify: {webhooks: [{url: 'https://a.example/', secret: B}]}\n", []string{
			"changes webhook https://a.example/: signed with B; in force is: signed with A",
		}},
	} {
		parse := func(text string) config.Config {
			c, err := config.Parse(config.RCFile, []byte(text))
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			return c
		}
		before, after := parse(tt.before), parse(tt.after)
		if got := after.Alters(&before); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

const long = "Weigh every answer against the brief before anything else is said about the matter, "
