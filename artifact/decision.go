package artifact

import "brenner"

// CanPromote reports whether a version of this status may be made canonical
// (C14, C18): REASON_REQUIRED without a reason, NEEDS_REBASE unless overridden,
// STATUS_CONFLICT for a version that is canonical already or no longer live.
func CanPromote(status Status, override bool, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	switch status {
	case Draft, Alternative:
		return nil
	case NeedsRebase:
		if override {
			return nil
		}
		return brenner.Errorf(brenner.CodeNeedsRebase, "the version was made from inputs that have since moved").
			WithHint("rebase it on the current inputs, or promote it with an override").Try(brenner.Again("override", "true"))
	case Canonical:
		return conflict("the version is canonical already", "there is nothing to do")
	case Superseded, Deprecated:
		return conflict("a "+string(status)+" version cannot become canonical", "write it once more as a new version, which goes on from it (of a session: EDIT its items back with deltas), and promote that")
	}
	return unknownStatus(status)
}

// CanDemote reports whether a version of this status may be made a draft
// again: only a canonical one, with a reason.
func CanDemote(status Status, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	switch status {
	case Canonical:
		return nil
	case Draft, Alternative, Superseded, Deprecated, NeedsRebase:
		return conflict("the version is "+string(status)+", not canonical", "only a canonical version can be demoted")
	}
	return unknownStatus(status)
}

// CanDeprecate reports whether a version of this status may be taken out of
// use: any live one that is not in force, with a reason.
func CanDeprecate(status Status, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	switch status {
	case Draft, Alternative, NeedsRebase:
		return nil
	case Canonical:
		return conflict("the version is canonical", "promote another one or demote it first")
	case Superseded, Deprecated:
		return conflict("the version is "+string(status)+" already", "it is out of default retrieval as it is")
	}
	return unknownStatus(status)
}

// checkReason reports REASON_REQUIRED unless a decision says why.
func checkReason(reason string) error {
	if blank(reason) {
		return brenner.Errorf(brenner.CodeReasonRequired, "the decision has no reason").
			At("/reason").WithHint("add a reason; it is kept with the decision")
	}
	return checkNote("/reason", reason)
}

func conflict(message, hint string) error {
	return brenner.Errorf(brenner.CodeStatusConflict, "%s", message).WithHint(hint)
}

func unknownStatus(s Status) error {
	return brenner.Errorf(brenner.CodeInvalidValue, "unknown status %q", brenner.Clip(string(s), brenner.MaxQuote))
}
