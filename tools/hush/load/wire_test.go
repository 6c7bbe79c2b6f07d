package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// reading returns a wire whose server said text and then hung up.
func reading(text string) *wire {
	return &wire{in: bufio.NewReaderSize(strings.NewReader(text), 16<<10)}
}

func TestRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40<<10)
	for name, test := range map[string]struct {
		text   string
		status int
		body   string
		last   bool
	}{
		"length":      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", false},
		"no reason":   {"HTTP/1.1 404\r\ncontent-length:0\r\n\r\n", 404, "", false},
		"bare feeds":  {"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok", false},
		"close":       {"HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno", 503, "no", true},
		"long body":   {"HTTP/1.1 200 OK\r\nContent-Length: 40960\r\n\r\n" + long, 200, long, false},
		"chunks":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", 200, "abc0123456789", false},
		"trailer":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n", 200, "a", false},
		"long chunks": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na000\r\n" + long + "\r\n0\r\n\r\n", 200, long, false},
	} {
		got, last, err := reading(test.text).read()
		if err != nil || got.status != test.status || string(got.body) != test.body || last != test.last {
			t.Errorf("read(%s): got %d, %d bytes, last %v, %v; want %d, %d bytes, last %v",
				name, got.status, len(got.body), last, err, test.status, len(test.body), test.last)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"nothing":           {"", io.EOF},
		"other protocol":    {"SSH-2.0-x\r\n\r\n", errMalformed},
		"older protocol":    {"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", errMalformed},
		"status in words":   {"HTTP/1.1 OK!\r\n\r\n", errMalformed},
		"interim status":    {"HTTP/1.1 100 Continue\r\n\r\n", errMalformed},
		"no length":         {ok + "\r\nrest", errMalformed},
		"negative length":   {ok + "Content-Length: -1\r\n\r\n", errMalformed},
		"length too large":  {ok + "Content-Length: 1048577\r\n\r\n", errMalformed},
		"length overflows":  {ok + "Content-Length: 99999999999999999999\r\n\r\n", errMalformed},
		"body cut off":      {ok + "Content-Length: 9\r\n\r\nshort", io.EOF},
		"long body cut off": {ok + "Content-Length: 90000\r\n\r\nshort", io.ErrUnexpectedEOF},
		"header cut off":    {ok + "Content-", io.EOF},
		"long header":       {ok + strings.Repeat("x", 20<<10) + "\r\n\r\n", errMalformed},
		"endless header":    {ok + strings.Repeat("X: y\r\n", 101) + "\r\n", errMalformed},
		"bad chunk size":    {ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", errMalformed},
		"chunk too long":    {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", errMalformed},
		"chunk cut off":     {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab", io.ErrUnexpectedEOF},
		"no last chunk":     {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", io.EOF},
		"endless trailer":   {ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X: y\r\n", 101), errMalformed},
		"chunks too large":  {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n100000\r\n", errMalformed},
	} {
		_, _, err := reading(test.text).read()
		if !errors.Is(err, test.want) {
			t.Errorf("read(%s): got %v, want %v", name, err, test.want)
		}
	}
}

// A server may end a connection after any answer; the next request has to go
// over a new one.
func TestDoDialsAgain(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	answers := []string{
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\none",
		"",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree",
	}
	go func() {
		for _, answer := range answers {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1))
			_, _ = conn.Write([]byte(answer))
			conn.Close()
		}
	}()
	w := wire{addr: listener.Addr().String()}
	defer w.close()
	for i, want := range []string{"one", "", "three"} {
		got, err := w.do(t.Context(), []byte("!"))
		if (err == nil) != (want != "") || string(got.body) != want {
			t.Errorf("request %d: got %q, %v, want %q", i+1, got.body, err, want)
		}
		if err != nil && kindOf(err) != "connection closed by the server" {
			t.Errorf("kindOf(%v): got %q", err, kindOf(err))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := reading(text).read()
		if err != nil {
			return
		}
		if got.status < 200 || got.status > 599 || len(got.body) > maxBody {
			t.Errorf("read: got status %d and %d bytes", got.status, len(got.body))
		}
		if len(got.body) > len(text) {
			t.Errorf("read: got %d bytes out of %d", len(got.body), len(text))
		}
	})
}
