package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/delta"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// Sessions is several agents at work on one question: they are asked by
// message, answer with deltas, and the PI compiles what they answered into the
// next version of the session artifact.
type Sessions interface {
	// StartSession settles the roster, registers the agents as contributors,
	// creates the session artifact and sends each recipient its kickoff (R7).
	// With DryRun it says what it would do. A failed delivery is reported per
	// recipient, not as an error. Codes: INVALID_ROSTER with every finding,
	// ALREADY_EXISTS, UNKNOWN_MODULE.
	StartSession(ctx context.Context, req StartSessionRequest) (SessionStart, error)
	// Rosters says what a new session can be made of: the project's own roster
	// and the presets, its own before the built-in ones.
	Rosters(ctx context.Context) (RosterChoices, error)
	Sessions(ctx context.Context, req ListSessionsRequest) (SessionList, error)
	// Session gives a session and its artifact: the version asked for, or the
	// newest.
	Session(ctx context.Context, req SessionRequest) (SessionView, error)
	// SessionStatus says who was asked and who has answered (R10).
	SessionStatus(ctx context.Context, req SessionStatusRequest) (SessionStatus, error)
	// SubmitDeltas takes a reply, keeps it as a raw log and queues its deltas
	// until the next compile. The same reply again changes nothing. Codes:
	// UNKNOWN_AGENT if the agent is no contributor, LIMIT_EXCEEDED.
	SubmitDeltas(ctx context.Context, req SubmitDeltasRequest) (Submission, error)
	// FetchReplies takes the replies that agents have sent over Agent Mail.
	FetchReplies(ctx context.Context, req FetchRepliesRequest) (FetchResult, error)
	// CompileSession merges everything queued into one draft version (D18);
	// when nothing is recorded there is no new version.
	CompileSession(ctx context.Context, req CompileSessionRequest) (CompileResult, error)
	// NudgeSession asks again: those who have not answered, or those named.
	NudgeSession(ctx context.Context, req NudgeSessionRequest) (DeliveryResult, error)
	// CloseSession ends a session: nobody is waited for any more, nothing of it
	// is anybody's duty, and no reply is taken until somebody is asked again.
	CloseSession(ctx context.Context, req CloseSessionRequest) (SessionInfo, error)
	// ResendSession sends what could not be delivered, and nothing else (R8).
	ResendSession(ctx context.Context, req ResendSessionRequest) (DeliveryResult, error)
	// DiagnoseSession says what became of each reply and, where one gave no
	// delta, why, with a corrected block (R10). An agent sees its own.
	DiagnoseSession(ctx context.Context, req DiagnoseSessionRequest) (Diagnosis, error)
	// Conflicts lists the unsettled fields of one session or of all.
	Conflicts(ctx context.Context, req ListConflictsRequest) (ConflictList, error)
	// ResolveConflict settles a field by a delta that is later than every
	// candidate, and compiles it (D10). Codes: REASON_REQUIRED, NOT_FOUND, USAGE,
	// INVALID_DELTA or INVALID_VALUE for a value that the field cannot have.
	ResolveConflict(ctx context.Context, req ResolveConflictRequest) (CompileResult, error)
}

// Transport is a way to deliver messages.
type Transport string

// The transports.
const (
	TransportMailbox   Transport = "mailbox"    // built in; needs nothing
	TransportAgentMail Transport = "agent_mail" // a server of its own, over MCP
)

// RosterPart is what one flag, variable or file says about the roster.
type RosterPart struct {
	Name   string        `json:"name"`
	Roster roster.Roster `json:"roster"`
}

// StartSessionRequest starts a session. The roster is settled by precedence
// (R4): Flags, Environment, Roster, the configuration in force, the preset.
type StartSessionRequest struct {
	Write
	// ID is RS-YYYYMMDD-slug when empty.
	ID brenner.SessionID `json:"id,omitzero"`
	// Question opens the research thread; without one it starts empty.
	Question string `json:"question,omitzero"`
	// Context is added to the question in every kickoff.
	Context string         `json:"context,omitzero"`
	Module  brenner.Module `json:"module,omitzero"` // empty: the only one, or project
	// To are the recipients; empty: everyone on the roster.
	To          []brenner.ActorName `json:"to,omitzero"`
	Flags       []RosterPart        `json:"flags,omitzero"`
	Environment []RosterPart        `json:"environment,omitzero"`
	Roster      roster.Roster       `json:"roster,omitzero"`
	Preset      string              `json:"preset,omitzero"`
	PresetEnv   string              `json:"preset_env,omitzero"`
	Transport   Transport           `json:"transport,omitzero"` // empty: mailbox
	// AcceptMended takes near misses in replies as they are proposed to be
	// mended, without asking anybody (D20).
	AcceptMended bool `json:"accept_mended,omitzero"`
	// Compile says when replies are compiled (D27); empty: answered.
	Compile CompileMode `json:"compile,omitzero"`
	DryRun  bool        `json:"dry_run,omitzero"`
}

// CompileMode says when the replies of a session are compiled (D27).
type CompileMode = roster.CompileMode

// The modes that are words.
const (
	CompileManual   = roster.CompileManual
	CompileAnswered = roster.CompileAnswered
)

// RosterChoices are what the configuration in force and the program offer.
type RosterChoices struct {
	// Roster is the one in the configuration; it has no entries if there is none.
	Roster  roster.Roster   `json:"roster"`
	Presets []roster.Preset `json:"presets"`
	// Default is the preset to use when none is named; empty: none is.
	Default string `json:"default,omitzero"`
}

// SessionStart says what was started, or would be.
type SessionStart struct {
	Session SessionInfo `json:"session"`
	// Registered lists the agents that were not known before.
	Registered []brenner.ActorName `json:"registered"`
	Deliveries []Delivery          `json:"deliveries"`
	// Starts are the commands that start the agents' programs.
	Starts   []roster.Start       `json:"starts"`
	Warnings []brenner.Diagnostic `json:"warnings"`
	// Messages are the kickoffs; only of a dry run.
	Messages []roster.Message `json:"messages,omitzero"`
}

