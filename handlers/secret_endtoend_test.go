package handlers_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/seal/endtoend"
	"hush/vault/caller"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// measured is a caller over one protocol that counts what responses weigh.
type measured struct {
	hushv1connect.SecretServiceClient
	name  string
	bytes atomic.Int64 // of response bodies
}

// protocols returns callers of the server over every protocol, with the credential
// of a browser.
func (s *testServer) protocols(t *testing.T, b *browser) []*measured {
	t.Helper()
	h2 := &http.Transport{Protocols: new(http.Protocols)}
	h2.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(h2.CloseIdleConnections)
	var all []*measured
	for _, p := range []struct {
		name    string
		over    http.RoundTripper
		options []connect.ClientOption
	}{
		{"Connect JSON", http.DefaultTransport, []connect.ClientOption{connect.WithProtoJSON()}},
		{"Connect", http.DefaultTransport, nil},
		{"gRPC", h2, []connect.ClientOption{connect.WithGRPC()}},
		{"gRPC-Web", http.DefaultTransport, []connect.ClientOption{connect.WithGRPCWeb()}},
	} {
		m := &measured{name: p.name}
		client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Host = s.host
			r.Header.Set("Accept-Encoding", "identity")
			if b.bearer != "" {
				r.Header.Set("Authorization", "Bearer "+b.bearer)
			}
			res, err := p.over.RoundTrip(r)
			if err == nil {
				res.Body = &countedBody{res.Body, &m.bytes}
			}
			return res, err
		})}
		m.SecretServiceClient = hushv1connect.NewSecretServiceClient(client, s.url, p.options...)
		all = append(all, m)
	}
	return all
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type countedBody struct {
	io.ReadCloser
	count *atomic.Int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count.Add(int64(n))
	return n, err
}

// sealedText is what a device sends of a text, and the keys that it keeps.
func sealedText(t *testing.T, passphrase string) (*hushv1.Sealed, endtoend.Keys) {
	t.Helper()
	sealed, keys := vaulttest.MustSeal(t, vaulttest.Plaintext, passphrase)
	return &hushv1.Sealed{
		Content: []byte(sealed.Content), LinkProofHash: []byte(sealed.LinkProofHash), ProofHash: []byte(sealed.ProofHash), HasPassphrase: sealed.HasPassphrase,
	}, keys
}

func proved(key string, keys endtoend.Keys) *hushv1.RevealSecretRequest {
	link, proof := keys.LinkProof(), keys.Proof()
	return &hushv1.RevealSecretRequest{SecretKey: key, LinkProof: link[:], Proof: proof[:]}
}

// A device encrypts, the server keeps, another device decrypts, over every protocol.
func TestEndToEnd(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for _, m := range s.protocols(t, &browser{}) {
		for _, passphrase := range []string{"", "quick otter"} {
			sealed, keys := sealedText(t, passphrase)
			kept, err := m.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Sealed: sealed})
			if err != nil {
				t.Fatalf("ConcealSecret over %s: got %v, want no error", m.name, err)
			}
			found := kept.GetSecret()
			if found.GetEncryption() != hushv1.Encryption_ENCRYPTION_END_TO_END || kept.GetMetadata().GetEncryption() != found.GetEncryption() || found.GetHasPassphrase() != (passphrase != "") {
				t.Errorf("ConcealSecret over %s: got %v, want the kind in both", m.name, kept)
			}
			opened, err := m.RevealSecret(t.Context(), proved(found.GetSecretKey(), keys))
			if err != nil {
				t.Fatalf("RevealSecret over %s: got %v, want no error", m.name, err)
			}
			if !bytes.Equal(opened.GetContent(), sealed.GetContent()) || opened.GetValue() != "" || opened.GetSecret().GetState() != hushv1.State_STATE_RECEIVED {
				t.Errorf("RevealSecret over %s: got %v, want the content alone", m.name, opened)
			}
			if text := vaulttest.MustOpen(t, keys, caller.Text(opened.GetContent())); text != vaulttest.Plaintext {
				t.Errorf("the device's content over %s: got another text, want the same", m.name)
			}
			_, err = m.RevealSecret(t.Context(), proved(found.GetSecretKey(), keys))
			wantRefused(t, m, "RevealSecret again", err, connect.CodeNotFound, hushv1.Refusal_REASON_UNSPECIFIED)
		}
	}
}

