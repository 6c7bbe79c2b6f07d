package handlers_test

import (
	"bytes"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/vault/vaulttest"
)

// A sender names a memo and a group while sharing, for both kinds of content and over
// every protocol. The receipt has them, and nothing that a recipient gets.
func TestConcealWithMemoAndGroup(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	receipts := hushv1connect.NewMetadataServiceClient(s.client(&browser{}), s.url)
	group := []byte("sixteen  letters")
	for _, m := range s.protocols(t, &browser{}) {
		sealed, _ := sealedText(t, "quick otter")
		for name, req := range map[string]*hushv1.ConcealSecretRequest{
			"text":   {Secret: "quick otter", Memo: "for Kim", Group: group},
			"sealed": {Sealed: sealed, Memo: "for Kim", Group: group},
		} {
			kept, err := m.ConcealSecret(t.Context(), req)
			wantGrouped(t, "ConcealSecret of "+name+" over "+m.name, kept.GetMetadata(), err, group)
			shown, err := receipts.GetMetadata(t.Context(), &hushv1.GetMetadataRequest{MetadataKey: kept.GetMetadata().GetMetadataKey()})
			wantGrouped(t, "GetMetadata of "+name+" over "+m.name, shown.GetMetadata(), err, group)
			seen, err := m.GetSecret(t.Context(), &hushv1.GetSecretRequest{SecretKey: kept.GetSecret().GetSecretKey()})
			if err != nil || strings.Contains(seen.String(), "Kim") {
				t.Errorf("GetSecret of %s over %s: got %v and %v, want no memo", name, m.name, seen, err)
			}
		}
		made, err := m.GenerateSecret(t.Context(), &hushv1.GenerateSecretRequest{Memo: "for Kim", Group: group})
		wantGrouped(t, "GenerateSecret over "+m.name, made.GetMetadata(), err, group)
	}
}

func wantGrouped(t *testing.T, what string, m *hushv1.Metadata, err error, group []byte) {
	t.Helper()
	if err != nil || m.GetMemo() != "for Kim" || !bytes.Equal(m.GetGroup(), group) {
		t.Errorf("%s: got memo %q, group %q and %v, want both", what, m.GetMemo(), m.GetGroup(), err)
	}
}

func TestMemoAndGroupLimits(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	secrets := hushv1connect.NewSecretServiceClient(s.client(&browser{}), s.url)
	for name, c := range map[string]struct {
		memo, group string
		want        connect.Code
	}{
		"500 characters": {memo: strings.Repeat("é", 500)},
		"501 characters": {memo: strings.Repeat("e", 501), want: connect.CodeInvalidArgument},
		"2,001 bytes":    {memo: strings.Repeat("\U0001F512", 500) + "e", want: connect.CodeInvalidArgument},
		"15 bytes":       {group: strings.Repeat("g", 15), want: connect.CodeInvalidArgument},
		"17 bytes":       {group: strings.Repeat("g", 17), want: connect.CodeInvalidArgument},
	} {
		_, concealed := secrets.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Secret: "x", Memo: c.memo, Group: []byte(c.group)})
		_, generated := secrets.GenerateSecret(t.Context(), &hushv1.GenerateSecretRequest{Memo: c.memo, Group: []byte(c.group)})
		for method, err := range map[string]error{"ConcealSecret": concealed, "GenerateSecret": generated} {
			if (err != nil || c.want != 0) && connect.CodeOf(err) != c.want {
				t.Errorf("%s with %s: got %v, want %v", method, name, err, c.want)
			}
		}
	}
}

// The receipt burns a secret with a passphrase, unless the request requires it.
func TestBurnRequiresPassphraseOnDemand(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for _, m := range s.protocols(t, &browser{}) {
		var receipts []string
		for range 2 {
			kept, err := m.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Secret: "x", Passphrase: "quick otter"})
			if err != nil {
				t.Fatalf("ConcealSecret over %s: got %v, want no error", m.name, err)
			}
			receipts = append(receipts, kept.GetMetadata().GetMetadataKey())
		}
		for _, passphrase := range []string{"", "wrong"} {
			_, err := m.BurnSecret(t.Context(), &hushv1.BurnSecretRequest{MetadataKey: receipts[0], Passphrase: passphrase, RequirePassphrase: true})
			if connect.CodeOf(err) != connect.CodePermissionDenied {
				t.Errorf("BurnSecret(passphrase %q required) over %s: got %v, want it refused", passphrase, m.name, err)
			}
		}
		for i, req := range []*hushv1.BurnSecretRequest{{Passphrase: "quick otter", RequirePassphrase: true}, {Passphrase: "wrong"}} {
			req.MetadataKey = receipts[i]
			burned, err := m.BurnSecret(t.Context(), req)
			if err != nil || burned.GetMetadata().GetState() != hushv1.State_STATE_BURNED {
				t.Errorf("BurnSecret(required: %t) over %s: got %v and %v, want it burned", req.GetRequirePassphrase(), m.name, burned, err)
			}
		}
	}
}
