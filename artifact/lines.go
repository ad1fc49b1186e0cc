package artifact

import "brenner/internal/linediff"

// Hunk is a run of changed lines with a little around it, as in a unified
// diff.
type Hunk = linediff.Hunk
