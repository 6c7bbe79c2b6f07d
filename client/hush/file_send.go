package hush

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/endtoend"
)

const (
	// sendersMax is how many parts are on their way at a time. One more is encrypted
	// and kept meanwhile.
	sendersMax = client.PartsInFlight - 1
	// partPatience is how long the answer to a part may take to begin once all of it was
	// sent, at first. It doubles each time, since a proxy may send the part on slowly.
	partPatience = time.Minute
)

// sending is one SendFile.
type sending struct {
	*Client

	facts  client.UploadFacts
	to     uploadRequest
	spool  client.Spool
	size   uint64
	parts  uint32
	meter  *meter
	cancel context.CancelFunc
	// places have the memory of the parts in the works: that of part n in place n modulo
	// their number.
	places [client.PartsInFlight]chan []byte
	ready  chan client.SealedPart

	mu  sync.Mutex
	err error // the first one
}

// SendFile implements client.Files.
func (h *Client) SendFile(ctx context.Context, upload client.Upload, body io.ReaderAt, spool client.Spool) error {
	s := &sending{Client: h, facts: upload.Facts(), to: requestOfUpload(upload), spool: spool, ready: make(chan client.SealedPart)}
	size, err := endtoend.SealedSize(s.facts.Header)
	if err != nil {
		return errFileName()
	}
	s.size, s.parts = uint64(size), endtoend.Parts(uint64(size))
	s.meter = newMeter(h.progress, client.StageSendingFile, size)
	defer s.meter.end()
	arrived, done, err := s.arrived(ctx)
	if done || err != nil {
		return err
	}
	kept, after, err := s.kept(arrived)
	if err != nil {
		return err
	}
	sealer, err := s.facts.Keys.SealParts(s.facts.Header, s.facts.Salt, body, after)
	if err != nil {
		return &client.Error{Kind: client.KindFailure, Message: "encrypting", Cause: err}
	}
	return s.run(ctx, kept, sealer)
}

// arrived returns which parts have arrived. done reports whether the upload is finished.
func (s *sending) arrived(ctx context.Context) (arrived []bool, done bool, err error) {
	request := &hushv1.GetUploadRequest{SecretKey: s.to.key, UploadToken: s.to.token}
	answer, fail := attempt.Do(ctx, s.insisting(), func(int) (*hushv1.GetUploadResponse, *failure) {
		answer, fail := call(ctx, s.Client, s.files.GetUpload, request, answerTime)
		s.waits(ctx, fail)
		return answer, fail
	})
	if fail != nil {
		return nil, false, ofUpload(fail.Err)
	}
	f := answer.GetFile()
	if f.GetSize() != s.size || f.GetParts() != s.parts || f.GetPartSize() != endtoend.PartSize {
		return nil, false, &client.Error{Kind: client.KindAltered, Message: "the server says something else of the upload than it was begun with"}
	}
	if f.GetComplete() {
		return nil, true, nil
	}
	bits := answer.GetArrived()
	arrived = make([]bool, s.parts)
	for n := range arrived {
		if arrived[n] = n/8 < len(bits) && bits[n/8]>>(n%8)&1 == 1; arrived[n] {
			s.meter.done(uint32(n), endtoend.PartLength(s.size, uint32(n)))
		}
	}
	return arrived, false, nil
}

// insisting is how calls are repeated: without end, and without a word but for the progress.
func (s *sending) insisting() attempt.Repeats {
	repeats := s.repeats.Endless()
	repeats.Notice = func(err error, _ time.Duration) { s.meter.wait(err) }
	return repeats
}

// waits makes a failure one after which the call is repeated, unless the server refused it.
func (s *sending) waits(ctx context.Context, fail *failure) {
	if fail != nil {
		fail.Repeatable = mayPass(ctx, fail)
	}
}

