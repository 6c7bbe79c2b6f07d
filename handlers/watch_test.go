package handlers_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/claim"
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

// A receipt of a secret that was revealed with a claim is followed until the claim
// has ended, and the response says how.
func TestWatchMetadataFollowsAClaim(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{Manual: true}, nil)
	b := &browser{}
	receipts, secrets := hushv1connect.NewMetadataServiceClient(s.client(b), s.url), hushv1connect.NewSecretServiceClient(s.client(b), s.url)
	for name, c := range map[string]struct {
		end  func(key string) error
		want hushv1.Event_Kind
	}{
		"delivered": {func(key string) error {
			_, err := secrets.AcknowledgeReveal(t.Context(), &hushv1.AcknowledgeRevealRequest{SecretKey: key, Claim: make([]byte, 32)})
			return err
		}, hushv1.Event_KIND_DELIVERED},
		"lapsed": {func(string) error {
			s.kit.Clock.Advance(claim.Lifetime)
			s.kit.MustLapse(t)
			return nil
		}, hushv1.Event_KIND_LAPSED},
	} {
		kept := s.conceal(t, b)
		stream, err := receipts.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: kept.GetMetadataKey()})
		if err != nil {
			t.Fatalf("WatchMetadata(%s): got %v, want no error", name, err)
		}
		next := func() *hushv1.Metadata {
			for stream.Receive() {
				if m := stream.Msg().GetMetadata(); m != nil {
					return m
				}
			}
			return nil
		}
		for next().GetState() != hushv1.State_STATE_VIEWED {
			continue
		}
		request := &hushv1.RevealSecretRequest{SecretKey: kept.GetSecretKey(), Claim: make([]byte, 32)}
		first, err := secrets.RevealSecret(t.Context(), request)
		if err != nil || first.GetClaimLeft().AsDuration() != claim.Lifetime {
			t.Fatalf("RevealSecret(%s): got %v and %v left, want %v", name, err, first.GetClaimLeft(), claim.Lifetime)
		}
		received := next()
		if received.GetState() != hushv1.State_STATE_RECEIVED {
			t.Errorf("WatchMetadata(%s): got %v, want received", name, received)
		}
		s.kit.Clock.Advance(time.Second)
		again, err := secrets.RevealSecret(t.Context(), request)
		want := &hushv1.RevealSecretResponse{
			Secret: &hushv1.Secret{SecretKey: kept.GetSecretKey(), State: hushv1.State_STATE_RECEIVED, Encryption: hushv1.Encryption_ENCRYPTION_SERVER},
			Value:  first.GetValue(), ClaimLeft: durationpb.New(claim.Lifetime - time.Second),
		}
		if err != nil || !proto.Equal(again, want) {
			t.Errorf("RevealSecret(%s, again): got %v and %v, want %v", name, again, err, want)
		}
		if err := c.end(kept.GetSecretKey()); err != nil {
			t.Fatalf("end of the claim (%s): got %v, want no error", name, err)
		}
		ended := next()
		events := ended.GetEvents()
		if n := len(events); n < 2 || events[n-2].GetKind() != hushv1.Event_KIND_REVEALED || events[n-1].GetKind() != c.want {
			t.Errorf("WatchMetadata(%s): got the events %v, want revealed and then %v", name, events, c.want)
		}
		if !ended.GetUpdateTime().AsTime().After(received.GetUpdateTime().AsTime()) {
			t.Errorf("WatchMetadata(%s): got update_time %v, want one after %v", name, ended.GetUpdateTime().AsTime(), received.GetUpdateTime().AsTime())
		}
		if more := next(); more != nil || stream.Err() != nil {
			t.Errorf("WatchMetadata(%s): got %v and %v, want the end of the stream", name, more, stream.Err())
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
