package brenner

import "time"

// Every bound on input stands here (X3). Going over one is LIMIT_EXCEEDED
// unless a more telling code exists.
const (
	// MaxJSONDepth bounds the nesting of any JSON that is read.
	MaxJSONDepth = 64
	// MaxSlowNumbers bounds the numbers of a content in JSON, and of a request, that take
	// long to read: 1e-310, or many digits with a large exponent. A delta has none.
	MaxSlowNumbers = 10_000
	// MaxContentBytes bounds the content of one artifact version.
	MaxContentBytes = 16 << 20
	// LargeContentBytes is from where on a content is read and checked before the
	// transaction that writes it.
	LargeContentBytes = 64 << 10
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
	// MaxRecordsSearched bounds how many records one search of the journal looks
	// through; the next call goes on from there.
	MaxRecordsSearched = 10_000
	// MaxIndexedBytes bounds how much of a version the full-text index takes.
	MaxIndexedBytes = 256 << 10
	// MaxImportLineBytes bounds a line of an export: one content in base64.
	MaxImportLineBytes = 32 << 20
	// MaxWalk bounds how many versions one lineage or staleness walk visits.
	MaxWalk = 200_000
	// WriteDeadline is how long a write queues for the store before STORE_BUSY (X7).
	WriteDeadline = 30 * time.Second
	// MaxDiffLines bounds the lines that a comparison shows, MaxDiffChanges the
	// changed fields; what is left out is said.
	MaxDiffLines   = 20_000
	MaxDiffChanges = 5_000
	// MaxClockLead is how far the newest record may be ahead of a machine's clock
	// for the next one to come after it.
	MaxClockLead = 10 * time.Minute
	// LongTurn is how long one write may have the store to itself before it is
	// named in the log and in the metrics (X9).
	LongTurn = time.Second
	// QuickPlan is how long a plan may have taken that is made again while other
	// writers wait; MaxPlans is how often a longer one is made on a new snapshot
	// before STORE_BUSY.
	QuickPlan = 50 * time.Millisecond
	MaxPlans  = 6
	// MaxGroupCommit bounds how many queued writes share one commit.
	MaxGroupCommit = 128
)

// Shares of what a process computes with (X10).
const (
	// MaxWorkBytes bounds what the expensive work of a process holds in memory
	// at once, by estimate; one actor has half of it. What holds no more than
	// FreeWorkBytes is not counted.
	MaxWorkBytes  = 512 << 20
	FreeWorkBytes = 1 << 20
	// MaxBodyBytes bounds what the bodies of requests hold that are read or
	// worked on, by estimate; one actor has half of it. Those of up to
	// SmallBodyBytes are not counted.
	MaxBodyBytes   = 192 << 20
	SmallBodyBytes = 64 << 10
	// MaxWorkWaiting bounds how many requests of one actor wait for room, and
	// WorkDeadline how long one waits, before RATE_LIMITED.
	MaxWorkWaiting = 32
	WorkDeadline   = 30 * time.Second
	// DefaultStorage is how many bytes one actor may have stored, unless the
	// configuration says otherwise: STORAGE_SPENT beyond.
	DefaultStorage = 4 << 30
	// ServerMemory is what a server asks the runtime to stay below; GOMEMLIMIT
	// says otherwise.
	ServerMemory = 560 << 20
	// ServerGarbage is how much of what it no longer uses a server may hold below that, in
	// hundredths of what it uses; GOGC says otherwise.
	ServerGarbage = 400
)

// Limits of project-defined types (C5).
const (
	// MaxProjectTypes bounds the types a project adds to the built-in ones.
	MaxProjectTypes = 128
	// MaxSchemaBytes bounds the JSON Schema of one type.
	MaxSchemaBytes = 64 << 10
	// MaxViolations bounds how many schema violations of one content are listed.
	MaxViolations = 32
)

