package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each file of testdata/exchanges is a conversation with a server of its own:
//
//	# what the next exchange shows
//	>>> POST /api/v1/share
//	Content-Type: application/json
//
//	{"secret":"hello"}
//	<<< 200
//	Content-Type: application/json; charset=utf-8
//
//	{
//	  "secret_key": "<secret>"
//	}
//
// Requests go out as they stand, with Host added, and Content-Length if there
// is a body. What differs from run to run is written as <secret>, <metadata>
// and so on; requests may use what earlier answers brought. A first line
// "#! expired PASSPHRASE" starts with a secret whose time is over. Run the test
// with -update to record answers anew, and read what changed.
func TestExchanges(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob: got %q %v, want exchanges", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(content))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(content), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// replay sends the requests of a file and returns the file with the answers
// that came.
func replay(t *testing.T, content string) string {
	t.Helper()
	var s *server
	known := &names{}
	if rest, found := strings.CutPrefix(content, "#! expired"); found {
		passphrase, _, _ := strings.Cut(rest, "\n")
		data, kept := pastData(t, 61*time.Second, strings.TrimSpace(passphrase), "too late")
		known.learn("secret", kept[0].Secret.Key.Expose())
		known.learn("metadata", kept[0].Metadata.Key.Expose())
		s = startHushOn(t, data)
	} else {
		s = startHush(t)
	}
	known.learn("base", s.url)
	var out strings.Builder
	for _, part := range splitExchanges(content) {
		out.WriteString(part.comment)
		if part.request == "" {
			continue
		}
		fmt.Fprintf(&out, ">>> %s\n<<< %s\n\n", part.request, part.exchange(t, s.addr, known))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// recorded is one exchange: the lines before it, and the request as written.
type recorded struct{ comment, request string }

func splitExchanges(content string) []recorded {
	var all []recorded
	var part recorded
	inRequest, inAnswer := false, false
	for line := range strings.Lines(content) {
		switch {
		case strings.HasPrefix(line, ">>> "):
			inRequest, inAnswer = true, false
			part.request = line[4:]
		case strings.HasPrefix(line, "<<< ") && inRequest:
			inRequest, inAnswer = false, true
			part.request = strings.TrimSuffix(part.request, "\n")
			all, part = append(all, part), recorded{}
		case inRequest:
			part.request += line
		case strings.HasPrefix(line, "#"):
			inAnswer = false
			part.comment += line
		case !inAnswer:
			part.comment += line
		}
	}
	if inRequest {
		part.request = strings.TrimRight(part.request, "\n")
	}
	return append(all, part)
}

// exchange sends the request on a connection of its own and returns the answer
// as it is recorded.
func (r recorded) exchange(t *testing.T, addr string, known *names) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	raw, method := r.raw(known)
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatalf("sending %s: got %v, want no error", r.request, err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("answer to %s: got %v, want one", r.request, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("answer to %s: got %v, want a whole body", r.request, err)
	}
	return known.record(res, body)
}

// raw turns the request as written into bytes for the wire.
func (r recorded) raw(known *names) (raw, method string) {
	head, body, _ := strings.Cut(known.fill(r.request), "\n\n")
	lines := strings.Split(head, "\n")
	method, _, _ = strings.Cut(lines[0], " ")
	if strings.Contains(head, "multipart/form-data") {
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	lines[0] += " HTTP/1.1"
	lines = append(lines, "Host: hush.test")
	if body != "" {
		lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body, method
}

// record writes an answer with the headers that matter.
func (n *names) record(res *http.Response, body []byte) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d\n", res.StatusCode)
	for _, name := range []string{
		"Content-Type", "Cache-Control", "Allow", "Location", "WWW-Authenticate", "X-OTS-Intended-Status", "Retry-After", "Set-Cookie",
		"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
	} {
		for _, value := range res.Header.Values(name) {
			if name == "Retry-After" {
				value = "<seconds>"
			}
			fmt.Fprintf(&out, "%s: %s\n", name, value)
		}
	}
	if len(body) > 0 {
		out.WriteString("\n" + n.hide(body))
	}
	return strings.TrimRight(out.String(), "\n")
}
