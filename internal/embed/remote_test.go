package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/canon"
)

// endpoint is a real HTTP server that answers as told.
type endpoint struct {
	*httptest.Server
	calls atomic.Int32
	reply func(call int, w http.ResponseWriter, req embeddingRequest)
	keys  chan string
}

func serve(t *testing.T, reply func(call int, w http.ResponseWriter, req embeddingRequest)) *endpoint {
	t.Helper()
	e := &endpoint{reply: reply, keys: make(chan string, 100)}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var req embeddingRequest
		if err := canon.Unmarshal(body, &req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		e.keys <- r.Header.Get("Authorization")
		e.reply(int(e.calls.Add(1)), w, req)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) config() RemoteConfig {
	return RemoteConfig{BaseURL: e.URL + "/v1", Model: "toy", RetryWait: time.Millisecond, Timeout: 5 * time.Second}
}

// toy gives each text the vector (length, 1, 0), un-normalised, and lists the
// items backwards.
func toy(_ int, w http.ResponseWriter, req embeddingRequest) {
	var items []string
	for i := len(req.Input) - 1; i >= 0; i-- {
		items = append(items, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1,0]}`, i, len(req.Input[i])))
	}
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"toy","usage":{"prompt_tokens":1}}`, strings.Join(items, ","))
}

func TestRemote_OrdersByIndexAndNormalises(t *testing.T) {
	e := serve(t, toy)
	r, err := OpenRemote(t.Context(), e.config())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"a", "bb", "ccc"}
	got, err := r.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		n := float64(len(texts[i]))
		if want := n / math.Sqrt(n*n+1); math.Abs(float64(v[0])-want) > 1e-6 || math.Abs(norm(v)-1) > 1e-6 {
			t.Errorf("text %d: %v", i, v)
		}
	}
	if id := r.Describe(); id.Provider != "openai" || id.Model != "toy" || id.Dimension != 3 || !strings.HasPrefix(id.Fingerprint, "probe:") {
		t.Errorf("identity %+v", id)
	}
}

