package brenner

// Codes of reviews.
const (
	CodeNotStale   Code = "NOT_STALE"
	CodeStillStale Code = "STILL_STALE"
	// CodeApprovalRequired refuses a promotion before enough have approved.
	CodeApprovalRequired Code = "APPROVAL_REQUIRED"
	CodeApprovalDenied   Code = "APPROVAL_DENIED"
)

func reviewCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeNotStale, ClassConflict, "Nothing that the version rests on has moved, so there is nothing to confirm.", "Leave it as it is."),
		row(CodeStillStale, ClassConflict, "The version rests on another that is stale itself.", "Confirm or update that one first, or both at once."),
		row(CodeApprovalRequired, ClassConflict, "A version of this type is promoted only when enough others have approved it.", "Have those approve it whose roles the message names; a newer version needs new approvals."),
		row(CodeApprovalDenied, ClassDenied, "Who wrote a version, or has another role than the project asks for, does not approve it.", "Ask somebody else, or the PI to change who approves."),
	}
}
