package assembly

import (
	"cmp"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
	"brenner/playbook"
	"brenner/policy"
)

// Builtin lists the views every project starts with, sorted by role. They
// give summaries first (C22): in full come only what the role works on. The
// higher a role looks, the more is drawn together for it (C10): the PI gets
// memos and summaries, not notes. Every other role receives each type that its
// policy lets it read.
func Builtin() []View {
	full := func(t brenner.TypeName, most int) TypeRule { return TypeRule{t, Full, most} }
	short := func(t brenner.TypeName, most int) TypeRule { return TypeRule{t, Summary, most} }
	view := func(role brenner.Role, modules ModuleRule, types ...TypeRule) View {
		v := defaults()
		v.Role, v.Modules, v.Types, v.Grow = role, modules, types, true
		return v
	}

	critic := view(
		policy.AdversarialCritic, CrossModules,
		full(artifact.TypeSessionArtifact, 1),
		short(artifact.TypeProjectSummary, 1),
		short(artifact.TypeIntegratedMemo, 6),
		short(artifact.TypeModelSpec, 6),
		short(artifact.TypeAnalysisResult, 8),
		short(artifact.TypePaperNote, 8),
		short(artifact.TypeManuscriptSection, 4),
		short(artifact.TypeAssumption, 12),
		short(artifact.TypeCritique, 8),
		short(artifact.TypeStalemate, 3),
		short(artifact.TypeVerdict, 3),
		short(artifact.TypeCodeChange, 4),
		short(artifact.TypeTestPlan, 4),
	)
	// Who judges sees what is judged in full, and the evidence at a glance: it
	// opens what it needs.
	arbiter := view(
		policy.Arbiter, CrossModules,
		full(artifact.TypeStalemate, 3),
		full(artifact.TypeVerdict, 3),
		short(artifact.TypeSessionArtifact, 2),
		short(artifact.TypeProjectSummary, 1),
		short(artifact.TypeIntegratedMemo, 4),
		short(artifact.TypeModelSpec, 6),
		short(artifact.TypeAnalysisResult, 8),
		short(artifact.TypePaperNote, 6),
		short(artifact.TypeManuscriptSection, 3),
		short(artifact.TypeAssumption, 8),
		short(artifact.TypeCritique, 6),
		short(artifact.TypeCodeChange, 4),
		short(artifact.TypeTestPlan, 4),
	)
	distiller := view(
		policy.Distiller, OneModule,
		short(artifact.TypeProjectSummary, 1),
		short(artifact.TypeIntegratedMemo, 1),
		short(artifact.TypePaperNote, 20),
		short(artifact.TypeAnalysisResult, 12),
		short(artifact.TypeAssumption, 8),
		short(artifact.TypeModelSpec, 4),
		short(artifact.TypeCodeChange, 4),
		short(artifact.TypeSessionArtifact, 1),
		short(artifact.TypeCritique, 4),
		short(artifact.TypeStalemate, 2),
		short(artifact.TypeVerdict, 2),
		short(artifact.TypeTestPlan, 4),
	)
	generator := view(
		policy.HypothesisGenerator, OneModule,
		full(artifact.TypeSessionArtifact, 1),
		full(artifact.TypeIntegratedMemo, 1),
		short(artifact.TypeProjectSummary, 1),
		short(artifact.TypePaperNote, 12),
		short(artifact.TypeModelSpec, 6),
		short(artifact.TypeAnalysisResult, 8),
		short(artifact.TypeAssumption, 8),
		short(artifact.TypeCritique, 6),
		short(artifact.TypeVerdict, 3),
		short(artifact.TypeStalemate, 3),
		short(artifact.TypeCodeChange, 4),
		short(artifact.TypeTestPlan, 4),
	)
	integrator := view(
		policy.Integrator, CrossModules,
		full(artifact.TypeProjectSummary, 1),
		full(artifact.TypeIntegratedMemo, 8),
		short(artifact.TypeModelSpec, 12),
		short(artifact.TypeAnalysisResult, 16),
		short(artifact.TypePaperNote, 16),
		short(artifact.TypeSessionArtifact, 4),
		short(artifact.TypeAssumption, 12),
		short(artifact.TypeCritique, 8),
		short(artifact.TypeStalemate, 3),
		short(artifact.TypeVerdict, 4),
		short(artifact.TypeManuscriptSection, 4),
		short(artifact.TypeCodeChange, 4),
		short(artifact.TypeTestPlan, 6),
	)
	pi := view(
		brenner.PI, CrossModules,
		full(artifact.TypeProjectSummary, 1),
		full(artifact.TypeIntegratedMemo, 8),
		short(artifact.TypeSessionArtifact, 6),
		short(artifact.TypeModelSpec, 8),
		short(artifact.TypeManuscriptSection, 8),
		short(artifact.TypeCritique, 12),
		short(artifact.TypeStalemate, 6),
		short(artifact.TypeVerdict, 6),
	)
	designer := view(
		policy.TestDesigner, OneModule,
		full(artifact.TypeSessionArtifact, 1),
		full(artifact.TypeModelSpec, 3),
		short(artifact.TypeProjectSummary, 1),
		short(artifact.TypeIntegratedMemo, 1),
		short(artifact.TypeAnalysisResult, 12),
		short(artifact.TypePaperNote, 8),
		short(artifact.TypeAssumption, 12),
		short(artifact.TypeCritique, 6),
		short(artifact.TypeVerdict, 3),
		short(artifact.TypeStalemate, 3),
		short(artifact.TypeCodeChange, 4),
		short(artifact.TypeTestPlan, 8),
	)
	reviewer := view(
		policy.Reviewer, CrossModules,
		full(artifact.TypeSessionArtifact, 1),
		full(artifact.TypeIntegratedMemo, 1),
		full(artifact.TypeManuscriptSection, 1),
		short(artifact.TypeProjectSummary, 1),
		short(artifact.TypeModelSpec, 6),
		short(artifact.TypeAnalysisResult, 12),
		short(artifact.TypePaperNote, 8),
		short(artifact.TypeAssumption, 12),
		short(artifact.TypeCritique, 8),
		short(artifact.TypeStalemate, 3),
		short(artifact.TypeVerdict, 3),
		short(artifact.TypeCodeChange, 4),
		short(artifact.TypeTestPlan, 6),
	)
	writer := view(
		policy.Writer, CrossModules,
		full(artifact.TypeProjectSummary, 1),
		full(artifact.TypeIntegratedMemo, 8),
		full(artifact.TypeManuscriptSection, 3),
		short(artifact.TypeModelSpec, 8),
		short(artifact.TypeCritique, 6),
		short(artifact.TypeVerdict, 3),
		short(artifact.TypeAnalysisResult, 16),
		short(artifact.TypeAssumption, 8),
		short(artifact.TypeSessionArtifact, 2),
		short(artifact.TypeStalemate, 3),
	)
	// A reviewer of lessons has to see those that are not yet trusted.
	unsure := []playbook.Stage{playbook.Prod, playbook.Staging}
	integrator.Bullets.Stages, reviewer.Bullets.Stages = unsure, unsure

	all := []View{critic, arbiter, distiller, generator, integrator, pi, reviewer, designer, writer}
	order.By(all, func(a, b View) int { return cmp.Compare(a.Role, b.Role) })
	return all
}
