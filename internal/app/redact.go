package app

import (
	"context"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/internal/api"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// contentsOf lists the contents that a record says were stored with it.
func contentsOf(rec journal.Record) []brenner.Digest {
	if rec.Kind != kindVersionWritten {
		return nil
	}
	var p versionWritten
	if canon.Unmarshal(rec.Payload, &p) != nil {
		return nil
	}
	return []brenner.Digest{p.Content}
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
