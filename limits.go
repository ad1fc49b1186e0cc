package brenner

import "time"

// Every bound on input stands here (X3). Going over one is LIMIT_EXCEEDED
// unless a more telling code exists.
const (
	// MaxJSONDepth bounds the nesting of any JSON that is read.
	MaxJSONDepth = 64
	// MaxContentBytes bounds the content of one artifact version.
	MaxContentBytes = 16 << 20
	// MaxSummaryRunes bounds a summary (C11).
	MaxSummaryRunes = 1200
	// MaxNoteRunes bounds a change note, a reason or a rationale.
	MaxNoteRunes = 4000
	// MaxTags and MaxTagRunes bound the tags of one version.
	MaxTags     = 64
	MaxTagRunes = 64
	// MaxLinks bounds the links of one version.
	MaxLinks = 512
	// MaxIdempotencyKeyBytes bounds a caller's idempotency key.
	MaxIdempotencyKeyBytes = 128
	// MaxConfigBytes bounds a project configuration file.
	MaxConfigBytes = 1 << 20
	// MaxPage bounds one page of any listing; DefaultPage is used when none is asked for.
	MaxPage     = 1000
	DefaultPage = 100
	// MaxWalk bounds how many versions one lineage or staleness walk visits.
	MaxWalk = 200_000
	// WriteDeadline is how long a write queues for the store before STORE_BUSY (X7).
	WriteDeadline = 30 * time.Second
	// MaxGroupCommit bounds how many queued writes share one commit.
	MaxGroupCommit = 128
)
