package sessions

import (
	"context"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// CloseSession implements api.Sessions.
func (s *Service) CloseSession(ctx context.Context, req api.CloseSessionRequest) (api.SessionInfo, error) {
	return kernel.Write(ctx, s.caller, "session.close", req, leading(req.ID), func(ch *kernel.Change) (api.SessionInfo, error) {
		info, err := findSession(ch.Call, req.ID)
		if err != nil {
			return api.SessionInfo{}, err
		}
		if err := stillOpen(info); err != nil {
			return api.SessionInfo{}, err
		}
		reason := strings.TrimSpace(req.Reason)
		if brenner.SaysNothing(reason) {
			return api.SessionInfo{}, brenner.Errorf(brenner.CodeReasonRequired, "a session is closed for a reason").At("/reason")
		}
		if err := checkSessionText("reason", reason); err != nil {
			return api.SessionInfo{}, err
		}
		if _, err := kindSessionClosed.Append(ch, sessionClosed{Session: req.ID, By: ch.Who.Name, Reason: reason}); err != nil {
			return api.SessionInfo{}, err
		}
		if info, err = findSession(ch.Call, req.ID); err != nil {
			return info, err
		}
		info.Question = questionFor(ch.Call, info)
		info.Unfinished, err = s.Unfinished(ch.Call, req.ID)
		return info, err
	})
}

// stillOpen refuses what a closed session does not take.
func stillOpen(info api.SessionInfo) error {
	if info.Closed.IsZero() {
		return nil
	}
	return brenner.Errorf(brenner.CodeSessionClosed, "%s was closed: %s", info.ID, info.ClosedFor).
		WithHint("whoever leads it can ask again, which opens it").Try(brenner.Do("session.nudge", "id", string(info.ID)))
}

type sessionClosed struct {
	Session brenner.SessionID `json:"session"`
	// By is who closed it, which old records do not say.
	By     brenner.ActorName `json:"by,omitzero"`
	Reason string            `json:"reason"`
}

// applySessionClosed ends the wait for everybody. What was not delivered is not
// sent any more; what was not compiled stays where it is.
func applySessionClosed(ctx context.Context, tx store.Tx, rec journal.Record, p sessionClosed) error {
	return changeSession(ctx, tx, rec.Seq, p.Session, func(s *session) {
		s.Closed, s.ClosedBy, s.ClosedFor, s.Outbox = rec.At, p.By, p.Reason, []unsent{}
		for i := range s.Recipients {
			s.Recipients[i].Waiting = false
		}
	})
}

// reopen is what asking again does to a session that was closed.
func (s *session) reopen() { s.Closed, s.ClosedBy, s.ClosedFor = time.Time{}, "", "" }
