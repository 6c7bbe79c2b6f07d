package main

import (
	"strings"
	"testing"
)

// The server waits for the next request while the last answer is on its way, so
// the read of a request's first byte may begin before the write of the answer.
func TestRequestWhoseReadBeganBeforeTheLastAnswer(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 31)
	socket := "9<" + quoted("socket:[1]") + ">"
	record := strings.Join([]string{
		`7  1.000000 read(` + socket + `,  <unfinished ...>`,
		`8  1.000001 write(` + socket + `, "` + quoted("HTTP/1.1 404 Not Found\r\n\r\n") + `", 26) = 26`,
		`7  1.000002 <... read resumed>"` + quoted("P") + `", 1) = 1`,
		`8  1.000003 read(` + socket + `, "` + quoted("OST /api/v1/secret/"+key+" HTTP/1.1\r\n") + `", 4096) = 61`,
	}, "\n") + "\n"
	tr := newTracer()
	if err := tr.read(strings.NewReader(record)); err != nil {
		t.Fatalf("read(record): got %v, want nil", err)
	}
	h := newHistory([]kept{{Key: key}})
	h.secrets[0].concealed = 0
	if err := h.read(tr.calls); err != nil {
		t.Fatalf("read(calls): got %v, want nil", err)
	}
	if got := h.secrets[0].asked; got != 3 {
		t.Errorf("asked: got line %d, want 3", got)
	}
}
