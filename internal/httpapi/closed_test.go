package httpapi_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// X1: a connection that its client closes in the midst of a request, or before the
// answer, is no fault of the server: it is logged as canceled or bad, not as 500.
func TestServer_AConnectionThatIsClosedIsNoFault(t *testing.T) {
	w := newWorld(t)
	token := w.token("ada")
	for name, request := range map[string]string{
		"in the midst of a body": "POST /api/v1/artifacts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"id\":",
		"in the midst of a large body": "POST /api/v1/batch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n{\"items\":",
		"before the answer": "GET /api/v1/snapshot HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			before := strings.Count(w.log.String(), "\n")
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprint(conn, request); err != nil {
				t.Fatal(err)
			}
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the request in the log", func() bool { return strings.Count(w.log.String(), "\n") > before })
			said := strings.Join(strings.Split(w.log.String(), "\n")[before:], "\n")
			if strings.Contains(said, `"status":5`) || strings.Contains(said, "INTERNAL") || strings.Contains(said, `"level":"ERROR"`) {
				t.Errorf("logged as a fault: %s", said)
			}
			if !strings.Contains(said, `"status":`) {
				t.Errorf("the log does not say how it ended: %s", said)
			}
		})
	}
}
