package roster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
)

// Validate reports every error of a roster on its own: agents that stand twice,
// roles that are none of the three, an unknown mode, no entry at all outside
// heuristic mode. Pointers are relative to the roster.
func Validate(r Roster) []brenner.Diagnostic {
	found := validateStated(r)
	if len(r.Entries) == 0 && r.mode() != Heuristic {
		found = append(found, finding(brenner.CodeEmptyRoster, "/entries", "the roster has no entry",
			"give at least one agent and its role"))
	}
	return found
}

// validateStated reports every error in what a roster says; saying nothing is
// none.
func validateStated(r Roster) []brenner.Diagnostic {
	var found []brenner.Diagnostic
	if !slices.Contains(Modes(), r.mode()) {
		found = append(found, finding(brenner.CodeInvalidValue, "/mode", fmt.Sprintf("invalid roster mode: %s", r.Mode),
			"use role_separated, unified or heuristic"))
	}
	if _, err := time.Parse(time.RFC3339, r.CreatedAt); r.CreatedAt != "" && err != nil {
		found = append(found, finding(brenner.CodeInvalidValue, "/createdAt", "createdAt is not an instant",
			"write it as 2025-12-31T09:00:00Z"))
	}
	return append(found, validateEntries(r.Entries)...)
}

// ValidateSettings reports every error of a project's roster section. Pointers
// are relative to it.
func ValidateSettings(s Settings) []brenner.Diagnostic {
	found := validateStated(s.Roster)
	ids := map[string]bool{}
	for i, p := range s.Presets {
		at := "/presets/" + strconv.Itoa(i)
		for _, d := range validatePreset(p) {
			d.Pointer = at + d.Pointer
			found = append(found, d)
		}
		if ids[p.ID] {
			found = append(found, finding(brenner.CodeInvalidValue, at+"/id", "two presets have the id "+p.ID, ""))
		}
		ids[p.ID] = true
	}
	if s.DefaultPreset != "" {
		if _, err := FindPreset(s.Presets, s.DefaultPreset); err != nil {
			found = append(found, fromError(err, "/defaultPreset"))
		}
	}
	return found
}

// validateEntries reports every error of the entries, in their order.
func validateEntries(entries []Entry) []brenner.Diagnostic {
	if len(entries) > brenner.MaxRosterEntries {
		return []brenner.Diagnostic{finding(brenner.CodeLimitExceeded, "/entries",
			fmt.Sprintf("the roster has %d entries, more than %d", len(entries), brenner.MaxRosterEntries), "")}
	}
	var found []brenner.Diagnostic
	seen := map[brenner.ActorName]bool{}
	for i, e := range entries {
		at := "/entries/" + strconv.Itoa(i)
		if err := e.AgentName.Check(); err != nil {
			found = append(found, fromError(err, at+"/agentName"))
		}
		if seen[e.AgentName] {
			found = append(found, duplicate(e.AgentName, at+"/agentName"))
		}
		seen[e.AgentName] = true
		found = append(found, validatePlace(string(e.AgentName), Place{e.Role, e.Program, e.Model, e.Notes}, at)...)
	}
	return found
}

// validatePlace reports the errors of what an agent, or a place waiting for
// one, is to be.
func validatePlace(who string, p Place, at string) []brenner.Diagnostic {
	var found []brenner.Diagnostic
	if !slices.Contains(Roles(), p.Role) {
		found = append(found, finding(brenner.CodeInvalidRole, at+"/role", fmt.Sprintf("Invalid role for %s: %s", who, p.Role),
			"use hypothesis_generator, test_designer or adversarial_critic"))
	}
	for _, f := range []struct {
		name, text string
		most       int
	}{{"program", p.Program, 128}, {"model", p.Model, 128}, {"notes", p.Notes, brenner.MaxNoteRunes}} {
		if utf8.RuneCountInString(f.text) > f.most {
			found = append(found, finding(brenner.CodeLimitExceeded, at+"/"+f.name,
				fmt.Sprintf("%s is longer than %d characters", f.name, f.most), ""))
		}
	}
	return found
}

