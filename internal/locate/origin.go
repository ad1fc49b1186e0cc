package locate

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// Origin gives the scheme, host and port of the address of a server: what a
// person allows or names, and a secret is bound to. A port that the scheme
// implies is left out.
func Origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("not an http or https address")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return u.Scheme + "://" + host, nil
	}
	return u.Scheme + "://" + host + ":" + port, nil
}

// OnThisMachine reports whether an address leads to the machine itself.
func OnThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}
