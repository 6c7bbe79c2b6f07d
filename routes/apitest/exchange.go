package apitest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"hush/storage/postgres/postgrestest"
)

// Exchange is one exchange: the lines before it, and the request as written.
type Exchange struct{ Comment, Request string }

// ParseExchanges reads the requests in a file, and the comments before them.
func ParseExchanges(content string) []Exchange {
	var all []Exchange
	var part Exchange
	inRequest, inAnswer := false, false
	for line := range strings.Lines(content) {
		switch {
		case strings.HasPrefix(line, ">>> "):
			inRequest, inAnswer = true, false
			part.Request = line[4:]
		case strings.HasPrefix(line, "<<< ") && inRequest:
			inRequest, inAnswer = false, true
			part.Request = strings.TrimSuffix(part.Request, "\n")
			all, part = append(all, part), Exchange{}
		case inRequest:
			part.Request += line
		case strings.HasPrefix(line, "#"):
			inAnswer = false
			part.Comment += line
		case !inAnswer:
			part.Comment += line
		}
	}
	if inRequest {
		part.Request = strings.TrimRight(part.Request, "\n")
	}
	return append(all, part)
}

// Exchange sends the request on a connection of its own and returns the answer
// as it is recorded.
func (r Exchange) Exchange(t *testing.T, s *Server, known *Names) string {
	t.Helper()
	answer, err := r.Send(s.Dial(t), known)
	if err != nil {
		t.Fatalf("%s: %v", r.Request, err)
	}
	return known.Record(&answer.Response, answer.Body)
}

// Send sends the request on a connection, reads the answer to its end, and closes the
// connection.
func (r Exchange) Send(conn net.Conn, known *Names) (*Response, error) {
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		return nil, err
	}
	raw, method := r.raw(known)
	if _, err := io.WriteString(conn, raw); err != nil {
		return nil, fmt.Errorf("sending: got %w, want no error", err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return nil, fmt.Errorf("answer: got %w, want one", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("answer: got %w, want a whole body", err)
	}
	return &Response{*res, body}, nil
}

// Response is an answer whose body was read.
type Response struct {
	http.Response
	Body []byte
}

// raw turns the request as written into bytes for the wire.
func (r Exchange) raw(known *Names) (raw, method string) {
	head, body, _ := strings.Cut(r.Request, "\n\n")
	if strings.Contains(head, "multipart/form-data") { // before what is filled in, which may be a picture
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	head, body = known.fill(head), known.fill(body)
	lines := strings.Split(head, "\n")
	method, _, _ = strings.Cut(lines[0], " ")
	lines[0] += " HTTP/1.1"
	lines = append(lines, "Host: localhost")
	if body != "" {
		lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body, method
}

// Record writes an answer with the headers that matter.
func (n *Names) Record(res *http.Response, body []byte) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d\n", res.StatusCode)
	for _, name := range []string{
		"Content-Type", "Cache-Control", "Allow", "Location", "WWW-Authenticate", "X-OTS-Intended-Status", "Retry-After", "Set-Cookie",
		"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
	} {
		for _, value := range res.Header.Values(name) {
			fmt.Fprintf(&out, "%s: %s\n", name, n.hideHeader(name, value))
		}
	}
	switch {
	case strings.HasPrefix(res.Header.Get("Content-Type"), "image/"):
		out.WriteString("\n<picture>")
	case len(body) > 0:
		out.WriteString("\n" + n.hide(body))
	}
	return strings.TrimRight(out.String(), "\n")
}

var storeName = regexp.MustCompile(`(backend"?: ?"?)postgres\b`)

// AsBolt returns what an answer says on bbolt, where it names the store that
// this run of the tests is on.
func AsBolt(answer string) string {
	if postgrestest.Shared() == "" {
		return answer
	}
	return storeName.ReplaceAllString(answer, "${1}bolt")
}
