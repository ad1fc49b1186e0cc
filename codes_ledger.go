package brenner

// Codes of the ledger: artifacts, journal, stores, identity.
const (
	CodeNoProject          Code = "NO_PROJECT"
	CodeProjectNotYours    Code = "PROJECT_NOT_YOURS"
	CodeConfigNotConfirmed Code = "CONFIG_NOT_CONFIRMED"
	CodeProjectExists      Code = "PROJECT_EXISTS"
	CodeAlreadyExists      Code = "ALREADY_EXISTS"
	CodeUnknownType        Code = "UNKNOWN_TYPE"
	CodeUnknownModule      Code = "UNKNOWN_MODULE"
	CodeUnknownRole        Code = "UNKNOWN_ROLE"
	CodeSchemaViolation    Code = "SCHEMA_VIOLATION"
	CodeSummaryInvalid     Code = "SUMMARY_INVALID"
	CodeSummaryStale       Code = "SUMMARY_STALE"
	CodeNothingChanged     Code = "NOTHING_CHANGED"
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

func ledgerCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeNoProject, ClassNotFound, "There is no Brenner project here.", "Make a project, or name the store of the one you mean.",
			Do("init"), Again().Asking("store")),
		row(CodeProjectNotYours, ClassDenied, "The project found here belongs to another user of this machine.", "If you trust its owner, add its directory to the file that the hint names, or name its store.",
			Again().Asking("store")),
		row(CodeConfigNotConfirmed, ClassDenied, "A configuration that was merely found gives away, takes back or loosens what nobody has confirmed: policies, approvals, addresses, prompts, rules, types or bounds.", "Read what it alters, then name the file: that confirms it.",
			Again().Asking("config")),
		row(CodeProjectExists, ClassConflict, "A project already exists in this store.", "Use it, or choose another directory."),
		row(CodeAlreadyExists, ClassConflict, "Something of that name exists already.", "Choose another name, or update the existing one."),
		row(CodeUnknownType, ClassInvalid, "No artifact type of that name is in force.", "Use a type that is in force, or have one declared in the configuration.",
			Do("artifact.types")),
		row(CodeUnknownModule, ClassInvalid, "No module of that name is declared.", "Use a module that is declared, or have it declared in the configuration.",
			Do("status")),
		row(CodeUnknownRole, ClassInvalid, "No role of that name has a policy.", "Use a role that has a policy.",
			Do("agent.list", "roles", "true")),
		row(CodeSchemaViolation, ClassInvalid, "The content does not fit the schema of its type.", "Mend the content at the pointer given; the type has its schema.",
			Do("artifact.types")),
		row(CodeSummaryInvalid, ClassInvalid, "The summary is missing, blank or longer than 1,200 characters.", "Give a short summary of the content."),
		row(CodeSummaryStale, ClassInvalid, "The content changed but the summary did not.", "Summarise the new content, or confirm that the old summary still holds.",
			Again("summary_holds", "true"), Again().Asking("summary")),
		row(CodeNothingChanged, ClassConflict, "The update says what the version says that it goes on.", "Change something, or leave it as it is; that a stale version still holds is said by reaffirming it.",
			Do("artifact.show").Asking("ref")),
		row(CodeChangeNoteRequired, ClassInvalid, "A new version of a core type must say what changed and why.", "Say what changed, and why.",
			Again().Asking("what", "why")),
		row(CodeReasonRequired, ClassInvalid, "This decision must be given a reason.", "Give a reason; it is kept with what is decided.",
			Again().Asking("reason")),
		row(CodeInvalidLink, ClassInvalid, "A link has an unknown relation or points at nothing.", "Link to an existing ID@VERSION with one of the known relations."),
		row(CodeInvalidParent, ClassInvalid, "The parent version does not exist or cannot be a parent.", "Name an existing version of the same artifact."),
		row(CodeConflictHead, ClassConflict, "The artifact has moved past the version you expected.", "Read the head, rebase the change, try again."),
		row(CodeSlotTaken, ClassConflict, "Another artifact is canonical in this place.", "See which one is meant to count, then supersede the other.",
			Again("replace", "true")),
		row(CodeNeedsRebase, ClassConflict, "The version was made from inputs that have since moved.", "Rebase it, or override with a reason."),
		row(CodeStatusConflict, ClassConflict, "The status of the thing does not allow this.", "See its history for what happened to it."),
		row(CodeReadDenied, ClassDenied, "The role may not read this.", "Ask the PI, or act in a role that may.",
			Do("task.new", "role", "pi").Asking("title", "spec")),
		row(CodeWriteDenied, ClassDenied, "The role may not do this.", "Ask the PI, or act in a role that may.",
			Do("task.new", "role", "pi").Asking("title", "spec")),
		row(CodeUnauthenticated, ClassDenied, "Nobody known is asking.", "Give a valid token, or name a registered agent; the PI makes tokens and registers agents.",
			Do("agent.token").Asking("name")),
		row(CodeIdempotencyReused, ClassConflict, "The idempotency key was used before with another request.", "Use a new key for a new request."),
		row(CodeInvalidConfig, ClassInvalid, "The project configuration is wrong.", "Mend the file at the line and column given."),
		row(CodeInvalidCursor, ClassInvalid, "The page cursor is not one we gave.", "Start again without a cursor."),
		row(CodeStoreBusy, ClassUnavailable, "Other writers kept the store busy until the deadline.", "Try again."),
		row(CodeStoreUnavailable, ClassUnavailable, "The store cannot be reached or opened.", "Check the address, the permissions and that the database runs."),
		row(CodeStoreReadOnly, ClassUnavailable, "The store cannot be written.", "Check the permissions of the file and its directory."),
		row(CodeStoreFull, ClassUnavailable, "The disk of the store is full.", "Make room and try again; nothing was half written."),
		row(CodeStoreNewer, ClassUnavailable, "The store was written by a newer version of Brenner.", "Upgrade this program."),
		row(CodeJournalCorrupt, ClassConflict, "The journal or what rests on it has been altered.", "See the findings; restore from an export or a backup."),
		row(CodeCheckpointMismatch, ClassConflict, "The journal is not a continuation of the checkpoint.", "History was rewritten or cut in the range named; restore from a backup."),
		row(CodeHistoryChanged, ClassConflict, "The journal is shorter than it was, or another one, than when it was last seen here: nothing is written.", "Find out why; if a backup was restored on purpose, the PI accepts it.",
			Do("verify", "accept", "true")),
		row(CodeCheckpointInvalid, ClassInvalid, "The checkpoint is not one signed with a known key.", "Use the file as it was written, and the key it was signed with."),
		row(CodeImportInvalid, ClassInvalid, "The export is damaged or not one of ours.", "Export again; nothing was imported."),
		row(CodeRedacted, ClassGone, "The content was redacted; only its hash remains.", "See the redaction record for the reason."),
		row(CodeRedactsMore, ClassConflict, "Other versions have the same bytes and would lose them too.", "See what they are first; if it is to go from all of them, say so.",
			Again("dry_run", "true"), Again("everywhere", "true")),
	}
}
