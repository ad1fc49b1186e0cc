package brenner

// Codes of reviews.
const (
	CodeNotStale   Code = "NOT_STALE"
	CodeStillStale Code = "STILL_STALE"
)

var reviewCodes = []CodeInfo{
	{CodeNotStale, ClassConflict, "Nothing that the version rests on has moved, so there is nothing to confirm.", "Leave it as it is."},
	{CodeStillStale, ClassConflict, "The version rests on another that is stale itself.", "Confirm or update that one first, or both at once."},
}
