package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate that speaks for itself, and its key.
func certificate(t *testing.T, dir, name string, hosts ...string) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true,
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: raw}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// A server with a certificate serves those who trust it, and tells others what
// is wrong; both are processes of their own.
func TestServe_OverTLS(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	cert, key := certificate(t, home.dir, "ours", "127.0.0.1")
	stranger, _ := certificate(t, home.dir, "stranger", "127.0.0.1")
	ada := home.with("BRENNER_TOKEN", home.must("agent", "token", "ada"))
	address, _ := home.serverProcess("--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(address, "https://127.0.0.1:") {
		t.Fatalf("the server is at %s", address)
	}
	run := func(s *shell, server string) (string, bool) {
		out, err := s.process(t.Context(), "--server", server, "agent", "list").CombinedOutput()
		return string(out), err == nil
	}
	for name, c := range map[string]struct {
		shell  *shell
		server string
		says   []string // nothing: it works
	}{
		"trusted":                      {ada.with("BRENNER_CA", "ours.pem"), address, nil},
		"trusted by the machine":       {ada.with("SSL_CERT_FILE", cert), address, nil},
		"not trusted":                  {ada, address, []string{"STORE_UNAVAILABLE", "not trusted", "BRENNER_CA"}},
		"trusting another":             {ada.with("BRENNER_CA", stranger), address, []string{"STORE_UNAVAILABLE", "not trusted"}},
		"a name that it does not have": {ada.with("BRENNER_CA", cert), strings.Replace(address, "127.0.0.1", "localhost", 1), []string{"STORE_UNAVAILABLE", "not trusted", "localhost"}},
		"no file":                      {ada.with("BRENNER_CA", "none.pem"), address, []string{"FILE_ERROR", "none.pem"}},
		"no certificate in the file":   {ada.with("BRENNER_CA", key), address, []string{"FILE_ERROR", "PEM"}},
		"in the clear":                 {ada, strings.Replace(address, "https", "http", 1), []string{"STORE_UNAVAILABLE", "https://"}},
	} {
		if name == "trusted by the machine" && runtime.GOOS != "linux" {
			continue // elsewhere the machine has its own ways
		}
		out, works := run(c.shell, c.server)
		if works != (c.says == nil) || (works && !strings.Contains(out, "ada")) {
			t.Errorf("%s: %s", name, out)
		}
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %s, want %q", name, out, want)
			}
		}
	}
	// Go answers this itself, before there is a request.
	if res, err := http.Get(strings.Replace(address, "https", "http", 1) + "/healthz"); err != nil || res.StatusCode != http.StatusBadRequest {
		t.Errorf("in the clear: %v, %v", res, err)
	} else if body, err := io.ReadAll(res.Body); err != nil || res.Body.Close() != nil || !strings.Contains(string(body), "HTTPS") {
		t.Errorf("in the clear: %s, %v", body, err)
	}
	plain, _ := home.serverProcess()
	if out, works := run(ada, strings.Replace(plain, "http", "https", 1)); works || !strings.Contains(out, "does not speak TLS") {
		t.Errorf("TLS to a server without: %s", out)
	}
}
