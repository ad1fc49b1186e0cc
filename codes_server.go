package brenner

// Codes of the server.
const (
	CodeRateLimited        Code = "RATE_LIMITED"
	CodeNotInitialized     Code = "NOT_INITIALIZED"
	CodeAddressUnavailable Code = "ADDRESS_UNAVAILABLE"
)

var serverCodes = []CodeInfo{
	row(CodeRateLimited, ClassUnavailable, "Too many requests came at once.", "Wait as long as Retry-After says, then go on more slowly."),
	row(CodeAddressUnavailable, ClassUnavailable, "The server cannot listen on the address it was given.", "Choose another address, or stop what uses it.",
		Again().Asking("addr")),
	row(CodeNotInitialized, ClassConflict, "An MCP client asked for something before it had introduced itself.", "Call initialize first, or name the revision of the protocol in _meta."),
}
