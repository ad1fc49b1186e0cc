package httpapi

import (
	"context"
	"log/slog"
	"time"

	"brenner"
)

// Turn is the time one request had the store to itself among the writers. One
// that takes long is told of while it lasts and again when it is over.
type Turn struct {
	Name  string // of what was written
	Actor brenner.ActorName
	Auth  string
	Took  time.Duration
	Over  bool
}

// Turn notes a turn in the metrics, and one that kept the other writers waiting
// in the log, with the request it was (X9).
func (s *Server) Turn(ctx context.Context, t Turn) {
	if t.Over {
		s.metrics.turns.Observe(t.Took.Seconds(), t.Name)
	}
	if t.Took < brenner.LongTurn {
		return
	}
	if !t.Over {
		s.metrics.long.Inc(string(t.Actor), t.Name)
	}
	attrs := []slog.Attr{
		slog.String("write", t.Name), slog.String("actor", string(t.Actor)), slog.String("auth", t.Auth),
		slog.Duration("took", t.Took), slog.Bool("over", t.Over),
	}
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		attrs = append(attrs, slog.String("id", n.id))
	}
	s.options.Log.LogAttrs(ctx, slog.LevelWarn, "writers wait", attrs...)
}