// SessionInfo is a session as the journal left it.
type SessionInfo struct {
	ID        brenner.SessionID `json:"id"`
	Question  string            `json:"question"`
	Module    brenner.Module    `json:"module"`
	Artifact  brenner.Ref       `json:"artifact"` // as last compiled
	Roster    roster.Roster     `json:"roster"`
	Transport Transport         `json:"transport"`
	// Recipients are those who were asked; Contributors those whose deltas
	// count: the roster and whoever started the session.
	Recipients   []Recipient         `json:"recipients"`
	Contributors []brenner.ActorName `json:"contributors"`
	Creator      brenner.ActorName   `json:"creator"`
	Created      time.Time           `json:"created_at"`
	// Compiles counts the compiles, Conflicts the unsettled fields.
	Compiles  int `json:"compiles"`
	Conflicts int `json:"conflicts"`
	// ThreadEmpty says that the research thread has no statement.
	ThreadEmpty bool `json:"thread_empty"`
	// AcceptMended says that near misses are taken as mended, Compile when replies
	// are compiled; a session of an older build is compiled by hand.
	AcceptMended bool        `json:"accept_mended,omitzero"`
	Compile      CompileMode `json:"compile,omitzero"`
	// Concludes is who says in the end what the answer is, Concluded that the
	// research thread has one.
	Concludes brenner.ActorName `json:"concludes,omitzero"`
	Concluded bool              `json:"concluded,omitzero"`
	// Outbox are messages that have not been delivered.
	Outbox []Unsent `json:"outbox"`
	// Closed is when the session was closed, ClosedBy by whom, which old records do not
	// tell, and ClosedFor why; asking again opens it.
	Closed    time.Time         `json:"closed_at,omitzero"`
	ClosedBy  brenner.ActorName `json:"closed_by,omitzero"`
	ClosedFor string            `json:"closed_for,omitzero"`
	// Unfinished are its tasks that are open or taken all the same, where a session is
	// shown that is closed, and in the answer to whoever closes it.
	Unfinished []string `json:"unfinished,omitzero"`
}

// ClosedWords say when and by whom a session was closed, and why; "" if it was not.
func (s SessionInfo) ClosedWords() string {
	if s.Closed.IsZero() {
		return ""
	}
	by := ""
	if s.ClosedBy != "" {
		by = " by " + string(s.ClosedBy)
	}
	return fmt.Sprintf("closed %s%s: %s", s.Closed.UTC().Format("2006-01-02 15:04 UTC"), by, brenner.OneLine(s.ClosedFor))
}

// UnfinishedWords name the tasks that a closed session leaves; "" if there are none.
func (s SessionInfo) UnfinishedWords() string {
	if len(s.Unfinished) == 0 {
		return ""
	}
	return "its tasks go on: " + strings.Join(s.Unfinished, ", ")
}

// Unconcluded says, of a session that waits for nobody, that nobody has said yet what
// the answer is, and whose part that is; "" of any other.
func (s SessionInfo) Unconcluded() string {
	if s.Concluded || s.Compiles == 0 || len(s.Awaited()) > 0 {
		return ""
	}
	return unconcluded(s.Concludes)
}

// Awaited are those whose answer a session waits for.
func (s SessionInfo) Awaited() []brenner.ActorName {
	var out []brenner.ActorName
	for _, r := range s.Recipients {
		if r.Waiting && !r.Late {
			out = append(out, r.Name)
		}
	}
	return out
}

// Lacks says what nobody has done in a session so far, for who decides on its document:
// that nothing was found against it means little where nobody looked.
func (s SessionInfo) Lacks() []string {
	var out []string
	var silent, critics []string
	for _, r := range s.Recipients {
		if r.AnsweredAt.IsZero() {
			silent = append(silent, string(r.Name))
		}
		if r.Role == roster.AdversarialCritic || s.Roster.Mode == roster.Unified {
			critics = append(critics, string(r.Name))
		}
	}
	switch {
	case len(s.Recipients) == 0:
	case len(silent) == len(s.Recipients):
		out = append(out, "nobody has answered it, of those asked: "+strings.Join(silent, ", "))
	case len(silent) > 0:
		out = append(out, "some have not answered, of those asked: "+strings.Join(silent, ", "))
	}
	if len(critics) == 0 {
		out = append(out, "nobody was asked to attack it: no recipient is its critic")
	}
	if !s.Concluded {
		out = append(out, unconcluded(s.Concludes))
	}
	return out
}

// GoesOn is when a session that compiles when everybody has answered goes on without
// those who have not (ADR 129): most have, something of theirs waits, and for a while
// nobody was asked, and nobody has answered who had not before (ADR 205). It is zero while
// that is not so.
func (s SessionInfo) GoesOn() time.Time {
	awaited := len(s.Awaited())
	if s.Compile != CompileAnswered || awaited == 0 || 2*awaited >= len(s.Recipients) || !s.Closed.IsZero() {
		return time.Time{}
	}
	var last time.Time
	waits := false
	for _, r := range s.Recipients {
		if at := cmp.Or(r.FirstAt, r.AnsweredAt); at.After(last) {
			last = at
		}
		if r.AskedAt.After(last) {
			last = r.AskedAt
		}
		waits = waits || r.Pending > 0
	}
	if !waits {
		return time.Time{}
	}
	return last.Add(roster.Patience)
}

