package brenner

// Codes of the playbook and of embeddings.
const (
	CodeContentBlank      Code = "CONTENT_BLANK"
	CodeUnknownSection    Code = "UNKNOWN_SECTION"
	CodeInvalidDomain     Code = "INVALID_DOMAIN"
	CodeInvalidThreshold  Code = "INVALID_THRESHOLD"
	CodePersonRequired    Code = "PERSON_REQUIRED"
	CodeFeedbackDenied    Code = "FEEDBACK_DENIED"
	CodeAlreadyReviewed   Code = "ALREADY_REVIEWED"
	CodeAlreadyUndone     Code = "ALREADY_UNDONE"
	CodeNotUndoable       Code = "NOT_UNDOABLE"
	CodeVectorsMissing    Code = "VECTORS_MISSING"
	CodeInvalidVector     Code = "INVALID_VECTOR"
	CodeEmbeddingMismatch Code = "EMBEDDING_MISMATCH"
	CodeEmbedUnavailable  Code = "EMBED_UNAVAILABLE"
	CodeEmbedRefused      Code = "EMBED_REFUSED"
	CodeEmbedNotAllowed   Code = "EMBED_NOT_ALLOWED"
	CodeEmbedReplyInvalid Code = "EMBED_REPLY_INVALID"
)

func playbookCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeContentBlank, ClassInvalid, "A lesson has no word in it.", "Write the lesson as one sentence."),
		row(CodeUnknownSection, ClassInvalid, "A section is none of helpful, harmful and neutral.", "Use helpful (do this), harmful (avoid this) or neutral (a fact)."),
		row(CodeInvalidDomain, ClassInvalid, "A domain is not a name, is reserved, or is not that of the playbook.", "Use lower-case letters, digits and hyphens; not admin, system or test."),
		row(CodeInvalidThreshold, ClassInvalid, "A similarity threshold is not above 0 and at most 1.", "Use 0.8, or what the labelled pairs say about your embedder."),
		row(CodePersonRequired, ClassDenied, "The decision is reserved to a person, or to a reviewer where the message says so.", "Ask the PI.",
			Do("task.new", "role", "pi").Asking("title", "spec")),
		row(CodeFeedbackDenied, ClassDenied, "The agent judged a bullet that none of its contexts carried.", "Assemble a context first; feedback is about lessons that were used.",
			Do("context.assemble")),
		row(CodeAlreadyReviewed, ClassConflict, "The bullet was approved or rejected before.", "Amend it or set its stage instead."),
		row(CodeAlreadyUndone, ClassConflict, "The record was undone before.", "Nothing is left to do."),
		row(CodeNotUndoable, ClassConflict, "The record is of a kind that another act answers.", "Use promote, release or review instead."),
		row(CodeVectorsMissing, ClassConflict, "Bullets of the playbook have no vector yet, so nothing can be matched.", "Have the lessons embedded again; only a person does.",
			Do("playbook.reembed")),
		row(CodeInvalidVector, ClassInvalid, "A vector is zero, not finite or of the wrong dimension.", "Embed the text with the embedding the playbook is frozen to."),
		row(CodeEmbeddingMismatch, ClassConflict, "The playbook is frozen to another embedding.", "Use that embedding, or have the playbook moved over; only a person does.",
			Do("playbook.reembed")),
		row(CodeEmbedUnavailable, ClassUnavailable, "The embedding endpoint did not answer in time.", "Check that it runs at the configured address and try again; nothing was changed."),
		row(CodeEmbedRefused, ClassUnavailable, "The embedding endpoint refused the request.", "Check the model name, the address and the key's environment variable."),
		row(CodeEmbedNotAllowed, ClassDenied, "The configuration names an embedding endpoint that the person who runs the program has not allowed.", "Whoever runs the program and knows that host allows it once; until then nothing is sent there.",
			Do("config.apply").Asking("allow_embedding")),
		row(CodeEmbedReplyInvalid, ClassUnavailable, "The embedding endpoint answered with something that is not a list of vectors.", "Check that the address is an OpenAI-compatible /v1 and the model an embedding model."),
	}
}
