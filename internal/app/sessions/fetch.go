package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/mail"
)

// FetchReplies implements api.Sessions.
func (s *Service) FetchReplies(ctx context.Context, req api.FetchRepliesRequest) (api.FetchResult, error) {
	options, err := kernel.View(ctx, s.caller, leading(req.ID), func(c *kernel.Call) (mail.Options, error) {
		info, err := findSession(c, req.ID)
		if err == nil {
			err = cmp.Or(stillOpen(info), mailAllowed(info))
		}
		if err != nil {
			return mail.Options{}, err
		}
		return mailOptions(c)
	})
	if err != nil {
		return api.FetchResult{}, err
	}
	transport := s.openMail(options)
	defer func() { _ = transport.Close() }()
	replies, err := transport.Replies(ctx, string(req.ID))
	if err != nil {
		return api.FetchResult{}, err
	}
	out, err := kernel.Write(ctx, s.caller, "session.fetch", req, leading(req.ID), func(ch *kernel.Change) (api.FetchResult, error) {
		info, err := findSession(ch.Call, req.ID)
		if err != nil {
			return api.FetchResult{}, err
		}
		return s.takeReplies(ch, info, replies)
	})
	if last := len(out.Replies) - 1; err == nil && last >= 0 {
		out.Replies[last], err = s.lookAhead(ctx, out.Replies[last])
	}
	return out, s.tellAgents(ctx, err, out.Replies...)
}

// takeReplies takes the replies that are new. One that cannot be taken is reported
// and keeps none of the others back.
func (r *Room) takeReplies(ch *kernel.Change, info api.SessionInfo, replies []mail.Reply) (api.FetchResult, error) {
	out := api.FetchResult{Replies: []api.Submission{}, Strangers: []string{}, Refused: []brenner.Diagnostic{}}
	for _, m := range replies {
		if m.From == "" {
			if !slices.Contains(out.Strangers, m.As) {
				out.Strangers = append(out.Strangers, m.As)
			}
			continue
		}
		sub, err := r.receiveReply(ch, incoming{
			session: info, agent: m.From, via: viaAgentMail, text: m.Body, message: "mail-" + m.ID, written: m.At,
		})
		var e *brenner.Error
		switch {
		case err == nil && !sub.Duplicate:
			out.Replies = append(out.Replies, sub)
		case err == nil:
		case errors.As(err, &e) && aboutInput(e):
			out.Refused = append(out.Refused, brenner.Diagnostic{
				Code: e.Code, Severity: brenner.SeverityError, Message: e.Message, Hint: e.Hint,
				Subject: fmt.Sprintf("message %s of %s", m.ID, m.From),
			})
		default:
			return api.FetchResult{}, err
		}
	}
	return out, nil
}

// aboutInput says whether an error is about what was sent, not about us.
func aboutInput(e *brenner.Error) bool {
	return slices.Contains([]brenner.Class{brenner.ClassInvalid, brenner.ClassLimit, brenner.ClassDenied}, brenner.ClassOf(e.Code))
}
