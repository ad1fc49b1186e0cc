package app

import (
	"context"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json/jsontext"
)

// stored says which contents a record of a kind stored. A kind that stores
// contents must be here, or verify would not miss them.
var stored = map[string]func(jsontext.Value) []brenner.Digest{
	kindStalemateRaised:  storedBy(func(p stalemateRaised) []brenner.Digest { return p.Evidence }),
	kindStalemateMoved:   storedBy(func(p stalemateMoved) []brenner.Digest { return p.Evidence }),
	kindContextAssembled: storedBy(func(p invocation) []brenner.Digest { return []brenner.Digest{p.Record} }),
	kindVersionWritten:   storedBy(func(p versionWritten) []brenner.Digest { return []brenner.Digest{p.Content} }),
	kindSessionStarted:   storedBy(storedByStart),
	kindMessageSent:      storedBy(func(p messageSent) []brenner.Digest { return []brenner.Digest{p.Body} }),
	kindReplyReceived:    storedBy(storedByReply),
}

// storedBy reads the payload for a row of stored. A payload that cannot be
// read names nothing; verify reports the record itself.
func storedBy[T any](fn func(T) []brenner.Digest) func(jsontext.Value) []brenner.Digest {
	return func(raw jsontext.Value) []brenner.Digest {
		var p T
		if canon.Unmarshal(raw, &p) != nil {
			return nil
		}
		return fn(p)
	}
}

// contentsOf lists the contents that a record says were stored with it.
func contentsOf(rec journal.Record) []brenner.Digest {
	if fn, ok := stored[rec.Kind]; ok {
		return fn(rec.Payload)
	}
	return nil
}

// Redact implements api.Journal.
func (s *service) Redact(ctx context.Context, req api.RedactRequest) (api.RedactResult, error) {
	return write(ctx, s, "journal.redact", req.Write, req, func(ch *change) (api.RedactResult, error) {
		if err := ch.allow(policy.Admin, "", "", "redaction"); err != nil {
			return api.RedactResult{}, err
		}
		if strings.TrimSpace(req.Reason) == "" {
			return api.RedactResult{}, brenner.Errorf(brenner.CodeReasonRequired, "a redaction must be given a reason")
		}
		if err := checkText(req.Reason); err != nil {
			return api.RedactResult{}, err
		}
		digest, err := ch.redactTarget(req)
		if err != nil {
			return api.RedactResult{}, err
		}
		if _, err := ch.Blob(ctx, digest); err != nil {
			return api.RedactResult{}, err
		}
		versions, err := ch.versionsWith(digest)
		if err != nil {
			return api.RedactResult{}, err
		}
		seq, err := ch.append(kindContentRedacted, contentRedacted{Digest: digest, Reason: req.Reason, Versions: versions})
		return api.RedactResult{Digest: digest, Versions: versions, Seq: seq}, err
	})
}

func (ch *change) redactTarget(req api.RedactRequest) (brenner.Digest, error) {
	if req.Digest != "" {
		return req.Digest, req.Digest.Check()
	}
	if req.Ref.Version == 0 {
		return "", brenner.Errorf(brenner.CodeInvalidID, "name the version whose content is to go").
			WithHint("write it as ID@VERSION")
	}
	v, err := ch.Version(ch.ctx, req.Ref)
	return v.Content, err
}

// versionsWith finds the versions that have a content, in order. Redaction is
// rare: it reads the whole table.
func (ch *change) versionsWith(d brenner.Digest) ([]brenner.Ref, error) {
	out := []brenner.Ref{}
	err := ch.Each(ch.ctx, store.TableVersions, func(row any) error {
		if v := row.(store.Version); v.Content == d {
			out = append(out, v.Ref())
		}
		return nil
	})
	return out, err
}
