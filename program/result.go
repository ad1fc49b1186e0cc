package program

import (
	"strconv"
	"strings"

	"brenner"
	"brenner/internal/lazy"
)

// Cause says why a program did not do what it was asked, in a word that can be
// acted on (W10).
type Cause string

// The causes.
const (
	Fine         Cause = ""
	NotInstalled Cause = "not_installed"
	NotLoggedIn  Cause = "not_logged_in"
	NoModel      Cause = "no_such_model"
	RateLimited  Cause = "rate_limited"
	Overloaded   Cause = "overloaded" // or failing, on the provider's side
	Unreachable  Cause = "unreachable"
	Declined     Cause = "declined" // the model will not do it
	NoWords      Cause = "silent"   // it ended well and said nothing
	Garbled      Cause = "garbled"  // it printed what it should not
	Crashed      Cause = "crashed"
	Unusable     Cause = "unusable"  // it answered, and nothing of that can be used
	LeftOpen     Cause = "left_open" // it ended well and left its task open
	DiskFull     Cause = "disk_full"
	NotReady     Cause = "not_ready" // it was never started: the run could not be prepared
	NotTaken     Cause = "not_taken" // the project would not take its reply

	// What stopped it from outside.
	OutOfTime   Cause = "time"
	OutOfOutput Cause = "output"
	OutOfTurns  Cause = "turns"
	OutOfTokens Cause = "tokens"
	OutOfMoney  Cause = "cost"
	Stopped     Cause = "stopped"
	LostTouch   Cause = "lost_touch"   // the runner could not renew its lease
	ProjectAway Cause = "project_away" // what the program asked for could not be had for a while
)

// sentences say the causes to people.
var sentences = map[Cause]string{
	NotInstalled: "the program is not installed",
	NotLoggedIn:  "the program is not logged in",
	NoModel:      "the model does not exist, or is not for this account",
	RateLimited:  "the provider limits the rate of requests",
	Overloaded:   "the provider is overloaded or failing",
	Unreachable:  "the provider cannot be reached",
	Declined:     "the model declined",
	NoWords:      "the program ended without a word",
	Garbled:      "the program printed what cannot be read",
	Crashed:      "the program crashed",
	Unusable:     "its answers cannot be used",
	LeftOpen:     "it left its task open",
	DiskFull:     "the disk is full",
	NotReady:     "the run could not be prepared",
	NotTaken:     "the project did not take its reply",
	OutOfTime:    "the time is up",
	OutOfOutput:  "the program printed too much",
	OutOfTurns:   "the turns are used up",
	OutOfTokens:  "the tokens are used up",
	OutOfMoney:   "the money is used up",
	Stopped:      "it was stopped",
	LostTouch:    "the runner lost touch with the project",
	ProjectAway:  "the project could not be reached",
}

// Sentence says the cause to a person; "" if all is fine.
func (c Cause) Sentence() string { return sentences[c] }

// Passing reports whether waiting helps.
func (c Cause) Passing() bool {
	return c == RateLimited || c == Overloaded || c == Unreachable || c == ProjectAway
}

// Bound reports whether a bound of the run was met (W9).
func (c Cause) Bound() bool {
	switch c {
	case OutOfTime, OutOfOutput, OutOfTurns, OutOfTokens, OutOfMoney:
		return true
	}
	return false
}

// Hopeless reports whether another try on this machine must end the same.
func (c Cause) Hopeless() bool {
	return c.Local() || c == NoModel || c == Declined || c.Bound() || c == Stopped || c == LostTouch
}

// Local reports whether somebody has to mend the machine first: it says nothing
// about the work.
func (c Cause) Local() bool { return c == NotInstalled || c == NotLoggedIn || c == DiskFull }

// Usage is what a run used up, as its program told it. What it did not tell is
// nil, never guessed (W12).
type Usage struct {
	Turns  int     `json:"turns,omitzero"`
	Tokens *Tokens `json:"tokens,omitzero"`
	Cost   *Money  `json:"cost_usd,omitzero"`
}

// Tokens are counted apart: read, read from the provider's cache, and written.
type Tokens struct {
	In     int64 `json:"in"`
	Cached int64 `json:"cached"`
	Out    int64 `json:"out"`
}

// Read is what the model was given, from the cache or not: what people call the
// tokens that went in.
func (t Tokens) Read() int64 { return t.In + t.Cached }

// Plus adds what another start used. A part that either does not know is
// unknown, except that nothing at all adds nothing.
func (u Usage) Plus(v Usage) Usage {
	if u == (Usage{}) {
		return v
	}
	if v == (Usage{}) {
		return u
	}
	sum := Usage{Turns: u.Turns + v.Turns}
	if u.Tokens != nil && v.Tokens != nil {
		sum.Tokens = &Tokens{In: u.Tokens.In + v.Tokens.In, Cached: u.Tokens.Cached + v.Tokens.Cached, Out: u.Tokens.Out + v.Tokens.Out}
	}
	if u.Cost != nil && v.Cost != nil {
		cost := *u.Cost + *v.Cost
		sum.Cost = &cost
	}
	return sum
}

