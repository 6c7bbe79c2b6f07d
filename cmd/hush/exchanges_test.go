package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
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

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes"
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
// "#! expired PASSPHRASE" starts with a secret whose time is over, "#! account
// ADDRESS ROLE" with an account of <basic> that the operator made, and
// "#! accounts" with the accounts of the test environment: <ada-token>, <bob-cookie> and the
// like are known. "#! accounts services" adds a server for mail and one for
// DNS, where the proof of Ada's domain stands. Run the test with -update to
// record answers anew, and read what changed.
func TestExchanges(t *testing.T) {
	t.Parallel()
	starts(t)
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

// Every route is met by an exchange. RPCs are met by the commands of docs/api.md.
func TestExchangesMeetEveryRoute(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := routes.Table(nil)
	met := map[routes.Row]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range splitExchanges(string(content)) {
			if row, found := rowOf(rows, part.request); found {
				met[row] = true
			}
		}
	}
	for _, row := range rows {
		if !met[row] {
			t.Errorf("%s %s: got no exchange, want every route recorded", row.Method, row.Path)
		}
	}
}

// rowOf finds the row that a request meets. Of several it is the one with the
// most of its path spelled out.
func rowOf(rows []routes.Row, request string) (met routes.Row, found bool) {
	line, _, _ := strings.Cut(request, "\n")
	method, target, _ := strings.Cut(line, " ")
	path, _, _ := strings.Cut(target, "?")
	most := -1
	for _, row := range rows {
		if spelled, fits := fitting(row.Path, path); fits && row.Method == method && spelled > most {
			met, found, most = row, true, spelled
		}
	}
	return met, found
}

// fitting reports whether a path matches a template, and how many parts of it
// the template spells out.
func fitting(template, path string) (spelled int, fits bool) {
	parts, want := strings.Split(path, "/"), strings.Split(template, "/")
	if len(parts) != len(want) {
		return 0, false
	}
	for i, part := range want {
		before, _, parameter := strings.Cut(part, "{")
		switch {
		case parameter && strings.HasPrefix(parts[i], before) && parts[i] != before:
			spelled += min(1, len(before))
		case part == parts[i]:
			spelled++
		default:
			return 0, false
		}
	}
	return spelled, true
}

// replay sends the requests of a file and returns the file with the answers
// that came.
func replay(t *testing.T, content string) string {
	t.Helper()
	s, known := startRecorded(t, content)
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

// startRecorded starts the server that a file's first line asks for.
func startRecorded(t *testing.T, content string) (*testServer, *names) {
	t.Helper()
	known := &names{t: t}
	first, _, _ := strings.Cut(content, "\n")
	var s *testServer
	switch words := strings.Fields(first); {
	case strings.HasPrefix(first, "#! expired"):
		passphrase := strings.TrimSpace(strings.TrimPrefix(first, "#! expired"))
		data, kept := pastData(t, 61*time.Second, passphrase, "too late")
		known.learn("secret", kept[0].Secret.Key.Expose())
		known.learn("metadata", kept[0].Metadata.Key.Expose())
		s = startHushOn(t, data)
	case len(words) > 3 && words[1] == "account":
		data := newFolder(t)
		o := operator{t, data}
		token := o.account(words[2])
		o.ok("", "account", "role", words[2], words[3])
		known.learn("basic", base64.StdEncoding.EncodeToString([]byte(words[2]+":"+token)))
		s = startHushOn(t, data)
	case len(words) > 1 && words[1] == "accounts":
		env := newTestEnv(t)
		var flags []string
		if len(words) > 2 {
			dns := resolvertest.New(t)
			d := env.ada.domain
			dns.SetTXT(d.TXTHost+"."+d.Base, d.TXTValue)
			mails := mailtest.New(t)
			mails.RefuseRecipients(450, 1000) // so that no answer depends on when a mail leaves
			flags = testServices(t, mails, dns)
		}
		known.learnEnv(env)
		s = startHushOn(t, env.copyTo(t), flags...)
	default:
		s = startHush(t)
	}
	known.learn("base", s.url)
	return s, known
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
	answer, err := r.send(addr, known)
	if err != nil {
		t.Fatalf("%s: %v", r.request, err)
	}
	return known.record(&answer.Response, answer.body)
}

// send sends the request and reads the answer to its end.
func (r recorded) send(addr string, known *names) (*readAnswer, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
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
	return &readAnswer{*res, body}, nil
}

// readAnswer is an answer whose body was read.
type readAnswer struct {
	http.Response
	body []byte
}

// raw turns the request as written into bytes for the wire.
func (r recorded) raw(known *names) (raw, method string) {
	head, body, _ := strings.Cut(r.request, "\n\n")
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

// record writes an answer with the headers that matter.
func (n *names) record(res *http.Response, body []byte) string {
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
