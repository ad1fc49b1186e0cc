package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"time"

	"brenner"
	"brenner/internal/app"
	"brenner/internal/notify"
)

// outbox is an application as the sender of notifications asks it.
type outbox struct {
	app     *app.App
	project brenner.ProjectID
	seen    int64
}

// sendNotices sends notifications until the context is done (N7).
func sendNotices(ctx context.Context, a *app.App, project brenner.ProjectID, log *slog.Logger) {
	sender := notify.Sender{Outbox: &outbox{app: a, project: project}, Getenv: os.Getenv, Now: time.Now, Log: log}
	sender.Run(ctx)
}

func (o *outbox) who(ctx context.Context) (app.Identity, error) {
	name, err := o.app.Owner(ctx)
	return app.Identity{Name: name, Auth: app.AuthServer}, err
}

// Look implements notify.Outbox.
func (o *outbox) Look(ctx context.Context) error {
	who, err := o.who(ctx)
	if err != nil {
		return err
	}
	return o.app.Notices(who).Look(ctx)
}

// Waiting implements notify.Outbox.
func (o *outbox) Waiting(ctx context.Context) ([]notify.Notice, error) {
	who, err := o.who(ctx)
	if err != nil {
		return nil, err
	}
	all, err := o.app.Notices(who).Waiting(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]notify.Notice, len(all))
	for i, n := range all {
		body, err := json.Marshal(struct {
			SchemaVersion int               `json:"schema_version"`
			ID            string            `json:"id"`
			Project       brenner.ProjectID `json:"project"`
			At            time.Time         `json:"at"`
			Items         any               `json:"items"`
		}{1, n.ID, o.project, n.At, n.Items})
		if err != nil {
			return nil, err
		}
		out[i] = notify.Notice{ID: n.ID, URL: n.URL, Body: body, Attempts: n.Attempts, At: n.At, Tried: n.Tried}
	}
	return out, nil
}

// Tried implements notify.Outbox.
func (o *outbox) Tried(ctx context.Context, id, why string, giveUp bool) error {
	who, err := o.who(ctx)
	if err != nil {
		return err
	}
	return o.app.Notices(who).Tried(ctx, id, why, giveUp)
}

// Settings implements notify.Outbox.
func (o *outbox) Settings(ctx context.Context) (notify.Settings, error) {
	who, err := o.who(ctx)
	if err != nil {
		return notify.Settings{}, err
	}
	in, err := o.app.Notices(who).Settings(ctx)
	out := notify.Settings{Secrets: map[string]string{}, Allow: in.Allow}
	for _, w := range in.Webhooks {
		out.Secrets[w.URL] = w.Secret
	}
	return out, err
}

// Changed implements notify.Outbox.
func (o *outbox) Changed(ctx context.Context) {
	if err := o.app.Wait(ctx, o.seen); err != nil {
		return // nothing did, or the next look says what is wrong
	}
	who, err := o.who(ctx)
	if err != nil {
		return
	}
	if now, err := o.app.As(who).Project(ctx); err == nil {
		o.seen = now.Size
	}
}
