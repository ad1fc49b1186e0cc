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

	CodeInvalidStalemate    Code = "INVALID_STALEMATE"
	CodeEvidencePlaceholder Code = "EVIDENCE_PLACEHOLDER"
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
	{CodeInvalidStalemate, ClassInvalid, "The stalemate is not well formed.", "Mend it at the pointer given."},
	{CodeEvidencePlaceholder, ClassInvalid, "A piece of evidence only stands for the real content.", "Attach the content itself."},
	{CodeInvalidVerdict, ClassInvalid, "The verdict does not answer the stalemate.", "Give one finding per hypothesis, each citing evidence of the stalemate."},
	{CodeArbiterIsParty, ClassDenied, "The arbiter is a party to the stalemate.", "Let somebody else decide."},
}
