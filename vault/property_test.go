package vault_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

// An attacker who reads the database sees a text's length only in steps of 256
// bytes, four of which are the length itself.
func TestRowsShowStepsAlone(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	size := func(n int) int {
		kept := k.MustConceal(t, caller.Caller{}, caller.Text(strings.Repeat("x", n)), secret.Terms{})
		return len(vaulttest.SecretRow(t, k, kept.Secret.Key))
	}
	first := size(1)
	for n := 2; n <= 252; n += 10 {
		vaulttest.Want(t, "length of a row of the first step", size(n), first)
	}
	for _, n := range []int{253, 256, 300, 508} {
		vaulttest.Want(t, "length of a row of the second step", size(n), first+256)
	}
}

// The attack: with write access to the database, change what is stored beside a
// sealed text, to make it live longer, or another account's, or brand it anew.
// Every byte of it is authenticated, so the text does not open until it is
// restored.
func TestHeaderOfARowIsAuthenticated(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	row := kept.Secret.Key.RowKey(seal.KindSecret)
	honest := vaulttest.SecretRow(t, k, kept.Secret.Key)
	const head = 1 + 8 + 8 + 4 // version, slot, generation, length of the header
	length := int(binary.BigEndian.Uint32(honest[head-4:]))
	for i := head; i < head+length; i++ {
		for _, bit := range []byte{0x01, 0x80} {
			changed := bytes.Clone(honest)
			changed[i] ^= bit
			vaulttest.Put(t, k.Store, secret.BucketSecret, row[:], changed)
			if vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), "") == nil {
				t.Fatalf("RevealSecret(byte %d of the header changed): got the text, want an error", i-head)
			}
		}
	}
	vaulttest.Put(t, k.Store, secret.BucketSecret, row[:], honest)
	vaulttest.Want(t, "RevealSecret(as it was)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
}

// The attack: read the database and sign in with what it contains. It contains
// neither API tokens nor sessions in any form, only their hashes, which are not
// credentials.
func TestTokensAreStoredAsHashes(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	token := m.MustToken(t, m.MustEnter(t), credential.NewToken{})
	own := m.SignIn(t, false).Cookie
	tokenHash := sha256.Sum256([]byte("hush/v1 api-token\x00" + token.Expose()))
	for name, c := range map[string]struct {
		bucket string
		secret string
		row    [32]byte
	}{
		"token":   {credential.BucketToken, token.Expose(), token.Row()},
		"session": {credential.BucketSession, own.Expose(), own.Row()},
	} {
		stored := m.RowsOf(t, c.bucket)
		record, found := stored[string(c.row[:])]
		vaulttest.Want(t, name+" is found by its hash", found, true)
		forms := vaulttest.Spellings(c.secret)
		if raw, err := hex.DecodeString(c.secret); err == nil {
			forms = append(forms, string(raw))
		}
		for bucketKey, value := range stored {
			for _, form := range forms {
				if strings.Contains(bucketKey+"\x00"+string(value), form) {
					t.Errorf("%s: got it in the database, want its hash alone", name)
				}
			}
			// What is a row's key is not a credential.
			for _, tried := range []string{hex.EncodeToString([]byte(bucketKey)), hex.EncodeToString([]byte(bucketKey))[:40], bucketKey} {
				vaulttest.WantErr(t, "Authenticate("+name+"'s row)", m.AuthErr(t, session.Credential{Token: caller.Text(tried)}), refusal.ErrUnauthenticated)
			}
		}
		// Under the token itself, where a lookup without a hash would look, the
		// record is of no use.
		vaulttest.Put(t, m.Store, c.bucket, c.row[:], nil)
		vaulttest.Put(t, m.Store, c.bucket, []byte(c.secret), record)
	}
	vaulttest.Want(t, "token's row", token.Row(), tokenHash)
	vaulttest.WantErr(t, "Authenticate(token stored as it is)", m.AuthErr(t, vaulttest.ByToken(token)), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "Authenticate(session stored as it is)", m.AuthErr(t, vaulttest.BySession(own)), refusal.ErrUnauthenticated)
}
