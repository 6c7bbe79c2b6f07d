package secret

import (
	"crypto/sha256"
	"fmt"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
)

// Opening is what a caller shows to reveal a secret.
type Opening struct {
	// Passphrase is that of a secret that the server encrypted.
	Passphrase caller.Text
	// LinkProof and Proof are those of an end-to-end encrypted secret, 32 bytes
	// each; empty for none.
	LinkProof, Proof caller.Text
	// CollectProof is that of the collect link, 32 bytes, for an answer to a request.
	// Other secrets ignore it.
	CollectProof caller.Text
	// Accepts is what the caller can open: FileVersion also takes files.
	Accepts uint32
	// Claim is 32 random bytes that bind the secret to the caller; empty for
	// none.
	Claim caller.Text
}

// SealedContent is content that the sender's device has encrypted.
type SealedContent struct {
	Content caller.Text
	// LinkProofHash and ProofHash are SHA-256 of the two proofs: 32 bytes each.
	LinkProofHash, ProofHash caller.Text
	// HasPassphrase is whether the device used a passphrase. The service cannot
	// verify it.
	HasPassphrase bool
}

// check returns an error unless c may conceal the content with the terms.
func (s *SealedContent) check(c caller.Caller, limits caller.Limits, text caller.Text, terms Terms) error {
	if err := limits.AdmitSealed(c, int64(len(s.Content))); err != nil {
		return err
	}
	return s.checkTerms(text, terms)
}

// checkTerms returns an error unless the terms fit content that the server cannot read.
func (s *SealedContent) checkTerms(text caller.Text, terms Terms) error {
	if err := s.checkHashes(); err != nil {
		return err
	}
	const without = "must be empty for end-to-end encrypted content"
	switch {
	case text != "":
		return &refusal.InvalidError{Field: "secret", Text: without}
	case terms.Passphrase != "":
		return &refusal.InvalidError{Field: "passphrase", Text: without + ": it stays on the device"}
	case len(terms.Recipients) > 0:
		return &refusal.InvalidError{Field: "recipients", Text: without + ": the server does not know the link"}
	}
	return nil
}

func (s *SealedContent) checkHashes() error {
	for _, hash := range []struct {
		field string
		value caller.Text
	}{{"sealed.link_proof_hash", s.LinkProofHash}, {"sealed.proof_hash", s.ProofHash}} {
		if len(hash.value) != sha256.Size {
			return &refusal.InvalidError{Field: hash.field, Text: fmt.Sprintf("must have %d bytes", sha256.Size)}
		}
	}
	return nil
}

// proofSize is the length of a proof.
const proofSize = 32

// checkLink returns an error unless the caller shows both proofs of an end-to-end
// encrypted secret, and the right one of its link; for an answer to a request also the
// right one of the request's collect link.
func (r *Record) checkLink(o Opening) error {
	if len(o.LinkProof) != proofSize || len(o.Proof) != proofSize {
		return &refusal.EncryptionError{EndToEnd: true}
	}
	if err := r.checkLinkProof(o.LinkProof); err != nil {
		return err
	}
	if r.answer != nil {
		return r.answer.check(o.CollectProof)
	}
	return nil
}

// sealedSize returns the length of what sealText makes of n bytes. A device has
// padded what it encrypted: more padding would hide no more.
func (r *Record) sealedSize(n int) int {
	if r.encryption == receipt.EncryptionEndToEnd {
		return seal.UnpaddedSize(n)
	}
	return seal.PaddedSize(n)
}

// isSealedSize reports whether sealText made something of the record's length.
func (r *Record) isSealedSize() bool {
	switch {
	case r.fileSize > 0:
		return len(r.sealed) == seal.UnpaddedSize(fileKeySize)
	case r.encryption == receipt.EncryptionEndToEnd:
		return len(r.sealed) >= seal.UnpaddedSize(caller.SealedMin)
	}
	return seal.IsPaddedSize(len(r.sealed))
}

// sealText seals the text or the content of a device with key.
func (r *Record) sealText(key seal.SecretKey, text []byte) {
	if r.encryption == receipt.EncryptionEndToEnd {
		r.sealed = key.SealUnpadded(r.header, text)
		return
	}
	r.sealed = key.Seal(r.header, text)
}

// openText is the inverse of sealText.
func (r *Record) openText(key seal.SecretKey) ([]byte, error) {
	if r.encryption == receipt.EncryptionEndToEnd {
		return key.OpenUnpadded(r.header, r.sealed)
	}
	return key.Open(r.header, r.sealed)
}
