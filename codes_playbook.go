package brenner

// Codes of the playbook and of embeddings.
const (
	CodeInvalidVector     Code = "INVALID_VECTOR"
	CodeEmbeddingMismatch Code = "EMBEDDING_MISMATCH"
	CodeEmbedUnavailable  Code = "EMBED_UNAVAILABLE"
	CodeEmbedRefused      Code = "EMBED_REFUSED"
	CodeEmbedReplyInvalid Code = "EMBED_REPLY_INVALID"
)

var playbookCodes = []CodeInfo{
	{CodeInvalidVector, ClassInvalid, "A vector is zero, not finite or of the wrong dimension.", "Embed the text with the embedding the playbook is frozen to."},
	{CodeEmbeddingMismatch, ClassConflict, "The playbook is frozen to another embedding.", "Use that embedding, or run `brenner playbook reembed` to move over."},
	{CodeEmbedUnavailable, ClassUnavailable, "The embedding endpoint did not answer in time.", "Check that it runs at the configured address and try again; nothing was changed."},
	{CodeEmbedRefused, ClassUnavailable, "The embedding endpoint refused the request.", "Check the model name, the address and the key's environment variable."},
	{CodeEmbedReplyInvalid, ClassUnavailable, "The embedding endpoint answered with something that is not a list of vectors.", "Check that the address is an OpenAI-compatible /v1 and the model an embedding model."},
}
