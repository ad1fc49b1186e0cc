package cli

import (
	"errors"
	"fmt"
	"os"

	"brenner"
	"brenner/anchor"
	"brenner/api"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

// artifactFlags say which version a patch is for, and what the new one owes.
type artifactFlags struct {
	ref, summary, task, session string
	holds                       bool
	links                       []string
	note                        changeFlags
}

func artifactFlag(c *cobra.Command, ref *string) {
	c.Flags().StringVar(ref, "artifact", "", "ID[@VERSION] of the text artifact that the patch is for, instead of a file (default: its head)")
}

func (f *artifactFlags) add(c *cobra.Command) {
	artifactFlag(c, &f.ref)
	c.Flags().StringVar(&f.summary, "summary", "", "the summary of the new version")
	c.Flags().BoolVar(&f.holds, "summary-holds", false, "the old summary is still true of the new text")
	repeatedFlag(c.Flags(), &f.links, "link", linkHelp)
	c.Flags().StringVar(&f.task, "task", "", taskHelp)
	c.Flags().StringVar(&f.session, "session", "", "the session it belongs to, which refusals are counted by")
	f.note.add(c)
}

// check refuses what only an artifact needs where there is none.
func (f *artifactFlags) check(cmd *cobra.Command) error {
	if f.ref != "" {
		return nil
	}
	for _, name := range []string{"summary", "summary-holds", "link", "task", "session", "what", "why"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, fmt.Errorf("--%s goes with --artifact", name))
		}
	}
	return nil
}

// patchArtifact applies one patch to a version.
func (r *runner) patchArtifact(cmd *cobra.Command, f artifactFlags, flags patchFlags, names []string, rebase, dryRun bool) error {
	if len(names) != 1 {
		return usage(cmd, fmt.Errorf("--artifact takes one patch"))
	}
	ref, err := brenner.ParseRef(f.ref)
	if err != nil {
		return err
	}
	raw, err := r.patch(names[0])
	if err != nil {
		return err
	}
	req := api.ApplyPatchRequest{
		Write: r.write(), Ref: ref, Patch: raw, Format: anchor.Format(flags.format), Rebase: rebase, DryRun: dryRun, SummaryHolds: f.holds,
		Change: f.note.change(), Task: f.task, Session: brenner.SessionID(f.session),
	}
	if req.Links, err = parseLinks(f.links); err != nil {
		return err
	}
	if cmd.Flags().Changed("summary") {
		req.Summary = &f.summary
	}
	res, err := ask(r, cmd, api.Service.ApplyPatch, req)
	if err != nil {
		return unreadable(names[0], err)
	}
	return r.show(res, func(w *printer) { printPatched(w, res) })
}

func printPatched(w *printer, res api.PatchResult) {
	rebased := ""
	if res.Rebased != nil {
		rebased = ", after rebasing"
	}
	if res.Already > 0 && res.Version != nil {
		rebased += fmt.Sprintf("; %d of its changes were there already", res.Already)
	}
	defer printWarnings(w, res.Warnings)
	switch {
	case res.Outcome == anchor.AlreadyApplied:
		w.Printf("%s: applied already\n", res.From)
	case res.Version == nil:
		w.Printf("%s: nothing to change\n", res.From)
	case res.DryRun:
		w.Printf("%s: would be patched%s, as %s\n", res.From, rebased, res.Version.Ref)
	default:
		w.Printf("%s: patched%s\n", res.From, rebased)
		printWrite(w, *res.Version)
	}
}

// patch reads one change as it is. Whether it can be read is for the service to
// say, which counts what it refuses (S4).
func (r *runner) patch(name string) (jsontext.Value, error) {
	raw, err := r.read(name, brenner.MaxPatchBytes)
	if err != nil {
		return nil, err
	}
	if _, err := anchor.Canonical(raw); err != nil {
		return nil, from(name, err)
	}
	return api.PatchOf(raw), nil
}

// unreadable names the file of a patch that could not be read.
func unreadable(name string, err error) error {
	if errors.Is(err, brenner.CodeInvalidPatch) {
		return from(name, err)
	}
	return err
}

// checkArtifact says of each patch whether it fits a version.
func (r *runner) checkArtifact(cmd *cobra.Command, target string, f patchFlags, names []string) error {
	var refusals []*brenner.Error
	type checked struct {
		Patch   string         `json:"patch"`
		Outcome anchor.Outcome `json:"outcome"`
	}
	var fit []checked
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	for _, name := range names {
		req, err := r.aboutPatch(target, f, nil, name)
		if err != nil {
			return err
		}
		x, err := s.ExplainPatch(cmd.Context(), req)
		if err != nil {
			return unreadable(name, err)
		}
		if x.Code != "" {
			e := brenner.Errorf(x.Code, "%s on %s: %s", name, target, x.Message).WithDetails(x.Explanation)
			refusals = append(refusals, e.WithHint(fmt.Sprintf("run `brenner patch explain --artifact %s %s`", target, name)))
			continue
		}
		fit = append(fit, checked{name, x.Outcome})
	}
	if len(refusals) > 0 {
		return refuseAll(refusals)
	}
	return r.show(struct {
		Artifact string    `json:"artifact"`
		Patches  []checked `json:"patches"`
	}{target, fit}, func(w *printer) {
		for _, c := range fit {
			w.Printf("%s on %s: %s\n", c.Patch, target, outcomeWords(anchor.Change{Outcome: c.Outcome}, true))
		}
	})
}

// aboutPatch is the question about one patch and one version.
func (r *runner) aboutPatch(target string, f patchFlags, also []string, name string) (req api.ExplainPatchRequest, err error) {
	if req.Ref, err = brenner.ParseRef(target); err != nil {
		return req, err
	}
	for _, a := range also {
		ref, err := brenner.ParseRef(a)
		if err != nil {
			return req, err
		}
		req.Also = append(req.Also, ref)
	}
	req.Format = anchor.Format(f.format)
	req.Patch, err = r.patch(name)
	return req, err
}

func (r *runner) explainArtifact(cmd *cobra.Command, target string, f patchFlags, also []string, name string) error {
	req, err := r.aboutPatch(target, f, also, name)
	if err != nil {
		return err
	}
	x, err := ask(r, cmd, api.Service.ExplainPatch, req)
	if err != nil {
		return unreadable(name, err)
	}
	return r.showExplanation(x.Explanation)
}

func (r *runner) showExplanation(x anchor.Explanation) error {
	return r.show(x, func(w *printer) { w.Print(printable(x.String())) })
}

// versions reads two arguments as versions of artifacts, unless they are files.
func (r *runner) versions(names []string) (from, to brenner.Ref, ok bool) {
	refs := make([]brenner.Ref, len(names))
	for i, name := range names {
		ref, err := brenner.ParseRef(name)
		if err != nil || ref.Version == 0 {
			return from, to, false
		}
		if _, err := os.Stat(r.path(name)); err == nil {
			return from, to, false
		}
		refs[i] = ref
	}
	return refs[0], refs[1], true
}

func (r *runner) diffArtifact(cmd *cobra.Command, from, to brenner.Ref) error {
	if cmd.Flags().Changed("path") {
		return usage(cmd, fmt.Errorf("--path goes with files"))
	}
	res, err := ask(r, cmd, api.Service.PatchBetween, api.PatchBetweenRequest{From: from, To: to})
	if err != nil {
		return err
	}
	return r.showPatch(res.Patch)
}
