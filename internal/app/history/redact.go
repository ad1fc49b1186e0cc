package history

import (
	"context"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// Redact implements api.Journal.
func (s *Service) Redact(ctx context.Context, req api.RedactRequest) (api.RedactResult, error) {
	return kernel.Write(ctx, s.caller, "journal.redact", req, kernel.To(policy.Admin, "redaction"), func(ch *kernel.Change) (api.RedactResult, error) {
		if strings.TrimSpace(req.Reason) == "" {
			return api.RedactResult{}, brenner.Errorf(brenner.CodeReasonRequired, "a redaction must be given a reason")
		}
		if err := kernel.CheckText(req.Reason); err != nil {
			return api.RedactResult{}, err
		}
		digest, err := redactTarget(ch, req)
		if err != nil {
			return api.RedactResult{}, err
		}
		if _, err := ch.Blob(ctx, digest); err != nil {
			return api.RedactResult{}, err
		}
		versions, err := versionsWith(ch, digest)
		if err != nil {
			return api.RedactResult{}, err
		}
		seq, err := ledger.ContentRedacted.Append(ch, ledger.Redacted{Digest: digest, Reason: req.Reason, Versions: versions})
		return api.RedactResult{Digest: digest, Versions: versions, Seq: seq}, err
	})
}

func redactTarget(ch *kernel.Change, req api.RedactRequest) (brenner.Digest, error) {
	if req.Digest != "" {
		return req.Digest, req.Digest.Check()
	}
	if req.Ref.Version == 0 {
		return "", brenner.Errorf(brenner.CodeInvalidID, "name the version whose content is to go").
			WithHint("write it as ID@VERSION")
	}
	v, err := ch.Version(ch.Ctx, req.Ref)
	return v.Content, err
}

// versionsWith finds the versions that have a content, in order. Redaction is
// rare: it reads the whole table.
func versionsWith(ch *kernel.Change, d brenner.Digest) ([]brenner.Ref, error) {
	out := []brenner.Ref{}
	err := ch.Each(ch.Ctx, store.TableVersions, func(row any) error {
		if v := row.(store.Version); v.Content == d {
			out = append(out, v.Ref())
		}
		return nil
	})
	return out, err
}