// kept returns the parts that an earlier process has kept and that have not arrived, and
// the last part that it has encrypted. It returns ErrRestart unless all parts up to that
// one have arrived or are kept: what is missing could only be encrypted twice.
func (s *sending) kept(arrived []bool) (waiting []client.SealedPart, after client.SealedPart, err error) {
	var all []client.SealedPart
	if s.spool != nil {
		if all, err = s.spool.Kept(); err != nil {
			return nil, after, &client.Error{Kind: client.KindRestart, Message: "the encrypted parts that an earlier run kept cannot be read", Cause: err}
		}
	}
	there := slices.Clone(arrived)
	encrypted := 0
	for _, part := range all {
		if part.Number >= s.parts || len(part.Content) != endtoend.PartLength(s.size, part.Number) {
			return nil, after, errRestart()
		}
		if int(part.Number) >= encrypted {
			encrypted, after = int(part.Number)+1, part
		}
		if !there[part.Number] {
			there[part.Number] = true
			waiting = append(waiting, part)
		}
	}
	if slices.Contains(there[:encrypted], false) || slices.Contains(arrived[encrypted:], true) {
		return nil, after, errRestart()
	}
	slices.SortFunc(waiting, func(a, b client.SealedPart) int { return int(a.Number) - int(b.Number) })
	if len(waiting) > 0 && waiting[0].Number+client.PartsInFlight <= waiting[len(waiting)-1].Number {
		return nil, after, errRestart() // two of them for one place
	}
	return waiting, after, nil
}

func errRestart() error {
	return &client.Error{Kind: client.KindRestart, Message: "encrypted parts are missing that an earlier run had made: the upload must begin anew"}
}

// run sends parts that are kept, and those that the sealer makes.
func (s *sending) run(ctx context.Context, kept []client.SealedPart, sealer *endtoend.PartSealer) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	s.cancel = cancel
	for i := range s.places {
		s.places[i] = make(chan []byte, 1)
		s.places[i] <- nil
	}
	var senders sync.WaitGroup
	for range sendersMax {
		senders.Go(func() {
			for part := range s.ready {
				s.send(within, part)
			}
		})
	}
	s.fail(s.produce(within, kept, sealer))
	close(s.ready)
	senders.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return attempt.Ended(ctx.Err())
	}
	return s.err
}

// fail notes the first error, and ends all.
func (s *sending) fail(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.cancel()
	}
}

// produce passes all parts on to the senders: those that are kept, and then new ones, each
// of which is kept before.
func (s *sending) produce(ctx context.Context, kept []client.SealedPart, sealer *endtoend.PartSealer) error {
	for _, part := range kept {
		if _, ok := s.take(ctx, part.Number); !ok || !s.pass(ctx, part) {
			return ctx.Err()
		}
	}
	for {
		place, ok := s.take(ctx, sealer.Number())
		if !ok {
			return ctx.Err()
		}
		part, err := sealer.Next(place)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, endtoend.ErrSize):
			return &client.Error{Kind: client.KindUsage, Message: "the file got shorter while it was sent"}
		case err != nil:
			return &client.Error{Kind: client.KindFailure, Message: "reading the file", Cause: err}
		}
		if s.spool != nil {
			if err := s.spool.Keep(part); err != nil {
				return &client.Error{Kind: client.KindFailure, Message: "keeping an encrypted part", Cause: err}
			}
		}
		if !s.pass(ctx, part) {
			return ctx.Err()
		}
	}
}

// take waits until the place of a part is free.
func (s *sending) take(ctx context.Context, number uint32) (memory []byte, ok bool) {
	select {
	case memory = <-s.places[number%client.PartsInFlight]:
		return memory, true
	case <-ctx.Done():
		return nil, false
	}
}

// pass passes a part on to a sender.
func (s *sending) pass(ctx context.Context, part client.SealedPart) bool {
	select {
	case s.ready <- part:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends a part until it has arrived. Its bytes are the same each time.
func (s *sending) send(ctx context.Context, part client.SealedPart) {
	patience := partPatience
	_, fail := attempt.Do(ctx, s.insisting(), func(int) (*hushv1.PutPartResponse, *failure) {
		answer, fail := s.sendOnce(ctx, part, patience)
		patience = min(2*patience, timeFor(len(part.Content)))
		s.waits(ctx, fail)
		return answer, fail
	})
	if fail != nil {
		s.fail(ofUpload(fail.Err))
		return
	}
	s.meter.done(part.Number, len(part.Content))
	s.places[part.Number%client.PartsInFlight] <- part.Content
}

func (s *sending) sendOnce(ctx context.Context, part client.SealedPart, patience time.Duration) (*hushv1.PutPartResponse, *failure) {
	request := &hushv1.PutPartRequest{SecretKey: s.to.key, UploadToken: s.to.token, Number: part.Number}
	within, f := newFlow(ctx, patience, s.quiet, s.meter.of(part.Number))
	defer f.stop()
	return callIn(ctx, withOutgoing(within, &outgoing{part.Content}), f, s.Client, s.files.PutPart, request)
}
