package handlers_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

// watchHealth watches the health of a service and returns the received
// statuses.
func watchHealth(ctx context.Context, t *testing.T, s *testServer, service string) *connect.ServerStreamForClient[emptypb.Empty] {
	t.Helper()
	// The messages are read from their unknown fields: number 1 is a string in
	// the request and a status in the response.
	request := new(emptypb.Empty)
	request.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), service))
	client := connect.NewClient[emptypb.Empty, emptypb.Empty](http.DefaultClient, s.url+"/grpc.health.v1.Health/Watch", connect.WithGRPCWeb())
	stream, err := client.CallServerStream(ctx, connect.NewRequest(request))
	if err != nil {
		t.Fatalf("Watch(%q): got %v, want a stream", service, err)
	}
	return stream
}

func statusOf(stream *connect.ServerStreamForClient[emptypb.Empty]) uint64 {
	raw := stream.Msg().ProtoReflect().GetUnknown()
	if len(raw) == 0 {
		return 0
	}
	status, _ := protowire.ConsumeVarint(raw[1:])
	return status
}

// A watch reports unknown services too, and continues: they may appear.
func TestHealthWatch(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for service, want := range map[string]uint64{"": 1, "hush.v1.SecretService": 1, "nobody.v1.Service": 3} {
		ctx, leave := context.WithCancel(t.Context())
		stream := watchHealth(ctx, t, s, service)
		if !stream.Receive() || statusOf(stream) != want {
			t.Errorf("Watch(%q): got status %d and %v, want %d", service, statusOf(stream), stream.Err(), want)
		}
		// The stream stays open as long as its caller: otherwise the end would
		// come before the caller leaves.
		over := make(chan bool)
		go func() { over <- !stream.Receive() && connect.CodeOf(stream.Err()) == connect.CodeCanceled }()
		leave()
		if !<-over {
			t.Errorf("Watch(%q): got %v, want it open until its caller left", service, stream.Err())
		}
	}
}

func TestHealthWatchEndsWithTheServer(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	stream := watchHealth(t.Context(), t, s, "")
	if !stream.Receive() || statusOf(stream) != 1 {
		t.Fatalf("Watch: got status %d and %v, want 1", statusOf(stream), stream.Err())
	}
	s.endStreams()
	last := statusOf(stream)
	for stream.Receive() {
		last = statusOf(stream)
	}
	if connect.CodeOf(stream.Err()) != connect.CodeUnavailable || last == 3 {
		t.Errorf("Watch at the end: got %v after status %d, want unavailable", stream.Err(), last)
	}
	check := connect.NewClient[emptypb.Empty, emptypb.Empty](http.DefaultClient, s.url+"/grpc.health.v1.Health/Check")
	res, err := check.CallUnary(t.Context(), connect.NewRequest(new(emptypb.Empty)))
	if err != nil || fmt.Sprint(res.Msg.ProtoReflect().GetUnknown()) != "[8 2]" {
		t.Errorf("Check at the end: got %v and %v, want NOT_SERVING", res, err)
	}
}

// halfSent starts a stream and does not complete its request.
func halfSent(t *testing.T, s *testServer, path string) *bufio.Reader {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	const head = "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+json\r\nContent-Length: 100\r\n\r\n\x00\x00"
	if _, err := fmt.Fprintf(conn, head, path); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(conn)
}

// One network must not take all places for streams, of any kind and whether or
// not their requests are complete.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"receipts": "/hush.v1.MetadataService/WatchMetadata", "health": "/grpc.health.v1.Health/Watch",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestServer(t, vaulttest.Options{}, nil)
			answers := make(chan string, chain.StreamsMost+1)
			for range chain.StreamsMost + 1 {
				reader := halfSent(t, s, path)
				go func() {
					if res, err := http.ReadResponse(reader, nil); err == nil {
						defer res.Body.Close()
						body, _ := io.ReadAll(res.Body)
						answers <- string(body)
					}
				}()
			}
			if got := <-answers; !strings.Contains(got, "resource_exhausted") {
				t.Errorf("the one stream too many: got %q, want resource_exhausted", got)
			}
			b := &browser{}
			account := s.bearer(t, caller.ScopesAll)
			kept := s.conceal(t, b)
			for who, c := range map[string]*browser{"the network": b, "an account": account} {
				receipts := hushv1connect.NewMetadataServiceClient(s.client(c), s.url)
				stream, err := receipts.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: kept.GetMetadataKey()})
				if err != nil {
					t.Fatal(err)
				}
				refused := !stream.Receive() && connect.CodeOf(stream.Err()) == connect.CodeResourceExhausted
				if refused != (c == b) {
					t.Errorf("stream of %s: got %v", who, stream.Err())
				}
			}
		})
	}
}

// A stream that ends with its caller's deadline says so in every protocol. Without an
// error it would read as complete: as if the secret that is watched had ended.
func TestStreamsEndAtTheDeadline(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	key := s.conceal(t, &browser{}).GetMetadataKey()
	receipt := fmt.Sprintf("\x0a%c%s", len(key), key)
	for _, c := range []struct{ path, message, contentType, timeout, value, want string }{
		{"/hush.v1.MetadataService/WatchMetadata", receipt, "application/connect+proto", "Connect-Timeout-Ms", "50", `"code":"deadline_exceeded"`},
		{"/hush.v1.MetadataService/WatchMetadata", receipt, "application/grpc-web+proto", "Grpc-Timeout", "50m", "grpc-status: 4"},
		{"/grpc.health.v1.Health/Watch", "", "application/connect+proto", "Connect-Timeout-Ms", "50", `"code":"deadline_exceeded"`},
		{"/grpc.health.v1.Health/Watch", "", "application/grpc-web+proto", "Grpc-Timeout", "50m", "grpc-status: 4"},
	} {
		body := fmt.Sprintf("\x00\x00\x00\x00%c%s", len(c.message), c.message)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+c.path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", c.contentType)
		r.Header.Set(c.timeout, c.value)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s: got %v, want an answer", c.path, err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		status := "grpc-status: " + res.Header.Get("Grpc-Status") // of an answer without a message
		if err != nil || !strings.Contains(strings.ToLower(string(got))+status, c.want) {
			t.Errorf("%s over %s at its deadline: got %q %s %v, want %s", c.path, c.contentType, got, status, err, c.want)
		}
	}
}
