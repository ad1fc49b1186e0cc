package brenner

// Codes of the ledger: artifacts, journal, stores, identity.
const (
	CodeNoProject          Code = "NO_PROJECT"
	CodeProjectNotYours    Code = "PROJECT_NOT_YOURS"
	CodeProjectExists      Code = "PROJECT_EXISTS"
	CodeAlreadyExists      Code = "ALREADY_EXISTS"
	CodeUnknownType        Code = "UNKNOWN_TYPE"
	CodeUnknownModule      Code = "UNKNOWN_MODULE"
	CodeUnknownRole        Code = "UNKNOWN_ROLE"
	CodeSchemaViolation    Code = "SCHEMA_VIOLATION"
	CodeSummaryInvalid     Code = "SUMMARY_INVALID"
	CodeSummaryStale       Code = "SUMMARY_STALE"
	CodeChangeNoteRequired Code = "CHANGE_NOTE_REQUIRED"
	CodeReasonRequired     Code = "REASON_REQUIRED"
	CodeInvalidLink        Code = "INVALID_LINK"
	CodeInvalidParent      Code = "INVALID_PARENT"
	CodeConflictHead       Code = "CONFLICT_HEAD"
	CodeSlotTaken          Code = "SLOT_TAKEN"
	CodeNeedsRebase        Code = "NEEDS_REBASE"
	CodeStatusConflict     Code = "STATUS_CONFLICT"
	CodeReadDenied         Code = "READ_DENIED"
	CodeWriteDenied        Code = "WRITE_DENIED"
	CodeUnauthenticated    Code = "UNAUTHENTICATED"
	CodeIdempotencyReused  Code = "IDEMPOTENCY_REUSED"
	CodeInvalidConfig      Code = "INVALID_CONFIG"
	CodeInvalidCursor      Code = "INVALID_CURSOR"
	CodeStoreBusy          Code = "STORE_BUSY"
	CodeStoreUnavailable   Code = "STORE_UNAVAILABLE"
	CodeStoreReadOnly      Code = "STORE_READ_ONLY"
	CodeStoreFull          Code = "STORE_FULL"
	CodeStoreNewer         Code = "STORE_NEWER"
	CodeJournalCorrupt     Code = "JOURNAL_CORRUPT"
	CodeCheckpointMismatch Code = "CHECKPOINT_MISMATCH"
	CodeHistoryChanged     Code = "HISTORY_CHANGED"
	CodeCheckpointInvalid  Code = "CHECKPOINT_INVALID"
	CodeImportInvalid      Code = "IMPORT_INVALID"
	CodeRedacted           Code = "REDACTED"
	CodeRedactsMore        Code = "REDACTS_MORE"
)

var ledgerCodes = []CodeInfo{
	{CodeNoProject, ClassNotFound, "There is no Brenner project here.", "Run `brenner init`, or name one with --store."},
	{CodeProjectNotYours, ClassDenied, "The project found here belongs to another user of this machine.", "If you trust its owner, add its directory to the file that the hint names, or name it with --store."},
	{CodeProjectExists, ClassConflict, "A project already exists in this store.", "Use it, or choose another directory."},
	{CodeAlreadyExists, ClassConflict, "Something of that name exists already.", "Choose another name, or update the existing one."},
	{CodeUnknownType, ClassInvalid, "No artifact type of that name is in force.", "Run `brenner artifact types`; add types in .brennerrc and run `brenner config apply`."},
	{CodeUnknownModule, ClassInvalid, "No module of that name is declared.", "Declare it in .brennerrc and run `brenner config apply`."},
	{CodeUnknownRole, ClassInvalid, "No role of that name has a policy.", "Use a role listed by `brenner agent list --roles`."},
	{CodeSchemaViolation, ClassInvalid, "The content does not fit the schema of its type.", "Mend it at the pointer given; `brenner artifact types NAME` prints the schema."},
	{CodeSummaryInvalid, ClassInvalid, "The summary is missing, blank or longer than 1,200 characters.", "Give a short summary of the content."},
	{CodeSummaryStale, ClassInvalid, "The content changed but the summary did not.", "Give a new summary, or confirm the old one with --summary-holds."},
	{CodeChangeNoteRequired, ClassInvalid, "A new version of a core type must say what changed and why.", "Add --what and --why."},
	{CodeReasonRequired, ClassInvalid, "This decision must be given a reason.", "Add --reason."},
	{CodeInvalidLink, ClassInvalid, "A link has an unknown relation or points at nothing.", "Link to an existing ID@VERSION with one of the known relations."},
	{CodeInvalidParent, ClassInvalid, "The parent version does not exist or cannot be a parent.", "Name an existing version of the same artifact."},
	{CodeConflictHead, ClassConflict, "The artifact has moved past the version you expected.", "Read the head, rebase the change, try again."},
	{CodeSlotTaken, ClassConflict, "Another artifact is canonical in this place.", "Repeat with --replace to supersede it."},
	{CodeNeedsRebase, ClassConflict, "The version was made from inputs that have since moved.", "Rebase it, or override with a reason."},
	{CodeStatusConflict, ClassConflict, "The status of the thing does not allow this.", "See its history for what happened to it."},
	{CodeReadDenied, ClassDenied, "The role may not read this.", "Ask the PI, or act in a role that may."},
	{CodeWriteDenied, ClassDenied, "The role may not do this.", "Ask the PI, or act in a role that may."},
	{CodeUnauthenticated, ClassDenied, "Nobody known is asking.", "Give a valid token, or name a registered agent with --as."},
	{CodeIdempotencyReused, ClassConflict, "The idempotency key was used before with another request.", "Use a new key for a new request."},
	{CodeInvalidConfig, ClassInvalid, "The project configuration is wrong.", "Mend the file at the line and column given."},
	{CodeInvalidCursor, ClassInvalid, "The page cursor is not one we gave.", "Start again without a cursor."},
	{CodeStoreBusy, ClassUnavailable, "Other writers kept the store busy until the deadline.", "Try again."},
	{CodeStoreUnavailable, ClassUnavailable, "The store cannot be reached or opened.", "Check the address, the permissions and that the database runs."},
	{CodeStoreReadOnly, ClassUnavailable, "The store cannot be written.", "Check the permissions of the file and its directory."},
	{CodeStoreFull, ClassUnavailable, "The disk of the store is full.", "Make room and try again; nothing was half written."},
	{CodeStoreNewer, ClassUnavailable, "The store was written by a newer version of Brenner.", "Upgrade this program."},
	{CodeJournalCorrupt, ClassConflict, "The journal or what rests on it has been altered.", "See the findings; restore from an export or a backup."},
	{CodeCheckpointMismatch, ClassConflict, "The journal is not a continuation of the checkpoint.", "History was rewritten or cut in the range named; restore from a backup."},
	{CodeHistoryChanged, ClassConflict, "The journal is shorter than it was, or another one, than when it was last seen here: nothing is written.", "Find out why. If a backup was restored on purpose, the PI accepts it with `brenner verify --accept`."},
	{CodeCheckpointInvalid, ClassInvalid, "The checkpoint is not one signed with a known key.", "Use the file as it was written, and the key it was signed with."},
	{CodeImportInvalid, ClassInvalid, "The export is damaged or not one of ours.", "Export again; nothing was imported."},
	{CodeRedacted, ClassGone, "The content was redacted; only its hash remains.", "See the redaction record for the reason."},
	{CodeRedactsMore, ClassConflict, "Other versions have the same bytes and would lose them too.", "See what they are with --dry-run; if it is to go from all of them, repeat with --everywhere."},
}