// The largest contents pass every protocol: those of texts of 100 KiB without an
// account, and of 1 MiB with one.
func TestEndToEndLargest(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for size, b := range map[int]*browser{104_616: {}, 1_082_472: s.bearer(t, caller.ScopesAll)} {
		sealed, keys := sealedText(t, "")
		sealed.Content = bytes.Repeat([]byte{0xff}, size) // which no server can tell from a content
		for _, m := range s.protocols(t, b) {
			kept, err := m.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Sealed: sealed})
			if err != nil {
				t.Fatalf("ConcealSecret of %d bytes over %s: got %v, want no error", size, m.name, err)
			}
			opened, err := m.RevealSecret(t.Context(), proved(kept.GetSecret().GetSecretKey(), keys))
			if err != nil || !bytes.Equal(opened.GetContent(), sealed.GetContent()) {
				t.Errorf("RevealSecret of %d bytes over %s: got %v, want them", size, m.name, err)
			}
		}
	}
}

// wantRefused checks the code and the reason of an error, over every protocol.
func wantRefused(t *testing.T, m *measured, call string, err error, code connect.Code, reason hushv1.Refusal_Reason) {
	t.Helper()
	refused, _ := detailOf[*hushv1.Refusal](err)
	if connect.CodeOf(err) != code || refused.GetReason() != reason {
		t.Errorf("%s over %s: got %v with %v, want %v with %v", call, m.name, err, refused, code, reason)
	}
	if most := int64(4096); m.bytes.Swap(0) > most {
		t.Errorf("%s over %s: got a response of more than %d bytes", call, m.name, most)
	}
}

// Bad values of every new field are refused with a small response, and nothing is
// stored.
func TestConcealSealedRefusals(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	sealed, _ := sealedText(t, "")
	fill := func(n int) []byte { return bytes.Repeat([]byte{0xff}, n) }
	const none, invalid, large = hushv1.Refusal_REASON_UNSPECIFIED, hushv1.Refusal_REASON_INVALID, hushv1.Refusal_REASON_TOO_LARGE
	for name, c := range map[string]struct {
		change func(*hushv1.ConcealSecretRequest)
		reason hushv1.Refusal_Reason
	}{
		"neither kind":             {func(r *hushv1.ConcealSecretRequest) { r.Sealed = nil }, none},
		"both kinds":               {func(r *hushv1.ConcealSecretRequest) { r.Secret = "x" }, none},
		"an empty message":         {func(r *hushv1.ConcealSecretRequest) { r.Sealed = &hushv1.Sealed{} }, none},
		"a passphrase":             {func(r *hushv1.ConcealSecretRequest) { r.Passphrase = "p" }, invalid},
		"no content":               {func(r *hushv1.ConcealSecretRequest) { r.Sealed.Content = nil }, none},
		"content of 327 bytes":     {func(r *hushv1.ConcealSecretRequest) { r.Sealed.Content = fill(327) }, none},
		"content without an end":   {func(r *hushv1.ConcealSecretRequest) { r.Sealed.Content = fill(56 + 16400) }, invalid},
		"content over the limit":   {func(r *hushv1.ConcealSecretRequest) { r.Sealed.Content = fill(104_617) }, large},
		"content over every limit": {func(r *hushv1.ConcealSecretRequest) { r.Sealed.Content = fill(1_082_473) }, none},
		"no link proof":            {func(r *hushv1.ConcealSecretRequest) { r.Sealed.LinkProofHash = nil }, none},
		"31 bytes of it":           {func(r *hushv1.ConcealSecretRequest) { r.Sealed.LinkProofHash = fill(31) }, none},
		"33 bytes of it":           {func(r *hushv1.ConcealSecretRequest) { r.Sealed.LinkProofHash = fill(33) }, none},
		"no proof":                 {func(r *hushv1.ConcealSecretRequest) { r.Sealed.ProofHash = nil }, none},
		"31 bytes of the proof":    {func(r *hushv1.ConcealSecretRequest) { r.Sealed.ProofHash = fill(31) }, none},
		"33 bytes of the proof":    {func(r *hushv1.ConcealSecretRequest) { r.Sealed.ProofHash = fill(33) }, none},
	} {
		for _, m := range s.protocols(t, &browser{}) {
			req := &hushv1.ConcealSecretRequest{Sealed: proto.Clone(sealed).(*hushv1.Sealed)}
			c.change(req)
			_, err := m.ConcealSecret(t.Context(), req)
			wantRefused(t, m, "ConcealSecret with "+name, err, connect.CodeInvalidArgument, c.reason)
			if err != nil && strings.Contains(err.Error(), "\xff") {
				t.Errorf("ConcealSecret with %s over %s: got what was sent in %v", name, m.name, err)
			}
		}
	}
	_, err := hushv1connect.NewSecretServiceClient(s.client(s.bearer(t, caller.ScopesAll)), s.url).ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{
		Sealed: sealed, Recipients: []string{"bob@example.com"},
	})
	if refused, _ := detailOf[*hushv1.Refusal](err); refused.GetField() != "recipients" || refused.GetReason() != invalid {
		t.Errorf("ConcealSecret with recipients: got %v with %v, want the field refused", err, refused)
	}
	if rows := vaulttest.RowsIn(t, s.kit.Store, secret.BucketSecret); len(rows) > 0 {
		t.Errorf("secrets: got %d, want nothing stored", len(rows))
	}
}