// Rosters, project configuration and kickoffs.
const (
	// MaxRosterBytes bounds a roster given as JSON.
	MaxRosterBytes = 256 << 10
	// MaxRosterEntries bounds the entries of one roster or preset.
	MaxRosterEntries = 256
	// MaxYAMLValues bounds the names and values of a configuration in YAML,
	// whose reader takes much memory for each; a larger one can be written in
	// JSON.
	MaxYAMLValues = 50_000
	// MaxConfigFindings bounds how many findings about one configuration file
	// are reported.
	MaxConfigFindings = 50
	// MaxPromptBytes bounds one role prompt.
	MaxPromptBytes = 64 << 10
	// MaxQuestionRunes bounds the question of a session.
	MaxQuestionRunes = 4000
	// MaxMailBytes bounds one answer of a mail server.
	MaxMailBytes = 32 << 20
	// MailDeadline is how long one call of a mail server may take.
	MailDeadline = 30 * time.Second
)

// Limits of the playbook and of embeddings.
const (
	// MaxInsights bounds one batch of insights, MaxInsightBytes its file.
	MaxInsights     = 1_000
	MaxInsightBytes = 32 << 20
	// MaxSharedInsights bounds the batch that is held against the book in memory
	// which every context uses; a longer one takes a copy.
	MaxSharedInsights = 64
	// MaxLessonRunes bounds the content of one insight.
	MaxLessonRunes = 2000
	// MaxSourceRunes bounds the task an insight names as its source.
	MaxSourceRunes = 128
	// MaxWitnesses bounds the witnesses a bullet keeps by name (C36), and
	// MaxWitnessContexts the contexts remembered of each.
	MaxWitnesses       = 256
	MaxWitnessContexts = 64
	// MaxVectorDimension bounds the length of one vector.
	MaxVectorDimension = 8192
	// MaxEmbedReplyBytes bounds one reply of an embedding endpoint.
	MaxEmbedReplyBytes = 64 << 20
	// MaxEmbedBatch bounds how many texts are sent to an endpoint at once.
	MaxEmbedBatch = 128
	// MaxEmbedAttempts bounds how often one batch is sent.
	MaxEmbedAttempts = 4
	// MaxContextsSearched bounds how many of the newest contexts are looked
	// through for one that carried a bullet (B8); an older one can be named.
	MaxContextsSearched = 10_000
)

// Limits of anchor patches and stalemates.
const (
	// MaxPatchBytes bounds the JSON of one patch.
	MaxPatchBytes = 32 << 20
	// MaxPatchTextBytes bounds a text that a patch is applied to, and its result.
	MaxPatchTextBytes = 32 << 20
	// MaxPatchOperations bounds the operations of one patch.
	MaxPatchOperations = 5000
	// MaxPatchSetFiles bounds the files of one patch set.
	MaxPatchSetFiles = 1000
	// MaxPatchSetBytes bounds the texts of one patch set together.
	MaxPatchSetBytes = 256 << 20
	// MaxStalemateBytes bounds the JSON of one stalemate, evidence included.
	MaxStalemateBytes = 64 << 20
	// MaxEvidence bounds the pieces of evidence of one stalemate.
	MaxEvidence = 100
	// MaxPatchVersions bounds how many versions of an artifact are looked
	// through for the text that a patch was made for, or quotes, and
	// MaxPatchOlderBytes how much text that is.
	MaxPatchVersions   = 100
	MaxPatchOlderBytes = 64 << 20
	// MaxPatchFailures bounds how many refusals are remembered of one artifact
	// in one session, or by one actor.
	MaxPatchFailures = 20
	// MaxAlternatives bounds the alternative hypotheses of one stalemate (S2).
	MaxAlternatives = 3
)

