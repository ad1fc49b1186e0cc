package brenner

// Codes of the server.
const (
	CodeRateLimited        Code = "RATE_LIMITED"
	CodeStorageSpent       Code = "STORAGE_SPENT"
	CodeNotInitialized     Code = "NOT_INITIALIZED"
	CodeAddressUnavailable Code = "ADDRESS_UNAVAILABLE"
)

func serverCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeStorageSpent, ClassLimit, "The actor has stored as much as its share allows.", "The PI can set another share: storage_per_actor in the configuration, and config apply."),
		row(CodeRateLimited, ClassUnavailable, "Too many requests came at once.", "Wait as long as Retry-After says, then go on more slowly."),
		row(CodeAddressUnavailable, ClassUnavailable, "The server cannot listen on the address it was given.", "Choose another address, or stop what uses it.",
			Again().Asking("addr")),
		row(CodeNotInitialized, ClassConflict, "An MCP client asked for something before it had introduced itself.", "Call initialize first, or name the revision of the protocol in _meta."),
	}
}
