package reviews

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// redactedText stands for a text that was removed from the project.
const redactedText = "[redacted]"

// Comment implements api.Reviews.
func (s *Service) Comment(ctx context.Context, req api.CommentRequest) (api.CommentInfo, error) {
	var a store.Artifact
	guard := ledger.ToArtifact(policy.Read, req.Ref.Artifact, &a).Then(errPerson)
	out, err := kernel.Write(ctx, s.caller, "comment.write", req, guard, func(ch *kernel.Change) (api.CommentInfo, error) {
		v, err := ledger.InForce(ch.Call, a, cmp.Or(req.Ref.Version, a.Head)) // as in a review
		if err != nil {
			return api.CommentInfo{}, err
		}
		text := strings.TrimSpace(req.Text)
		if text == "" {
			return api.CommentInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "the comment says nothing").At("/text")
		}
		p := commentWritten{ID: fmt.Sprintf("comment-%d", ch.NextSeq()), Ref: v.Ref(), Reply: req.Reply}
		if req.Reply != "" {
			to, err := comments.Find(ch.Ctx, ch, req.Reply)
			if err != nil {
				return api.CommentInfo{}, err
			}
			if to.Ref.Artifact != a.ID {
				return api.CommentInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "%s is about %s, not about %s", to.ID, to.Ref, a.ID).At("/reply")
			}
		}
		if p.Text, err = keepText(ch, text, "/text"); err != nil {
			return api.CommentInfo{}, err
		}
		if _, err := kindCommentWritten.Append(ch, p); err != nil {
			return api.CommentInfo{}, err
		}
		return api.CommentInfo{ID: p.ID, Ref: p.Ref, Author: ch.Who.Name, At: ch.Now, Text: text, Reply: p.Reply}, nil
	})
	return s.withText(ctx, guard, out, err)
}

// withText reads the text of a comment that a repeat gives without it.
func (s *Service) withText(ctx context.Context, guard kernel.Guard, out api.CommentInfo, err error) (api.CommentInfo, error) {
	if err != nil || out.Text != "" {
		return out, err
	}
	return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.CommentInfo, error) {
		found, err := comments.Find(c.Ctx, c, out.ID)
		if err != nil {
			return api.CommentInfo{}, err
		}
		now, err := infoOf(c, found)
		out.Text = now.Text
		return out, err
	})
}

// SettleComment implements api.Reviews.
func (s *Service) SettleComment(ctx context.Context, req api.SettleCommentRequest) (api.CommentInfo, error) {
	var found comment
	guard := kernel.On(func(c *kernel.Call) (act kernel.Act, err error) {
		if found, err = comments.Find(c.Ctx, c, req.ID); err != nil {
			return act, err
		}
		a, err := c.Reader.Artifact(c.Ctx, found.Ref.Artifact)
		return kernel.Act{Action: policy.Read, Type: a.Type, Module: a.Module, Target: req.ID}, err
	}).Then(errPerson)
	out, err := kernel.Write(ctx, s.caller, "comment.settle", req, guard, func(ch *kernel.Change) (api.CommentInfo, error) {
		if found.Settled {
			return api.CommentInfo{}, brenner.Errorf(brenner.CodeStatusConflict, "%s is settled already", found.ID)
		}
		if _, err := kindCommentSettled.Append(ch, commentSettled{ID: found.ID}); err != nil {
			return api.CommentInfo{}, err
		}
		found.Settled = true
		return infoOf(ch.Call, found)
	})
	return s.withText(ctx, guard, out, err)
}

// commentsOn lists the comments on an artifact, the oldest first. An answer to
// a comment that is settled is settled with it.
func commentsOn(c *kernel.Call, id brenner.ArtifactID) ([]api.CommentInfo, error) {
	out := []api.CommentInfo{}
	settled := map[string]bool{}
	err := comments.Each(c.Ctx, c, kernel.Query{Group: string(id)}, func(row kernel.Row[comment]) (bool, error) {
		if settled[row.Value.Reply] {
			row.Value.Settled = true
		}
		settled[row.Value.ID] = row.Value.Settled
		info, err := infoOf(c, row.Value)
		out = append(out, info)
		return true, err
	})
	return out, err
}

func infoOf(c *kernel.Call, k comment) (api.CommentInfo, error) {
	out := api.CommentInfo{ID: k.ID, Ref: k.Ref, Author: k.Author, At: k.At, Reply: k.Reply, Settled: k.Settled}
	text, err := c.Blob(c.Ctx, k.Text)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		text, err = []byte(redactedText), nil
	}
	out.Text = string(text)
	return out, err
}