// Limits of deltas and replies.
const (
	// MaxDeltaBytes bounds the JSON of one delta.
	MaxDeltaBytes = 256 << 10
	// MaxDeltaFields bounds the fields of one payload, MaxDeltaElements the
	// elements of one list or map in it.
	MaxDeltaFields   = 200
	MaxDeltaElements = 2000
	// MaxDeltas bounds the deltas of one merge.
	MaxDeltas = 1_000_000
	// MaxDeltaInputBytes bounds a file of deltas in JSON or JSON Lines.
	MaxDeltaInputBytes = 1 << 30
	// MaxReplyBytes bounds an agent's reply in Markdown.
	MaxReplyBytes = 8 << 20
	// MaxDeltaIDBytes bounds a delta id and a message id.
	MaxDeltaIDBytes = 200
	// MaxReplyRescans and MaxReplyRescanBytes bound how many broken fences of
	// one reply are looked into, and how much text that is.
	MaxReplyRescans     = 64
	MaxReplyRescanBytes = 64 << 20
	// MaxReplySteps bounds how many characters are read while looking for what
	// may be a delta in a short reply; a long one may take that many more times
	// its length.
	MaxReplySteps = 1 << 16
	// MaxReplyNesting bounds the quotes and lists that one line of a reply opens.
	MaxReplyNesting = 64
	// MaxReplyLevels bounds the lines of a reply that quotes and lists are kept
	// open over, each counted as often as it is nested.
	MaxReplyLevels = 1 << 20
)

// Limits of the stores.
const (
	// MaxVersions bounds the versions of one artifact.
	MaxVersions = 1<<24 - 1
	// MaxSearchWords bounds the distinct words of a full-text query; further
	// ones are not looked at.
	MaxSearchWords = 64
)

// Tasks.
const (
	// MaxTaskInputs bounds the pinned inputs of one task.
	MaxTaskInputs = 200
	// MaxTitleRunes bounds the title of a task, MaxWordRunes that of one that asks
	// nobody for anything: a note, or announced work.
	MaxTitleRunes = 200
	MaxWordRunes  = 600
	// MaxDoingPerContext is how often an agent says under one context what it does next.
	MaxDoingPerContext = 60
	// MaxHoldRunes bounds the name of what one of a session has alone. It has it for HoldFor,
	// or as long as it asked, MaxHoldFor at most, unless it says so again. OfferFor is how long
	// what came free waits for who waited longest.
	MaxHoldRunes = 60
	HoldFor      = 5 * time.Minute
	MaxHoldFor   = 15 * time.Minute
	OfferFor     = time.Minute
	// MaxPartRunes bounds what announced work leaves to one other, MaxParts to how
	// many it leaves something.
	MaxPartRunes = 1000
	MaxParts     = 20
	// MaxTaskSpecBytes bounds what a task says is to be done.
	MaxTaskSpecBytes = 64 << 10
	// TaskPageBytes bounds what an agent is sent of it when it takes the task; the
	// whole stands in the context of the task.
	TaskPageBytes = 8 << 10
	// DefaultLease is how long a claim holds, MaxLease how long it may.
	DefaultLease = 30 * time.Minute
	MaxLease     = 7 * 24 * time.Hour
)

// Limits of contexts.
const (
	// MaxCandidates bounds how many artifacts one assembly looks at (C21), and
	// how many of one type a view can ask for.
	MaxCandidates = 500
	// MaxContextSize bounds a budget, in bytes or tokens.
	MaxContextSize = 10_000_000
)

// Limits of the checks for drift.
const (
	// MaxPatternBytes bounds a pattern of a constraint.
	MaxPatternBytes = 1000
	// MaxCheckParagraphs bounds how many paragraphs of one artifact are
	// compared by meaning.
	MaxCheckParagraphs = 2000
	// MaxCheckFindings bounds the new findings of one artifact that one check lists;
	// once they are recorded, the next check lists the next ones.
	MaxCheckFindings = 100
	// MaxAssumptions bounds how many assumptions are compared with each other.
	MaxAssumptions = 2000
)

