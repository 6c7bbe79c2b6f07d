package chain

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/caller"
)

// held starts a request with a body of size bytes, and reads it.
func held(f *flight, network caller.Network, opens bool, size int) (*body, error) {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size)))
	rec := &record{caller: caller.Caller{Network: network}, mayEnd: opens}
	b := new(body)
	b.keep(r, rec, f)
	_, err := io.Copy(io.Discard, b)
	return b, err
}

// The attack: one network sends the halves of many large bodies and leaves them
// there. It gets only its share, others get theirs, and a caller who opens a
// secret gets in past all of them.
func TestBytesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	f := newFlight()
	var all []*body
	hold := func(addr string, opens bool, size int) error {
		b, err := held(f, network(t, addr), opens, size)
		all = append(all, b)
		return err
	}
	for range networkHeld / (4 << 20) {
		if err := hold("192.0.2.1", false, 4<<20); err != nil {
			t.Fatalf("a body within the share: got %v, want no error", err)
		}
	}
	err := hold("192.0.2.1", false, 1)
	if connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("a byte above the share: got %v, want UNAVAILABLE", err)
	}
	refused, ok := errors.AsType[*connect.Error](err)
	if !ok || refused.Meta().Get("Retry-After") != "2" || len(refused.Details()) != 1 {
		t.Errorf("a byte above the share: got %v, want it to say when to come back", err)
	}
	for i := 2; i < 2+(maxHeld-networkHeld)/networkHeld; i++ {
		if err := hold(strings.Replace("192.0.2.x", "x", string(rune('0'+i)), 1), false, networkHeld); err != nil {
			t.Fatalf("the share of network %d: got %v, want no error", i, err)
		}
	}
	if err := hold("192.0.2.99", false, 1); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("a byte above the whole: got %v, want UNAVAILABLE", err)
	}
	for _, addr := range []string{"192.0.2.1", "192.0.2.99"} {
		if err := hold(addr, true, 1<<10); err != nil {
			t.Errorf("a reveal from %s while creation is full: got %v, want no error", addr, err)
		}
	}
	if err := hold("192.0.2.99", true, ownOpening); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("reveals above their share: got %v, want UNAVAILABLE", err)
	}
	for _, b := range all {
		b.release()
		b.release() // once is enough
	}
	if creating, opening := f.creation.Held(), f.opening.Held(); creating != 0 || opening != 0 {
		t.Errorf("after all requests ended: got %d bytes of creation and %d of opening, want none", creating, opening)
	}
	for _, addr := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.99"} {
		n := network(t, addr)
		if !f.creation.Take(n, networkHeld) || !f.opening.Take(n, ownOpening) {
			t.Errorf("the shares of %s after all requests ended: got no room, want all of it", addr)
		}
	}
}

func TestBodyEndsAtTheMessagesLimit(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 1000)))
	rec := &record{most: 100}
	b := new(body)
	b.keep(r, rec, newFlight())
	if n, err := io.Copy(io.Discard, b); n != 100 || err != nil {
		t.Errorf("reading: got %d, %v, want 100 bytes and an end", n, err)
	}
	if b.left != 900 {
		t.Errorf("left to be drained: got %d, want 900", b.left)
	}
	b.release()
}

// Four megabytes decompress to four gigabytes. A reader that wants one megabyte
// must not wait until the rest is decompressed and discarded.
func TestDecompressionStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(make([]byte, 64<<20)); err != nil || w.Close() != nil {
		t.Fatalf("gzip: got %v, want no error", err)
	}
	size := packed.Len()
	f := newFlight()
	u := &unpacker{flight: f, most: 1 << 20}
	if err := u.Reset(&packed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{1<<20 + 1, 0} { // connect reads up to the limit, then to the end
		if n, err := io.Copy(io.Discard, u); n != want || err != nil {
			t.Errorf("reading: got %d bytes, %v, want %d", n, err, want)
		}
	}
	if taken := size - packed.Len(); taken > size/4 {
		t.Errorf("reading: got %d of %d packed bytes taken, want a small part", taken, size)
	}
	if got := f.unpacking.Load(); got != 1<<20+1 {
		t.Errorf("bytes that are unpacked: got %d, want %d", got, 1<<20+1)
	}
	if err := u.Close(); err != nil || f.unpacking.Load() != 0 {
		t.Errorf("Close: got %v and %d bytes, want none", err, f.unpacking.Load())
	}
	f.unpacking.Add(maxUnpacking)
	if err := u.Reset(bytes.NewReader(gzipOf(t, "hello"))); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(u); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("reading while everybody unpacks: got %v, want UNAVAILABLE", err)
	}
	if err := u.Close(); err != nil || f.unpacking.Load() != maxUnpacking {
		t.Errorf("Close: got %v and %d bytes, want %d", err, f.unpacking.Load(), maxUnpacking)
	}
}

func gzipOf(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
		t.Fatalf("gzip: got %v, want no error", err)
	}
	return b.Bytes()
}

// A compressed message counts at its decompressed size until its call ends.
func TestUnpackedMessagesAreHeld(t *testing.T) {
	t.Parallel()
	f := newFlight()
	rec := &record{packed: true}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("x"))
	b := new(body)
	b.keep(r, rec, f)
	var during int64
	method := bind(chainOf(gateOf(t, nil), textLog(io.Discard)), "/hush.v1.SecretService/ConcealSecret", func(context.Context, *hushv1.ConcealSecretRequest) (*hushv1.ConcealSecretResponse, error) {
		during = f.creation.Held()
		return &hushv1.ConcealSecretResponse{}, nil
	})
	message := &hushv1.ConcealSecretRequest{Secret: strings.Repeat("x", 1<<20)}
	if _, err := admitted(t.Context(), rec, method, message); err != nil || during < 1<<20 {
		t.Errorf("Call: got %v and %d bytes held, want 1 MiB", err, during)
	}
	b.release()
	if got := f.creation.Held(); got != 0 {
		t.Errorf("after the request: got %d bytes, want none", got)
	}
	for range 17 {
		if _, err := admitted(t.Context(), rec, method, message); err != nil {
			return
		}
	}
	t.Error("17 MiB of one network: got no error, want one")
}
