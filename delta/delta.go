package delta

import (
	"bytes"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Operation is what a delta does.
type Operation string

// The operations.
const (
	Add  Operation = "ADD"
	Edit Operation = "EDIT"
	Kill Operation = "KILL"
)

// Target names what a delta changes: an item (H3), a prediction cell (P1.H2),
// a provisional id of the same agent, or nothing, which is null in JSON.
type Target string

// MarshalJSON writes null for no target.
func (t Target) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return canon.Marshal(string(t))
}

// UnmarshalJSON reads a non-empty string or null.
func (t *Target) UnmarshalJSON(raw []byte) error {
	switch text := string(raw); {
	case text == "null":
		*t = ""
	case raw[0] != '"' || text == `""`:
		return errTarget
	default:
		*t = Target(unquote(text))
	}
	return nil
}

var errTarget = errors.New("not an item id or null")

// Delta is one change an agent asks for, as it was sent (D1).
type Delta struct {
	DeltaID   string            `json:"delta_id"`
	Timestamp string            `json:"timestamp"` // RFC 3339
	Agent     brenner.ActorName `json:"agent"`
	Operation Operation         `json:"operation"`
	TargetID  Target            `json:"target_id"`
	Section   Section           `json:"section"`
	// Payload is a JSON object: the item of an ADD, the fields of an EDIT, the
	// reason of a KILL.
	Payload   jsontext.Value `json:"payload,omitzero"`
	Rationale string         `json:"rationale,omitzero"`
	// ProvisionalID is a name by which the agent refers to the item of its ADD
	// before the merge has given it an id.
	ProvisionalID string `json:"provisional_id,omitzero"`
	// Seq is the position of the delta in its message.
	Seq int `json:"seq,omitzero"`
}

// Envelope is what is known about a delta from how it came. It fills in what
// the delta leaves out (D20).
type Envelope struct {
	// Message is the id of the message that carried the delta, if any.
	Message string
	// Agent and Timestamp stand in for missing ones.
	Agent     brenner.ActorName
	Timestamp string
	// Received caps the instant of the delta (D11); zero means no cap.
	Received time.Time
	// Parts says that an EDIT may have replacements in place of texts: whoever reads
	// the deltas will Complete them.
	Parts bool
}

// Entry is a delta on its way into a merge.
type Entry struct {
	Delta Delta
	// Message is the id of the message that carried the delta, if any; with it
	// delta ids need only be unique within the message (D8).
	Message string
	// Received caps the instant of the delta (D11); zero means no cap.
	Received time.Time
	// Sent is the payload as it was sent, of an EDIT that was completed.
	Sent jsontext.Value
	// Invalid says why the delta could not be read. Merge rejects it alone.
	Invalid *brenner.Error
	// Corrected is a block that would be read instead of an invalid delta, if one
	// could be made.
	Corrected string
}

// quickNumbers refuses a payload with a number that takes long to read: a document is read
// again and again.
func quickNumbers(payload jsontext.Value) error {
	n, at := canon.SlowNumbers(payload)
	if n == 0 {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(payload))
	for dec.InputOffset() <= int64(at) {
		if _, err := dec.ReadToken(); err != nil {
			return asInvalid(err)
		}
	}
	return badValue("/payload"+string(dec.StackPointer()), "the number has an exponent of 307 and more, or more than 19 digits and one beyond 40", "write it as a text, in quotes")
}

// Parse reads one delta strictly (D1): INVALID_DELTA, INVALID_TEXT or
// LIMIT_EXCEEDED name the JSON pointer. Missing delta_id, timestamp and agent
// are taken from the envelope; so is a missing seq, the position in the
// message, if there is a message.
//
// Parse checks the form only. Merge, or Check, judges the content.
func Parse(raw []byte, env Envelope, seq int) (Delta, error) {
	if len(raw) > brenner.MaxDeltaBytes {
		return Delta{}, brenner.Errorf(brenner.CodeLimitExceeded, "the delta has more than %d bytes", brenner.MaxDeltaBytes).
			WithHint("split it into several deltas")
	}
	if t := bytes.TrimLeft(raw, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return Delta{}, invalid("", "a delta is a JSON object", "")
	}
	var d Delta
	if err := canon.Unmarshal(raw, &d); err != nil {
		return Delta{}, asInvalid(err)
	}
	if len(d.Payload) > 0 {
		if err := quickNumbers(d.Payload); err != nil {
			return Delta{}, err
		}
		payload, err := canon.Transform(d.Payload)
		if err != nil {
			return Delta{}, asInvalid(err)
		}
		d.Payload = payload
	}
	if string(d.Payload) == "null" {
		d.Payload = nil
	}
	if d.Seq == 0 && env.Message != "" {
		d.Seq = seq
	}
	if d.DeltaID == "" && env.Message != "" {
		d.DeltaID = env.Message + "#" + itoa(d.Seq)
	}
	if d.Timestamp == "" {
		d.Timestamp = env.Timestamp
	}
	if d.Agent == "" {
		d.Agent = env.Agent
	}
	_, timed := parseInstant(d.Timestamp)
	if err := d.checkForm(timed, d.Agent.Check() == nil); err != nil {
		return d, err
	}
	return d, nil
}

