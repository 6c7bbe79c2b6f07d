package connections

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"
)

// scripted is a connection that gives what arrives in pieces, and counts the
// reads.
type scripted struct {
	net.Conn

	pieces [][]byte
	reads  int
}

func (s *scripted) Read(b []byte) (int, error) {
	s.reads++
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; len(s.pieces[0]) == 0 {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

// However much is asked for at a time and however it arrives, what is read is
// what was sent, to its end, and nothing of it stays in memory.
func TestReadingAheadChangesNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		sent := make([]byte, random.IntN(3*readAhead))
		for i := range sent {
			sent[i] = byte(1 + random.IntN(255))
		}
		inner := &scripted{}
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN([]int{1, 20, readAhead, 2 * readAhead}[random.IntN(4)]))
			inner.pieces, rest = append(inner.pieces, rest[:n]), rest[n:]
		}
		c := &conn{Conn: inner}
		var got []byte
		for {
			b := make([]byte, []int{frameHeader, 1, frameHeader - 1, frameHeader + 1, 600, readAhead, 5 * readAhead}[random.IntN(7)])
			n, err := c.Read(b)
			got = append(got, b[:n]...)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || n == 0 {
				t.Fatalf("Read: got %d, %v, want bytes or the end", n, err)
			}
		}
		if !bytes.Equal(got, sent) {
			t.Fatalf("Read: got %d bytes, want the %d that were sent", len(got), len(sent))
		}
		if kept := bytes.Trim(c.ahead, "\x00"); len(kept) > 0 {
			t.Fatalf("after the end: got %d bytes in memory, want none", len(kept))
		}
	}
}

// A call of two frames takes one read.
func TestFramesThatArriveTogetherAreReadTogether(t *testing.T) {
	t.Parallel()
	inner := &scripted{pieces: [][]byte{bytes.Repeat([]byte{1}, 2*(frameHeader+100))}}
	c := &conn{Conn: inner}
	for range 2 {
		for _, size := range []int{frameHeader, 100} {
			if _, err := io.ReadFull(c, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if inner.reads != 1 {
		t.Errorf("two frames: got %d reads, want 1", inner.reads)
	}
}
