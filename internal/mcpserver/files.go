package mcpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/admission"
	"brenner/internal/lazy"
	"brenner/internal/problem"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A content can be fetched and sent as a file, by a program that an agent starts, so that
// its model need not write down what it only passes on. The tool gives a ticket for one
// request; whoever shows that has made the call as the one who asked for it, with the same
// decisions and at the same price (docs/adr/0223-contents-as-files.md).

// FilePath is where files are fetched and sent.
const FilePath = "/mcp/file"

// ticketHeader carries a ticket. An address would be written into logs.
const ticketHeader = "Brenner-Ticket"

// Tickets are the requests for files that were agreed upon, in memory and as hashes: a
// restart forgets them.
type Tickets struct {
	now func() time.Time

	mu   sync.Mutex
	open map[[32]byte]ticket
}

// ticket is good for the contents that its holder may read, for one write whose content is
// sent, if there is one, or for one's turn with what only one has at a time.
type ticket struct {
	authorization string // of who was given it
	until         time.Time
	fetch         getRequest
	write         *writeRequest
	turn          *turn
}

// turn is what somebody would have alone, as it asked for it, and the name of that. A request of
// its ticket waits for it, and another gives it back, as often as one likes.
type turn struct{ hold, name string }

// methods are those of the requests that a ticket is for.
func (t ticket) methods() []string {
	switch {
	case t.write != nil:
		return []string{http.MethodPut}
	case t.turn != nil:
		return []string{http.MethodPost, http.MethodDelete}
	}
	return []string{http.MethodGet}
}

// NewTickets makes a store of tickets; nil: by the time of the machine.
func NewTickets(now func() time.Time) *Tickets {
	if now == nil {
		now = time.Now
	}
	return &Tickets{now: now, open: map[[32]byte]ticket{}}
}

// Holder gives a request for a file as one of who was given the ticket that it shows, who is
// found out anew from that. Code: UNAUTHENTICATED.
func (t *Tickets) Holder(h *http.Request) (*http.Request, error) {
	one, err := t.shownIn(h)
	if err != nil {
		return h, err
	}
	h = h.Clone(h.Context())
	h.Header.Set("Authorization", one.authorization)
	return h, nil
}

// shownIn is the ticket that a request shows.
func (t *Tickets) shownIn(h *http.Request) (ticket, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.open[sha256.Sum256([]byte(h.Header.Get(ticketHeader)))]
	if !ok || !t.now().Before(one.until) {
		return ticket{}, brenner.Errorf(brenner.CodeUnauthenticated, "this ticket is not known here, or its time is over").WithHint("ask for it again, with the tool that gave it")
	}
	return one, nil
}

// issue keeps a ticket. Who has many gives up the oldest, and of all the oldest goes where
// there are too many.
func (t *Tickets) issue(one ticket) (secret string, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	one.until = now.Add(brenner.TicketLife)
	own := 0
	for sum, other := range t.open {
		switch {
		case !now.Before(other.until):
			delete(t.open, sum)
		case other.authorization == one.authorization:
			own++
		}
	}
	if own >= brenner.MaxTicketsPerToken {
		t.endOldest(func(other ticket) bool { return other.authorization == one.authorization })
	} else if len(t.open) >= brenner.MaxTickets {
		t.endOldest(func(ticket) bool { return true })
	}
	secret = rand.Text()
	t.open[sha256.Sum256([]byte(secret))] = one
	return secret, one.until
}

func (t *Tickets) endOldest(of func(ticket) bool) {
	var oldest [32]byte
	var until time.Time
	for sum, one := range t.open {
		if of(one) && (until.IsZero() || one.until.Before(until)) {
			oldest, until = sum, one.until
		}
	}
	delete(t.open, oldest)
}

// desk gives out tickets to whoever makes a call.
type desk struct {
	tickets       *Tickets
	base          func() (string, error)
	authorization string
}

type (
	deskKey struct{}
	baseKey struct{}
)

// withDesk lets the tools of a call give out tickets, where files can be had.
func (o Options) withDesk(ctx context.Context, req *mcp.CallToolRequest) context.Context {
	d := desk{tickets: o.Tickets, base: o.Files}
	if d.base == nil {
		base, ok := ctx.Value(baseKey{}).(string)
		if !ok {
			return ctx
		}
		d.base = func() (string, error) { return base, nil }
	}
	if d.tickets == nil {
		return ctx
	}
	if req.Extra != nil {
		d.authorization = req.Extra.Header.Get("Authorization")
	}
	return context.WithValue(ctx, deskKey{}, d)
}

// plainHost is an address that can stand in a command as it is.
var plainHost = lazy.NewPattern(`^[A-Za-z0-9.:\[\]-]+$`)

// based notes under which address a request came, for those of its files.
func based(h *http.Request) *http.Request {
	if !plainHost.MatchString(h.Host) {
		return h
	}
	scheme := "http"
	if h.TLS != nil || h.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return h.WithContext(context.WithValue(h.Context(), baseKey{}, scheme+"://"+h.Host))
}

// pass is a ticket as a command shows it.
type pass struct{ until, header, address string }

