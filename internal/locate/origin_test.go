package locate_test

import (
	"testing"

	"brenner/internal/locate"
)

func TestOrigin_IsSchemeHostAndPort(t *testing.T) {
	for address, want := range map[string]string{
		"https://API.example.org/v1":           "https://api.example.org",
		"https://api.example.org:443":          "https://api.example.org",
		"http://api.example.org:443/":          "http://api.example.org:443",
		"http://user:word@127.0.0.1:11434/v1":  "http://127.0.0.1:11434",
		"http://[::1]:80/x":                    "http://[::1]",
		"https://good.example@evil.example/v1": "https://evil.example",
		"ftp://example.org":                    "",
		"api.example.org":                      "",
		"":                                     "",
	} {
		if got, err := locate.Origin(address); got != want || (err == nil) != (want != "") {
			t.Errorf("Origin(%q) = %q, %v; want %q", address, got, err, want)
		}
	}
	for address, want := range map[string]bool{
		"http://127.0.0.1:11434/v1": true, "http://[::1]/": true, "http://LOCALHOST:1": true,
		"http://127.0.0.1.example.org": false, "http://10.0.0.1": false, "http://localhost.example.org": false,
	} {
		if locate.OnThisMachine(address) != want {
			t.Errorf("OnThisMachine(%q) is not %v", address, want)
		}
	}
}
