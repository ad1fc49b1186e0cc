package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"brenner"
)

// Notify says who outside is told what waits for a person (N7).
type Notify struct {
	// Kinds are the kinds of things that are told, as the inbox names them;
	// none: all.
	Kinds    []string  `json:"kinds,omitempty"`
	Webhooks []Webhook `json:"webhooks,omitempty"`
	// Allow names hosts that may have a private address, or do without TLS.
	Allow []string `json:"allow,omitempty"`
}

// Webhook is an address that notifications are sent to.
type Webhook struct {
	URL string `json:"url"`
	// Secret names the variable in the environment of the server that holds the
	// key of the signatures. The key itself never stands in a configuration.
	Secret string `json:"secret"`
}

// NoticeKinds are the kinds of things that wait, as the inbox names them; what waits
// for an approval is a promotion to others.
var NoticeKinds = []string{
	"automation", "compile", "conflict", "consolidation", "finding", "fork", "memo", "promotion", "rebase", "request", "resend", "review", "run", "spine", "stale",
	"stalemate", "task",
}

func (n *Notify) check(say sayer) {
	for i, kind := range n.Kinds {
		if !slices.Contains(NoticeKinds, kind) {
			say(fmt.Sprintf("/notify/kinds/%d", i), fmt.Sprintf("%q is nothing that waits", kind), "kinds: "+strings.Join(NoticeKinds, ", "))
		}
	}
	if len(n.Webhooks) > brenner.MaxWebhooks {
		say("/notify/webhooks", fmt.Sprintf("more than %d webhooks", brenner.MaxWebhooks), "")
	}
	for i, w := range n.Webhooks {
		at := fmt.Sprintf("/notify/webhooks/%d", i)
		u, err := url.Parse(w.URL)
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || (u.Scheme != "https" && u.Scheme != "http"):
			say(at+"/url", fmt.Sprintf("%q is no address of a webhook", w.URL), "write https://HOST/PATH, without a name and password")
		case u.Scheme == "http" && !slices.Contains(n.Allow, u.Hostname()):
			say(at+"/url", fmt.Sprintf("%q is sent in the clear", w.URL), "write https, or allow the host by its name under notify.allow")
		}
		if !isVariable(w.Secret) {
			say(at+"/secret", fmt.Sprintf("%q is no name of a variable", w.Secret), "name the environment variable of the server that holds the key, such as BRENNER_WEBHOOK_KEY")
		}
		if slices.ContainsFunc(n.Webhooks[:i], func(o Webhook) bool { return o.URL == w.URL }) {
			say(at+"/url", fmt.Sprintf("%q is listed twice", w.URL), "")
		}
	}
}

// isVariable reports whether a variable of an environment can be called so.
func isVariable(name string) bool {
	for i, c := range name {
		if letter := c == '_' || 'A' <= c && c <= 'Z'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