// Limits of the server.
const (
	// MaxTokenLife bounds how long a token that expires is good for.
	MaxTokenLife = 10 * 365 * 24 * time.Hour
	// MaxTokensPerActor bounds the live tokens of one actor.
	MaxTokensPerActor = 100
	// MaxRequestBytes bounds the body of a request over HTTP or MCP. One larger
	// than LargeRequestBytes is read only for what may be so large, of who may do
	// that.
	MaxRequestBytes   = 40 << 20
	LargeRequestBytes = 1 << 20
	// MaxFormBytes bounds what a form of a page sends, MaxKeptFields how many fields
	// of it are kept through a login.
	MaxFormBytes  = 2 << 20
	MaxKeptFields = 1000
	// MaxMessages bounds the messages of one request over MCP, in the revisions
	// that have batches.
	MaxMessages = 50
	// MaxAnswerRunes bounds an answer to an agent where we choose how much is in it: the
	// programs that agents run in cut what is longer, some at 30,000 characters.
	MaxAnswerRunes = 24_000
	// MaxToolListTokens bounds the description of all MCP tools together,
	// MaxToolResultTokens the result of one call, ToolPageTokens a page of text
	// in it.
	MaxToolListTokens   = 6000
	MaxToolResultTokens = 20_000
	ToolPageTokens      = 12_000
	// PassagePageBytes bounds what one answer gives of a text in passages, such as
	// the document of a session, and MaxPassageBytes a passage of it.
	// PassagePageTokens and MaxPassages bound the same answer where signs are dear
	// or passages short, so that what is charged is also sent.
	// MaxThreadBytes is the same for the research thread: what the answer is comes
	// whole, and before all else.
	// MaxCorrectionRunes is how much of the answer of a session may be replaced at once by
	// who does not say it.
	MaxCorrectionRunes = 400
	PassagePageBytes   = 24 << 10
	PassagePageTokens  = 15_000
	MaxPassages        = 120
	MaxPassageBytes    = 4 << 10
	MaxThreadBytes     = 12 << 10
	// ToolPageBytes is what artifact_get gives of a content at once.
	ToolPageBytes = 20 << 10
	// FilePageBytes is how much of a content that is fetched as a file is read at once,
	// MaxFileContexts in how many contexts it may be read.
	FilePageBytes   = 256 << 10
	MaxFileContexts = 16
	// MaxTickets bounds the files that may be fetched or sent at a time, MaxTicketsPerToken
	// those of one token; a further one takes the place of the oldest. MaxTicketBytes bounds
	// what goes with a content that is sent, and TicketLife is how long a ticket is good.
	MaxTickets         = 1024
	MaxTicketsPerToken = 16
	MaxTicketBytes     = 64 << 10
	TicketLife         = 30 * time.Minute
	// MaxHeaderBytes bounds the header of a request.
	MaxHeaderBytes = 64 << 10
	// MaxAnswerBytes bounds the answer of a server that a client reads.
	MaxAnswerBytes = 256 << 20
	// HeaderDeadline is how long a client may take for the header of a
	// request, RequestDeadline for the whole of it and for taking the answer.
	HeaderDeadline  = 10 * time.Second
	RequestDeadline = 2 * time.Minute
	// MaxRequestsUnderWay is how many requests of one token are answered at the
	// same time.
	MaxRequestsUnderWay = 64
	// RequestRate is how many requests a second one token may make for long,
	// RequestBurst how many at once.
	RequestRate  = 200
	RequestBurst = 400
	// MaxFeeds bounds the change feeds of one server, FeedPage how many records
	// of each are held in memory.
	MaxFeeds = 64
	FeedPage = 100
	// FeedHeartbeat is how often a quiet feed says that it is still there.
	FeedHeartbeat = 15 * time.Second
	// LoginLife is how long a person stays logged in, LoginCodeLife how long the
	// address that logs one in is good. Of the logins with tokens, and apart from
	// them of those with such an address, at most MaxLogins are open, and
	// MaxLoginsPerToken of one token; a further one ends an older one.
	LoginLife         = 12 * time.Hour
	LoginCodeLife     = time.Hour
	MaxLogins         = 100
	MaxLoginsPerToken = 8
	// ShutdownDeadline is how long requests under way may take to finish when
	// the server is stopped.
	ShutdownDeadline = 20 * time.Second
	// TraceDeadline is how long a program that stops waits for its last spans
	// to be taken.
	TraceDeadline = 5 * time.Second
)

