package chain

import (
	"compress/gzip"
	"io"

	"connectrpc.com/connect"
)

// unpacker decompresses a message. It stops one byte after the message's limit,
// however much more there is, and counts the bytes that it returns while it is
// in use.
type unpacker struct {
	gzip.Reader

	flight *flight
	most   int64
	given  int64
}

// packing returns gzip for messages of a procedure with that limit. Parts of files are
// encrypted, and no compression makes them shorter: they go without, so that no caller lets
// the service pack 8 MiB for nothing, or unpack as many out of a few KiB.
func packing(f *flight, most int, isPart bool) connect.HandlerOption {
	if isPart {
		return connect.WithCompression("gzip", nil, nil)
	}
	return connect.WithCompression("gzip",
		func() connect.Decompressor { return &unpacker{flight: f, most: int64(most)} },
		func() connect.Compressor { return gzip.NewWriter(io.Discard) })
}

// Reset starts another message.
func (u *unpacker) Reset(from io.Reader) error {
	u.release()
	return u.Reader.Reset(from)
}

// Read implements io.Reader.
func (u *unpacker) Read(into []byte) (int, error) {
	left := u.most + 1 - u.given
	if left <= 0 {
		return 0, io.EOF
	}
	n, err := u.Reader.Read(into[:min(int64(len(into)), left)])
	u.given += int64(n)
	if u.flight.unpacking.Add(int64(n)) > maxUnpacking {
		return n, heldError()
	}
	return n, err
}

// Close ends the message.
func (u *unpacker) Close() error {
	u.release()
	return u.Reader.Close()
}

func (u *unpacker) release() {
	u.flight.unpacking.Add(-u.given)
	u.given = 0
}
