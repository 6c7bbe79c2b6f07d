package vaulttest

import (
	"crypto/rand"
	"crypto/sha256"
	"testing"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/file"
	"hush/vault/refusal"
	"hush/vault/secret"
)

// File is a file of a Kit with all that its sender and its recipient have. Its content is
// random bytes: the vault does not look at it.
type File struct {
	kit *Kit
	// Key is the secret's key, and Receipt that of the receipt.
	Key, Receipt seal.Token
	Token        [file.TokenSize]byte
	Content      []byte
	// Preview is random bytes, as well.
	Preview []byte
	Proofs  [2][32]byte // the link's, and the other one
}

// BeginFile begins a file of so many bytes. Its size is one that the format produces.
func (k *Kit) BeginFile(t testing.TB, c caller.Caller, size int) *File {
	t.Helper()
	f, err := k.TryBeginFile(t, c, size, secret.Terms{})
	Want(t, "Begin(file)", err, nil)
	return f
}

// TryBeginFile is BeginFile with terms, and returns the error.
func (k *Kit) TryBeginFile(t testing.TB, c caller.Caller, size int, terms secret.Terms) (*File, error) {
	t.Helper()
	f := &File{kit: k, Content: make([]byte, size), Preview: make([]byte, 328)}
	_, _ = rand.Read(f.Preview)
	_, _ = rand.Read(f.Content)
	_, _ = rand.Read(f.Token[:])
	for i := range f.Proofs {
		_, _ = rand.Read(f.Proofs[i][:])
	}
	link, proof := sha256.Sum256(f.Proofs[0][:]), sha256.Sum256(f.Proofs[1][:])
	begun, err := k.Vault.Uploads.Begin(t.Context(), c, secret.File{
		Size: uint64(size), LinkProofHash: caller.Text(link[:]), ProofHash: caller.Text(proof[:]), Token: f.Token, Preview: caller.Text(f.Preview),
	}, terms)
	if err != nil {
		return nil, err
	}
	f.Key, f.Receipt = begun.Secret.Key, begun.Metadata.Key
	return f, nil
}

// At returns the same file in another kit, such as that of a thief.
func (f *File) At(k *Kit) *File {
	other := *f
	other.kit = k
	return &other
}

// In returns the file as a kit has it that opened the store later.
func (f *File) In(k *Kit) *File {
	later := *f
	later.kit = k
	return &later
}

// Part returns the bytes of a part.
func (f *File) Part(number uint32) []byte {
	from := int(number) * file.PartSize
	return f.Content[from : from+file.PartLength(uint64(len(f.Content)), number)]
}

// Parts returns the number of parts.
func (f *File) Parts() uint32 { return file.Parts(uint64(len(f.Content))) }

// ProofHash returns SHA-256 of the proof, as its sender sends it.
func (f *File) ProofHash() [sha256.Size]byte { return sha256.Sum256(f.Proofs[1][:]) }

// Put sends a part.
func (f *File) Put(t testing.TB, number uint32) error {
	t.Helper()
	return f.kit.Vault.Uploads.PutPart(t.Context(), f.Key.Expose(), f.Token, number, f.Part(number))
}

// Finish finishes the upload.
func (f *File) Finish(t testing.TB) error {
	t.Helper()
	return f.kit.Vault.Uploads.Finish(t.Context(), f.Key.Expose(), f.Token)
}

// Send sends all parts and finishes the upload.
func (f *File) Send(t testing.TB) *File {
	t.Helper()
	for n := range f.Parts() {
		Want(t, "PutPart()", f.Put(t, n), nil)
	}
	Want(t, "Finish()", f.Finish(t), nil)
	return f
}

// Open reveals the file with a claim.
func (f *File) Open(t testing.TB, claimed caller.Text) (secret.Revealed, error) {
	t.Helper()
	return f.kit.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, f.Key.Expose(), secret.Opening{
		LinkProof: caller.Text(f.Proofs[0][:]), Proof: caller.Text(f.Proofs[1][:]), Claim: claimed, Accepts: secret.FileVersion,
	})
}

// MustOpen is Open with a new claim, which it returns.
func (f *File) MustOpen(t testing.TB) caller.Text {
	t.Helper()
	claimed := Claim(byte(1 + f.kit.claims.Add(1)))
	revealed, err := f.Open(t, claimed)
	Want(t, "RevealSecret(file)", err, nil)
	Want(t, "size of the revealed file", revealed.FileSize, uint64(len(f.Content)))
	Want(t, "content of the revealed file", string(revealed.Content), "")
	return claimed
}

// Get fetches a part under a claim.
func (f *File) Get(t testing.TB, claimed caller.Text, number uint32) ([]byte, error) {
	t.Helper()
	return f.kit.Vault.Secrets.GetPart(t.Context(), f.Key.Expose(), claimed, number)
}

// WantContent fetches all parts and compares them with what was sent.
func (f *File) WantContent(t testing.TB, claimed caller.Text) {
	t.Helper()
	for n := range f.Parts() {
		got, err := f.Get(t, claimed, n)
		Want(t, "GetPart()", err, nil)
		Want(t, "bytes of a part", string(got) == string(f.Part(n)), true)
	}
}

// WantGone fails the test if the file can be opened or fetched.
func (f *File) WantGone(t testing.TB, claimed caller.Text) {
	t.Helper()
	_, err := f.Open(t, claimed)
	WantErr(t, "RevealSecret(file that is gone)", err, refusal.ErrNotFound)
	_, err = f.Get(t, claimed, 0)
	WantErr(t, "GetPart(file that is gone)", err, refusal.ErrNotFound)
}
