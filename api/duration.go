package api

import "brenner"

// Duration is a length of time, written as 90s, 30m or 720h, also in JSON.
type Duration = brenner.Duration
