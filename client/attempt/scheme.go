package attempt

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"hush/client"
)

// schemeError is ErrScheme with what to do.
type schemeError struct{ advice string }

// Error says what to do.
func (e *schemeError) Error() string { return e.advice }

// Is implements the interface of errors.Is.
func (*schemeError) Is(target error) bool { return target == client.ErrScheme }

// wrongScheme returns the error for an address whose scheme is not the one that the
// server speaks at its port.
func wrongScheme(right, wrong, advice string) *client.Error {
	return &client.Error{
		Kind: client.KindProtocol, Message: "the server speaks " + right + " at this port and not " + wrong, Cause: &schemeError{advice},
	}
}

// SpeaksTLS returns the error of a connection without TLS to a port with it that answered
// with an alert of TLS; nil for others. Package net/http has no type for that.
func SpeaksTLS(err error) *client.Error {
	if strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`) {
		return wrongScheme("https", "http", "begin its address with https://")
	}
	return nil
}

// speaksPlain returns the error of a connection with TLS to a port without it; nil for
// others. Someone on the way can answer like such a port, so the advice is not to do
// without TLS.
func speaksPlain(err error) *client.Error {
	if errors.Is(err, http.ErrSchemeMismatch) {
		return wrongScheme("http", "https", "is the port right? Use http:// only where no one on the way can listen")
	}
	return nil
}

// complaintMax is how many bytes of a page are searched for a complaint.
const complaintMax = 4 << 10

// ComplainsOfScheme returns the error for a page by which a server with TLS answers a request
// without it; nil for others.
func ComplainsOfScheme(request *http.Request, status int, body io.Reader) *client.Error {
	if request == nil || request.URL.Scheme != "http" || status != http.StatusBadRequest {
		return nil
	}
	page, _ := io.ReadAll(io.LimitReader(body, complaintMax)) // a page that ends early says what it says
	for _, complaint := range []string{
		"sent an HTTP request to an HTTPS server",   // Go, and so Hush, Caddy and Traefik
		"plain HTTP request was sent to HTTPS port", // nginx
		"speaking plain HTTP to an SSL-enabled",     // Apache
	} {
		if bytes.Contains(page, []byte(complaint)) {
			return wrongScheme("https", "http", "begin its address with https://")
		}
	}
	return nil
}
