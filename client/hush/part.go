package hush

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"hush/client"
)

// The bytes of parts take no way through the messages of the RPCs, which would copy them
// several times: a part that is sent is added to the encoded request, and a part that is
// received is taken out of the encoded answer.

const (
	// partField is the number of content in PutPartRequest, and contentField that in
	// GetPartResponse.
	partField    = 4
	contentField = 1
	// partFrame is more than what is around a part in a message.
	partFrame = 1 << 10
)

// outgoing is a part that is added to a request.
type outgoing struct{ content []byte }

// incoming is a part that is taken out of an answer.
type incoming struct {
	// buffer has room for the part.
	buffer []byte
	// content is the part, in buffer.
	content []byte
}

type (
	outgoingKey struct{}
	incomingKey struct{}
)

func withOutgoing(ctx context.Context, part *outgoing) context.Context {
	return context.WithValue(ctx, outgoingKey{}, part)
}

func withIncoming(ctx context.Context, part *incoming) context.Context {
	return context.WithValue(ctx, incomingKey{}, part)
}

// addPart adds the part of a call to its request. release must be called once the part
// may get other bytes: a transport may still read the request after its answer.
func addPart(r *http.Request) (release func()) {
	part, ok := r.Context().Value(outgoingKey{}).(*outgoing)
	if !ok {
		return func() {}
	}
	head := protowire.AppendTag(nil, partField, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(len(part.content)))
	lent := &lending{}
	with := func(body io.ReadCloser) io.ReadCloser {
		return partBody{io.MultiReader(body, bytes.NewReader(head), lent.reader(part.content)), body}
	}
	again := r.GetBody
	r.ContentLength += int64(len(head) + len(part.content))
	r.Body = with(r.Body)
	r.GetBody = func() (io.ReadCloser, error) {
		body, err := again()
		if err != nil {
			return nil, err
		}
		return with(body), nil
	}
	return lent.end
}

// partBody is the body of a request with a part behind it.
type partBody struct {
	io.Reader
	io.Closer
}

// lending lets others read bytes until it ends.
type lending struct {
	mu    sync.Mutex
	ended bool
}

func (l *lending) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

func (l *lending) reader(content []byte) io.Reader { return &lentReader{lending: l, content: content} }

type lentReader struct {
	lending *lending
	content []byte
}

var errReturned = errors.New("the part was returned to its owner")

// Read implements io.Reader.
func (r *lentReader) Read(into []byte) (int, error) {
	r.lending.mu.Lock()
	defer r.lending.mu.Unlock()
	switch {
	case r.lending.ended:
		return 0, errReturned
	case len(r.content) == 0:
		return 0, io.EOF
	}
	n := copy(into, r.content)
	r.content = r.content[n:]
	return n, nil
}

// takePart takes the part of a call out of its answer, and leaves the answer without it.
// It returns false for another answer.
func takePart(res *http.Response) (taken bool, err error) {
	part, ok := res.Request.Context().Value(incomingKey{}).(*incoming)
	if !ok || res.StatusCode != http.StatusOK {
		return false, nil
	}
	defer res.Body.Close()
	part.buffer = part.buffer[:cap(part.buffer)]
	n, err := io.ReadFull(res.Body, part.buffer)
	switch {
	case err == nil:
		return true, errTooLong
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return true, err
	case res.ContentLength >= 0 && int64(n) != res.ContentLength:
		return true, io.ErrUnexpectedEOF
	}
	if part.content, ok = partOf(part.buffer[:n]); !ok {
		return true, errNoPart()
	}
	res.Body, res.ContentLength = http.NoBody, 0
	return true, nil
}

func errNoPart() error {
	return &client.Error{Kind: client.KindProtocol, Message: "the answer has no part of the file"}
}

// partOf returns the content in an encoded GetPartResponse.
func partOf(message []byte) (content []byte, ok bool) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, false
		}
		message = message[n:]
		if number == contentField && kind == protowire.BytesType {
			value, n := protowire.ConsumeBytes(message)
			if n < 0 {
				return nil, false
			}
			content, ok, message = value, true, message[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return nil, false
		}
		message = message[n:]
	}
	return content, ok
}
