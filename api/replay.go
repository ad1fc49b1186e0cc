package api

import "context"

type replayKey struct{}

// WatchReplay lets the caller of a write see whether it was a repeat: the key
// had been used for the same request, and its first outcome was given (X2).
func WatchReplay(ctx context.Context) (watched context.Context, repeated *bool) {
	repeated = new(bool)
	return context.WithValue(ctx, replayKey{}, repeated), repeated
}

// Replayed notes that a write was a repeat, for who watches.
func Replayed(ctx context.Context) {
	if repeated, ok := ctx.Value(replayKey{}).(*bool); ok {
		*repeated = true
	}
}
