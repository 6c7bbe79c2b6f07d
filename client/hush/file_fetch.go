package hush

import (
	"context"
	"errors"
	"io"
	"time"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/endtoend"
)

const (
	// acceptsFiles is the accepts_version of a reveal that can have parts.
	acceptsFiles = 2
	// fetchersMax is how many parts are fetched at a time, and stand in memory.
	fetchersMax = 3
	// leaseTime is how long a server keeps a file for a claim whose reader is silent,
	// unless it says something else.
	leaseTime = 2 * time.Hour
)

// fetching is one FetchFile.
type fetching struct {
	*opening

	size  uint64
	parts uint32
	// lease is how long the server keeps the file after each part.
	lease time.Duration
	meter *meter
}

// FetchFile implements client.Files.
func (h *Client) FetchFile(ctx context.Context, link client.Link, passphrase client.Text, claim client.Claim, to client.FileSink) error {
	if claim.IsNone() || link.Encryption != client.EncryptionEndToEnd {
		return &client.Error{Kind: client.KindUsage, Message: "a file is fetched by its end-to-end link, and with a claim"}
	}
	if err := client.CheckPassphrase(passphrase); err != nil {
		return err
	}
	o := &opening{Client: h, link: link, passphrase: passphrase, claim: claim, isFile: true}
	if err := o.look(ctx); err != nil {
		return err
	}
	if err := o.derive(); err != nil {
		return err
	}
	answer, err := o.reveal(ctx)
	if err == nil {
		err = o.checkFile(answer)
	}
	if err != nil {
		return o.withUntil(err)
	}
	f := &fetching{opening: o, size: answer.GetFile().GetSize(), parts: answer.GetFile().GetParts(), lease: answer.GetClaimLeft().AsDuration()}
	f.meter = newMeter(h.progress, client.StageFetchingFile, int64(f.size))
	defer f.meter.end()
	return o.withUntil(f.fetch(ctx, to))
}

// withUntil adds to an error until when the server keeps the content.
func (o *opening) withUntil(err error) error {
	if failed, ok := errors.AsType[*client.Error](err); ok {
		failed.Until = o.keptUntil()
	}
	return err
}

// checkFile checks the answer to the reveal of a file.
func (o *opening) checkFile(answer *hushv1.RevealSecretResponse) error {
	f, secret := answer.GetFile(), answer.GetSecret()
	size := f.GetSize()
	switch {
	case encryptionOf(secret.GetEncryption()) != o.link.Encryption || answer.GetValue() != "" || len(answer.GetContent()) > 0:
		return errOtherKind()
	case secret.GetSecretKey() != o.link.Key.Expose():
		return &client.Error{Kind: client.KindAltered, Message: "the server returned another secret than that of the link"}
	case f == nil || answer.GetClaimLeft() == nil:
		return &client.Error{Kind: client.KindAltered, Message: "the server said that the secret is a file, and returned none"}
	case f.GetPartSize() != endtoend.PartSize || size > maxFile || f.GetParts() != endtoend.Parts(size):
		return &client.Error{Kind: client.KindUnsupported, Message: "the file has parts of another length than this version fetches"}
	}
	return nil
}

// maxFile is more than any server stores, in bytes.
const maxFile = 1 << 52

// fetch fetches the parts and writes their content to a sink.
func (f *fetching) fetch(ctx context.Context, to client.FileSink) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := f.stream(within, 0, 1) // the first part alone says where the others are needed
	defer func() { stream.stop() }()
	content, err := f.keys.Open(stream)
	if err != nil {
		return f.readError(ctx, err)
	}
	if size, err := endtoend.SealedSize(content.Header); err != nil || uint64(size) != f.size {
		return &client.Error{Kind: client.KindAltered, Message: "the content was altered: it has another length than its header says"}
	}
	have, err := to.Begin(client.FileContent{
		IsFile: content.Header.Kind == endtoend.KindFile, FileName: content.Header.FileName, Size: int64(content.Header.Size),
	})
	if err != nil {
		return err
	}
	stream.widen(fetchersMax)
	err = content.Skip(uint64(max(have, 0)), func(offset int64) io.Reader {
		stream.stop()
		part := uint32(offset / endtoend.PartSize)
		f.meter.skip(int64(part) * endtoend.PartSize)
		stream = f.stream(within, part, fetchersMax)
		stream.discard = int(offset % endtoend.PartSize)
		return stream
	})
	if err == nil {
		err = f.copy(to, content)
	}
	return f.readError(ctx, err)
}

// sinkError is an error of the sink, which is returned as it is.
type sinkError struct{ error }

// copySize is how much is written to a sink at once.
const copySize = 256 << 10

// copy writes a content to a sink.
func (*fetching) copy(to io.Writer, content *endtoend.Content) error {
	buffer := make([]byte, copySize)
	for {
		n, err := readFull(content, buffer)
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return sinkError{err}
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// readFull reads until the buffer is full, or an error.
func readFull(from io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = from.Read(buffer[n:])
		n += more
	}
	return n, err
}

// readError returns what an error of reading means.
func (f *fetching) readError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if written, ok := errors.AsType[sinkError](err); ok {
		return written.error
	}
	if ctx.Err() != nil {
		return attempt.Ended(ctx.Err())
	}
	if failed, ok := errors.AsType[*client.Error](err); ok {
		return failed
	}
	return f.altered(err)
}
