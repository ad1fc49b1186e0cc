package history

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// Redact implements api.Journal. Content is kept once, whoever wrote it: that
// others lose it too is said, and asked for, before it is done (J7).
func (s *Service) Redact(ctx context.Context, req api.RedactRequest) (api.RedactResult, error) {
	guard := kernel.To(policy.Admin, "redaction")
	if req.DryRun {
		return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.RedactResult, error) {
			out, err := foreseeRedaction(c, req)
			out.DryRun = true
			return out, err
		})
	}
	return kernel.Write(ctx, s.caller, "journal.redact", req, guard, func(ch *kernel.Change) (api.RedactResult, error) {
		if strings.TrimSpace(req.Reason) == "" {
			return api.RedactResult{}, brenner.Errorf(brenner.CodeReasonRequired, "a redaction must be given a reason")
		}
		if err := kernel.CheckText(req.Reason); err != nil {
			return api.RedactResult{}, err
		}
		out, err := foreseeRedaction(ch.Call, req)
		if err != nil {
			return api.RedactResult{}, err
		}
		if len(out.Versions) > 1 && !req.Everywhere {
			return api.RedactResult{}, brenner.Errorf(brenner.CodeRedactsMore, "%d versions have these bytes and would lose them: %s; %d rest on them",
				len(out.Versions), kernel.FirstFew(names(out.Versions)), out.Resting).
				WithHint("look at them first; then say that it is to go everywhere").WithDetails(out)
		}
		out.Seq, err = ledger.ContentRedacted.Append(ch, ledger.Redacted{Digest: out.Digest, Reason: req.Reason, Versions: out.Versions})
		return out, err
	})
}

// foreseeRedaction says which versions have a content, and what rests on them.
func foreseeRedaction(c *kernel.Call, req api.RedactRequest) (api.RedactResult, error) {
	digest, err := redactTarget(c, req)
	if err != nil {
		return api.RedactResult{}, err
	}
	if _, _, err := c.SmallBlob(c.Ctx, digest, 0); err != nil {
		return api.RedactResult{}, err
	}
	out := api.RedactResult{Digest: digest}
	if err := versionsWith(c, &out); err != nil {
		return api.RedactResult{}, err
	}
	links, err := c.LinksTo(c.Ctx, out.Versions)
	if err != nil {
		return api.RedactResult{}, err
	}
	resting := make([]brenner.Ref, len(links))
	for i, l := range links {
		resting[i] = l.From
	}
	slices.SortFunc(resting, brenner.Ref.Compare)
	resting = slices.Compact(resting)
	out.Resting = len(resting)
	out.Rest = resting[:min(len(resting), brenner.MaxPage)]
	return out, nil
}

func names(refs []brenner.Ref) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.String()
	}
	return out
}

func redactTarget(c *kernel.Call, req api.RedactRequest) (brenner.Digest, error) {
	if req.Digest != "" {
		return req.Digest, req.Digest.Check()
	}
	if req.Ref.Version == 0 {
		return "", brenner.Errorf(brenner.CodeInvalidID, "name the version whose content is to go").
			WithHint("write it as ID@VERSION")
	}
	v, err := c.Version(c.Ctx, req.Ref)
	return v.Content, err
}

// versionsWith finds the versions that have a content, in order, and which of
// them are in force. Redaction is rare: it reads the whole table.
func versionsWith(c *kernel.Call, out *api.RedactResult) error {
	out.Versions = []brenner.Ref{}
	return c.Each(c.Ctx, store.TableVersions, func(row any) error {
		v := row.(store.Version)
		if v.Content != out.Digest {
			return nil
		}
		out.Versions = append(out.Versions, v.Ref())
		if v.Status == artifact.Canonical {
			out.InForce = append(out.InForce, v.Ref())
		}
		return nil
	})
}