// checkForm reports INVALID_DELTA for a member that is missing or not of its
// kind. timed and named say whether the timestamp and the agent are.
func (d *Delta) checkForm(timed, named bool) *brenner.Error {
	switch {
	case d.DeltaID == "":
		return invalid("/delta_id", "delta_id is missing", "give every delta an id of its own")
	case !plain(d.DeltaID):
		return invalid("/delta_id", "delta_id is too long or has characters that do not show", "use a short id such as d-1")
	case d.Timestamp == "":
		return invalid("/timestamp", "timestamp is missing", "write the instant as 2025-12-30T12:00:00Z")
	case d.Agent == "":
		return invalid("/agent", "agent is missing", "name the contributing agent")
	case !named:
		return invalid("/agent", "agent is not a valid name", "use letters, digits, dots, underscores and hyphens")
	case d.Operation != Add && d.Operation != Edit && d.Operation != Kill:
		return invalid("/operation", "operation must be ADD, EDIT or KILL", "write it in capitals")
	case sectionIndex(d.Section) < 0:
		return invalid("/section", "section is missing or unknown", "use one of "+sectionNames())
	case d.Seq < 0:
		return invalid("/seq", "seq is negative", "number the deltas of a message 1, 2, 3")
	case d.Rationale == "" || len(d.Rationale) <= brenner.MaxNoteRunes && printableASCII(d.Rationale):
	case !utf8.ValidString(d.Rationale) || strings.IndexByte(d.Rationale, 0) >= 0:
		return brenner.Errorf(brenner.CodeInvalidText, "rationale is not valid text").At("/rationale").WithHint("write it in UTF-8")
	case utf8.RuneCountInString(d.Rationale) > brenner.MaxNoteRunes:
		return tooLong("/rationale", "rationale")
	}
	if !timed {
		return invalid("/timestamp", "timestamp is not an RFC 3339 instant", "write it as 2025-12-30T12:00:00Z, years 0000 to 9999")
	}
	return nil
}

// canonical is the delta as canonical JSON, which its content hash is over.
func (d *Delta) canonical() []byte { return canon.MustMarshal(d) }

// digest is the content hash.
func (d *Delta) digest() brenner.Digest { return canon.Sum(d.canonical()) }

func invalid(pointer, message, hint string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidDelta, "%s", message).At(pointer).WithHint(hint)
}

func tooLong(pointer, what string) *brenner.Error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "%s has more than %d characters", what, brenner.MaxNoteRunes).
		At(pointer).WithHint("keep it brief")
}

// asInvalid turns a refusal of the JSON reader into one of a delta. Limits and
// bad text keep their own code.
func asInvalid(err error) *brenner.Error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return invalid("", "not the JSON of a delta", "")
	}
	out := *e
	if out.Code != brenner.CodeInvalidJSON {
		return &out
	}
	out.Code = brenner.CodeInvalidDelta
	if errors.Is(err, errTarget) {
		out.Message = errTarget.Error()
	}
	if out.Hint == "" {
		out.Hint = hintFor(out.Pointer)
	}
	return &out
}

var members = []string{
	"delta_id", "timestamp", "agent", "operation", "target_id", "section",
	"payload", "rationale", "provisional_id", "seq",
}

func hintFor(pointer string) string {
	name := strings.TrimPrefix(pointer, "/")
	if name == "" || strings.Contains(name, "/") {
		return "mend the JSON at the pointer"
	}
	for _, m := range members {
		if m == name {
			return "see the delta format for what " + m + " takes"
		}
	}
	return "a delta has only " + strings.Join(members, ", ")
}

// plain says whether an id is short and all of it can be seen.
func plain(s string) bool {
	if s == "" || len(s) > brenner.MaxDeltaIDBytes {
		return false
	}
	if printableASCII(s) {
		return true
	}
	if !utf8.ValidString(s) {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// printableASCII says whether a text is made of visible ASCII and spaces, as
// most are.
func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// parseInstant reads an RFC 3339 instant in years 0 to 9999 of UTC. Digits
// beyond the nanosecond are dropped.
func parseInstant(s string) (time.Time, bool) {
	if !hasInstantForm(s) {
		return time.Time{}, false
	}
	if t, ok := commonInstant(s); ok {
		return t, true
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
	if err != nil {
		return time.Time{}, false
	}
	t = t.UTC()
	return t, representable(t)
}

// commonInstant reads the form that nearly every timestamp has, whole seconds
// in UTC, of a text that hasInstantForm.
func commonInstant(s string) (time.Time, bool) {
	if len(s) != len("2006-01-02T15:04:05Z") || s[19] != 'Z' {
		return time.Time{}, false
	}
	two := func(i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
	year, month, day, hour, minute, second := two(0)*100+two(2), two(5), two(8), two(11), two(14), two(17)
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false // time.Parse knows the long months and what is wrong
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC), true
}

// hasInstantForm keeps out what time.Parse takes beyond RFC 3339, such as a
// comma before the fraction or an hour of one digit.
func hasInstantForm(s string) bool {
	const form = "0000-00-00T00:00:00"
	if len(s) < len(form)+1 || len(s) > 64 {
		return false
	}
	for i := range len(form) {
		if form[i] == '0' && !digit(s[i]) || form[i] != '0' && form[i] != s[i] && !(form[i] == 'T' && s[i] == 't') {
			return false
		}
	}
	rest := s[len(form):]
	if rest[0] == '.' {
		fraction := strings.TrimLeft(rest[1:], "0123456789")
		if len(fraction) == len(rest)-1 {
			return false
		}
		rest = fraction
	}
	return rest == "Z" || rest == "z" || len(rest) == len("+00:00") && (rest[0] == '+' || rest[0] == '-')
}

func representable(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// FormatInstant writes an instant as artifacts and deltas do: UTC, RFC 3339,
// as many digits of a second as it has.
func FormatInstant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