func TestRemote_SendsBatchesInOrder(t *testing.T) {
	e := serve(t, func(call int, w http.ResponseWriter, req embeddingRequest) {
		if len(req.Input) > 4 {
			http.Error(w, "too many", http.StatusBadRequest)
			return
		}
		toy(call, w, req)
	})
	config := e.config()
	config.BatchSize = 4
	r, err := OpenRemote(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i := range 10 {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	got, err := r.Embed(t.Context(), texts)
	if err != nil || len(got) != 10 || e.calls.Load() != 1+3 {
		t.Fatalf("%d vectors in %d calls, %v", len(got), e.calls.Load(), err)
	}
	for i, v := range got {
		if ratio := float64(v[0] / v[1]); math.Abs(ratio-float64(i+1)) > 1e-4 {
			t.Errorf("vector %d belongs to a text of length %f", i, ratio)
		}
	}
}

func TestRemote_ReadsTheKeyFromTheNamedVariable(t *testing.T) {
	e := serve(t, toy)
	config := e.config()
	config.KeyVariable = "BRENNER_TEST_EMBED_KEY"
	t.Setenv(config.KeyVariable, "")
	if _, err := OpenRemote(t.Context(), config); brenner.CodeOf(err) != brenner.CodeEmbedRefused || e.calls.Load() != 0 {
		t.Errorf("without a key: %v after %d calls", err, e.calls.Load())
	}
	t.Setenv(config.KeyVariable, "sesame")
	if _, err := OpenRemote(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if got := <-e.keys; got != "Bearer sesame" {
		t.Errorf("sent %q", got)
	}
}

func TestRemote_TriesAgainWhenThatMayHelp(t *testing.T) {
	for _, status := range []int{429, 500, 503, 408} {
		e := serve(t, func(call int, w http.ResponseWriter, req embeddingRequest) {
			if call < 3 {
				w.Header().Set("Retry-After", "0")
				http.Error(w, "busy", status)
				return
			}
			toy(call, w, req)
		})
		if _, err := OpenRemote(t.Context(), e.config()); err != nil || e.calls.Load() != 3 {
			t.Errorf("%d: %v after %d calls", status, err, e.calls.Load())
		}
	}
}

func TestRemote_GivesUpWithACode(t *testing.T) {
	answer := func(status int, body string) func(int, http.ResponseWriter, embeddingRequest) {
		return func(_ int, w http.ResponseWriter, _ embeddingRequest) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		reply func(int, http.ResponseWriter, embeddingRequest)
		code  brenner.Code
		calls int32
	}{
		"always busy":     {answer(503, "busy"), brenner.CodeEmbedUnavailable, brenner.MaxEmbedAttempts},
		"unauthorised":    {answer(401, "bad key"), brenner.CodeEmbedRefused, 1},
		"unknown model":   {answer(404, `{"error":"model not found"}`), brenner.CodeEmbedRefused, 1},
		"redirect":        {answer(307, ""), brenner.CodeEmbedRefused, 1},
		"no json":         {answer(200, "<html>"), brenner.CodeEmbedReplyInvalid, 1},
		"empty":           {answer(200, ""), brenner.CodeEmbedReplyInvalid, 1},
		"no data":         {answer(200, `{}`), brenner.CodeEmbedReplyInvalid, 1},
		"too many":        {answer(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"index missing":   {answer(200, `{"data":[{"embedding":[1]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"index outside":   {answer(200, `{"data":[{"index":1,"embedding":[1]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"index negative":  {answer(200, `{"data":[{"index":-1,"embedding":[1]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"zero vector":     {answer(200, `{"data":[{"index":0,"embedding":[0,0]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"empty vector":    {answer(200, `{"data":[{"index":0,"embedding":[]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"null components": {answer(200, `{"data":[{"index":0,"embedding":["x"]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"overflow":        {answer(200, `{"data":[{"index":0,"embedding":[1e999]}]}`), brenner.CodeEmbedReplyInvalid, 1},
		"duplicate key":   {answer(200, `{"data":[],"data":[{"index":0,"embedding":[1]}]}`), brenner.CodeEmbedReplyInvalid, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, c.reply)
			_, err := OpenRemote(t.Context(), e.config())
			if brenner.CodeOf(err) != c.code || e.calls.Load() != c.calls {
				t.Errorf("%v after %d calls; want %s after %d", err, e.calls.Load(), c.code, c.calls)
			}
			var be *brenner.Error
			if errors.As(err, &be) && be.Hint == "" {
				t.Errorf("%v has no hint", err)
			}
		})
	}
}

func TestReadReply_RefusesRepeatedIndexAndOtherDimensions(t *testing.T) {
	for raw, dimension := range map[string]int{
		`{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`:   2,
		`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2,3]}]}`: 0,
		`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[3,4]}]}`:   3,
	} {
		if _, err := readReply([]byte(raw), 2, dimension); brenner.CodeOf(err) != brenner.CodeEmbedReplyInvalid {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// B12: a wrong dimension is refused even if the endpoint changes its mind later.
func TestRemote_RefusesVectorsOfAnotherDimensionLater(t *testing.T) {
	e := serve(t, func(call int, w http.ResponseWriter, req embeddingRequest) {
		if call == 1 {
			toy(call, w, req)
			return
		}
		io.WriteString(w, `{"data":[{"index":0,"embedding":[1,2]}]}`)
	})
	r, err := OpenRemote(t.Context(), e.config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Embed(t.Context(), []string{"x"}); brenner.CodeOf(err) != brenner.CodeEmbedReplyInvalid {
		t.Errorf("got %v", err)
	}
}

func TestRemote_ASlowEndpointIsUnavailable(t *testing.T) {
	release := make(chan struct{})
	e := serve(t, func(_ int, _ http.ResponseWriter, _ embeddingRequest) { <-release })
	defer close(release)
	config := e.config()
	config.Timeout = 10 * time.Millisecond
	if _, err := OpenRemote(t.Context(), config); brenner.CodeOf(err) != brenner.CodeEmbedUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestRemote_StopsWithTheContext(t *testing.T) {
	e := serve(t, func(_ int, w http.ResponseWriter, _ embeddingRequest) { http.Error(w, "busy", 503) })
	config := e.config()
	config.RetryWait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := OpenRemote(ctx, config); brenner.CodeOf(err) != brenner.CodeCanceled {
		t.Errorf("got %v", err)
	}
}

func TestRemote_AnEndlessReplyIsCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 64 MiB through a socket")
	}
	e := serve(t, func(_ int, w http.ResponseWriter, _ embeddingRequest) {
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for range brenner.MaxEmbedReplyBytes>>20 + 1 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	config := e.config()
	config.Timeout = time.Minute
	if _, err := OpenRemote(t.Context(), config); brenner.CodeOf(err) != brenner.CodeEmbedReplyInvalid {
		t.Errorf("got %v", err)
	}
}

func TestOpenRemote_RefusesANonsenseConfiguration(t *testing.T) {
	for _, config := range []RemoteConfig{
		{BaseURL: "", Model: "m"},
		{BaseURL: "ftp://x/v1", Model: "m"},
		{BaseURL: "http://", Model: "m"},
		{BaseURL: "http://127.0.0.1:1/v1"},
	} {
		if _, err := OpenRemote(t.Context(), config); brenner.CodeOf(err) != brenner.CodeEmbedRefused {
			t.Errorf("%+v: %v", config, err)
		}
	}
	refused := RemoteConfig{BaseURL: "http://127.0.0.1:1/v1", Model: "m", RetryWait: time.Millisecond}
	if _, err := OpenRemote(t.Context(), refused); brenner.CodeOf(err) != brenner.CodeEmbedUnavailable {
		t.Errorf("nobody listens: %v", err)
	}
}
