package handlers_test

import (
	"context"
	"runtime"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

// states follows a receipt to its end and returns its states.
func states(t *testing.T, stream *connect.ServerStreamForClient[hushv1.WatchMetadataResponse], seen chan<- hushv1.State) {
	t.Helper()
	for stream.Receive() {
		if m := stream.Msg().GetMetadata(); m != nil {
			seen <- m.GetState()
		}
	}
	close(seen)
}

func TestWatchMetadata(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b := &browser{}
	for _, options := range map[string][]connect.ClientOption{
		"connect": nil, "grpc-web": {connect.WithGRPCWeb()}, "json": {connect.WithProtoJSON()},
	} {
		kept := s.conceal(t, b)
		receipts := hushv1connect.NewMetadataServiceClient(s.client(b), s.url, options...)
		secrets := hushv1connect.NewSecretServiceClient(s.client(b), s.url)
		stream, err := receipts.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: kept.GetMetadataKey()})
		if err != nil {
			t.Fatalf("WatchMetadata: got %v, want no error", err)
		}
		seen := make(chan hushv1.State, 10)
		go states(t, stream, seen)
		if got := <-seen; got != hushv1.State_STATE_NEW {
			t.Errorf("WatchMetadata: got %v first, want new", got)
		}
		if got := <-seen; got != hushv1.State_STATE_VIEWED {
			t.Errorf("WatchMetadata: got %v, want viewed after the first look", got)
		}
		if _, err := secrets.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: kept.GetSecretKey()}); err != nil {
			t.Fatalf("RevealSecret: got %v, want no error", err)
		}
		if got := <-seen; got != hushv1.State_STATE_RECEIVED {
			t.Errorf("WatchMetadata: got %v, want received after the reveal", got)
		}
		if got, more := <-seen; more || stream.Err() != nil {
			t.Errorf("WatchMetadata: got %v and %v, want the end of the stream", got, stream.Err())
		}
	}
}

func TestWatchMetadataRefuses(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b := &browser{}
	receipts := hushv1connect.NewMetadataServiceClient(s.client(b), s.url)
	stream, err := receipts.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: "nonsense"})
	if err == nil && stream.Receive() {
		t.Fatal("WatchMetadata(nonsense): got a message, want none")
	}
	if err == nil {
		err = stream.Err()
	}
	if code := connect.CodeOf(err); code != connect.CodeNotFound {
		t.Errorf("WatchMetadata(nonsense): got %v, want not found", err)
	}
}

// Callers who left, as far as the service can know, take no place.
func TestWatchMetadataEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b := &browser{}
	kept := s.conceal(t, b)
	receipts := hushv1connect.NewMetadataServiceClient(s.client(b), s.url)
	follow := func() error {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		stream, err := receipts.WatchMetadata(ctx, &hushv1.WatchMetadataRequest{MetadataKey: kept.GetMetadataKey()})
		if err == nil && !stream.Receive() {
			err = stream.Err()
		}
		return err
	}
	for range 3 * chain.StreamsMost {
		err := follow()
		for connect.CodeOf(err) == connect.CodeResourceExhausted && t.Context().Err() == nil {
			runtime.Gosched() // the service has not noticed yet that one left
			err = follow()
		}
		if err != nil {
			t.Fatalf("WatchMetadata: got %v, want a message", err)
		}
	}
}

// The attack: follow a receipt with a stolen session. Once the owner signs out
// everywhere the stream ends at once, not with its next message.
func TestWatchMetadataEndsWithItsSession(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	thief, _ := s.signIn(t, false)
	token := s.bearer(t, caller.ScopesAll)
	kept := s.conceal(t, &browser{})
	for _, c := range []struct {
		name string
		with *browser
		end  func() error
	}{
		{"session", thief, func() error {
			owner, _ := s.signIn(t, false)
			_, err := s.sessions(owner).RevokeSessions(t.Context(), &hushv1.RevokeSessionsRequest{All: true})
			return err
		}},
		{"token", token, func() error {
			_, err := s.kit.Vault.Operator().Accounts.DisableAccount(t.Context(), testAddress, true)
			return err
		}},
	} {
		receipts := hushv1connect.NewMetadataServiceClient(s.client(c.with), s.url)
		stream, err := receipts.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: kept.GetMetadataKey()})
		if err != nil || !stream.Receive() {
			t.Fatalf("WatchMetadata with a %s: got %v, want a message", c.name, err)
		}
		if err := c.end(); err != nil {
			t.Fatalf("ending the %s: got %v, want no error", c.name, err)
		}
		for stream.Receive() { // messages already sent
		}
		if connect.CodeOf(stream.Err()) != connect.CodeUnauthenticated {
			t.Errorf("WatchMetadata after the end of its %s: got %v, want unauthenticated", c.name, stream.Err())
		}
	}
}
