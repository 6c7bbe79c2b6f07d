package chain

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// streamServer is a chain with one service over HTTP/1.1 and h2c, with a receipt to
// follow. It runs in a bubble, so that no deadline passes while the test works.
type streamServer struct {
	*Pipes
	client  hushv1connect.MetadataServiceClient
	streams *streams
	kit     *vaulttest.Kit
	kept    secret.Concealed
}

// newBubbleChain returns a chain for a bubble, whose time is time.Now, and its vault. It
// never is on PostgreSQL: the time of a bubble stands still while a connection waits for
// what comes from outside.
func newBubbleChain(t *testing.T) (*vaulttest.Kit, *Chain) {
	t.Helper()
	kit := vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true})
	c, err := New(Options{
		Settings: Settings{Log: slog.New(slog.DiscardHandler), Now: time.Now, BaseURL: &url.URL{Scheme: "https", Host: "hush.example"}},
		Sessions: kit.Vault.Sessions,
	})
	if err != nil {
		t.Fatal(err)
	}
	return kit, c
}

func newStreamServer(t *testing.T, change func(*streams, *http.Server)) *streamServer {
	t.Helper()
	kit, c := newBubbleChain(t)
	mount := c.Mount(hushv1connect.NewMetadataServiceHandler(&receiptService{receipts: kit.Vault.Receipts}, c.HandlerOptions()...))
	pipes := ServePipes(t, c.Middleware(mount.Handler), func(server *http.Server) { change(c.streams, server) })
	client := hushv1connect.NewMetadataServiceClient(pipes.Client(t), "http://hush.example")
	return &streamServer{pipes, client, c.streams, kit, kit.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})}
}

// receiptService has one stream, which reports that a receipt changed but not
// how.
type receiptService struct {
	hushv1connect.UnimplementedMetadataServiceHandler

	receipts *receipt.Receipts
}

func (s *receiptService) WatchMetadata(ctx context.Context, req *hushv1.WatchMetadataRequest, stream *connect.ServerStream[hushv1.WatchMetadataResponse]) error {
	watch, err := s.receipts.WatchMetadata(ctx, CallerFrom(ctx), req.GetMetadataKey())
	if err != nil {
		return err
	}
	defer watch.Close()
	for {
		if err := stream.Send(new(hushv1.WatchMetadataResponse)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-watch.Changed():
		}
	}
}

const watchPath = "/hush.v1.MetadataService/WatchMetadata"

func (s *streamServer) watch(t *testing.T) *connect.ServerStreamForClient[hushv1.WatchMetadataResponse] {
	t.Helper()
	stream, err := s.client.WatchMetadata(t.Context(),
		&hushv1.WatchMetadataRequest{MetadataKey: s.kept.Metadata.Key.Expose()})
	if err != nil || !stream.Receive() {
		t.Fatalf("WatchMetadata: got %v, want a message", err)
	}
	return stream
}

// At the end of its time a stream ends with a code that makes clients resume
// it.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newStreamServer(t, func(s *streams, _ *http.Server) { s.life = 50 * time.Millisecond })
		stream := server.watch(t)
		for stream.Receive() { // until it ends
		}
		if got := connect.CodeOf(stream.Err()); got != connect.CodeUnavailable {
			t.Errorf("WatchMetadata at its end: got %v, want unavailable", stream.Err())
		}
		if _, found := retryDelay(stream.Err()); !found {
			t.Errorf("WatchMetadata at its end: got %v, want it to say when to call again", stream.Err())
		}
	})
}

func retryDelay(err error) (any, bool) {
	coded, ok := errors.AsType[*connect.Error](err)
	if !ok {
		return nil, false
	}
	for _, detail := range coded.Details() {
		if strings.HasSuffix(detail.Type(), "RetryInfo") {
			return detail, true
		}
	}
	return nil, false
}

// Hundreds of half-sent requests used to stay open forever, because the
// deadline was removed before the request was complete. Now it applies until
// then, and not to complete requests.
func TestHalfSentStreamsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newStreamServer(t, func(s *streams, server *http.Server) {
			s.sendTime = 300 * time.Millisecond // for the HTTP/2 client, which reads no answer either
			server.ReadTimeout, server.WriteTimeout = 200*time.Millisecond, 300*time.Millisecond
		})
		whole := server.watch(t)
		for name, begin := range map[string]func(*testing.T) io.Reader{"HTTP/1.1": server.halfSent1, "HTTP/2": server.halfSent2} {
			if _, err := io.Copy(io.Discard, begin(t)); err != nil {
				t.Logf("%s: %v", name, err) // a reset is an end as well
			}
		}
		synctest.Wait() // the last one is leaving
		if got := server.streams.open.Held(); got != 1 {
			t.Errorf("streams after the deadlines: got %d, want the complete one", got)
		}
		server.kit.MustReveal(t, vaulttest.Caller(2), server.kept.Secret.Key, "")
		if !whole.Receive() {
			t.Errorf("WatchMetadata after the deadlines: got %v, want a message", whole.Err())
		}
	})
}

