package mcpserver

import (
	"regexp"
	"strings"

	"brenner"
)

// Errors come from a service that serves terminals, tools and pages alike.
// Agents are told what to do about them in the words of their tools (X11): an
// argument, or a call. They are never told of a command or a flag.

// advice says what to do about an error, in words of tools; "" where only the
// calls that the error names do.
func advice(e brenner.Error) string {
	var said []string
	if words, ok := toolAdvice[e.Code]; ok && speaksCommands(e.Hint+brenner.Remedy(e.Code)) {
		said = append(said, words)
	}
	for line := range strings.SplitSeq(e.Hint, "\n") {
		if line != "" && !speaksCommands(line) {
			said = append(said, line)
		}
	}
	if remedy := brenner.Remedy(e.Code); len(said)+len(e.Actions) == 0 && !speaksCommands(remedy) {
		said = append(said, remedy)
	}
	return strings.Join(said, "\n")
}

// command is what belongs into a terminal: a flag, or the name of the program
// with a word behind it, or the file that only a person edits.
var command = regexp.MustCompile(`(?:^|[\s(])--[a-z]|\bbrenner [a-z]|\.brennerrc`)

func speaksCommands(text string) bool { return command.MatchString(text) }

// toolAdvice is what agents are told about the codes whose remedy is a command
// elsewhere.
var toolAdvice = map[brenner.Code]string{
	brenner.CodeAnchorAmbiguous:        "quote more lines before the place, or say which by match_index",
	brenner.CodeAnchorNotFound:         "read the text again with artifact_get and quote it letter by letter",
	brenner.CodeBaseMismatch:           "read the newest version with artifact_get, or repeat with rebase true",
	brenner.CodeBaseUnknown:            "name the version you read as ref: ID@VERSION",
	brenner.CodeChangeNoteRequired:     "add change: {what, why}",
	brenner.CodeConflictHead:           "read the newest version with artifact_get, then write on that one",
	brenner.CodeEmbedNotAllowed:        "only a person can allow it; ask the PI with request",
	brenner.CodeEmbeddingMismatch:      "only a person can change it; ask the PI with request",
	brenner.CodeFieldConflict:          "a later EDIT of the field settles it, or the PI does",
	brenner.CodeInvalidPatch:           "send the whole edit as the description of patch shows",
	brenner.CodeInvalidView:            "only a person can mend a view; ask the PI with request",
	brenner.CodeOldBlockMismatch:       "read the text again with artifact_get and quote it letter by letter",
	brenner.CodeReasonRequired:         "add reason",
	brenner.CodeResultMismatch:         "leave result_sha256 out, or make the edit again on the text that artifact_get gives",
	brenner.CodeSchemaViolation:        "mend the content at the pointer given",
	brenner.CodeSlotTaken:              "only a person decides which one counts; ask the PI with request",
	brenner.CodeSummaryStale:           "add summary, or summary_holds true if the old one is still right",
	brenner.CodeTaskClosed:             "status lists the open ones",
	brenner.CodeUnauthenticated:        "the token is not valid any more; a person makes another",
	brenner.CodeUnknownModule:          "status lists the modules",
	brenner.CodeUnknownRole:            "the roles are hypothesis_generator, test_designer, adversarial_critic, integrator, writer, distiller, reviewer, arbiter and pi, and what the project adds",
	brenner.CodeUnknownType:            "use a type that your role's prompt names",
	brenner.CodeVectorsMissing:         "only a person can mend it; ask the PI with request",
	brenner.CodeInvalidSessionArtifact: "only deltas change a session; use delta_submit",
}
