package brenner

// Codes of rosters, sessions and the delivery of their messages.
const (
	CodeInvalidRoster      Code = "INVALID_ROSTER"
	CodeDuplicateAgent     Code = "DUPLICATE_AGENT"
	CodeInvalidRole        Code = "INVALID_ROLE"
	CodeMissingRosterEntry Code = "MISSING_ROSTER_ENTRY"
	CodeEmptyRoster        Code = "EMPTY_ROSTER"
	CodeUnknownPreset      Code = "UNKNOWN_PRESET"
	CodePresetFull         Code = "PRESET_FULL"
	CodePresetUnfilled     Code = "PRESET_UNFILLED"
	CodeHeuristicRoster    Code = "HEURISTIC_ROSTER"
	CodeMailUnavailable    Code = "MAIL_UNAVAILABLE"
	CodeMailUnauthorized   Code = "MAIL_UNAUTHORIZED"
	CodeMailRefused        Code = "MAIL_REFUSED"
)

func rosterCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeInvalidRoster, ClassInvalid, "The roster cannot be used; every reason is listed.", "Mend each finding; nothing was created or sent."),
		row(CodeDuplicateAgent, ClassInvalid, "An agent stands twice in one roster.", "Give each agent one entry; several agents may share a role."),
		row(CodeInvalidRole, ClassInvalid, "An entry names a role that is not one of the three.", "Use hypothesis_generator, test_designer or adversarial_critic."),
		row(CodeMissingRosterEntry, ClassInvalid, "A recipient has no role.", "Give each recipient a role: of its own, by a roster or by a preset.",
			Again("agent_role", "NAME=ROLE")),
		row(CodeEmptyRoster, ClassInvalid, "The roster has no entry, so there is nobody to write to.", "Add entries, or name the agents.",
			Again().Asking("to")),
		row(CodeUnknownPreset, ClassInvalid, "No preset of that id is known.", "Use a preset that there is.",
			Do("roster.presets")),
		row(CodePresetFull, ClassInvalid, "More names were given than the preset has places.", "Name fewer agents, use a larger preset, or give the extra agents roles of their own."),
		row(CodePresetUnfilled, ClassInvalid, "A place of the preset was given no name.", "Name an agent for it, or go on without it.",
			Again().Asking("to")),
		row(CodeHeuristicRoster, ClassInvalid, "Roles were guessed from the agents' names, which is deprecated.", "State the roles with a roster, a preset or one by one.",
			Again("agent_role", "NAME=ROLE")),
		row(CodeMailUnavailable, ClassUnavailable, "The mail server cannot be reached, does not answer in time or does not speak MCP.", "Check AGENT_MAIL_BASE_URL and AGENT_MAIL_PATH and that the server runs, then send again what failed.",
			Do("session.resend").Asking("id")),
		row(CodeMailUnauthorized, ClassDenied, "The mail server does not accept our token.", "Set AGENT_MAIL_BEARER_TOKEN to the server's token, then send again what failed.",
			Do("session.resend").Asking("id")),
		row(CodeMailRefused, ClassInvalid, "The mail server refused this message.", "See its reason in the message, then send again what failed.",
			Do("session.resend").Asking("id")),
	}
}
