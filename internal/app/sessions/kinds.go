package sessions

import (
	"brenner"
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindMessageAcked,
		kindMessageRead,
		kindMessageSent,
		kindMessageTried,
		kindReplyReceived,
		kindSessionClosed,
		kindSessionCompiled,
		kindSessionStarted,
	}
}

var (
	kindMessageAcked    = kernel.Kind[messageAcked]{Name: "message.acked", Apply: applyMessageAcked}
	kindMessageRead     = kernel.Kind[messageRead]{Name: "message.read", Apply: applyMessageRead}
	kindMessageSent     = kernel.Kind[messageSent]{Name: "message.sent", Apply: applyMessageSent, Stores: func(p messageSent) []brenner.Digest { return []brenner.Digest{p.Body} }}
	kindMessageTried    = kernel.Kind[messageTried]{Name: "message.tried", Apply: applyMessageTried}
	kindReplyReceived   = kernel.Kind[replyReceived]{Name: "reply.received", Apply: applyReplyReceived, Stores: storedByReply}
	kindSessionClosed   = kernel.Kind[sessionClosed]{Name: "session.closed", Apply: applySessionClosed}
	kindSessionCompiled = kernel.Kind[sessionCompiled]{Name: "session.compiled", Apply: applySessionCompiled}
	kindSessionStarted  = kernel.Kind[sessionStarted]{Name: "session.started", Apply: applySessionStarted, Stores: storedByStart}
)