// The contract's errors of a reveal. None of them consumes the secret.
func TestRevealSealedRefusals(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	fill := func(n int) []byte { return bytes.Repeat([]byte{0xff}, n) }
	for _, m := range s.protocols(t, &browser{}) {
		plain := s.conceal(t, &browser{})
		sealed, keys := sealedText(t, "quick otter")
		kept, err := m.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Sealed: sealed})
		if err != nil {
			t.Fatalf("ConcealSecret over %s: got %v, want no error", m.name, err)
		}
		m.bytes.Store(0)
		for name, c := range map[string]struct {
			change func(*hushv1.RevealSecretRequest)
			code   connect.Code
			reason hushv1.Refusal_Reason
		}{
			"no proofs":         {func(r *hushv1.RevealSecretRequest) { r.LinkProof, r.Proof = nil, nil }, connect.CodeFailedPrecondition, hushv1.Refusal_REASON_ENCRYPTION},
			"no link proof":     {func(r *hushv1.RevealSecretRequest) { r.LinkProof = nil }, connect.CodeFailedPrecondition, hushv1.Refusal_REASON_ENCRYPTION},
			"no proof":          {func(r *hushv1.RevealSecretRequest) { r.Proof = nil }, connect.CodeFailedPrecondition, hushv1.Refusal_REASON_ENCRYPTION},
			"another link":      {func(r *hushv1.RevealSecretRequest) { r.LinkProof = fill(32) }, connect.CodePermissionDenied, hushv1.Refusal_REASON_LINK},
			"another proof":     {func(r *hushv1.RevealSecretRequest) { r.Proof = fill(32) }, connect.CodePermissionDenied, hushv1.Refusal_REASON_PASSPHRASE},
			"31 bytes":          {func(r *hushv1.RevealSecretRequest) { r.LinkProof = fill(31) }, connect.CodeInvalidArgument, hushv1.Refusal_REASON_UNSPECIFIED},
			"33 bytes of proof": {func(r *hushv1.RevealSecretRequest) { r.Proof = fill(33) }, connect.CodeInvalidArgument, hushv1.Refusal_REASON_UNSPECIFIED},
			"31 bytes of claim": {func(r *hushv1.RevealSecretRequest) { r.Claim = fill(31) }, connect.CodeInvalidArgument, hushv1.Refusal_REASON_UNSPECIFIED},
			"the other kind":    {func(r *hushv1.RevealSecretRequest) { r.SecretKey = plain.GetSecretKey() }, connect.CodeFailedPrecondition, hushv1.Refusal_REASON_ENCRYPTION},
		} {
			req := proved(kept.GetSecret().GetSecretKey(), keys)
			c.change(req)
			_, err := m.RevealSecret(t.Context(), req)
			wantRefused(t, m, "RevealSecret with "+name, err, c.code, c.reason)
		}
		if _, err := m.RevealSecret(t.Context(), proved(kept.GetSecret().GetSecretKey(), keys)); err != nil {
			t.Errorf("RevealSecret over %s: got %v, want the content", m.name, err)
		}
		if _, err := m.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: plain.GetSecretKey()}); err != nil {
			t.Errorf("RevealSecret of the other kind over %s: got %v, want the text", m.name, err)
		}
	}
}

// Burning takes the receipt alone over every protocol.
func TestBurnSealed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for _, m := range s.protocols(t, &browser{}) {
		sealed, keys := sealedText(t, "quick otter")
		kept, err := m.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Sealed: sealed})
		if err != nil {
			t.Fatalf("ConcealSecret over %s: got %v, want no error", m.name, err)
		}
		burned, err := m.BurnSecret(t.Context(), &hushv1.BurnSecretRequest{MetadataKey: kept.GetMetadata().GetMetadataKey()})
		if err != nil || burned.GetMetadata().GetState() != hushv1.State_STATE_BURNED || burned.GetMetadata().GetEncryption() != hushv1.Encryption_ENCRYPTION_END_TO_END {
			t.Errorf("BurnSecret over %s: got %v and %v, want it burned", m.name, burned, err)
		}
		m.bytes.Store(0)
		_, err = m.RevealSecret(t.Context(), proved(kept.GetSecret().GetSecretKey(), keys))
		wantRefused(t, m, "RevealSecret of what was burned", err, connect.CodeNotFound, hushv1.Refusal_REASON_UNSPECIFIED)
	}
}