// ticketFor gives out a ticket.
func ticketFor(ctx context.Context, one ticket) (pass, error) {
	d, ok := ctx.Value(deskKey{}).(desk)
	if !ok {
		return pass{}, brenner.Errorf(brenner.CodeInvalidValue, "files are not to be had over this connection").At("/file").
			WithHint("leave file out: contents come and go with the calls")
	}
	base, err := d.base()
	if err != nil {
		return pass{}, err
	}
	one.authorization = d.authorization
	secret, until := d.tickets.issue(one)
	return pass{until: until.UTC().Format("15:04 UTC"), header: ticketHeader + ": " + secret, address: base + FilePath}, nil
}

// fetchCommands say how contents are fetched, with one ticket: those that were asked for, and
// by it any other that the reader may read.
func fetchCommands(s api.Service, ctx context.Context, in getRequest) (artifactPage, error) {
	v, err := s.Artifact(ctx, api.ArtifactRequest{Ref: in.Ref.Ref, Brief: true, Again: in.Again, Task: in.Task})
	if err != nil {
		return artifactPage{}, err
	}
	in.Ref.Ref = v.Ref() // the one in force now
	p, err := ticketFor(ctx, ticket{fetch: in})
	if err != nil {
		return artifactPage{}, err
	}
	command := func(ref cited) string {
		return fmt.Sprintf("curl -fsS -o %s -H '%s' '%s?ref=%[1]s'\n", ref, p.header, p.address)
	}
	out := artifactPage{ArtifactView: v, asked: in, file: fmt.Sprintf(
		"%s as a file, byte for byte, read and paid for when it is fetched; whatever else you may read comes in the same way by its ref, till %s:\n%s", in.Ref, p.until, command(in.Ref))}
	for _, ref := range in.More {
		other, err := s.Artifact(ctx, api.ArtifactRequest{Ref: ref.Ref, Brief: true, Task: in.Task})
		if err != nil {
			e, _ := problem.From(err)
			out.more += fmt.Sprintf("%s: %s: %s\n", ref, e.Code, e.Message)
			continue
		}
		ref.Ref = other.Ref()
		out.more += command(ref)
	}
	return out, nil
}

// sendCommand says how the content of a version is sent.
func sendCommand(ctx context.Context, in writeRequest) (written, error) {
	if in.Content != nil && in.Content.Data != "" {
		return written{}, brenner.Errorf(brenner.CodeInvalidValue, "a content comes with the call or as a file").At("/file").
			WithHint("leave one of them out; of a file content may say the format")
	}
	in.File, in.Key = false, cmp.Or(in.Key, rand.Text())
	if len(mustJSON(in)) > brenner.MaxTicketBytes {
		return written{}, brenner.Errorf(brenner.CodeLimitExceeded, "what goes with a file has more than %d bytes", brenner.MaxTicketBytes).
			WithHint("hand in the deltas by themselves")
	}
	p, err := ticketFor(ctx, ticket{write: &in})
	if err != nil {
		return written{}, err
	}
	return written{file: "nothing is written yet: send the content, and what comes of it is the answer to that, " +
		fmt.Sprintf("until %s:\ncurl -sS -T FILE -H '%s' %s\n", p.until, p.header, p.address)}, nil
}

// sentKey says of a write that its content came as a file.
type sentKey struct{}

// asFileNext tells who sent a long content with the call, once, how the next may go.
func asFileNext(s api.Service, ctx context.Context, in writeRequest) string {
	const long = 6000 // bytes
	if _, may := ctx.Value(deskKey{}).(desk); !may || ctx.Value(sentKey{}) != nil || in.Content == nil || len(in.Content.Data) < long {
		return ""
	}
	said := "a content as long as this can go as a file, and its text need not stand in the call: \"file\":true in the place of content\n"
	if info, _, err := ownOpen(s, ctx); err != nil || info.ID == "" || tellOnce(s, ctx, info.ID, []string{said})[said] {
		return ""
	}
	return said
}

// serveFile answers a request that shows a ticket.
func (o Options) serveFile(w http.ResponseWriter, h *http.Request) {
	write, _ := toolNamed("artifact_write")
	text, err := o.filed(w, h, write)
	status := http.StatusOK
	if err != nil {
		e := o.shown(h.Context(), err)
		_, row := problem.From(err)
		status, text = row.HTTP, said(e, write.calls(e))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client is gone
}

// filed is what a ticket is good for: a content, or a call of the tool that writes one.
func (o Options) filed(w http.ResponseWriter, h *http.Request, write tool) (string, error) {
	one, err := o.Tickets.shownIn(h)
	if err != nil {
		return "", err
	}
	if allowed := strings.Join(one.methods(), ", "); !slices.Contains(one.methods(), h.Method) {
		w.Header().Set("Allow", allowed)
		return "", brenner.Errorf(brenner.CodeInvalidValue, "this ticket is for %s", allowed).WithHint("use the command as it was given")
	}
	extra := &mcp.RequestExtra{Header: h.Header}
	if one.write == nil {
		s, err := o.serviceOf(h.Context(), extra)
		if err != nil {
			return "", err
		}
		switch {
		case one.turn != nil && h.Method == http.MethodDelete:
			return gaveBack(s, h.Context(), one.turn.name)
		case one.turn != nil:
			return taken(s, o.waiting(h.Context()), one.turn.hold)
		}
		asked := one.fetch
		if ref := h.URL.Query().Get("ref"); ref != "" {
			if err := asked.Ref.UnmarshalText([]byte(ref)); err != nil {
				return "", err
			}
		}
		return fetched(s, h.Context(), asked)
	}
	raw, err := admission.ReadBody(http.MaxBytesReader(w, h.Body, brenner.MaxContentBytes), h.ContentLength)
	if err != nil {
		return "", unread(err)
	}
	arguments, err := one.write.with(string(raw))
	if err != nil {
		return "", err
	}
	result, err := o.call(context.WithValue(h.Context(), sentKey{}, true), write, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Arguments: arguments}, Extra: extra})
	if err != nil {
		return "", err
	}
	return result.Content[0].(*mcp.TextContent).Text, nil
}

