package protocols_test

import (
	"testing"
	"time"

	"hush/client"
	"hush/client/clienttest"
	"hush/vault/caller"
)

// Hush serves v1 and v2 as a reference would without its defects.
func TestOnetimeOnHush(t *testing.T) {
	t.Parallel()
	s := clienttest.StartWhole(t)
	token := s.Token(t, caller.ScopesAll)
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		c := clientOf(t, s.URL, client.Options{Protocol: protocol, Username: clienttest.Address, Token: token})
		account, err := c.Account(t.Context())
		if err != nil || account.Address != clienttest.Address {
			t.Errorf("%v: Account: got %+v, %v", protocol, account, err)
		}
		request := clienttest.Text(canary)
		request.Passphrase, request.TTL = client.Hide(passphrase), time.Hour
		shared := clienttest.MustShare(t, c, request)
		if shared.Receipt.TTL != time.Hour || !shared.Receipt.HasPassphrase || shared.Receipt.State != client.StateWaiting {
			t.Errorf("%v: Share: got %+v", protocol, shared.Receipt)
		}
		_, err = c.Open(t.Context(), shared.Link, client.Hide("wrong"), client.Claim{})
		want := map[client.Protocol]*client.Error{client.ProtocolV1: client.ErrGone, client.ProtocolV2: client.ErrPassphrase}[protocol]
		clienttest.WantError(t, protocol.String()+": Open with a wrong passphrase", err, want)
		opened, err := c.Open(t.Context(), clienttest.Parsed(t, shared.Link), client.Hide(passphrase), client.NewClaim())
		clienttest.WantText(t, opened, err, canary)
		receipt, err := c.Receipt(t.Context(), shared.Receipt.Key)
		if err != nil || receipt.State != client.StateOpened {
			t.Errorf("%v: Receipt: got %v, %v, want it opened", protocol, receipt.State, err)
		}
		other := clienttest.MustShare(t, c, clienttest.Text(canary))
		burned, err := c.Burn(t.Context(), other.Receipt.Key, client.Text{})
		if err != nil || burned.State != client.StateBurned {
			t.Errorf("%v: Burn: got %v, %v, want it burned", protocol, burned.State, err)
		}
		_, err = c.Burn(t.Context(), other.Receipt.Key, client.Text{})
		clienttest.WantError(t, protocol.String()+": Burn again", err, client.ErrGone)
		count := 0
		for _, err := range c.Receipts(t.Context()) {
			if err != nil {
				t.Fatalf("%v: Receipts: got %v, want no error", protocol, err)
			}
			count++
		}
		if count < 2 {
			t.Errorf("%v: Receipts: got %d, want both", protocol, count)
		}
		_, err = clientOf(t, s.URL, client.Options{Protocol: protocol, Username: clienttest.Address, Token: client.Hide("wrong")}).Account(t.Context())
		clienttest.WantError(t, protocol.String()+": Account with a wrong token", err, client.ErrUnauthorized)
	}
}

// Only Hush has requests: clients of other protocols say so, and send nothing.
func TestRequestsNeedHush(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[client.Protocol]*client.Error{client.ProtocolHush: nil, client.ProtocolV2: client.ErrUnsupported, client.ProtocolV1: client.ErrUnsupported} {
		requests, err := clientOf(t, "http://"+clienttest.Nowhere, client.Options{Protocol: protocol}).Requests()
		switch {
		case want != nil:
			clienttest.WantError(t, protocol.String(), err, want)
		case err != nil || requests == nil:
			t.Errorf("Requests(%v): got %v, want no error", protocol, err)
		}
	}
}

// A secret that was encrypted on a device opens by Hush only, and stays.
func TestOnetimeOfAnEndToEndSecret(t *testing.T) {
	t.Parallel()
	s := clienttest.StartWhole(t)
	shared := clienttest.MustShare(t, clientOf(t, s.URL, client.Options{}), clienttest.Text(canary))
	bare := client.Link{Server: s.URL, Encryption: client.EncryptionServer, Key: shared.Link.Key, Foreign: true}
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		_, err := clientOf(t, s.URL, client.Options{Protocol: protocol}).Open(t.Context(), bare, client.Text{}, client.Claim{})
		clienttest.WantError(t, protocol.String()+": Open", err, client.ErrUnsupported)
	}
	opened, err := clientOf(t, s.URL, client.Options{}).Open(t.Context(), clienttest.Parsed(t, shared.Link), client.Text{}, client.NewClaim())
	clienttest.WantText(t, opened, err, canary)
}
