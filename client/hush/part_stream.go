package hush

import (
	"context"
	"io"
	"sync"
	"time"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/endtoend"
)

// partStream reads the parts of a file as one stream. Some are fetched before they are
// read, and no more than fetchersMax of them stand in memory.
type partStream struct {
	*fetching

	cancel   context.CancelFunc
	fetchers sync.WaitGroup
	// slots get the parts in their order, each once it is there. memory is what parts are
	// fetched into.
	slots  chan chan fetched
	memory chan []byte
	width  int // how much memory there is

	discard int // bytes at the beginning that are not read
	current fetched
	unread  []byte
	err     error
}

// fetched is a part in its memory, or why there is none.
type fetched struct {
	content, memory []byte
	err             error
}

// stream begins to fetch the parts from one on, so many at a time. The caller must call
// stop.
func (f *fetching) stream(ctx context.Context, from uint32, width int) *partStream {
	within, cancel := context.WithCancel(ctx)
	s := &partStream{fetching: f, cancel: cancel, slots: make(chan chan fetched, fetchersMax), memory: make(chan []byte, fetchersMax)}
	s.widen(width)
	s.fetchers.Go(func() { s.run(within, from) })
	return s
}

// widen lets more parts be fetched at a time.
func (s *partStream) widen(width int) {
	for ; s.width < width; s.width++ {
		s.memory <- nil
	}
}

// stop ends all calls.
func (s *partStream) stop() {
	s.cancel()
	s.fetchers.Wait()
}

// run begins to fetch a part whenever there is memory for it.
func (s *partStream) run(ctx context.Context, from uint32) {
	defer close(s.slots)
	for number := from; number < s.parts; number++ {
		var memory []byte
		select {
		case memory = <-s.memory:
		case <-ctx.Done():
			return
		}
		slot := make(chan fetched, 1)
		s.slots <- slot // never blocks: it has as many places as there is memory
		s.fetchers.Go(func() { slot <- s.part(ctx, number, memory) })
	}
}

// Read implements io.Reader. It returns io.EOF behind the last part.
func (s *partStream) Read(into []byte) (int, error) {
	for len(s.unread) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.next()
	}
	n := copy(into, s.unread)
	s.unread = s.unread[n:]
	return n, nil
}

// next goes on with the next part.
func (s *partStream) next() {
	if s.current.memory != nil {
		s.memory <- s.current.memory
		s.current.memory = nil
	}
	slot, ok := <-s.slots
	if !ok {
		s.err = io.EOF
		return
	}
	s.current = <-slot
	if s.err = s.current.err; s.err != nil {
		return
	}
	cut := min(s.discard, len(s.current.content))
	s.unread, s.discard = s.current.content[cut:], s.discard-cut
}

// part fetches a part, until it is there or the server keeps it no longer.
func (s *partStream) part(ctx context.Context, number uint32, memory []byte) fetched {
	if memory == nil {
		memory = make([]byte, endtoend.PartSize+partFrame)
	}
	repeats := s.repeats.Endless()
	repeats.Notice = func(err error, _ time.Duration) { s.meter.wait(err) }
	in := &incoming{buffer: memory}
	_, fail := attempt.Do(ctx, repeats, func(int) (*hushv1.GetPartResponse, *failure) {
		answer, fail := s.partOnce(ctx, number, in)
		if fail != nil {
			fail.Repeatable = mayPass(ctx, fail)
		}
		return answer, fail
	})
	length := endtoend.PartLength(s.size, number)
	switch {
	case fail != nil && fail.Err.Kind == client.KindGone:
		return fetched{err: &client.Error{Kind: client.KindLost, Message: "the server keeps the file for this device no longer: it was away for too long"}}
	case fail != nil:
		return fetched{err: fail.Err}
	case len(in.content) != length:
		return fetched{err: &client.Error{Kind: client.KindAltered, Message: "a part of the file has another length than it was sent with"}}
	}
	s.meter.done(number, length)
	return fetched{content: in.content, memory: memory}
}

func (s *partStream) partOnce(ctx context.Context, number uint32, in *incoming) (*hushv1.GetPartResponse, *failure) {
	sent := time.Now()
	in.content = nil
	request := &hushv1.GetPartRequest{SecretKey: s.link.Key.Expose(), Claim: s.claim.Bytes(), Number: number}
	within, f := newFlow(ctx, partPatience, s.quiet, s.meter.of(number))
	defer f.stop()
	answer, fail := callIn(ctx, withIncoming(within, in), f, s.Client, s.files.GetPart, request)
	if fail == nil {
		s.keepsUntil(sent.Add(s.lease))
	}
	return answer, fail
}
