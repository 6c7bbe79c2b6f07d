package vaulttest

import (
	"bytes"
	"strings"
	"testing"

	"hush/seal/endtoend"
	"hush/vault/caller"
	"hush/vault/secret"
)

// MustSeal encrypts text as a sender's device does. It returns what the device
// sends, and the keys that it keeps.
func MustSeal(t testing.TB, text, passphrase string) (*secret.SealedContent, endtoend.Keys) {
	t.Helper()
	return mustSeal(t, endtoend.NewLinkSecret(), text, passphrase)
}

// MustSealWith is MustSeal with a link secret.
func MustSealWith(t testing.TB, link endtoend.LinkSecret, text, passphrase string) *secret.SealedContent {
	t.Helper()
	sealed, _ := mustSeal(t, link, text, passphrase)
	return sealed
}

func mustSeal(t testing.TB, link endtoend.LinkSecret, text, passphrase string) (*secret.SealedContent, endtoend.Keys) {
	t.Helper()
	keys, err := endtoend.Derive(link, passphrase)
	if err != nil {
		t.Fatalf("Derive(secret): got %v, want nil", err)
	}
	var content bytes.Buffer
	header := endtoend.Header{Kind: endtoend.KindText, Size: uint64(len(text))}
	if err := keys.Seal(&content, header, strings.NewReader(text)); err != nil {
		t.Fatalf("Seal(%d bytes): got %v, want nil", len(text), err)
	}
	linkHash, proofHash := keys.LinkProof().Hash(), keys.Proof().Hash()
	return &secret.SealedContent{
		Content: caller.Text(content.Bytes()), LinkProofHash: caller.Text(linkHash[:]), ProofHash: caller.Text(proofHash[:]),
		HasPassphrase: passphrase != "",
	}, keys
}

// MustConcealSealed conceals text end-to-end encrypted.
func (k *Kit) MustConcealSealed(t testing.TB, c caller.Caller, text, passphrase string, terms secret.Terms) (secret.Concealed, endtoend.Keys) {
	t.Helper()
	sealed, keys := MustSeal(t, text, passphrase)
	terms.Sealed = sealed
	return k.MustConceal(t, c, "", terms), keys
}

// Prove returns what a device with the keys shows.
func Prove(keys endtoend.Keys) secret.Opening {
	link, proof := keys.LinkProof(), keys.Proof()
	return secret.Opening{LinkProof: caller.Text(link[:]), Proof: caller.Text(proof[:])}
}

// MustOpen decrypts content as a recipient's device does.
func MustOpen(t testing.TB, keys endtoend.Keys, content caller.Text) string {
	t.Helper()
	opened, err := keys.Open(strings.NewReader(string(content)))
	if err != nil {
		t.Fatalf("Open(content): got %v, want nil", err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(opened); err != nil {
		t.Fatalf("reading the content: got %v, want nil", err)
	}
	return text.String()
}
