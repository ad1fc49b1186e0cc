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

func anchorCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeInvalidPatch, ClassInvalid, "The patch is not a well-formed anchor_diff_v2.1 patch.", "Mend it at the pointer given, or make it again from the two texts.",
			Do("patch.diff").Asking("text", "file")),
		row(CodeBaseMismatch, ClassConflict, "The text is not the one the patch was made for.", "Use the rebased patch if one is attached, have it carried over, or make it again on the present text."),
		row(CodeBaseUnknown, ClassNotFound, "The text the patch was made for is not here.", "Check the path, or name the text that the change was made for.",
			Again().Asking("root"), Again().Asking("base")),
		row(CodeAnchorNotFound, ClassConflict, "The words that an edit quotes do not occur in the text as often as it says.", "Read the text again and quote it letter by letter."),
		row(CodeAnchorAmbiguous, ClassConflict, "The words that an edit quotes fit in several places.", "Quote more of what stands around the place; in a patch match_index may say which one is meant."),
		row(CodeOldBlockMismatch, ClassConflict, "The anchor was found but the old block does not follow it.", "Read the text again and quote it letter by letter."),
		row(CodeOverlap, ClassConflict, "Two operations of the patch touch the same text.", "Merge them into one operation."),
		row(CodeResultMismatch, ClassConflict, "The result does not have the checksum the patch promises.", "Leave the checksum of the result out, or make the change again on the present text: an operation does not do what its author meant."),
		row(CodePathRefused, ClassDenied, "The path leaves the root, passes a symbolic link or is not a plain file.", "Name a plain file inside the root by a relative path."),
		row(CodeRebaseConflict, ClassConflict, "The patch and the newer text change the same lines.", "Make the change again on the newer text."),
		row(CodeRecoveryConflict, ClassConflict, "A file was changed after an interrupted patch set and before its recovery.", "Compare the file with its staged copy, keep the right one and remove the other."),
		row(CodeInexpressible, ClassInvalid, "A patch of canonical text cannot say this: it is about line endings, a byte order mark, or whether there is a file.", "Give both texts the same spelling first, or change the file by other means."),
		row(CodeLineRepeated, ClassInvalid, "A new block repeats a line that stands beside it, such as the anchor's.", "Leave out of new_block what is not part of old_block."),
		row(CodeLinesJoined, ClassInvalid, "A new block leaves two lines as one, or one as two.", "End new_block as old_block ends."),
		row(CodeFinalNewlineLost, ClassInvalid, "The text no longer ends with a newline.", "End new_block with a newline."),
		row(CodeIndentationBroken, ClassInvalid, "A new block is indented otherwise than the lines around it.", "Indent new_block like the text."),
		row(CodeBlockCutShort, ClassInvalid, "An old block seems to have been cut short, so that part of what it meant stays behind.", "Quote old_block to its end."),
		row(CodeBlockMarked, ClassInvalid, "A new block carries what is not text: a fence, marks of a diff, line numbers, escapes or dots for something left out.", "Send the text alone, and all of it."),
		row(CodeOddCharacters, ClassInvalid, "A new block brings in characters that cannot be seen or look like others, which the text does not use.", "Check that they are meant."),
		row(CodeInvalidStalemate, ClassInvalid, "The stalemate is not well formed.", "Mend it at the pointer given."),
		row(CodeEvidencePlaceholder, ClassInvalid, "A piece of evidence only stands for the real content.", "Attach the content itself."),
		row(CodeEvidenceRequired, ClassInvalid, "A stalemate is to be decided once more, and there is nothing that was not there before.", "Attach what has come to light since the verdict.",
			Again().Asking("evidence")),
		row(CodeInvalidVerdict, ClassInvalid, "The verdict does not answer the stalemate.", "Give one finding per hypothesis, each citing evidence of the stalemate."),
		row(CodeArbiterIsParty, ClassDenied, "The arbiter is a party to the stalemate.", "Let somebody else decide."),
	}
}
