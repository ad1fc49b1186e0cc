package httpapi

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/admission"
	"brenner/internal/lazy"
	"brenner/internal/problem"
	"brenner/policy"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// trouble is an error over HTTP: a problem document of RFC 9457 with the
// members that our errors have.
type trouble struct {
	Type        string               `json:"type"`
	Title       string               `json:"title"`
	Status      int                  `json:"status"`
	Detail      string               `json:"detail"`
	Code        brenner.Code         `json:"code"`
	Hint        string               `json:"hint,omitzero"`
	Actions     []way                `json:"actions,omitzero"`
	Pointer     string               `json:"pointer,omitzero"`
	Diagnostics []brenner.Diagnostic `json:"diagnostics,omitzero"`
	Details     jsontext.Value       `json:"details,omitzero"`
	RequestID   string               `json:"request_id,omitzero"`
}

// problemType is the media type of a problem.
const problemType = "application/problem+json"

// typePrefix makes a code the type of a problem.
const typePrefix = "urn:brenner:problem:"

// newTrouble gives an error as users may see it.
func newTrouble(err error, id string) trouble {
	e, status := problem.From(err)
	t := trouble{
		Type: typePrefix + string(e.Code), Title: meanings()[e.Code], Status: status.HTTP,
		Detail: e.Message, Code: e.Code, Hint: e.Hint, Actions: waysOf(e), Pointer: e.Pointer, Diagnostics: e.Diagnostics, RequestID: id,
	}
	if e.Details != nil {
		if raw, err := json.Marshal(e.Details, json.Deterministic(true)); err == nil {
			t.Details = raw
		}
	}
	return t
}

// error turns a problem document back into the error it was made from.
func (t trouble) error() error {
	e := brenner.Errorf(t.Code, "%s", t.Detail)
	e.Hint, e.Actions, e.Pointer, e.Diagnostics = t.Hint, actionsIn(t.Actions), t.Pointer, t.Diagnostics
	if t.Details != nil {
		e.Details = t.Details
	}
	if t.RequestID != "" && t.Code == brenner.CodeInternal {
		e.Hint = strings.TrimPrefix(e.Hint+"\nrequest id "+t.RequestID, "\n")
	}
	return e
}

var meanings = lazy.Value(func() map[brenner.Code]string {
	m := map[brenner.Code]string{}
	for _, info := range brenner.Codes() {
		m[info.Code] = info.Meaning
	}
	return m
})

// fail answers with an error.
func fail(w http.ResponseWriter, h *http.Request, err error) {
	t := newTrouble(noteOf(h).caller.advised(h, err), noteOf(h).id)
	switch {
	case t.Code == brenner.CodeConflictHead && h.Header.Get("If-Match") != "":
		t.Status = http.StatusPreconditionFailed
	case t.Code == brenner.CodeUnauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case t.Status == http.StatusServiceUnavailable || t.Status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
	}
	noteOf(h).failed(err, t)
	raw, err := json.Marshal(t, json.Deterministic(true))
	if err != nil {
		raw = []byte("{}")
	}
	send(w, t.Status, problemType, raw)
}

// advised is an error with what the caller can do about it: what a person decides
// an agent can only ask for.
func (c Caller) advised(h *http.Request, err error) error {
	e, _ := problem.From(err)
	if c.May == nil || !slices.ContainsFunc(e.Actions, brenner.Action.Decides) || c.May(h.Context(), []policy.Action{policy.Admin}) == nil {
		return err
	}
	own := *e
	own.Actions = e.ForAgent()
	return &own
}

// answer answers with a result.
func answer(w http.ResponseWriter, h *http.Request, result any) {
	var b bytes.Buffer // which the library writes into, without a copy of its own
	if err := json.MarshalWrite(&b, result, json.Deterministic(true)); err != nil {
		fail(w, h, err)
		return
	}
	raw := b.Bytes()
	admission.Keep(h.Context(), int64(len(raw)))
	if v, ok := result.(api.ArtifactView); ok {
		tag := etag(v, raw)
		w.Header().Set("ETag", tag)
		if matches(h.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	send(w, http.StatusOK, "application/json", raw)
}

func send(w http.ResponseWriter, status int, kind string, raw []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// etag names a version and everything that is said about it. The version
// stands in front, for If-Match.
func etag(v api.ArtifactView, raw []byte) string {
	return `"` + strconv.Itoa(int(v.Version.Version)) + "-" + string(canon.Sum(raw)[:16]) + `"`
}

// versionOf reads the version that an ETag of ours names.
func versionOf(match string) (brenner.Version, error) {
	text, _, _ := strings.Cut(strings.Trim(match, `"`), "-")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, brenner.Errorf(brenner.CodeInvalidValue, "%q is not an entity tag of ours", brenner.Clip(match, brenner.MaxQuote)).
			WithHint("send the ETag that came with the artifact")
	}
	return brenner.Version(n), nil
}

// matches says whether a list of entity tags has one.
func matches(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}

// bodyError says why a body could not be read.
func bodyError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the body is larger than %d bytes", large.Limit)
	}
	return brenner.Errorf(brenner.CodeCanceled, "the body did not arrive").Because(err)
}
