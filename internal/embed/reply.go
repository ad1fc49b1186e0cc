package embed

import (
	"errors"
	"math"

	"brenner"
	"brenner/playbook"

	"github.com/go-json-experiment/json"
)

// embeddingReply is the part of a reply that matters. Endpoints add fields of
// their own, so unknown ones are let pass here and nowhere else.
type embeddingReply struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float64 `json:"embedding"`
	} `json:"data"`
}

// readReply gives one unit vector per text, in the order of the texts: items
// may come in any order and of any length. dimension 0 accepts whatever length
// the first vector has.
func readReply(raw []byte, texts, dimension int) ([][]float32, error) {
	var reply embeddingReply
	if err := json.Unmarshal(raw, &reply); err != nil {
		return nil, invalidReply("the reply is not the JSON that was expected").Because(err)
	}
	if len(reply.Data) != texts {
		return nil, invalidReply("%d vectors came for %d texts", len(reply.Data), texts)
	}
	out := make([][]float32, texts)
	for i, item := range reply.Data {
		switch {
		case item.Index == nil:
			return nil, invalidReply("item %d has no index", i)
		case *item.Index < 0 || *item.Index >= texts:
			return nil, invalidReply("item %d has index %d of %d", i, *item.Index, texts)
		case out[*item.Index] != nil:
			return nil, invalidReply("index %d comes twice", *item.Index)
		}
		if dimension == 0 {
			dimension = len(item.Embedding)
		}
		v := scaled(item.Embedding)
		if err := playbook.CheckVector(v, dimension); err != nil {
			var e *brenner.Error
			if !errors.As(err, &e) {
				return nil, err
			}
			return nil, invalidReply("%s", e.Message)
		}
		out[*item.Index] = v
	}
	return out, nil
}

// scaled gives the unit vector along v. Scaling by the largest component
// first keeps the squares from overflowing. A zero vector stays zero, for
// CheckVector to refuse.
func scaled(v []float64) []float32 {
	largest, sum := 0.0, 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	out := make([]float32, len(v))
	if largest == 0 {
		return out
	}
	for _, x := range v {
		sum += (x / largest) * (x / largest)
	}
	for i, x := range v {
		out[i] = float32(x / largest / math.Sqrt(sum))
	}
	return out
}

func invalidReply(format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeEmbedReplyInvalid, "the embedding endpoint is not usable: "+format, args...).
		WithHint("check that the address is an OpenAI-compatible /v1 and the model an embedding model")
}
