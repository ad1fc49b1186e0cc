package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
)

// Summary says in a few lines what an artifact holds, short enough to be the
// summary of a version (C11).
func Summary(a *Artifact) string {
	var parts []string
	for s := range schemas {
		if s == atThread {
			continue
		}
		section := &a.sections[s]
		part := fmt.Sprintf("%s %d live", schemas[s].Section, section.live)
		if killed := len(section.list) - section.live; killed > 0 {
			part += fmt.Sprintf(", %d killed", killed)
		}
		parts = append(parts, part)
	}
	text := "Session artifact, version " + itoa(a.meta.Version) + ": " + strings.Join(parts, "; ") + "."
	if n := len(a.Conflicts()); n > 0 {
		text += fmt.Sprintf(" Fields in conflict: %d.", n)
	}
	if rt, ok := a.Item("RT"); ok && rt.Text("statement") != "" {
		text += " Thread: " + strings.Join(strings.Fields(rt.Text("statement")), " ")
	}
	return brenner.Clip(text, brenner.MaxSummaryRunes)
}

// ChangeNote says what a merge changed, by counts, and why, by the rationales
// of the deltas it recorded (D18). It does not depend on their order.
func ChangeNote(deltas []Entry, r Result) (what, why string) {
	counts := map[Operation]int{}
	agents := map[brenner.ActorName]bool{}
	var reasons []string
	for i := range r.Outcomes {
		if !r.Outcomes[i].Recorded() {
			continue
		}
		d := &deltas[i].Delta
		counts[d.Operation]++
		agents[d.Agent] = true
		if text := strings.Join(strings.Fields(d.Rationale), " "); text != "" {
			reasons = append(reasons, string(d.Agent)+": "+text)
		}
	}
	slices.Sort(reasons)
	what = fmt.Sprintf("%d added, %d edited, %d killed by %d agents", counts[Add], counts[Edit], counts[Kill], len(agents))
	if n := len(r.Artifact.Conflicts()); n > 0 {
		what += fmt.Sprintf("; %d fields in conflict", n)
	}
	why = brenner.Clip(strings.Join(slices.Compact(reasons), "\n"), brenner.MaxNoteRunes)
	if why == "" {
		why = "no rationale was given"
	}
	return what, why
}