// halfSent1 starts a stream over HTTP/1.1 and never completes its request.
func (s *streamServer) halfSent1(t *testing.T) io.Reader {
	t.Helper()
	conn := s.Dial(t)
	const head = "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/connect+json\r\nContent-Length: 100\r\n\r\n\x00\x00"
	if _, err := fmt.Fprintf(conn, head, watchPath); err != nil {
		t.Fatal(err)
	}
	return conn
}

// halfSent2 does the same over HTTP/2. Its result ends with the stream.
func (s *streamServer) halfSent2(t *testing.T) io.Reader {
	t.Helper()
	framer := s.frames(t)
	s.request(t, framer, false)
	return readerFunc(func([]byte) (int, error) { return 0, untilReset(framer) })
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// untilReset reads frames until a stream has ended.
func untilReset(framer *http2.Framer) error {
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		header := frame.Header()
		if header.Type == http2.FrameRSTStream || header.Flags.Has(http2.FlagDataEndStream) &&
			(header.Type == http2.FrameData || header.Type == http2.FrameHeaders) {
			return io.EOF
		}
	}
}

// frames speaks HTTP/2 by hand, and does not let the server send data: it does
// not read.
func (s *streamServer) frames(t *testing.T) *http2.Framer {
	t.Helper()
	conn := s.Dial(t)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize}); err != nil {
		t.Fatal(err)
	}
	return framer
}

// request requests a watch, and sends the whole request or only its first
// bytes.
func (s *streamServer) request(t *testing.T, framer *http2.Framer, whole bool) {
	t.Helper()
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", watchPath}, {":authority", "x"}, {"content-type", "application/connect+json"},
	} {
		_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
	if err != nil {
		t.Fatal(err)
	}
	message := fmt.Appendf(nil, `{"metadataKey":%q}`, s.kept.Metadata.Key.Expose())
	message = append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	if !whole {
		message = message[:7]
	}
	if err := framer.WriteData(1, whole, message); err != nil {
		t.Fatal(err)
	}
}

// A client that never reads holds a stream no longer than a message may take.
func TestStreamsOfClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newStreamServer(t, func(s *streams, _ *http.Server) { s.sendTime = 100 * time.Millisecond })
		framer := server.frames(t)
		server.request(t, framer, true)
		if err := untilReset(framer); !errors.Is(err, io.EOF) {
			t.Errorf("stream that nobody reads: got %v, want its end", err)
		}
		synctest.Wait()
		if got := server.streams.open.Held(); got != 0 {
			t.Errorf("streams after the end: got %d, want none", got)
		}
	})
}

// The number of streams is bounded, regardless of the number of callers.
func TestAllStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := newStreams(policies{})
	for i := range streamsAll {
		if !s.open.Take(streamer{account: fmt.Sprint(i)}, 1) {
			t.Fatalf("Take: got no room for stream %d of %d", i, streamsAll)
		}
	}
	if s.open.Take(streamer{account: "another"}, 1) {
		t.Errorf("Take: got room for more than %d streams", streamsAll)
	}
	s.open.Give(streamer{account: "0"}, 1)
	if !s.open.Take(streamer{account: "another"}, 1) {
		t.Error("Take after one has left: got no room")
	}
	if got := s.open.Held(); got != streamsAll {
		t.Errorf("streams: got %d, want %d", got, streamsAll)
	}
}

// Streams that start after the end of all of them end at once.
func TestStreamsAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newStreamServer(t, func(s *streams, _ *http.Server) { s.stop() })
		stream, err := server.client.WatchMetadata(context.Background(),
			&hushv1.WatchMetadataRequest{MetadataKey: server.kept.Metadata.Key.Expose()})
		if err != nil {
			t.Fatal(err)
		}
		for stream.Receive() { // perhaps one message
		}
		if connect.CodeOf(stream.Err()) != connect.CodeUnavailable {
			t.Errorf("WatchMetadata after the end: got %v, want unavailable", stream.Err())
		}
	})
}