// CompilesAt is when what waits is compiled by itself though not all have answered: when
// the session goes on without them, or its time is over. It is zero while that is not
// known.
func (s SessionInfo) CompilesAt() time.Time {
	after, timed := s.Compile.After()
	if !timed {
		return s.GoesOn()
	}
	var first time.Time
	for _, r := range s.Recipients {
		if at := cmp.Or(r.FirstAt, r.AnsweredAt); r.Pending > 0 && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if first.IsZero() || len(s.Awaited()) == 0 || !s.Closed.IsZero() {
		return time.Time{}
	}
	return first.Add(after)
}

// ByItself is Otherwise as a clause behind whom a session waits for.
func (s SessionInfo) ByItself() string {
	if when := s.Otherwise(); when != "" {
		return ", or " + when
	}
	return ""
}

// Otherwise says when what waits is compiled though not all have answered, and by which
// rule, since that moves with who answers; "" if nothing says so.
func (s SessionInfo) Otherwise() string {
	_, timed := s.Compile.After()
	const form = "15:04:05 MST"
	at := s.CompilesAt()
	switch {
	case !at.IsZero() && timed:
		return fmt.Sprintf("without at %s, %s after the first answer", at.UTC().Format(form), s.Compile)
	case !at.IsZero():
		return fmt.Sprintf("without at %s, %.0f minutes after the last who answered", at.UTC().Format(form), roster.Patience.Minutes())
	case timed && len(s.Awaited()) > 0:
		return fmt.Sprintf("%s after the first answer", s.Compile)
	}
	return ""
}

// Uncompiled says how many answers of whom wait for a compile; "" if none do.
func (s SessionInfo) Uncompiled() string {
	var waiting []string
	sum, are := 0, "deltas are"
	for _, r := range s.Recipients {
		if r.Pending > 0 {
			waiting = append(waiting, fmt.Sprintf("%d of %s", r.Pending, r.Name))
			sum += r.Pending
		}
	}
	switch sum {
	case 0:
		return ""
	case 1:
		are = "delta is"
	}
	return fmt.Sprintf("%d %s not compiled yet, and nothing is lost: %s", sum, are, strings.Join(waiting, ", "))
}

func unconcluded(by brenner.ActorName) string {
	if by == "" {
		return "no conclusion yet: nobody has said in RT (answer) what the answer is"
	}
	return fmt.Sprintf("no conclusion yet: %s has not said in RT (answer) what the answer is", by)
}

// Recipient is an agent that was asked.
type Recipient struct {
	Name brenner.ActorName `json:"name"`
	Role brenner.Role      `json:"role"`
	// Ask is the message that asked last: the kickoff or a nudge.
	Ask        string    `json:"ask"`
	AskedAt    time.Time `json:"asked_at"`
	AckedAt    time.Time `json:"acked_at,omitzero"`
	AnsweredAt time.Time `json:"answered_at,omitzero"`
	// FirstAt is when the first of several answers came that wait for one compile.
	FirstAt time.Time `json:"first_at,omitzero"`
	// Waiting says that no answer came since it was asked.
	Waiting bool `json:"waiting"`
	// Late says that the session went on without its answer: it is compiled when it
	// comes, and holds up nothing.
	Late bool `json:"late,omitzero"`
	// Nothing says that its last answer was that it has nothing to add.
	Nothing bool `json:"nothing,omitzero"`
	Replies int  `json:"replies"`
	// Unusable is its last reply if no delta of that could be used, which is no
	// answer.
	Unusable string `json:"unusable,omitzero"`
	// Pending and Compiled count its deltas.
	Pending  int `json:"pending"`
	Compiled int `json:"compiled"`
}

// Unsent is a message that could not be delivered yet.
type Unsent struct {
	ID   string            `json:"id"`
	To   brenner.ActorName `json:"to"`
	Kind MessageKind       `json:"kind"`
	// Attempts that failed, and why the last did.
	Attempts int          `json:"attempts"`
	Code     brenner.Code `json:"code,omitzero"`
	Message  string       `json:"message,omitzero"`
}

// Delivery says what became of one message.
type Delivery struct {
	To      brenner.ActorName `json:"to"`
	Message string            `json:"message"`
	// State is delivered, or failed with an Error.
	State string `json:"state"`
	// As is the name the transport knows the agent by, if it is another.
	As    string         `json:"as,omitzero"`
	Error *brenner.Error `json:"error,omitzero"`
}

// The states of a delivery.
const (
	Delivered = "delivered"
	Queued    = "queued" // recorded, not yet tried
	Failed    = "failed"
)

// ListSessionsRequest lists sessions, the newest first unless it says otherwise.
type ListSessionsRequest struct {
	Page
	// Oldest lists the session that was started first first.
	Oldest bool `json:"oldest,omitzero"`
	// Own lists only sessions that the caller was asked in, on one page: where that does not
	// hold all, those that wait for its answer stand there before newer ones that do not.
	Own bool `json:"own,omitzero"`
}

// SessionList is a page of sessions.
type SessionList struct {
	Next
	Sessions []SessionInfo `json:"items"`
	// Total counts those of all pages.
	Total int `json:"total"`
}

// SessionRequest names a session and, if not the newest, a version of its
// artifact.
type SessionRequest struct {
	ID      brenner.SessionID `json:"id"`
	Version brenner.Version   `json:"version,omitzero"`
	// Full asks for the artifact as JSON, with the deltas it rests on.
	Full bool `json:"full,omitzero"`
	// Sections and Items choose what is shown, Since leaves out what a version
	// shows alike: with any of them the document comes without front matter,
	// and says who wrote each item.
	Sections []delta.Section `json:"sections,omitzero"`
	Items    []delta.ItemID  `json:"items,omitzero"`
	Since    brenner.Version `json:"since,omitzero"`
	// Brief asks where the session stands instead: a line for each item, with what
	// was killed and why.
	Brief bool `json:"brief,omitzero"`
	// Again sends an agent what its context was given before, at its price
	// (C34).
	Again bool `json:"again,omitzero"`
	// Offset goes on where an answer ended that did not hold all: its
	// next_offset.
	Offset int `json:"offset,omitzero"`
	// Size is how many bytes of the document an agent has room for in the answer, if
	// that is less than a page; a passage comes in any case.
	Size int `json:"size,omitzero"`
	// Slack is how many bytes more there is room for if nothing is left over then.
	Slack int `json:"slack,omitzero"`
	// Unseen only names what others propose or have changed and an agent's context
	// was not given yet; that is no reading, and costs nothing.
	Unseen bool `json:"unseen,omitzero"`
	// News gives an agent what Unseen names, each item from where it knows it, or
	// whole.
	News bool `json:"news,omitzero"`
	// Written gives an agent only the versions that the others who were asked wrote
	// in the session's module since it began, and of which its context neither has
	// anything nor was told: each once, the newest first, a few at a time. With Unseen
	// they are those of which it has no more than a line or a summary, and none is told.
	Written bool `json:"written,omitzero"`
	// Tell gives an agent's context only these sentences, which say how the session stands,
	// and says which of them it was told before; it costs what news cost.
	Tell []string `json:"tell,omitzero"`
	// Unasked says that it comes with the answer to something else: an agent's context pays
	// for it out of what it has for news, as long as that lasts.
	Unasked bool `json:"unasked,omitzero"`
}

// ItemAsk says that an item names somebody in what is still to be done: in the procedure of a
// test, the plan for an anomaly, the test of an assumption or the one that a critique asks for.
type ItemAsk struct {
	Item delta.ItemID `json:"item"`
	// Field is where it does.
	Field string `json:"field"`
	// By is who wrote that.
	By brenner.ActorName `json:"by"`
	// Of is who is named.
	Of brenner.ActorName `json:"of"`
}

// AnswerMove is something that the answer of a session names and that others changed since.
type AnswerMove struct {
	// Item is the one that was changed.
	Item delta.ItemID `json:"item,omitzero"`
	// Fields are those of it that say something else; or added, killed, settled.
	Fields []string `json:"fields,omitzero"`
	// Ref is the version of an artifact that came after the one that is quoted.
	Ref brenner.Ref `json:"ref,omitzero"`
	// By are those who changed it.
	By []brenner.ActorName `json:"by"`
}

// Words say what came, in a few words.
func (m AnswerMove) Words() string {
	names := make([]string, len(m.By))
	for i, who := range m.By {
		names[i] = string(who)
	}
	by := "by " + strings.Join(names, ", ")
	if m.Item == "" {
		return fmt.Sprintf("%s (%s)", m.Ref, by)
	}
	return fmt.Sprintf("%s (%s %s)", m.Item, strings.Join(m.Fields, ", "), by)
}

// MovedWords say what others changed under the answer of a session since its author last
// said that it holds, "" if nothing.
func (v SessionView) MovedWords() string {
	if len(v.AnswerMoved) == 0 {
		return ""
	}
	came := make([]string, len(v.AnswerMoved))
	for i, m := range v.AnswerMoved {
		came[i] = m.Words()
	}
	return fmt.Sprintf("since %s last said that it holds others changed %s", v.AnswerBy, strings.Join(came, ", "))
}

// SignedWords say who stands behind the answer of a session as it stands, who did before it was
// last corrected, and, where that is asked for, who does not; "" if nobody did either.
func (v SessionView) SignedWords(not []brenner.ActorName) string {
	if len(v.AnswerSigned)+len(v.AnswerSignedBefore) == 0 {
		return ""
	}
	words := func(all []brenner.ActorName) (out []string) {
		for _, name := range all {
			out = append(out, string(name))
		}
		return out
	}
	by := words(v.AnswerSigned)
	if before := words(v.AnswerSignedBefore); len(before) > 0 {
		by = append(by, strings.Join(before, " and ")+" (before its last correction, which is enough)")
	}
	if len(not) > 0 {
		by = append(by, "not by "+strings.Join(words(not), ", "))
	}
	return strings.Join(by, ", ")
}

// Unsigned are those who were asked and do not stand behind the answer as it stands, nor
// did before it was corrected: not yet, or not at all. Its author does.
func (v SessionView) Unsigned() []brenner.ActorName {
	var out []brenner.ActorName
	for _, r := range v.Recipients {
		if v.AnswerBy != "" && r.Name != v.AnswerBy && !slices.Contains(v.AnswerSigned, r.Name) && !slices.Contains(v.AnswerSignedBefore, r.Name) {
			out = append(out, r.Name)
		}
	}
	return out
}

// SessionView is a session with its artifact.
type SessionView struct {
	SessionInfo
	Ref    brenner.Ref     `json:"ref"`
	Status artifact.Status `json:"status"`
	// Markdown is the artifact as people read it, Content as JSON if it was
	// asked for.
	Markdown string         `json:"markdown"`
	Content  jsontext.Value `json:"content,omitzero"`
	// Proposals are what was contributed and not compiled yet, for the
	// session's contributors (D27).
	Proposals []Proposal `json:"proposals,omitzero"`
	// Repeated says that the caller's context was given all of this before, and
	// that it has not changed; it is not sent again (C34).
	Repeated bool `json:"unchanged,omitzero"`
	// Before names the items that the caller's context was given before and that
	// have not changed, Rest those that do not fit this answer: NextOffset goes
	// on there, and is 0 as well if not even the first fits.
	Before     []delta.ItemID `json:"given_before,omitzero"`
	Rest       []delta.ItemID `json:"did_not_fit,omitzero"`
	NextOffset int            `json:"next_offset,omitzero"`
	// Critiques says how far the critiques that live have come.
	Critiques []delta.Critique `json:"critiques,omitzero"`
	// AnswerBy is who wrote the answer as it stands.
	AnswerBy brenner.ActorName `json:"answer_by,omitzero"`
	// AnswerMoved is what others changed of that which the answer names since it was written,
	// or since who wrote it said that it has nothing to add.
	AnswerMoved []AnswerMove `json:"answer_moved,omitzero"`
	// AnswerKilled are the items that the answer names and that were killed since it was
	// written.
	AnswerKilled []delta.Dead `json:"answer_killed,omitzero"`
	// AnswerSigned are those who said of the answer, as it stands word for word, that they stand
	// behind it, but for who wrote it.
	AnswerSigned []brenner.ActorName `json:"answer_signed,omitzero"`
	// AnswerSignedBefore are those who said so of earlier words, from which the answer as it
	// stands differs by no more than a correction, and a quarter.
	AnswerSignedBefore []brenner.ActorName `json:"answer_signed_before,omitzero"`
	// AnswerFree says that whoever says the answer has done nothing for a while: any who takes
	// part may say or correct it.
	AnswerFree bool `json:"answer_free,omitzero"`
	// AnswerNoted are those who left a note on the answer since it was written as it stands.
	AnswerNoted []brenner.ActorName `json:"answer_noted,omitzero"`
	// Asks are the items that name somebody who takes part in what is still to be done.
	Asks []ItemAsk `json:"asks,omitzero"`
	// Tests says how far the tests that live have come, with what is proposed.
	Tests []delta.Test `json:"tests,omitzero"`
	// AsProposed are items that the caller's context was given when they were
	// proposed, and that were compiled unchanged; they are not sent again.
	AsProposed []AsProposed `json:"as_proposed,omitzero"`
	// Own names the items that only the caller has written: of what changed they
	// are what it knows, and are sent if they are asked for by name.
	Own []delta.ItemID `json:"own,omitzero"`
	// InPart names the items of which a long text is shown only where it changed:
	// [-words that are gone-], {+words that came+}. Items with Again shows it whole.
	InPart []delta.ItemID `json:"in_part,omitzero"`
	// Left is what may still be read through the caller's context; Spent says
	// that the rest needs a new one.
	Left  int  `json:"left,omitzero"`
	Spent bool `json:"context_spent,omitzero"`
	// RestCosts is what the rest would take of a context.
	RestCosts int `json:"did_not_fit_costs,omitzero"`
	// GoOn makes that, going on from the one that is spent.
	GoOn brenner.Action `json:"go_on,omitzero"`
	// Survey says that the caller's context was made before the work was divided: what it
	// needs for its part of that is yet to come; of what is unseen.
	Survey bool `json:"survey,omitzero"`
	// Names are the provisional ids that the words shown use, and the items they
	// became.
	Names []delta.Named `json:"names,omitzero"`
	// Working says how far each of those is who were asked, for contributors and
	// persons.
	Working []Working `json:"working,omitzero"`
	// Changed are the items that others changed after version Known, which the
	// caller's context was shown; of what is unseen.
	Changed []ItemChange    `json:"changed,omitzero"`
	Known   brenner.Version `json:"known,omitzero"`
	// Concerns says that some of it concerns the caller: an item of its own, one that names
	// such a one or what it is to do, or the answer.
	Concerns bool `json:"concerns,omitzero"`
	// Written are the versions that others wrote, where those were asked for.
	Written []WrittenVersion `json:"written,omitzero"`
	// Told are the sentences that the caller's context was told before, of those it is told.
	Told []string `json:"told,omitzero"`
	// Why says of the items that were asked for by name who changed them last, and why.
	Why []LastChange `json:"why,omitzero"`
}

// LastChange is what became of an item last, and the reason that its author gave.
type LastChange struct {
	Item      delta.ItemID      `json:"item"`
	Agent     brenner.ActorName `json:"agent"`
	Operation delta.Operation   `json:"operation"`
	At        time.Time         `json:"at"`
	// Rationale is as its author gave it, the beginning of a long one.
	Rationale string `json:"rationale"`
}

// Words says it on a line. The reason is the words of its author.
func (c LastChange) Words() string {
	return fmt.Sprintf("%s last: %s by %s at %s, because (data): %s\n", c.Item, c.Operation, c.Agent, c.At.UTC().Format("2006-01-02 15:04 MST"), brenner.OneLine(c.Rationale))
}

// ItemChange is an item that somebody changed.
type ItemChange struct {
	Item  delta.ItemID      `json:"item"`
	Agent brenner.ActorName `json:"agent"`
}

// AsProposed is an item that says what its author proposed.
type AsProposed struct {
	Item  delta.ItemID      `json:"item"`
	Agent brenner.ActorName `json:"agent"`
	Title string            `json:"title"` // the item's id and name
}

// Working is somebody who was asked in a session, and how far that has come.
type Working struct {
	Agent brenner.ActorName `json:"agent"`
	Role  brenner.Role      `json:"role"`
	// State is asked, reading once the message was read, or answered.
	State string    `json:"state"`
	Since time.Time `json:"since"`
	// Proposed counts its deltas that wait for the next compile.
	Proposed int `json:"proposed,omitzero"`
	// Nothing says that it answered that it has nothing to add.
	Nothing bool `json:"nothing,omitzero"`
	// Late says that the session went on without its answer.
	Late bool `json:"late,omitzero"`
	// Seen is when somebody last did anything in the project; none if it has not for long.
	Seen time.Time `json:"seen,omitzero"`
	// Idle is how many minutes ago that was.
	Idle int `json:"idle_minutes,omitzero"`
}

// The states of somebody who was asked.
const (
	WorkAsked    = "asked"
	WorkReading  = "reading"
	WorkAnswered = "answered"
)

// Words says it in a few words.
func (w Working) Words() string {
	at := w.Since.UTC().Format("15:04 MST")
	switch {
	case w.State == WorkAsked:
		return fmt.Sprintf("%s (%s) was asked at %s and has not looked yet%s", w.Agent, w.Role, at, w.without())
	case w.State == WorkReading:
		return fmt.Sprintf("%s (%s) works on it since %s%s%s", w.Agent, w.Role, at, w.lastSeen(), w.without())
	case w.Nothing:
		return fmt.Sprintf("%s (%s) answered at %s: nothing to add", w.Agent, w.Role, at)
	case w.Proposed > 0:
		return fmt.Sprintf("%s (%s) answered at %s, %d proposed", w.Agent, w.Role, at, w.Proposed)
	}
	return fmt.Sprintf("%s (%s) answered at %s", w.Agent, w.Role, at)
}

// longAway is how many minutes without a call may look as if somebody had gone.
const longAway = 5

// lastSeen says when somebody at work last did anything.
func (w Working) lastSeen() string {
	if w.Seen.IsZero() {
		return ", not seen for long"
	}
	if w.Idle >= longAway {
		return ", its last call was " + w.Ago() + "; what is measured outside takes none"
	}
	return ", last seen " + w.Ago()
}

// Ago says how long ago somebody last did anything.
func (w Working) Ago() string {
	switch hours := w.Idle / 60; {
	case w.Idle == 0:
		return "just now"
	case hours >= 48:
		return fmt.Sprintf("%d days ago", hours/24)
	case hours >= 2:
		return fmt.Sprintf("%d hours ago", hours)
	}
	return fmt.Sprintf("%d min ago", w.Idle)
}

// longGone is how many minutes without a call leave to others what somebody was to do.
const longGone = 15

func (w Working) without() string {
	switch {
	case !w.Late:
		return ""
	case w.Idle >= longGone || w.Seen.IsZero():
		return "; the others went on, and what it was to do is free for who announces it"
	}
	return "; the others went on, and its answer is compiled when it comes"
}

// NameWords says which items the names in a text mean, on one line.
func NameWords(all []delta.Named) string {
	parts := make([]string, len(all))
	for i, n := range all {
		parts[i] = fmt.Sprintf("%s of %s is %s", n.Name, n.Agent, n.Item)
	}
	return strings.Join(parts, ", ")
}

// Proposal is a delta that waits for the next compile.
type Proposal struct {
	Agent     brenner.ActorName `json:"agent"`
	DeltaID   string            `json:"delta_id"`
	Operation delta.Operation   `json:"operation"`
	Section   delta.Section     `json:"section"`
	Target    delta.Target      `json:"target_id,omitzero"`
	// Provisional is the name that its author gave the new item.
	Provisional string `json:"provisional_id,omitzero"`
	// Item is the item that the next compile makes or changes by it if nothing
	// else comes; none for what waits for another delta.
	Item delta.ItemID `json:"item,omitzero"`
	// Payload is as its author sent it: parts of texts may be replaced in it.
	Payload   jsontext.Value `json:"payload,omitzero"`
	Rationale string         `json:"rationale,omitzero"`
	// Own says that the reader wrote it.
	Own bool `json:"own,omitzero"`
	// Alike are items of the reader that say nearly what the new item says.
	Alike []delta.ItemID `json:"alike,omitzero"`
	// InOtherWords says of these that they may do so, in other words.
	InOtherWords bool `json:"in_other_words,omitzero"`
	// Text is as much of its words as the answer holds, where it does not hold
	// all; payload and rationale are not there then.
	Text string `json:"text,omitzero"`
	// Sent tells it from all others, whatever it was completed to.
	Sent string `json:"-"`
}

// Words says what is proposed. Of what the reader wrote itself only that it
// waits.
func (p Proposal) Words() string {
	if p.Text != "" {
		return p.Text
	}
	return p.words(!p.Own)
}

// Whole says what is proposed, also of what the reader wrote itself.
func (p Proposal) Whole() string { return p.words(true) }

func (p Proposal) words(whole bool) string {
	var b strings.Builder
	who := string(p.Agent)
	if p.Own {
		who = "you"
	}
	fmt.Fprintf(&b, "proposed by %s, not compiled yet: %s %s", who, p.Operation, p.Section)
	switch {
	case p.Provisional != "":
		fmt.Fprintf(&b, " %s", p.Provisional)
	case p.Target != "":
		fmt.Fprintf(&b, " %s", p.Target)
	}
	switch {
	case p.Item == "":
		b.WriteString(", waits for the item it names")
	case p.Operation == delta.Add:
		fmt.Fprintf(&b, ", will be %s", p.Item)
	case p.Item != delta.ItemID(p.Target):
		fmt.Fprintf(&b, ", is %s", p.Item)
	}
	b.WriteByte('\n')
	if whole {
		b.WriteString(delta.PayloadText(p.Section, p.Payload))
		if p.Rationale != "" {
			b.WriteString("    because: " + strings.Join(strings.Fields(p.Rationale), " ") + "\n")
		}
	}
	return b.String()
}

// AlikeWords says of what is proposed which items of the reader say nearly the same, and
// which of them stays: the lower number.
func (p Proposal) AlikeWords() string {
	var b strings.Builder
	for _, own := range p.Alike {
		first := cmp.Or(len(own)-len(p.Item), strings.Compare(string(own), string(p.Item))) < 0
		switch {
		case p.InOtherWords && first: // it may only look so: nothing is asked of who wrote it first
		case p.InOtherWords:
			fmt.Fprintf(&b, "    %s may say in other words what your %s says; you alone can tell: if yours adds nothing to it, KILL %s\n", p.Item, own, own)
		case first:
			fmt.Fprintf(&b, "    %s says nearly what your %s says: %s has the lower number and stays; %s is asked to give way\n", p.Item, own, own, p.Agent)
		default:
			fmt.Fprintf(&b, "    %s says nearly what your %s says: if it is the same, EDIT %s with what yours adds and KILL %s: the lower number stays\n", p.Item, own, p.Item, own)
		}
	}
	return b.String()
}

// The states of a session as a whole.
const (
	SessionComplete = "complete" // everyone who was asked has answered
	SessionWaiting  = "waiting"
	SessionClosed   = "closed"   // by somebody, whoever had answered
	SessionUnusable = "unusable" // as waiting; and somebody's reply holds nothing that can be used
)

// SessionStatusRequest asks how far a session is.
type SessionStatusRequest struct {
	ID brenner.SessionID `json:"id"`
}

// SessionStatus is where a session stands.
type SessionStatus struct {
	ID          brenner.SessionID `json:"id"`
	State       string            `json:"state"`
	Question    string            `json:"question"`
	ThreadEmpty bool              `json:"thread_empty"`
	Transport   Transport         `json:"transport"`
	Recipients  []RecipientStatus `json:"recipients"`
	// Deltas counts the session's deltas by state: pending, or what became of
	// them.
	Deltas    map[string]int `json:"deltas"`
	Artifact  brenner.Ref    `json:"artifact"`
	Compiles  int            `json:"compiles"`
	Conflicts int            `json:"conflicts"`
	Outbox    []Unsent       `json:"outbox"`
	// Concludes is who says in the end what the answer is, Concluded that it is
	// said.
	Concludes brenner.ActorName `json:"concludes,omitzero"`
	Concluded bool              `json:"concluded,omitzero"`
	// Compile says when replies are compiled, CompileAt the instant at which what
	// waits will be, if it is known.
	Compile   CompileMode `json:"compile,omitzero"`
	CompileAt time.Time   `json:"compile_at,omitzero"`
	// Next is what goes on from here.
	Next []brenner.Action `json:"next"`
}

// Unconcluded is as that of a SessionInfo.
func (s SessionStatus) Unconcluded() string {
	if s.Concluded || s.Compiles == 0 || s.State != SessionComplete && s.State != SessionClosed {
		return ""
	}
	return unconcluded(s.Concludes)
}

// RecipientStatus is where one recipient stands.
type RecipientStatus struct {
	Recipient
	// Delivery of what asked last: delivered, queued or failed.
	Delivery string `json:"delivery"`
	// Rejected are those of the compiled deltas that are not in the document.
	Rejected int `json:"rejected,omitzero"`
}

// Taken counts its deltas that were compiled and not rejected.
func (r RecipientStatus) Taken() int { return r.Compiled - r.Rejected }

// SubmitDeltasRequest hands in a reply: Markdown with delta blocks, or deltas
// as JSON.
type SubmitDeltasRequest struct {
	Write
	// Session may be left out by an agent that is asked in only one.
	Session brenner.SessionID `json:"session,omitzero"`
	// From is the agent that wrote it; empty: the caller. Only who may lead
	// sessions hands in for another (D7).
	From brenner.ActorName `json:"from,omitzero"`
	Text string            `json:"text"`
	// AcceptMended takes near misses as they are proposed to be mended (D20).
	// Only who may lead sessions decides that; of a reply that was handed in
	// before, what was not taken then is taken now.
	AcceptMended bool `json:"accept_mended,omitzero"`
	// Nothing says that the author has nothing to add: the reply is an answer
	// without a delta, and Text says why.
	Nothing bool `json:"nothing,omitzero"`
	// Doing says in a line what the author does next: those who take part are shown it, till
	// its next reply or the next such word.
	Doing string `json:"doing,omitzero"`
	// DryRun says what would happen and keeps nothing.
	DryRun bool `json:"dry_run,omitzero"`
}

// Submission says what a reply was taken for.
type Submission struct {
	Session brenner.SessionID `json:"session"`
	// Message is the id the reply has from now on.
	Message string            `json:"message"`
	Agent   brenner.ActorName `json:"agent"`
	// Log is the reply as it was written.
	Log brenner.Ref `json:"log"`
	// Duplicate says that the reply was handed in before.
	Duplicate bool             `json:"duplicate"`
	Deltas    []SubmittedDelta `json:"deltas"`
	// Misses look like deltas and are none; Ignored are quotes and echoes.
	Misses  []delta.Miss `json:"misses"`
	Ignored []delta.Miss `json:"ignored"`
	// Accepted are near misses that were taken as mended.
	Accepted []delta.Miss `json:"accepted,omitzero"`
	// Unusable says that no delta of the reply can be used: it is no answer, and
	// its deltas are not queued. Bounce is the message that says so to the agent.
	Unusable bool   `json:"unusable,omitzero"`
	Bounce   string `json:"bounce,omitzero"`
	// Nothing says that the reply is an answer which adds nothing, and means to.
	Nothing bool `json:"nothing,omitzero"`
	// Signed says that its author stands behind the answer of the session as it stands.
	Signed bool `json:"signed,omitzero"`
	// SignatureBack says that its author no longer does.
	SignatureBack bool `json:"signature_taken_back,omitzero"`
	// AnswerUnseen says that its author would, and was not shown what the answer says by now:
	// it is not signed.
	AnswerUnseen bool `json:"answer_unseen,omitzero"`
	// SignedNot says that its author would, and that not all that it changes with it is taken:
	// it is not signed.
	SignedNot bool `json:"signed_not,omitzero"`
	DryRun    bool `json:"dry_run,omitzero"`
	// Waiting are those who have not answered yet.
	Waiting []brenner.ActorName `json:"waiting,omitzero"`
	// ByItself says, as a clause, when it is compiled without them.
	ByItself string `json:"by_itself,omitzero"`
	// Known is the version of the document that the author had read, if there was a
	// newer one.
	Known brenner.Version `json:"known,omitzero"`
	// Compiled is the version that the reply completed: everybody had answered,
	// and the session is compiled then.
	Compiled brenner.Ref `json:"compiled,omitzero"`
	// Hypotheses is how many are alive with those that the reply adds, if it adds any.
	Hypotheses int `json:"hypotheses,omitzero"`
	// Doing is what its author said with it that it does next, and what of others that may be
	// like; without a word, what it said before, if that outlives a reply.
	Doing *TaskInfo `json:"doing,omitzero"`
}

// Outline is the result without words of the reply: where something was not
// taken, and by which code. The log has the rest.
func (s Submission) Outline() any {
	for _, list := range []*[]delta.Miss{&s.Misses, &s.Ignored, &s.Accepted} {
		bare := make([]delta.Miss, len(*list))
		for i, m := range *list {
			bare[i] = delta.Miss{Code: m.Code, Line: m.Line, Cause: m.Cause, Pointer: m.Pointer, Message: "see the log of the reply"}
		}
		if *list != nil {
			*list = bare
		}
	}
	if s.Doing != nil {
		s.Doing = &TaskInfo{ID: s.Doing.ID}
	}
	s.Deltas = slices.Clone(s.Deltas)
	for i, d := range s.Deltas {
		s.Deltas[i].Replaces = slices.Clone(d.Replaces)
		for j := range d.Replaces {
			s.Deltas[i].Replaces[j].Text = ""
		}
		s.Deltas[i].Says, s.Deltas[i].Corrected = slices.Clone(d.Says), ""
		for j := range d.Says {
			s.Deltas[i].Says[j].Text = ""
		}
	}
	return s
}

// Trouble lists what was not taken of a reply, as Markdown: each with the place
// and, where there is one, a block that would be read.
func (s Submission) Trouble() string {
	var b strings.Builder
	for _, m := range s.Misses {
		fmt.Fprintf(&b, "- line %d: %s", m.Line, m.Message)
		if m.Pointer != "" {
			fmt.Fprintf(&b, " (at %s)", m.Pointer)
		}
		if m.Hint != "" {
			fmt.Fprintf(&b, "; %s", m.Hint)
		}
		b.WriteString("\n")
		if m.Corrected != "" {
			b.WriteString("  A block that would be read:\n\n" + m.Corrected + "\n")
		}
	}
	for _, d := range s.Deltas {
		if d.Code == "" {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s: %s", d.DeltaID, d.Code, d.Message)
		if d.Pointer != "" {
			fmt.Fprintf(&b, " (at %s)", d.Pointer)
		}
		if d.Hint != "" {
			fmt.Fprintf(&b, "; %s", d.Hint)
		}
		b.WriteString("\n")
	}
	for _, m := range s.Ignored {
		fmt.Fprintf(&b, "- line %d: %s; %s\n", m.Line, m.Message, m.Hint)
	}
	if b.Len() == 0 {
		b.WriteString("- there is no fenced block named delta in it\n")
	}
	return b.String()
}

// SubmittedDelta is a delta of a reply. A Code says why the compile will refuse
// it.
type SubmittedDelta struct {
	DeltaID   string          `json:"delta_id"`
	Operation delta.Operation `json:"operation,omitzero"`
	Section   delta.Section   `json:"section,omitzero"`
	Target    delta.Target    `json:"target_id,omitzero"`
	// Provisional is the name that the reply gave the item.
	Provisional string `json:"provisional_id,omitzero"`
	// State is pending, or what became of it.
	State string `json:"state"`
	// Will is what the next compile would make of it if nothing else came, and
	// Item the item that it makes or changes then.
	Will    delta.Status `json:"will,omitzero"`
	Item    delta.ItemID `json:"item,omitzero"`
	Code    brenner.Code `json:"code,omitzero"`
	Message string       `json:"message,omitzero"`
	Hint    string       `json:"hint,omitzero"`
	Pointer string       `json:"pointer,omitzero"`
	// Warnings are what its author should hear of it although nothing is refused:
	// a timestamp that does not count, a name that nothing has, an unknown field.
	Warnings []brenner.Diagnostic `json:"warnings,omitzero"`
	// Replaces are the words of others whose place an edit takes.
	Replaces []Replaced `json:"replaces,omitzero"`
	// Says is what fields say in which the delta replaces words: what stands nearest
	// to words that were not found, of the whole delta or of a pair that it went without;
	// in a dry run, the text as it would be; what an edit would have replaced, or a kill
	// struck, that its author was not shown.
	Says []Said `json:"says,omitzero"`
	// Corrected is a delta that would be taken in the place of one that was refused.
	Corrected string `json:"corrected,omitzero"`
}

// WhoseWords says whose it is, and in which version of the document it stands.
func (r Replaced) WhoseWords() string { return whose(r.Agent, r.Version, r.At) }

// Said is what a field says, by whoever wrote it last.
type Said struct {
	Field string            `json:"field"` // claim, or predictions.H2
	Agent brenner.ActorName `json:"agent,omitzero"`
	At    time.Time         `json:"at,omitzero"`
	// Version is the one in which stands what a part is replaced of; 0 if it was only
	// proposed.
	Version brenner.Version `json:"version,omitzero"`
	// Text is missing where the author of the delta may not read it, or was given it
	// before.
	Text string `json:"text,omitzero"`
	// Left is a pair that was left out: Text is the passage that is nearest to its words.
	Left *LeftOut `json:"left,omitzero"`
}

// LeftOut is one of several pairs of old and new that an EDIT went without, since its words
// do not stand in the text once.
type LeftOut struct {
	Pair    int          `json:"pair"` // the how manieth
	Of      int          `json:"of"`   // how many there are
	Code    brenner.Code `json:"code"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitzero"`
	Pointer string       `json:"pointer,omitzero"`
}

// String says which it is, and why.
func (l LeftOut) String() string {
	out := fmt.Sprintf("pair %d of %d is left out: %s: %s (at %s)", l.Pair, l.Of, l.Code, l.Message, l.Pointer)
	if l.Hint != "" {
		out += "; " + l.Hint
	}
	return out
}

// WhoseWords says whose it is, and in which version of the document it stands.
func (s Said) WhoseWords() string { return whose(s.Agent, s.Version, s.At) }

func whose(agent brenner.ActorName, in brenner.Version, at time.Time) string {
	if in == 0 {
		return fmt.Sprintf("%s, proposed %s", agent, at.UTC().Format("15:04:05"))
	}
	return fmt.Sprintf("%s in version %d", agent, in)
}

// Replaced is a field in which a later edit shows instead of another agent's.
type Replaced struct {
	Field   string            `json:"field"`
	Agent   brenner.ActorName `json:"agent"`
	At      time.Time         `json:"at"`
	DeltaID string            `json:"delta_id,omitzero"`
	// Version is the one in which it stands; 0 if it was only proposed.
	Version brenner.Version `json:"version,omitzero"`
	// Text is what it said, or how that begins, where the author of the delta was
	// not shown it.
	Text string `json:"text,omitzero"`
}

// FetchRepliesRequest takes replies from Agent Mail.
type FetchRepliesRequest struct {
	Write
	ID brenner.SessionID `json:"id"`
}

// FetchResult lists the replies that were new.
type FetchResult struct {
	Replies []Submission `json:"replies"`
	// Strangers wrote in the thread and are nobody we wrote to.
	Strangers []string `json:"strangers"`
	// Refused are replies that could not be taken, such as a text too long.
	Refused []brenner.Diagnostic `json:"refused"`
}

// CompileSessionRequest compiles what is queued.
type CompileSessionRequest struct {
	Write
	ID brenner.SessionID `json:"id"`
	// Due compiles only what is due by itself (D27), and changes nothing otherwise.
	// Whoever contributes may see to that.
	Due bool `json:"due,omitzero"`
}

// CompileResult says what a compile made of the deltas.
type CompileResult struct {
	Session brenner.SessionID `json:"session"`
	Base    brenner.Ref       `json:"base"`
	// Ref is the new version; that of Base when nothing was recorded.
	Ref      brenner.Ref      `json:"ref"`
	Changed  bool             `json:"changed"`
	SHA256   brenner.Digest   `json:"content_sha256"`
	Summary  string           `json:"summary,omitzero"`
	Change   *artifact.Change `json:"change,omitzero"`
	Outcomes []delta.Outcome  `json:"outcomes"`
	// Warnings are findings about the artifact as it stands now (D17).
	Warnings  []brenner.Diagnostic `json:"warnings"`
	Conflicts int                  `json:"conflicts"`
	// Deliveries are the messages that told the agents.
	Deliveries []Delivery `json:"deliveries"`
}

// NudgeSessionRequest asks again.
type NudgeSessionRequest struct {
	Write
	ID brenner.SessionID `json:"id"`
	// To names whom to ask; empty: everyone who has not answered.
	To []brenner.ActorName `json:"to,omitzero"`
	// Note is what is asked for, in the PI's words.
	Note string `json:"note,omitzero"`
}

// CloseSessionRequest ends a session.
type CloseSessionRequest struct {
	Write
	ID     brenner.SessionID `json:"id"`
	Reason string            `json:"reason"`
}

// ResendSessionRequest delivers what could not be delivered.
type ResendSessionRequest struct {
	ID brenner.SessionID `json:"id"`
}

// DeliveryResult says what became of each message.
type DeliveryResult struct {
	Deliveries []Delivery `json:"deliveries"`
	// Awaited are those who are waited for too, and were not written to.
	Awaited []brenner.ActorName `json:"awaited,omitzero"`
}

// DiagnoseSessionRequest asks about the replies of a session, or of one agent.
type DiagnoseSessionRequest struct {
	Page
	ID   brenner.SessionID `json:"id"`
	From brenner.ActorName `json:"from,omitzero"`
}

// Diagnosis explains replies, oldest first.
type Diagnosis struct {
	Next
	Replies []ReplyReport `json:"items"`
	// Silent are recipients from whom nothing came.
	Silent []brenner.ActorName `json:"silent"`
}

// ReplyReport is one reply and what became of it.
type ReplyReport struct {
	Submission
	Received time.Time `json:"received_at"`
	// Via says how it came: mail, submit, ingest, agent_mail or resolve.
	Via string `json:"via"`
	// Explanation says in a sentence why there is no delta, if there is none.
	Explanation string `json:"explanation,omitzero"`
}

// ListConflictsRequest selects conflicts: of one session, or of a page of
// sessions.
type ListConflictsRequest struct {
	Page
	Session brenner.SessionID `json:"session,omitzero"`
}

// ConflictList lists unsettled fields.
type ConflictList struct {
	Next
	Conflicts []SessionConflict `json:"items"`
}

// SessionConflict is an unsettled field of a session artifact.
type SessionConflict struct {
	Session brenner.SessionID `json:"session"`
	Ref     brenner.Ref       `json:"ref"`
	delta.Conflict
}

// ResolveConflictRequest settles a field: by one of its candidates, named by
// its delta or agent, or by another value.
type ResolveConflictRequest struct {
	Write
	Session brenner.SessionID `json:"session"`
	Item    delta.ItemID      `json:"item"`
	Field   string            `json:"field"`
	Take    string            `json:"take,omitzero"`
	Value   jsontext.Value    `json:"value,omitzero"`
	Reason  string            `json:"reason"`
}
