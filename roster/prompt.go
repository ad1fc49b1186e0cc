package roster

// PromptNames lists the prompts there are: one per role, and the one of unified
// mode.
func PromptNames() []string {
	return []string{string(HypothesisGenerator), string(TestDesigner), string(AdversarialCritic), string(Unified)}
}
