package embed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/internal/patience"
	"brenner/playbook"
)

// RemoteConfig says which endpoint to ask and how patiently.
type RemoteConfig struct {
	// BaseURL is the address up to and including /v1, for example
	// http://127.0.0.1:11434/v1 for Ollama.
	BaseURL string
	// Model is the endpoint's name of the model.
	Model string
	// KeyVariable names the environment variable that holds the bearer key;
	// empty sends none. The key itself stands in no file of ours.
	KeyVariable string
	// Dimension, if not 0, asks the endpoint to shorten its vectors.
	Dimension int
	// BatchSize is how many texts go into one request; 0 means 64.
	BatchSize int
	// Timeout bounds each attempt; 0 means 30 seconds.
	Timeout time.Duration
	// RetryWait is the pause before the second attempt, doubled before each
	// further one; 0 means half a second.
	RetryWait time.Duration
}

// Remote asks an OpenAI-compatible endpoint for vectors.
type Remote struct {
	config   RemoteConfig
	address  string
	key      string
	client   *http.Client
	identity Identity
}

// probeText is embedded once when a Remote is opened: its vector tells the
// dimension, and whether the model behind the name is still the same.
const probeText = "Write down what was tried, what was seen, and what would change your mind."

// maxRetryAfter bounds how long an endpoint can make us wait by Retry-After.
const maxRetryAfter = 10 * time.Second

// OpenRemote checks the configuration and asks the endpoint for one vector to
// learn its dimension and fingerprint. It fails like Embed.
func OpenRemote(ctx context.Context, config RemoteConfig) (*Remote, error) {
	base, err := url.Parse(config.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, brenner.Errorf(brenner.CodeEmbedRefused, "the embedding address is not an http or https URL").
			WithHint("give the address up to /v1, for example http://127.0.0.1:11434/v1")
	}
	if config.Model == "" {
		return nil, brenner.Errorf(brenner.CodeEmbedRefused, "no embedding model is named").
			WithHint("name the model as the endpoint knows it, for example nomic-embed-text")
	}
	config.BatchSize = min(orDefault(config.BatchSize, 64), brenner.MaxEmbedBatch)
	config.Timeout = orDefault(config.Timeout, 30*time.Second)
	config.RetryWait = orDefault(config.RetryWait, 500*time.Millisecond)
	r := &Remote{config: config, address: base.JoinPath("embeddings").String(), client: &http.Client{
		// A redirect could carry the texts and the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if config.KeyVariable != "" {
		if r.key = os.Getenv(config.KeyVariable); r.key == "" {
			return nil, brenner.Errorf(brenner.CodeEmbedRefused, "the environment variable %s is not set", config.KeyVariable).
				WithHint("set it to the key of the embedding endpoint")
		}
	}
	probe, err := r.Embed(ctx, []string{probeText})
	if err != nil {
		return nil, err
	}
	r.identity = Identity{
		Provider: "openai", Model: config.Model,
		Dimension: len(probe[0]), Fingerprint: playbook.ProbePrint(probe[0]),
	}
	return r, nil
}

func orDefault[T int | time.Duration](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}

// Describe implements Embedder.
func (r *Remote) Describe() Identity { return r.identity }

// Embed implements Embedder.
func (r *Remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), r.config.BatchSize)
		vectors, err := r.batch(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
		texts = texts[n:]
	}
	return out, nil
}

type embeddingRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitzero"`
}

// batch sends one request, again while the endpoint says it may help.
func (r *Remote) batch(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := canon.Marshal(embeddingRequest{r.config.Model, texts, r.config.Dimension})
	if err != nil {
		return nil, err
	}
	wait := r.config.RetryWait
	for attempt := 1; ; attempt++ {
		reply, retryAfter, err := r.post(ctx, body)
		if err == nil {
			return readReply(reply, len(texts), r.identity.Dimension)
		}
		if ctx.Err() != nil {
			return nil, brenner.Errorf(brenner.CodeCanceled, "embedding was stopped").Because(ctx.Err())
		}
		if brenner.CodeOf(err) != brenner.CodeEmbedUnavailable || attempt == brenner.MaxEmbedAttempts {
			return nil, err
		}
		if !pause(ctx, max(wait, min(retryAfter, maxRetryAfter))) {
			return nil, brenner.Errorf(brenner.CodeCanceled, "embedding was stopped").Because(ctx.Err())
		}
		wait *= 2
	}
}

// post makes one attempt. EMBED_UNAVAILABLE is worth another.
func (r *Remote) post(ctx context.Context, body []byte) (reply []byte, retryAfter time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(body))
	if err != nil {
		return nil, 0, brenner.Errorf(brenner.CodeEmbedRefused, "the embedding address cannot be used").Because(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return nil, 0, unavailable(err)
	}
	defer res.Body.Close()
	if err := statusError(res); err != nil {
		return nil, patience.RetryAfter(res.Header, time.Now()), err
	}
	reply, err = io.ReadAll(io.LimitReader(res.Body, brenner.MaxEmbedReplyBytes+1))
	if err != nil {
		return nil, 0, unavailable(err)
	}
	if len(reply) > brenner.MaxEmbedReplyBytes {
		return nil, 0, invalidReply("the reply is larger than %d bytes", brenner.MaxEmbedReplyBytes)
	}
	return reply, 0, nil
}

func unavailable(cause error) error {
	reason := "cannot be reached"
	if errors.Is(cause, context.DeadlineExceeded) {
		reason = "did not answer in time"
	}
	return brenner.Errorf(brenner.CodeEmbedUnavailable, "the embedding endpoint %s", reason).
		WithHint("check that it runs at the configured address").Because(cause)
}

// statusError judges the status line. What the endpoint says about itself is
// quoted, shortened, because it is often the only explanation there is.
func statusError(res *http.Response) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	start, _ := io.ReadAll(io.LimitReader(res.Body, 200))
	said := strings.Join(strings.Fields(strings.ToValidUTF8(string(start), "")), " ")
	code := brenner.CodeEmbedRefused
	if res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout {
		code = brenner.CodeEmbedUnavailable
	}
	return brenner.Errorf(code, "the embedding endpoint answered %d: %q", res.StatusCode, said).
		WithHint("check the model name, the address up to /v1 and the key")
}

// pause waits, and reports whether it was not interrupted.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