// Limits of Markdown as pages show it: beyond one, rendering stops and says so.
const (
	// MaxMarkdownBytes bounds the text, MaxMarkdownOutput the HTML it becomes.
	MaxMarkdownBytes  = 1 << 20
	MaxMarkdownOutput = 8 << 20
	// MaxMarkdownCells bounds the cells of all tables of a text together: a row
	// has as many as the head, however short it is written.
	MaxMarkdownCells = 20_000
	// MaxMarkdownNesting bounds the quotes and lists that one line opens.
	MaxMarkdownNesting = 64
	// MaxMarkdownLevels bounds the lines that quotes and lists are kept open over,
	// each counted as often as it is nested.
	MaxMarkdownLevels = 500_000
	// MaxMarkdownLinks bounds the links.
	MaxMarkdownLinks = 2000
	// MaxMarkdownWork bounds what is looked at within paragraphs, headings and
	// cells: for each mark that may begin or end something the whole of them.
	MaxMarkdownWork = 20_000_000
	// MaxMarkdownEscapes bounds the escaped bars in tables.
	MaxMarkdownEscapes = 1000
)

// Contexts.
const (
	// MaxQueryTags bounds the tags that artifacts are looked up by at once.
	MaxQueryTags = 64
	// MaxInboxWait is how many seconds an agent may wait for a message.
	MaxInboxWait = 60
	// MaxRequestsPerContext bounds the tasks that an agent opens under one
	// context, MaxToldOfTask the agents that a new task is announced to.
	MaxRequestsPerContext = 12
	MaxToldOfTask         = 20
	// MaxLaterReads bounds how often an agent reads through one context.
	MaxLaterReads = 500
	// MaxCachedCounts bounds how many token counts a process remembers, and
	// MaxVectorBytes what the vectors of summaries take: some 450 bytes for twelve words.
	MaxCachedCounts = 100_000
	MaxVectorBytes  = 56 << 20
)

// Limits of sessions.
const (
	// MaxSessionTextBytes bounds the context of a kickoff and the note of a nudge.
	MaxSessionTextBytes = 64 << 10
	// MaxPendingDeltas bounds the deltas of a session that wait for a compile.
	MaxPendingDeltas = 10_000
)

// Upkeep.
const (
	// MaxCheckSubjects bounds how many artifacts one check reads.
	MaxCheckSubjects = 10_000
	// MaxFindingsKept bounds how many critiques one check writes; running it
	// again writes the next ones.
	MaxFindingsKept = 500
	// HarvestBatch is how many items of a session are harvested at once: one
	// firing is one transaction, and others wait for it.
	HarvestBatch = 100
	// MaxCollected bounds how many artifacts one gc takes out of use, or lists.
	MaxCollected = 1000
	// MaxCompared bounds how many artifacts one consolidation compares: the
	// most recently changed ones. MaxComparedParagraphs bounds how much of each.
	MaxCompared           = 2000
	MaxComparedParagraphs = 200
	// MaxOverlap bounds the artifacts of one group that says the same.
	MaxOverlap = 20
	// MaxTasksOpened bounds how many tasks one run of a check, of forks or of
	// consolidate opens.
	MaxTasksOpened = 100
	// DefaultUnusedFor is how long nothing must have been done with an artifact
	// before gc and consolidate take it for unused.
	DefaultUnusedFor = 720 * time.Hour
	// A consolidation is overdue when the last one is longer ago than
	// ConsolidationPeriod, or more than ConsolidationChanges artifacts have
	// changed since.
	ConsolidationPeriod  = 720 * time.Hour
	ConsolidationChanges = 100
)

// Reviews.
const (
	// MaxDecisions bounds the versions that one decision is about (N4).
	MaxDecisions = 200
)

// Limits of files in and out (X6).
const (
	// MaxBatchItems and MaxBatchBytes bound one batch of writes, so that it fits
	// into a request, and its rows into a turn (X9).
	MaxBatchItems = 1000
	MaxBatchBytes = 32 << 20
	// MaxBatchFindings bounds how many findings about one batch are listed.
	MaxBatchFindings = 100
	// MaxFrontMatterBytes bounds the front matter of one file.
	MaxFrontMatterBytes = 256 << 10
	// MaxTreeFiles bounds the files of one directory that are looked at, and
	// MaxTreeBytes those that are written at once.
	MaxTreeFiles = 50_000
	MaxTreeBytes = 256 << 20
	// MaxManifestBytes bounds the list of what was checked out.
	MaxManifestBytes = 32 << 20
	// MaxCompletions bounds the names offered to a shell.
	MaxCompletions = 200
)

