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

var rosterCodes = []CodeInfo{
	{CodeInvalidRoster, ClassInvalid, "The roster cannot be used; every reason is listed.", "Mend each finding; nothing was created or sent."},
	{CodeDuplicateAgent, ClassInvalid, "An agent stands twice in one roster.", "Give each agent one entry; several agents may share a role."},
	{CodeInvalidRole, ClassInvalid, "An entry names a role that is not one of the three.", "Use hypothesis_generator, test_designer or adversarial_critic."},
	{CodeMissingRosterEntry, ClassInvalid, "A recipient has no role.", "Give it one with --agent-role NAME=ROLE, a roster or a preset."},
	{CodeEmptyRoster, ClassInvalid, "The roster has no entry, so there is nobody to write to.", "Add entries, or name the agents with --to."},
	{CodeUnknownPreset, ClassInvalid, "No preset of that id is known.", "Run `brenner roster presets`."},
	{CodePresetFull, ClassInvalid, "More names were given than the preset has places.", "Name fewer agents, use a larger preset, or give the extra agents roles of their own."},
	{CodePresetUnfilled, ClassInvalid, "A place of the preset was given no name.", "Add --to NAME for it, or go on without it."},
	{CodeHeuristicRoster, ClassInvalid, "Roles were guessed from the agents' names, which is deprecated.", "State the roles with a roster, a preset or --agent-role NAME=ROLE."},
	{CodeMailUnavailable, ClassUnavailable, "The mail server cannot be reached, does not answer in time or does not speak MCP.", "Check AGENT_MAIL_BASE_URL and AGENT_MAIL_PATH and that the server runs, then `brenner session resend`."},
	{CodeMailUnauthorized, ClassDenied, "The mail server does not accept our token.", "Set AGENT_MAIL_BEARER_TOKEN to the server's token, then `brenner session resend`."},
	{CodeMailRefused, ClassInvalid, "The mail server refused this message.", "See its reason in the message; `brenner session resend` tries again what failed."},
}
