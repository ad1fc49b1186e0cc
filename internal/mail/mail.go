// Package mail carries messages to agents and their replies back over a server
// of its own: Agent Mail, spoken to over MCP.
//
// The built-in mailbox needs none of this; it is part of the service, because
// its messages are journal records. What both can do is a Transport. A failure
// concerns one recipient; what was delivered stays delivered, and a message
// that may have arrived is looked for before it is sent again (Message.Again).
package mail

import (
	"context"
	"time"

	"brenner"
)

// Transport carries messages. It is safe for concurrent use.
//
// Its errors are *brenner.Error: MAIL_UNAVAILABLE if the server cannot be
// reached, does not answer in time or talks nonsense, MAIL_UNAUTHORIZED if it
// does not accept the token, MAIL_REFUSED if it refuses this one request,
// CANCELED if the caller gave up.
type Transport interface {
	// Deliver sends one message to one agent, making the agent known to the
	// transport if need be.
	Deliver(ctx context.Context, m Message) (Receipt, error)
	// Replies lists what agents wrote in a thread, oldest first. Our own
	// messages are not replies.
	Replies(ctx context.Context, thread string) ([]Reply, error)
	// Close lets the connection go.
	Close() error
}

// Party is an agent as a transport needs to know it.
type Party struct {
	Name    brenner.ActorName
	Program string
	Model   string
	Task    string
}

// Message is one message to one agent.
type Message struct {
	To      Party
	Thread  string // the session
	Subject string
	Body    string // Markdown
	// Key tells this message from every other; it is put at the end of the body.
	Key string
	// Again says that an earlier attempt may have arrived: the thread is
	// searched for the key before anything is sent.
	Again bool
}

// Receipt says that a message has arrived at the server.
type Receipt struct {
	To brenner.ActorName `json:"to"`
	// As is the name the transport knows the agent by. Servers assign names;
	// keep it and give it back in Options.Names.
	As string `json:"as"`
	// From is the name the transport knows us by; keep it likewise.
	From string `json:"from"`
	// ID is the transport's id of the message.
	ID string `json:"id"`
}

// Reply is one message of an agent.
type Reply struct {
	ID string `json:"id"`
	// From is the agent; As is the name the transport knows it by. From is
	// empty if that name is nobody's we wrote to.
	From    brenner.ActorName `json:"from"`
	As      string            `json:"as"`
	Subject string            `json:"subject"`
	Body    string            `json:"body"`
	// At is when it was sent, zero if the server does not say.
	At time.Time `json:"at"`
}

// Delivery is what became of one message of several.
type Delivery struct {
	To      brenner.ActorName `json:"to"`
	Receipt *Receipt          `json:"receipt,omitempty"`
	Error   *brenner.Error    `json:"error,omitempty"`
}

// DeliverAll sends several messages, each on its own: one that fails does not
// keep the others back. Once the server itself has failed, or the caller has
// given up, the rest is not tried and carries the same error.
func DeliverAll(ctx context.Context, t Transport, messages []Message) []Delivery {
	out := make([]Delivery, len(messages))
	var fatal *brenner.Error
	for i, m := range messages {
		out[i].To = m.To.Name
		if fatal != nil {
			out[i].Error = fatal
			continue
		}
		receipt, err := t.Deliver(ctx, m)
		if err == nil {
			out[i].Receipt = &receipt
			continue
		}
		out[i].Error = asError(err)
		if out[i].Error.Code != brenner.CodeMailRefused {
			fatal = out[i].Error
		}
	}
	return out
}