// Cover reports every recipient that the roster does not place. In heuristic
// mode a recipient whose name can be placed needs no entry.
func Cover(r Roster, recipients []brenner.ActorName) []brenner.Diagnostic {
	var found []brenner.Diagnostic
	for _, name := range recipients {
		if _, ok := r.Entry(name); ok {
			continue
		}
		hint := fmt.Sprintf("give it a role, for example %s=test_designer", name)
		if r.mode() == Heuristic {
			if _, ok := GuessRole(name); ok {
				continue
			}
			hint = "no role can be guessed from this name; " + hint
		}
		found = append(found, finding(brenner.CodeMissingRosterEntry, "",
			fmt.Sprintf("Missing roster entry for recipient: %s", name), hint))
	}
	return found
}

// validatePreset reports every error of a preset. Pointers are relative to it.
func validatePreset(p Preset) []brenner.Diagnostic {
	var found []brenner.Diagnostic
	if strings.TrimSpace(p.ID) == "" || strings.ContainsFunc(p.ID, func(c rune) bool { return c <= ' ' }) {
		found = append(found, finding(brenner.CodeInvalidValue, "/id", "a preset needs an id of one word", ""))
	}
	if strings.TrimSpace(p.Name) == "" {
		found = append(found, finding(brenner.CodeInvalidValue, "/name", "a preset needs a name", ""))
	}
	if len(p.Entries) == 0 || len(p.Entries) > brenner.MaxRosterEntries {
		found = append(found, finding(brenner.CodeInvalidValue, "/entries",
			fmt.Sprintf("a preset has 1 to %d entries, not %d", brenner.MaxRosterEntries, len(p.Entries)), ""))
	}
	for i, place := range p.Entries {
		who := "place " + strconv.Itoa(i+1) + " of preset " + p.ID
		found = append(found, validatePlace(who, place, "/entries/"+strconv.Itoa(i))...)
	}
	if n := len(p.PlaceholderNames); n > 0 && n != len(p.Entries) {
		found = append(found, finding(brenner.CodeInvalidValue, "/placeholderNames",
			fmt.Sprintf("%s for %s", brenner.Plural(n, "placeholder name", "placeholder names"), brenner.Plural(len(p.Entries), "entry", "entries")), "give one for each entry, or none"))
	}
	return found
}

// Refuse makes the error of a roster that has errors among its findings, or
// nil. A single error speaks for itself; several are counted and all listed.
func Refuse(found []brenner.Diagnostic) error {
	errs := slices.DeleteFunc(slices.Clone(found), func(d brenner.Diagnostic) bool { return d.Severity != brenner.SeverityError })
	switch len(errs) {
	case 0:
		return nil
	case 1:
		err := brenner.Errorf(brenner.CodeInvalidRoster, "%s", errs[0].Message).
			WithHint(errs[0].Hint).At(errs[0].Pointer).WithDiagnostics(errs)
		if errs[0].Code == brenner.CodeMissingRosterEntry {
			return err.Try(brenner.Again().Asking("agent_role"))
		}
		return err
	}
	return brenner.Errorf(brenner.CodeInvalidRoster, "the roster has %d errors", len(errs)).WithDiagnostics(errs)
}

func duplicate(name brenner.ActorName, at string) brenner.Diagnostic {
	return finding(brenner.CodeDuplicateAgent, at, fmt.Sprintf("Duplicate agent in roster: %s", name),
		"each agent has one entry; several agents may share a role")
}

func finding(code brenner.Code, at, message, hint string) brenner.Diagnostic {
	return brenner.Diagnostic{Code: code, Severity: brenner.SeverityError, Message: message, Hint: hint, Pointer: at}
}

func warning(code brenner.Code, message, hint string) brenner.Diagnostic {
	return brenner.Diagnostic{Code: code, Severity: brenner.SeverityWarning, Message: message, Hint: hint}
}

// fromError turns the refusal of one value into a finding about it.
func fromError(err error, at string) brenner.Diagnostic {
	d := finding(brenner.CodeOf(err), at, err.Error(), "")
	var e *brenner.Error
	if errors.As(err, &e) {
		d.Message, d.Hint = e.Message, e.Hint
	}
	return d
}
