package hush_test

import (
	"bytes"
	"testing"
	"time"

	"hush/client"
	"hush/client/clienttest"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

func TestShareAndOpen(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	binary := bytes.Repeat([]byte{0, 0xff, '\n'}, 30_000)
	for name, request := range map[string]client.ShareRequest{
		"text":            clienttest.Text("hunter2\n"),
		"passphrase":      {Content: &client.Content{Bytes: []byte("hunter2")}, Passphrase: client.Hide("quick otter")},
		"file":            {Content: &client.Content{Bytes: binary, IsFile: true, FileName: "key.bin"}},
		"empty file":      {Content: &client.Content{IsFile: true, FileName: "empty"}},
		"bytes":           {Content: &client.Content{Bytes: binary}},
		"server":          {Content: &client.Content{Bytes: []byte("hunter2")}, Encryption: client.EncryptionServer},
		"server, guarded": {Content: &client.Content{Bytes: []byte("hunter2")}, Encryption: client.EncryptionServer, Passphrase: client.Hide("quick otter")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request.Label, request.TTL = "for Eve", time.Hour
			shared := clienttest.MustShare(t, c, request)
			link, claim := clienttest.Parsed(t, shared.Link), client.NewClaim()
			secret, err := c.Look(t.Context(), link)
			if err != nil || !secret.Known || secret.HasPassphrase == request.Passphrase.IsEmpty() || secret.Encryption != link.Encryption || !secret.Expires.Equal(vaulttest.StartTime().Add(time.Hour)) {
				t.Errorf("Look: got %+v, %v", secret, err)
			}
			opened, err := c.Open(t.Context(), link, request.Passphrase, claim)
			if err != nil {
				t.Fatalf("Open: got %v, want no error", err)
			}
			isFile := request.Content.IsFile || name == "bytes"
			if got := opened.Content; !bytes.Equal(got.Bytes, request.Content.Bytes) || got.IsFile != isFile || got.FileName != request.Content.FileName {
				t.Errorf("Open: got %d bytes, file %t %q, want what was shared", len(got.Bytes), got.IsFile, got.FileName)
			}
			if !opened.Claimed || opened.ClaimLeft != client.ClaimTime {
				t.Errorf("Open: got the claim %t for %v, want %v", opened.Claimed, opened.ClaimLeft, client.ClaimTime)
			}
			// The claim opens it again, and nothing else does.
			opened, err = c.Open(t.Context(), link, request.Passphrase, claim)
			clienttest.WantText(t, opened, err, string(request.Content.Bytes))
			_, err = c.Open(t.Context(), link, request.Passphrase, client.NewClaim())
			clienttest.WantError(t, "Open with another claim", err, client.ErrGone)
			receipt, err := c.Receipt(t.Context(), shared.Receipt.Key)
			if err != nil || receipt.State != client.StateOpened || receipt.Delivery != client.DeliveryPending || receipt.IsFinal() || receipt.Label != "for Eve" {
				t.Errorf("Receipt before the acknowledgement: got %+v, %v", receipt, err)
			}
			for range 2 {
				if err := c.Acknowledge(t.Context(), link, claim); err != nil {
					t.Errorf("Acknowledge: got %v, want no error", err)
				}
			}
			_, err = c.Open(t.Context(), link, request.Passphrase, claim)
			clienttest.WantError(t, "Open after the acknowledgement", err, client.ErrGone)
			receipt, err = c.Receipt(t.Context(), shared.Receipt.Key)
			if err != nil || receipt.Delivery != client.DeliveryConfirmed || !receipt.IsFinal() {
				t.Errorf("Receipt after the acknowledgement: got %+v, %v", receipt, err)
			}
		})
	}
}

func TestReceiptOfASecret(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{Token: s.Token(t, caller.ScopesAll)})
	request := clienttest.Text("hunter2")
	request.Passphrase, request.TTL, request.Label = client.Hide("quick otter"), 2*time.Hour, "for Eve"
	shared := clienttest.MustShare(t, c, request)
	want := client.Receipt{
		State: client.StateWaiting, HasPassphrase: true, Encryption: client.EncryptionEndToEnd, Label: "for Eve", TTL: 2 * time.Hour,
		Created: vaulttest.StartTime(), Expires: vaulttest.StartTime().Add(2 * time.Hour),
		Events: []client.Event{{Kind: "created", Time: vaulttest.StartTime(), Network: "127.0.0.0/24", Count: 1}},
	}
	key := shared.Receipt.Key.Expose()
	if shared.ReceiptLink.Expose() != s.URL+"/r#"+key || shared.Receipt.ShortID != key[:8] {
		t.Errorf("Share: got the receipt %s, %s, want the key %s", shared.ReceiptLink.Expose(), shared.Receipt.ShortID, key)
	}
	want.ShortID = key[:8]
	wantReceipt(t, "Share", shared.Receipt, want)
	s.Kit.Clock.Advance(time.Minute)
	got, err := c.Burn(t.Context(), shared.Receipt.Key, client.Text{})
	if err != nil {
		t.Fatalf("Burn: got %v, want no error", err)
	}
	burned := vaulttest.StartTime().Add(time.Minute)
	want.State, want.Ended = client.StateBurned, burned
	want.Events = append(want.Events, client.Event{Kind: "burned", Time: burned, Network: "127.0.0.0/24", Count: 1})
	wantReceipt(t, "Burn", got, want)
	_, err = c.Burn(t.Context(), shared.Receipt.Key, client.Text{})
	clienttest.WantError(t, "Burn again", err, client.ErrGone)
	_, err = c.Look(t.Context(), shared.Link)
	clienttest.WantError(t, "Look", err, client.ErrGone)
	_, err = c.Receipt(t.Context(), client.Hide("0123456789abcdefghijklmnopqrstu"))
	clienttest.WantError(t, "Receipt of an unknown key", err, client.ErrGone)
}
