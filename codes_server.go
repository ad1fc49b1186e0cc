package brenner

// Codes of the server.
const (
	CodeRateLimited Code = "RATE_LIMITED"
)

var serverCodes = []CodeInfo{
	{CodeRateLimited, ClassUnavailable, "Too many requests came at once.", "Wait as long as Retry-After says, then go on more slowly."},
}
