package anchor

import (
	"brenner"
)

// Outcome says what applying a patch came to when it was not refused.
type Outcome string

// The outcomes (P10).
const (
	Applied        Outcome = "applied"
	Noop           Outcome = "noop"            // the result is the base
	AlreadyApplied Outcome = "already_applied" // the text is the promised result
)

// Result is what a patch makes of a text.
type Result struct {
	Outcome Outcome
	Text    Text
	// Warnings say what looks odd about a patch that was applied (P17).
	Warnings []brenner.Diagnostic
}

// Mismatch is attached to BASE_MISMATCH and RESULT_MISMATCH.
type Mismatch struct {
	Expected brenner.Digest `json:"expected"`
	Actual   brenner.Digest `json:"actual"`
	// Rebased is a patch that does apply, where one exists (P13); Conflicts is
	// why there is none, where the base text was there to compare with.
	Rebased   *Patch     `json:"rebased,omitzero"`
	Conflicts *Conflicts `json:"conflicts,omitzero"`
}

// Apply applies a patch to the text it was made for. It resolves every
// operation against the base and changes all or nothing; with an error the
// Result is zero.
//
// Errors: INVALID_PATCH, BASE_UNKNOWN (no file), BASE_MISMATCH (carries a
// Mismatch, with a rebased patch if every operation still fits),
// ANCHOR_NOT_FOUND, ANCHOR_AMBIGUOUS, OLD_BLOCK_MISMATCH, OVERLAP,
// RESULT_MISMATCH, LIMIT_EXCEEDED.
func Apply(p Patch, base Text) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	if err := checkPresent(p, base); err != nil {
		return Result{}, err
	}
	if sum := base.Sum(); sum != p.Base {
		if sum == p.Result {
			return Result{Outcome: AlreadyApplied, Text: base}, nil
		}
		if rebased, err := Rebase(p, base, nil); err == nil {
			return Result{}, mismatch(p, sum, &rebased.Patch, nil)
		}
		return Result{}, mismatch(p, sum, nil, nil)
	}
	return applyHere(p, base)
}

// checkPresent holds P8: an absent file is an empty base for
// replace_entire_file only.
func checkPresent(p Patch, base Text) error {
	if !base.absent {
		return nil
	}
	if _, entire := p.entire(); entire && p.Base == base.Sum() {
		return nil
	}
	e := brenner.Errorf(brenner.CodeBaseUnknown, "there is no file to patch")
	if p.Path != "" {
		e = brenner.Errorf(brenner.CodeBaseUnknown, "there is no file %q to patch", p.Path)
	}
	return e.WithHint("to create a file use replace_entire_file with the checksum of the empty text")
}

func mismatch(p Patch, sum brenner.Digest, rebased *Patch, conflicts *Conflicts) error {
	e := brenner.Errorf(brenner.CodeBaseMismatch, "the text has checksum %.12s…, the patch was made for %.12s…", sum, p.Base).
		WithHint("make the patch again on the present text").At("/target/base_checksum_sha256").
		WithDetails(Mismatch{Expected: p.Base, Actual: sum, Rebased: rebased, Conflicts: conflicts})
	if rebased != nil {
		e.Hint, e.Actions = "the change can be carried over; use the rebased patch, or have it carried over", []brenner.Action{brenner.Again("rebase", "true")}
	}
	return e
}

// applyHere applies without looking at the base checksum.
func applyHere(p Patch, base Text) (Result, error) {
	out, edits, err := transform(p, base)
	if err != nil {
		return Result{}, err
	}
	if p.Result != "" {
		if sum := out.Sum(); sum != p.Result {
			return Result{}, brenner.Errorf(brenner.CodeResultMismatch, "the result has checksum %.12s…, the patch promises %.12s…", sum, p.Result).
				WithHint("an operation does not do what was meant; nothing was changed").At("/result_sha256").
				WithDetails(Mismatch{Expected: p.Result, Actual: sum})
		}
	}
	if out.s == base.s && !base.absent {
		return Result{Outcome: Noop, Text: base}, nil
	}
	return Result{Outcome: Applied, Text: out, Warnings: lint(base.s, edits, out.s)}, nil
}

// transform computes the result, whatever the checksums say, and the edits that
// lead to it.
func transform(p Patch, base Text) (Text, []edit, error) {
	edits, misses := resolve(p, base.s)
	if len(misses) > 0 {
		return Text{}, nil, refusal(p, misses)
	}
	size := len(base.s)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	if size > brenner.MaxPatchTextBytes {
		return Text{}, nil, tooLong(size)
	}
	return base.splice(edits), edits, nil
}

// refusal is the first miss as an error, with every miss as a diagnostic.
func refusal(p Patch, misses []miss) error {
	message, hint := misses[0].message(p)
	e := brenner.Errorf(misses[0].code, "%s", message).WithHint(hint).At(misses[0].ref.pointer())
	if len(misses) == 1 {
		return e
	}
	for _, m := range misses[:min(len(misses), mostShown)] {
		message, hint := m.message(p)
		e.Diagnostics = append(e.Diagnostics, brenner.Diagnostic{
			Code: m.code, Severity: brenner.SeverityError, Message: message, Hint: hint, Pointer: m.ref.pointer(),
		})
	}
	return e
}