// Over says which bound the usage has gone over, Fine if none.
func (u Usage) Over(b Bounds) Cause {
	switch {
	case b.Turns > 0 && u.Turns > b.Turns:
		return OutOfTurns
	case b.Tokens > 0 && u.Tokens != nil && u.Tokens.In+u.Tokens.Out > b.Tokens:
		return OutOfTokens
	case b.Cost > 0 && u.Cost != nil && *u.Cost > b.Cost:
		return OutOfMoney
	}
	return Fine
}

// Event is something a program does, for a person who watches.
type Event struct {
	// Does says it in a few words: thinks, writes, calls a tool.
	Does string `json:"does"`
}

// Exit is how a process ended.
type Exit struct {
	// Code is its status; -1 if a signal ended it.
	Code   int    `json:"code"`
	Signal string `json:"signal,omitzero"`
	// Errors is the end of what it wrote to standard error.
	Errors string `json:"-"`
}

// Result is what came of one start of a program.
type Result struct {
	Cause Cause `json:"cause,omitzero"`
	// Said is what the program said about it, in its own words.
	Said string `json:"said,omitzero"`
	// Reply is its last word.
	Reply string `json:"reply,omitzero"`
	Usage Usage  `json:"usage,omitzero"`
	// Total says that the usage is that of the whole conversation, earlier
	// starts included.
	Total bool `json:"total,omitzero"`
	// Conversation is what a later start goes on with; Model is what answered.
	Conversation string `json:"conversation,omitzero"`
	Model        string `json:"model,omitzero"`
	// Exit is how its process ended; nil if it has none.
	Exit *Exit `json:"exit,omitzero"`
	// RetryAfter is how long the program says to wait.
	RetryAfter brenner.Duration `json:"retry_after,omitzero"`
}

// Reader follows what one start of a program prints.
type Reader interface {
	// Line takes one line of standard output, without its end, and says what
	// the program does now. A line it cannot read is passed over.
	Line(line []byte) []Event
	// Usage is what was used up so far.
	Usage() Usage
	// End says what came of it.
	End(Exit) Result
}

// NewReader follows a start of a program whose profile has a process.
func NewReader(p Profile) Reader { return specs[p].reader() }

// maxSaid bounds what is kept of a program's own words about a failure.
const maxSaid = 400

// said is the end of a text on one line, for a person.
func said(text string) string {
	words := strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " ")
	if r := []rune(words); len(r) > maxSaid {
		return "…" + string(r[len(r)-maxSaid+1:])
	}
	return words
}

// ByStatus is what a status of HTTP means.
func ByStatus(status int) Cause {
	switch {
	case status == 401 || status == 403:
		return NotLoggedIn
	case status == 404:
		return NoModel
	case status == 429:
		return RateLimited
	case status == 408 || status >= 500:
		return Overloaded
	}
	return Crashed
}

// phrases are how programs and providers say what is wrong, where they say it
// in words alone. The first that is found counts.
var phrases = []struct {
	pattern *lazy.Pattern
	cause   Cause
}{
	{lazy.NewPattern(`(?i)no space left on device|disk quota exceeded|\benospc\b`), DiskFull},
	{lazy.NewPattern(`(?i)rate.?limit|too many requests|quota exceeded|resource.?exhausted|usage limit|hit your limit`), RateLimited},
	{lazy.NewPattern(`(?i)overloaded|high demand|server.?error|at capacity|service unavailable|bad gateway`), Overloaded},
	{lazy.NewPattern(`(?i)not logged in|please (run )?/?log ?in|unauthorized|invalid (x-)?api.?key|authentication|api.?key (is )?(missing|not)|set an auth method|auth method`), NotLoggedIn},
	{lazy.NewPattern(`(?i)model.{0,60}(not found|not exist|not supported)|no such model|unknown model|ProviderModelNotFound`), NoModel},
	{lazy.NewPattern(`(?i)usage policy|content.?filter|refusal|model refused|safety`), Declined},
	{lazy.NewPattern(`(?i)econn|enotfound|network|disconnected|could not resolve|not resolve|timed? ?out|: terminated|connection (was )?(lost|refused|reset|failed|error)`), Unreachable},
}

// status finds a status of HTTP in a message, where it is called one.
var status = lazy.NewPattern(`(?i)(?:status:?|error:?|"code":|rejected) \(?([45]\d\d)\b|"code":([45]\d\d)\b`)

// ByWords is what a message means, as well as words can tell.
func ByWords(text string) Cause {
	if m := status.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1] + m[2])
		if c := ByStatus(n); c != Crashed {
			return c
		}
	}
	for _, p := range phrases {
		if p.pattern.MatchString(text) {
			return p.cause
		}
	}
	return Crashed
}

// ended settles a result from what the stream said and how the process ended:
// a failure that nothing explains is a crash, and a good end without a word is
// none.
func ended(r Result, x Exit, spoke bool) Result {
	switch {
	case r.Cause != Fine:
	case x.Code != 0:
		r.Cause = ByWords(x.Errors)
		if r.Said == "" {
			r.Said = said(x.Errors)
		}
	case strings.TrimSpace(r.Reply) != "":
	case !spoke && x.Code == 0 && r.Said != "":
		r.Cause = Garbled
	default:
		r.Cause = NoWords
	}
	if r.Cause != Fine {
		r.Reply = "" // what was said on the way is in the transcript
	}
	return r
}
