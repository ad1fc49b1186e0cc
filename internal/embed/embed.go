// Package embed turns texts into vectors whose cosine says how alike they are.
//
// There are two embedders. The built-in one carries its model in the binary,
// needs nothing and no network, and takes microseconds a sentence; see NOTICE
// for what it is made of and what it can do. The remote one asks any endpoint
// that speaks OpenAI's POST /v1/embeddings: Ollama, llama.cpp, vLLM, and the
// hosted ones.
//
// Vectors of different embedders must not be compared: Describe names the
// embedder, and a playbook is frozen to one (B12).
package embed

import (
	"context"

	"brenner/playbook"
)

// Identity names an embedder; see playbook.Identity.
type Identity = playbook.Identity

// Embedder makes vectors. Implementations are safe for concurrent use.
type Embedder interface {
	// Describe names the provider, the model, the length of its vectors and a
	// fingerprint. It never changes during the life of the embedder.
	Describe() Identity
	// Embed gives one unit vector per text, in order. It fails as a whole:
	// with EMBED_UNAVAILABLE, EMBED_REFUSED or EMBED_REPLY_INVALID if a remote
	// endpoint does not deliver, CANCELED if the context ends first.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

var (
	_ Embedder         = (*Model)(nil)
	_ Embedder         = (*Remote)(nil)
	_ playbook.Lexicon = (*Model)(nil)
)
