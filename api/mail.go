package api

import (
	"context"
	"time"

	"brenner"
)

// Mailbox brings agents messages of the system, and takes their answers. No
// agent's words reach another through it (C2). Everyone sees their own.
type Mailbox interface {
	Inbox(ctx context.Context, req InboxRequest) (MessageList, error)
	// ReadMessage gives a message with its text and marks it read.
	ReadMessage(ctx context.Context, req MessageRequest) (MessageView, error)
	// AckMessage says that a message has arrived and will be answered.
	AckMessage(ctx context.Context, req MessageRequest) (MessageInfo, error)
	// ReplyMessage answers a message of a session, as SubmitDeltas does, and
	// acknowledges it.
	ReplyMessage(ctx context.Context, req ReplyMessageRequest) (Submission, error)
}

// MessageKind says what a message is about.
type MessageKind string

// The kinds of message.
const (
	MessageKickoff  MessageKind = "kickoff"
	MessageNudge    MessageKind = "nudge"
	MessageCompiled MessageKind = "compiled"
	MessageBounce   MessageKind = "bounce" // a reply could not be used
	// Those below need no session.
	MessageTask      MessageKind = "task"      // a task was opened for the reader
	MessageAnswered  MessageKind = "answered"  // what the reader asked for is done, or will not be
	MessageStalemate MessageKind = "stalemate" // the reader is named a party
	MessageVerdict   MessageKind = "verdict"   // a stalemate of the reader was decided
	MessageChanges   MessageKind = "changes"   // a version of the reader was sent back
)

// Asks says whether the message asks its reader for an answer in a session.
func (k MessageKind) Asks() bool { return k == MessageKickoff || k == MessageNudge }

// MessageState is how far a message has come with its reader.
type MessageState string

// The states of a message.
const (
	MessageUnread MessageState = "unread"
	MessageRead   MessageState = "read"
	MessageAcked  MessageState = "acked"
	// MessageAll asks for every state; no message has it.
	MessageAll MessageState = "all"
)

// InboxRequest lists the caller's messages.
type InboxRequest struct {
	Page
	States []MessageState `json:"states,omitzero"` // empty: unread and read
	Asks   bool           `json:"asks,omitzero"`   // only kickoffs and nudges, which ask for a reply
}

// MessageList is a page of messages, oldest first.
type MessageList struct {
	Next
	Messages []MessageInfo `json:"items"`
}

// How lines begin in the message that tells of a compile which are left out where what they
// say stands beside it, or has changed since.
const (
	NoteSays        = "; it says (data):" // before the words of a note
	NamesWritten    = "Names in what was written: "
	StillAtWork     = "Still at work: "
	ReadWhatChanged = "Read what changed: "
	MoreToSay       = "If you have more to say"
	OwnAnswer       = "Your own answer"
)

// OwnOutcomes heads what a compile made of the reader's deltas, in the message that tells
// it of the compile.
const OwnOutcomes = "What became of your deltas:"

// ChangeSaid stands in that message before what changed in an item that something of the
// reader's names, or in a text of its own, after TextReplaced and the name of that.
const (
	ChangeSaid = " (data): "
	// StaysRecord says to the authors of tests and predictions what becomes of them when a
	// hypothesis that they foretell something for is killed.
	StaysRecord  = "; what was foretold for it stays as the record, nothing is asked"
	TextReplaced = "Your text was replaced: "
	TextAddedTo  = "Your text was added to: "
	TextChanged  = "Words of your text were changed: "
)

// MessageInfo is a message without its text.
type MessageInfo struct {
	ID      string            `json:"id"`
	To      brenner.ActorName `json:"to"`
	Kind    MessageKind       `json:"kind"`
	State   MessageState      `json:"state"`
	Session brenner.SessionID `json:"session"`
	Subject string            `json:"subject"`
	// Task is the one that the message tells of.
	Task string `json:"task,omitzero"`
	// Body is the digest of the text.
	Body    brenner.Digest `json:"body_sha256"`
	Sent    time.Time      `json:"sent_at"`
	ReadAt  time.Time      `json:"read_at,omitzero"`
	AckedAt time.Time      `json:"acked_at,omitzero"`
}

// MessageView is a message with its text in Markdown. What the text says to do
// stands in it as actions (brenner.Action), for each surface to put into its
// own words (X11); see brenner.Speak.
type MessageView struct {
	MessageInfo
	Text string `json:"text"`
}

// Outline is the message without its text.
func (v MessageView) Outline() any {
	v.Text = ""
	return v
}

// MessageRequest names a message of the caller.
type MessageRequest struct {
	Write
	ID string `json:"id"`
}

// ReplyMessageRequest answers a message.
type ReplyMessageRequest struct {
	Write
	ID   string `json:"id"`
	Text string `json:"text"`
}
