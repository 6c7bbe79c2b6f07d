package handlers

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// drainBytes and drainTime bound what is read of a refused body, so that
	// the client gets to read the answer.
	drainBytes = 32 << 20
	drainTime  = 2 * time.Second
)

// body is a request's body over HTTP/1. It stays open when a service closes
// it, and knows how much was read, so that what is left can be drained.
type body struct {
	from io.Reader
	left int64 // bytes to come; negative if that is not known
}

// keepBody puts a body in the place of the request's. It returns nil if there
// is nothing that may have to be drained: HTTP/2 has no need of it.
func keepBody(r *http.Request) *body {
	if r.ProtoMajor != 1 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	kept := &body{from: r.Body, left: r.ContentLength}
	r.Body = kept
	return kept
}

// Read implements io.Reader.
func (b *body) Read(into []byte) (int, error) {
	n, err := b.from.Read(into)
	b.left -= int64(n)
	return n, err
}

// Close does nothing; the server closes what is below.
func (b *body) Close() error { return nil }

// drain reads what is left, in bounds, after the answer was sent: a connection
// that is closed with data unread is reset, and the client may never see why.
func (b *body) drain(w http.ResponseWriter, r *http.Request) {
	if b == nil || b.left == 0 {
		return
	}
	control := http.NewResponseController(w)
	if r.Header.Get("Expect") != "" && control.Flush() != nil {
		return // a client that waits for leave to send its body waits for the answer
	}
	if control.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return
	}
	var one [1]byte
	n, err := b.from.Read(one[:])
	if n > 0 && control.Flush() == nil {
		_, err = io.CopyN(io.Discard, b.from, drainBytes)
	}
	if errors.Is(err, io.EOF) {
		// Were it to pass while the connection is in good order, net/http
		// would cancel whatever the connection serves from then on.
		_ = control.SetReadDeadline(time.Time{})
	}
}
