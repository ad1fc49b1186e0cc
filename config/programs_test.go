package config_test

import (
	"errors"
	"testing"

	"brenner"
	"brenner/config"
	"brenner/program"
)

// W2, W13: programs and a budget stand in the configuration; a configuration
// without them has the digest it always had.
func TestParse_ReadsProgramsAndBudget(t *testing.T) {
	c, err := config.Parse(config.RCFile, []byte(`
programs:
  fast: {profile: claude, model: haiku}
  plain: codex
  local: {profile: openai, model: qwen3, endpoint: "http://127.0.0.1:11434/v1", bounds: {time: 5m, cost: 0.25}}
budget: 2.5
`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Programs["fast"].Model != "haiku" || c.Programs["plain"].Profile != program.Codex || c.Programs["local"].Bounds.Cost != 250_000 || c.Budget.Day != 2_500_000 {
		t.Errorf("got %+v, %+v", c.Programs, c.Budget)
	}
	again, err := config.Parse("x.json", c.Canonical())
	if err != nil || again.Digest() != c.Digest() {
		t.Errorf("it does not print back: %v", err)
	}
	if c, err := config.Parse(config.RCFile, []byte("budget: {day: 1, runs: 20}")); err != nil || c.Budget != (config.Budget{Day: 1_000_000, Runs: 20}) {
		t.Errorf("a budget as an object: %+v, %v", c.Budget, err)
	}
}

func TestParse_RefusesProgramsAtTheirPlace(t *testing.T) {
	for src, pointer := range map[string]string{
		"programs: [claude]":                                     "/programs",
		"programs: {fast: {profile: vim}}":                       "/programs/fast/profile",
		"programs: {fast: {profile: claude, model: '--yolo'}}":   "/programs/fast/model",
		"programs: {fast: {profile: claude, tools: everything}}": "/programs/fast/tools",
		"programs: {'a b': claude}":                              "/programs/a b",
		"budget: -1":                                             "/budget",
		"budget: 0":                                              "/budget",
		"budget: 0.0000001":                                      "/budget",
		"budget: {day: 0, runs: 3}":                              "/budget/day",
		"budget: {runs: 0}":                                      "/budget/runs",
		"budget: {week: 1}":                                      "/budget/week",
	} {
		_, err := config.Parse(config.RCFile, []byte(src))
		var e *brenner.Error
		if !errors.As(err, &e) || len(e.Diagnostics) == 0 || e.Diagnostics[0].Pointer != pointer {
			t.Errorf("%s: got %v, want it at %s", src, err, pointer)
		}
	}
}