// turnCommand says how a shell waits for one's turn, runs what that is for, and gives back what
// one had for it, however that ended; nothing where there is no way for it. The name of what one
// would have stands in no command.
func turnCommand(ctx context.Context, name, hold string) string {
	p, err := ticketFor(ctx, ticket{turn: &turn{hold: hold, name: name}})
	if err != nil {
		return ""
	}
	return fmt.Sprintf(`for a shell, as often as you like till %s: sh turn COMMAND waits for your turn, has %s while COMMAND runs, and gives it back:
cat > turn <<'E'
H='%s' U=%s
trap 'curl -sS -X DELETE -H "$H" $U >&2' EXIT
curl -fsS -X POST --retry %d --retry-delay 1 --retry-all-errors -H "$H" $U >&2 && "$@"
E
`, p.until, name, p.header, p.address, turnTries)
}

// turnWait is how long one request waits for a turn: less than a server lets it take. A shell
// makes so many.
const (
	turnWait  = 50 * time.Second
	turnTries = 12
)

// taken waits for the turn of who would have something alone, and gives it that.
func taken(s api.Service, ctx context.Context, hold string) (string, error) {
	said, err := sayDoing(s, ctx, keyed{}, "", hold)
	end := time.After(turnWait)
	for err == nil && said.taken() {
		late := brenner.Errorf(brenner.CodeTaskTaken, "%s is not yours yet: %s has it", said.task.Wants, said.task.Held.Agent).WithHint("repeat it: you keep your place in line")
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-end:
			err = late
		case <-leaving(ctx):
			err = late
		case <-time.After(between):
			err = said.again(s, ctx)
		}
	}
	return said.hold, err
}

// gaveBack gives back what somebody has alone, or its place in line for it, if it has either.
func gaveBack(s api.Service, ctx context.Context, name string) (string, error) {
	own, err := ownWord(s, ctx)
	if err != nil || !strings.EqualFold(own.Hold, name) && !strings.EqualFold(own.Wants, name) {
		return "", err
	}
	said, err := sayDoing(s, ctx, keyed{}, "", api.NoHold)
	return said.hold, err
}

// with are the arguments of a write with the content that was sent for it.
func (in writeRequest) with(content string) ([]byte, error) {
	if !utf8.ValidString(content) {
		return nil, brenner.Errorf(brenner.CodeInvalidText, "the file is not valid UTF-8")
	}
	format := artifact.Text
	if in.Content != nil {
		format = in.Content.Format
	}
	in.Content = &body{Format: format, Data: content}
	return mustJSON(in), nil
}

// fetched is the content of a version, or a part of it, whole. It is read as any content
// is, page by page, in as many contexts as it needs, but not in many.
func fetched(s api.Service, ctx context.Context, in getRequest) (string, error) {
	req := api.ArtifactRequest{Ref: in.Ref.Ref, Part: in.Ref.part, Task: in.Task, Again: true}
	if req.Part == "" {
		req.Size = brenner.FilePageBytes
	}
	var b strings.Builder
	for contexts := 1; ; {
		v, err := s.Artifact(ctx, req)
		if spent := v.GoOn.Name != "" || brenner.CodeOf(err) == brenner.CodeContextOverflow; spent {
			if contexts++; contexts > brenner.MaxFileContexts {
				return "", brenner.Errorf(brenner.CodeContextOverflow, "%s is more than %d contexts hold", in.Ref, brenner.MaxFileContexts).
					WithHint("read the parts of it that you need")
			}
			switch {
			case err == nil && renew(s, ctx, v.GoOn) == "":
				return "", brenner.Errorf(brenner.CodeContextOverflow, "%s is more than your context holds", in.Ref).Try(v.GoOn)
			case err != nil && renewed(s, ctx, err) == "":
				return "", err
			case err != nil || req.Part != "":
				continue // it is asked for once more
			}
		} else if err != nil {
			return "", err
		}
		req.Ref = v.Ref() // all of it of one version, whatever is written meanwhile
		b.WriteString(v.Text)
		if v.NextOffset == 0 || v.Ends {
			return b.String(), nil
		}
		req.Offset = v.NextOffset
	}
}