// Programs and runs.
const (
	// MaxProgramArgs bounds the arguments, and the variables, of a program;
	// MaxProgramArgBytes one of them.
	MaxProgramArgs     = 64
	MaxProgramArgBytes = 8 << 10
	// MaxAutomationRules bounds the rules of one configuration, MaxFiringsPerHour
	// what one of them may ask for, MinAutomationPeriod the time between two
	// events that come with time (A3).
	MaxAutomationRules  = 64
	MaxFiringsPerHour   = 1000
	MinAutomationPeriod = time.Minute
	// MaxAutomationDepth is how many causes deep automation acts; deeper it only
	// notifies (A3).
	MaxAutomationDepth = 3
	// AutomationStride is how many records are looked at in vain before that is
	// noted in the journal: what a process that starts has to look at again.
	AutomationStride = 64
	// MaxChecksAtOnce is how many checks are made in vain before it is noted how
	// far they came: a process that ends early has not made them for nothing.
	MaxChecksAtOnce = 64
	// MaxFiringsAfterWrite and AutomationAfterWrite bound what a command that has
	// written does by itself before it ends; what is begun then may take until
	// MaxAutomationAfterWrite (A2).
	MaxFiringsAfterWrite    = 20
	AutomationAfterWrite    = 300 * time.Millisecond
	MaxAutomationAfterWrite = 5 * time.Second
	// MaxApprovals bounds how many approvals a type asks for, and by how many
	// roles (A6).
	MaxApprovals = 16
	// MaxWebhooks bounds the webhooks of one configuration, MaxNotice the things
	// that one notification names (N7).
	MaxWebhooks = 16
	MaxNotice   = 100
	// MaxPrograms bounds the programs of one configuration.
	MaxPrograms = 256
	// DefaultRunTime is how long a run may take unless its program says
	// otherwise, MaxRunTime how long it may say.
	DefaultRunTime = 30 * time.Minute
	MaxRunTime     = 24 * time.Hour
	// DefaultRunOutput and MaxRunOutput bound likewise what a run prints.
	DefaultRunOutput = 64 << 20
	MaxRunOutput     = 4 << 30
	// DefaultRunTurns and DefaultRunTokens bound what a run uses of a model.
	DefaultRunTurns  = 200
	DefaultRunTokens = 5_000_000
	// MaxRunLine bounds a line that a program prints; the rest of a longer one
	// is passed over.
	MaxRunLine = 4 << 20
	// MaxTranscriptBytes bounds what is kept of what a run printed: its
	// beginning and, mostly, its end.
	MaxTranscriptBytes = 2 << 20
	// MaxRunTail bounds what is shown of a log while its run goes on.
	MaxRunTail = 16 << 10
	// MaxScriptBytes bounds a file that a script answers from.
	MaxScriptBytes = 8 << 20
	// MaxRepairs is how often an answer without a usable delta is sent back.
	MaxRepairs = 2
	// MaxRunRetries is how often a run waits for a provider that limits or is
	// overloaded; the first pause is RetryPause and each next one twice that, up
	// to MaxRetryPause, unless the program says how long.
	MaxRunRetries = 6
	RetryPause    = 5 * time.Second
	MaxRetryPause = 5 * time.Minute
	// MaxRunFailures is how many failed runs block a task.
	MaxRunFailures = 3
	// RunLease is how long a runner holds a run without renewing it.
	RunLease = 10 * time.Minute
	// CallPatience is how long a call of an agent at work waits for a project
	// that is away, less than programs wait for a tool.
	CallPatience = 45 * time.Second
	// StopGrace is how long a program may take to end when it is asked to.
	StopGrace = 5 * time.Second
	// MaxJobs bounds the runs of one runner at a time.
	MaxJobs = 64
	// MaxRounds bounds the rounds of one question.
	MaxRounds = 20
)
