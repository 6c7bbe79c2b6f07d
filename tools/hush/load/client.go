package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// keySize is the length of every secret's key.
const keySize = 31

// key is the key of a concealed secret; the zero value is no key.
type key [keySize]byte

// client carries one request at a time over one protocol.
type client interface {
	// conceal keeps value and returns its key.
	conceal(ctx context.Context, value []byte) (key, error)
	// reveal takes the value of k. The result is valid until the next call.
	reveal(ctx context.Context, k key) ([]byte, error)
	// close ends the client's connection.
	close()
}

// failure is an error that the report counts under its own text.
type failure string

func (f failure) Error() string { return string(f) }

// What goes wrong other than the network and refusals by the server.
const (
	errMalformed  = failure("malformed answer")
	errNoKey      = failure("answer without a key")
	errNoValue    = failure("answer without a value")
	errWrongValue = failure("wrong value")
	errDial       = failure("no connection")

	errNeverConcealed = failure("was never concealed")
)

// kindOf sorts err into the few kinds that a report can show.
func kindOf(err error) string {
	var known failure
	var netErr net.Error
	switch {
	case errors.As(err, &known):
		return string(known)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection closed by the server"
	default:
		return "network error"
	}
}
