package brenner

// Codes of anchor patches (P10) and stalemates (S2, S5).
const (
	CodeInvalidPatch     Code = "INVALID_PATCH"
	CodeBaseMismatch     Code = "BASE_MISMATCH"
	CodeBaseUnknown      Code = "BASE_UNKNOWN"
	CodeAnchorNotFound   Code = "ANCHOR_NOT_FOUND"
	CodeAnchorAmbiguous  Code = "ANCHOR_AMBIGUOUS"
	CodeOldBlockMismatch Code = "OLD_BLOCK_MISMATCH"
	CodeOverlap          Code = "OVERLAP"
	CodeResultMismatch   Code = "RESULT_MISMATCH"
	CodePathRefused      Code = "PATH_REFUSED"
	CodeRebaseConflict   Code = "REBASE_CONFLICT"
	CodeRecoveryConflict Code = "RECOVERY_CONFLICT"
	CodeInexpressible    Code = "INEXPRESSIBLE"

	// Warnings about patches that were accepted (P17).
	CodeLineRepeated      Code = "LINE_REPEATED"
	CodeLinesJoined       Code = "LINES_JOINED"
	CodeFinalNewlineLost  Code = "FINAL_NEWLINE_LOST"
	CodeIndentationBroken Code = "INDENTATION_BROKEN"
	CodeBlockCutShort     Code = "BLOCK_CUT_SHORT"
	CodeBlockMarked       Code = "BLOCK_MARKED"
	CodeOddCharacters     Code = "ODD_CHARACTERS"

	CodeInvalidStalemate    Code = "INVALID_STALEMATE"
	CodeEvidencePlaceholder Code = "EVIDENCE_PLACEHOLDER"
	CodeEvidenceRequired    Code = "EVIDENCE_REQUIRED"
	CodeInvalidVerdict      Code = "INVALID_VERDICT"
	CodeArbiterIsParty      Code = "ARBITER_IS_PARTY"
)

var anchorCodes = []CodeInfo{
	{CodeInvalidPatch, ClassInvalid, "The patch is not a well-formed anchor_diff_v2.1 patch.", "Mend it at the pointer given, or make one with `brenner patch diff`."},
	{CodeBaseMismatch, ClassConflict, "The text is not the one the patch was made for.", "Use the rebased patch if one is attached, or repeat with --rebase."},
	{CodeBaseUnknown, ClassNotFound, "The text the patch was made for is not here.", "Check the path, or give the base text with --base."},
	{CodeAnchorNotFound, ClassConflict, "The anchor does not occur in the text as often as the patch says.", "Run `brenner patch explain`."},
	{CodeAnchorAmbiguous, ClassConflict, "Anchor and old block fit in several places.", "Extend the anchor as `brenner patch explain` shows, or give match_index."},
	{CodeOldBlockMismatch, ClassConflict, "The anchor was found but the old block does not follow it.", "Run `brenner patch explain`."},
	{CodeOverlap, ClassConflict, "Two operations of the patch touch the same text.", "Merge them into one operation."},
	{CodeResultMismatch, ClassConflict, "The result does not have the checksum the patch promises.", "Run `brenner patch explain`; an operation does not do what its author meant."},
	{CodePathRefused, ClassDenied, "The path leaves the root, passes a symbolic link or is not a plain file.", "Name a plain file inside the root by a relative path."},
	{CodeRebaseConflict, ClassConflict, "The patch and the newer text change the same lines.", "Make the change again on the newer text."},
	{CodeRecoveryConflict, ClassConflict, "A file was changed after an interrupted patch set and before its recovery.", "Compare the file with its staged copy, keep the right one and remove the other."},
	{CodeInexpressible, ClassInvalid, "A patch of canonical text cannot say this: it is about line endings, a byte order mark, or whether there is a file.", "Give both texts the same spelling first, or change the file by other means."},
	{CodeLineRepeated, ClassInvalid, "A new block repeats a line that stands beside it, such as the anchor's.", "Leave out of new_block what is not part of old_block."},
	{CodeLinesJoined, ClassInvalid, "A new block leaves two lines as one, or one as two.", "End new_block as old_block ends."},
	{CodeFinalNewlineLost, ClassInvalid, "The text no longer ends with a newline.", "End new_block with a newline."},
	{CodeIndentationBroken, ClassInvalid, "A new block is indented otherwise than the lines around it.", "Indent new_block like the text."},
	{CodeBlockCutShort, ClassInvalid, "An old block seems to have been cut short, so that part of what it meant stays behind.", "Quote old_block to its end."},
	{CodeBlockMarked, ClassInvalid, "A new block carries what is not text: a fence, marks of a diff, line numbers, escapes or dots for something left out.", "Send the text alone, and all of it."},
	{CodeOddCharacters, ClassInvalid, "A new block brings in characters that cannot be seen or look like others, which the text does not use.", "Check that they are meant."},
	{CodeInvalidStalemate, ClassInvalid, "The stalemate is not well formed.", "Mend it at the pointer given."},
	{CodeEvidencePlaceholder, ClassInvalid, "A piece of evidence only stands for the real content.", "Attach the content itself."},
	{CodeEvidenceRequired, ClassInvalid, "A stalemate is to be decided once more, and there is nothing that was not there before.", "Attach what has come to light since the verdict."},
	{CodeInvalidVerdict, ClassInvalid, "The verdict does not answer the stalemate.", "Give one finding per hypothesis, each citing evidence of the stalemate."},
	{CodeArbiterIsParty, ClassDenied, "The arbiter is a party to the stalemate.", "Let somebody else decide."},
}
