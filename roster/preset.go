package roster

import (
	"slices"
	"strings"

	"brenner"
)

// BuiltinPresets lists the presets every project has.
func BuiltinPresets() []Preset {
	return []Preset{{
		ID:          "default-3-agent",
		Name:        "Default 3-Agent Setup",
		Description: "Standard Brenner Protocol with Codex/Opus/Gemini",
		Entries: []Place{
			{Role: HypothesisGenerator, Program: CodexCLI, Model: "GPT-5.2"},
			{Role: TestDesigner, Program: ClaudeCode, Model: "Opus 4.5"},
			{Role: AdversarialCritic, Program: GeminiCLI, Model: "Gemini 3"},
		},
	}}
}

// Presets lists every preset of a project: its own, then the built-in ones it
// does not redefine.
func Presets(own []Preset) []Preset {
	all := slices.Clone(own)
	for _, p := range BuiltinPresets() {
		if !slices.ContainsFunc(own, func(o Preset) bool { return o.ID == p.ID }) {
			all = append(all, p)
		}
	}
	return all
}

// FindPreset finds a preset by id, among the project's own first;
// UNKNOWN_PRESET names those there are.
func FindPreset(own []Preset, id string) (Preset, error) {
	all := Presets(own)
	var ids []string
	for _, p := range all {
		if p.ID == id {
			return p, nil
		}
		ids = append(ids, p.ID)
	}
	return Preset{}, brenner.Errorf(brenner.CodeUnknownPreset, "unknown roster preset: %s", id).
		WithHint("known presets: " + strings.Join(ids, ", "))
}

// place describes place i of the preset for a message.
func (p Preset) place(i int) string {
	if i < len(p.PlaceholderNames) {
		return string(p.Entries[i].Role) + " (" + p.PlaceholderNames[i] + ")"
	}
	return string(p.Entries[i].Role)
}
