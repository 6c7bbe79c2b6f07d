package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"time"
)

const (
	// maxBody bounds what an answer may hold.
	maxBody = 1 << 20
	// maxHeaderLines bounds its header.
	maxHeaderLines = 100
	// answerTime is the least time a server has for an answer. The deadline
	// is moved only when half of it has gone, since setting one for every
	// request costs more than the rest of the client.
	answerTime = 15 * time.Second
)

// wire is one keep-alive HTTP/1.1 connection that reads only what it needs.
// net/http's client would cost about as much as the server under test, on the
// same two cores.
type wire struct {
	addr    string
	from    net.Addr // nil: as the system chooses
	conn    net.Conn
	in      *bufio.Reader
	chunked []byte // the body put together, reused
	refresh time.Time
	unwatch func() bool
}

// answer is a response. body is valid until the next request.
type answer struct {
	status int
	body   []byte
}

// do sends request, which is complete, and reads the answer. After an error
// the connection is dropped and the next call dials anew.
func (w *wire) do(ctx context.Context, request []byte) (answer, error) {
	if w.conn == nil {
		if err := w.dial(ctx); err != nil {
			return answer{}, err
		}
	}
	if now := time.Now(); now.After(w.refresh) {
		w.refresh = now.Add(answerTime)
		if err := w.conn.SetDeadline(now.Add(2 * answerTime)); err != nil {
			w.close()
			return answer{}, err
		}
	}
	if _, err := w.conn.Write(request); err != nil {
		w.close()
		return answer{}, err
	}
	got, last, err := w.read()
	if err != nil {
		w.close()
		return answer{}, err
	}
	if last {
		// The body may lie in the reader's buffer, which close leaves alone.
		w.close()
	}
	return got, nil
}

func (w *wire) dial(ctx context.Context) error {
	dialer := net.Dialer{Timeout: answerTime, LocalAddr: w.from}
	conn, err := dialer.DialContext(ctx, "tcp", w.addr)
	if err != nil {
		return errors.Join(errDial, err)
	}
	w.conn = conn
	w.refresh = time.Time{}
	if w.in == nil {
		w.in = bufio.NewReaderSize(nil, 16<<10)
	}
	w.in.Reset(conn)
	w.unwatch = context.AfterFunc(ctx, func() {
		_ = conn.SetDeadline(time.Unix(1, 0))
	})
	return nil
}

func (w *wire) close() {
	if w.conn == nil {
		return
	}
	w.unwatch()
	w.conn.Close()
	w.conn = nil
}

// read takes one response off the connection. last says that the server will
// close it.
func (w *wire) read() (got answer, last bool, err error) {
	line, err := w.line()
	if err != nil {
		return answer{}, false, err
	}
	if got.status, err = parseStatus(line); err != nil {
		return answer{}, false, err
	}
	length := -1
	chunked := false
	for range maxHeaderLines {
		if line, err = w.line(); err != nil {
			return answer{}, false, err
		}
		if len(line) == 0 {
			got.body, err = w.body(length, chunked)
			return got, last, err
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = parseLength(value, 10); err != nil {
				return answer{}, false, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(name, []byte("Connection")):
			last = bytes.EqualFold(value, []byte("close"))
		}
	}
	return answer{}, false, errMalformed
}

// line returns the next line without its end.
func (w *wire) line() ([]byte, error) {
	line, err := w.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, errMalformed
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// parseStatus reads "HTTP/1.1 200 OK".
func parseStatus(line []byte) (int, error) {
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 {
		return 0, errMalformed
	}
	status, err := strconv.Atoi(string(rest[:3]))
	if err != nil || status < 200 || status > 599 {
		return 0, errMalformed
	}
	return status, nil
}

// parseLength reads the length of a body or of a chunk.
func parseLength(digits []byte, base int) (int, error) {
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n > maxBody {
		return 0, errMalformed
	}
	return int(n), nil
}
