package credential_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: the thief has the data folder and the root key, and wants what
// the account lists. Nothing stored unwraps a key, and without one no entry
// opens.
func TestTheftOfAnAccount(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	in := m.SignIn(t, false)
	c := m.MustAuthenticate(t, vaulttest.BySession(in.Cookie))
	token := m.MustToken(t, c, credential.NewToken{})
	kept := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{})
	m.MustAuthenticate(t, vaulttest.ByToken(token))

	content := m.Stored(t)
	for _, secret := range []string{
		vaulttest.Password, vaulttest.MemberAddress, token.Expose(), in.Cookie.Expose(), in.Shrimp,
		kept.Metadata.Key.Expose()[:25], kept.Secret.Key.Expose()[:25],
	} {
		for _, form := range vaulttest.Spellings(secret) {
			vaulttest.Want(t, "the store holds a canary", bytes.Contains(content, []byte(form)), false)
		}
	}
	for name, holder := range guesses(t, m) {
		for place, wrapped := range wraps(t, m) {
			_, err := m.Keys.UnwrapAccountKey(holder, place.label, wrapped)
			vaulttest.WantErr(t, "UnwrapAccountKey("+name+")", err, seal.ErrSealBroken)
		}
	}
	// What is right opens, so the thief was given a chance.
	pairs := m.RowsOf(t, credential.BucketPair)
	params, err := vaulttest.StoredPassword(vaulttest.Get(t, m.Store, account.BucketAccount, m.ID[:]))
	vaulttest.Want(t, "StoredPassword(record)", err, nil)
	for row, record := range pairs {
		wrapped, err := credential.Wrapped(credential.BucketPair, record)
		vaulttest.Want(t, "Wrapped(pair)", err, nil)
		key, err := m.Keys.UnwrapAccountKey(params.Hash(vaulttest.Password).WrappingSecret(), credential.PasswordLabel([]byte(row)), wrapped)
		vaulttest.Want(t, "UnwrapAccountKey(password)", err, nil)
		wantEntry(t, m, key, kept.Metadata.Key)
	}
}

// guesses are holders made of what is stored.
func guesses(t *testing.T, m *vaulttest.Member) map[string]seal.WrappingSecret {
	t.Helper()
	params, err := vaulttest.StoredPassword(vaulttest.Get(t, m.Store, account.BucketAccount, m.ID[:]))
	vaulttest.Want(t, "StoredPassword(record)", err, nil)
	holders := map[string]seal.WrappingSecret{
		"wrong password": params.Hash("correct horse batterx").WrappingSecret(),
		"address":        params.Hash(vaulttest.MemberAddress).WrappingSecret(),
	}
	for _, bucket := range []string{credential.BucketSession, credential.BucketToken} {
		for row := range m.RowsOf(t, bucket) {
			token, ok := seal.ParseAPIToken(hex.EncodeToString([]byte(row))[:40])
			vaulttest.Want(t, "ParseAPIToken(row)", ok, true)
			holders[bucket+" row as token"] = token.WrappingSecret()
			holders[bucket+" row as password"] = params.Hash(row).WrappingSecret()
		}
	}
	return holders
}

// wrap is where a wrapped key lies.
type wrap struct {
	bucket string
	label  []byte
}

// wraps are all wrapped keys, with each label that they may have.
func wraps(t *testing.T, m *vaulttest.Member) map[*wrap][]byte {
	t.Helper()
	found := map[*wrap][]byte{}
	for _, bucket := range []string{credential.BucketSession, credential.BucketToken, credential.BucketPair} {
		for _, record := range m.RowsOf(t, bucket) {
			wrapped, err := credential.Wrapped(bucket, record)
			vaulttest.Want(t, "Wrapped("+bucket+")", err, nil)
			for pair := range m.RowsOf(t, credential.BucketPair) {
				for _, kind := range "pst" {
					found[&wrap{bucket, append([]byte(pair), byte(kind))}] = wrapped
				}
			}
		}
	}
	vaulttest.Want(t, "wrapped keys were found", len(found) > 0, true)
	return found
}

// wantEntry fails the test unless a key opens one entry, which is the
// receipt's.
func wantEntry(t *testing.T, m *vaulttest.Member, key seal.AccountKey, receiptKey seal.Token) {
	t.Helper()
	opened := 0
	for row, record := range m.RowsOf(t, receipt.BucketEntry) {
		boxes, err := entryBoxes(record)
		vaulttest.Want(t, "EntryBoxes(record)", err, nil)
		for _, sealed := range boxes {
			if got, err := key.OpenEntry(entryReceipt([]byte(row)), sealed); err == nil {
				vaulttest.Want(t, "OpenEntry(row)", got, receiptKey)
				opened++
			}
		}
	}
	vaulttest.Want(t, "entries that open", opened, 1)
}

// The attack: with write access to the store, replace the wrapped key of one
// holder with that of another.
func TestWrapsCannotBeSwapped(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	first, second := m.SignIn(t, false), m.SignIn(t, false)
	session := m.MustAuthenticate(t, vaulttest.BySession(first.Cookie))
	m.MustToken(t, session, credential.NewToken{})
	m.WantList(t, session, 0, 0)
	row, other := first.Cookie.Row(), second.Cookie.Row()
	record := vaulttest.Get(t, m.Store, credential.BucketSession, row[:])
	for bucket, from := range map[string][]byte{
		credential.BucketSession: vaulttest.Get(t, m.Store, credential.BucketSession, other[:]),
		credential.BucketToken:   vaulttest.RowsIn(t, m.Store, credential.BucketToken)[0],
		credential.BucketPair:    vaulttest.RowsIn(t, m.Store, credential.BucketPair)[0],
	} {
		wrapped, err := credential.Wrapped(bucket, from)
		vaulttest.Want(t, "Wrapped("+bucket+")", err, nil)
		swapped, err := credential.WrappedIn(record, wrapped)
		vaulttest.Want(t, "WrappedIn(session)", err, nil)
		vaulttest.Put(t, m.Store, credential.BucketSession, row[:], swapped)
		_, err = m.Vault.Receipts.ListMetadata(t.Context(), m.MustAuthenticate(t, vaulttest.BySession(first.Cookie)), receipt.ListQuery{})
		vaulttest.WantErr(t, "ListMetadata(key of a "+bucket+")", err, rows.ErrInconsistent)
	}
}

// A token that was made without the password lists what came after it, and
// goes with its pair.
func TestOperatorTokenListsWhatCameAfter(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	owner := m.MustEnter(t)
	m.MustConceal(t, owner, vaulttest.Plaintext, secret.Terms{})
	made, info, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), vaulttest.MemberAddress, credential.NewToken{})
	vaulttest.Want(t, "CreateToken()", err, nil)
	token := m.MustAuthenticate(t, vaulttest.ByToken(made))
	m.WantList(t, token, 0, 1)
	m.MustConceal(t, owner, vaulttest.Plaintext, secret.Terms{})
	m.MustConceal(t, token, vaulttest.Plaintext, secret.Terms{})
	m.WantList(t, token, 2, 1)
	m.WantList(t, owner, 3, 0)

	// A token that it makes opens what it opens, and ends with it and the pair.
	heir := m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, token, credential.NewToken{Name: "heir"})))
	m.MustConceal(t, owner, vaulttest.Plaintext, secret.Terms{})
	m.WantList(t, heir, 3, 1)
	vaulttest.Want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), owner, info.ID), nil)
	_, tokens, err := endCredentials(t.Context(), m)
	vaulttest.Want(t, "endTokens()", err, nil)
	vaulttest.Want(t, "endTokens()", tokens, 0)
	m.WantRows(t, credential.BucketPair, 1)
}

// A password change keeps the list, for the account and its tokens.
func TestPasswordChangeKeepsTheList(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	owner, other := m.MustEnter(t), m.SignIn(t, false)
	token := m.MustToken(t, owner, credential.NewToken{})
	m.MustConceal(t, owner, vaulttest.Plaintext, secret.Terms{})
	before := vaulttest.RowsIn(t, m.Store, credential.BucketPair)[0]
	err := m.Vault.Passwords.ChangeAccountPassword(t.Context(), owner, vaulttest.Password, "another horse battery")
	vaulttest.Want(t, "ChangeAccountPassword()", err, nil)
	vaulttest.Want(t, "the pair is wrapped anew", bytes.Equal(vaulttest.RowsIn(t, m.Store, credential.BucketPair)[0], before), false)
	vaulttest.WantErr(t, "Authenticate(other session)", m.AuthErr(t, vaulttest.BySession(other.Cookie)), refusal.ErrUnauthenticated)
	m.WantList(t, owner, 1, 0)
	m.WantList(t, m.MustAuthenticate(t, vaulttest.ByToken(token)), 1, 0)
	in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), vaulttest.MemberAddress, "another horse battery", false)
	vaulttest.Want(t, "CreateSession(new password)", err, nil)
	m.WantList(t, m.MustAuthenticate(t, vaulttest.BySession(in.Cookie)), 1, 0)
	_, err = m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), vaulttest.MemberAddress, vaulttest.Password, false)
	vaulttest.WantErr(t, "CreateSession(old password)", err, refusal.ErrCredentials)
}

// A lost password begins a new list, and every credential ends.
func TestPasswordResetBeginsANewList(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	in := m.SignIn(t, false)
	owner := m.MustAuthenticate(t, vaulttest.BySession(in.Cookie))
	token := m.MustToken(t, owner, credential.NewToken{})
	m.MustConceal(t, owner, vaulttest.Plaintext, secret.Terms{})
	before := vaulttest.RowsIn(t, m.Store, credential.BucketPair)[0]
	lost, err := m.Vault.Operator().Accounts.ResetPassword(t.Context(), vaulttest.MemberAddress, vaulttest.Password)
	vaulttest.Want(t, "ResetPassword()", err, nil)
	vaulttest.Want(t, "ResetPassword()", lost, 1)
	vaulttest.WantErr(t, "Authenticate(session)", m.AuthErr(t, vaulttest.BySession(in.Cookie)), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "Authenticate(token)", m.AuthErr(t, vaulttest.ByToken(token)), refusal.ErrUnauthenticated)
	m.WantRows(t, credential.BucketPair, 1)
	vaulttest.Want(t, "the pair is another one", bytes.Equal(vaulttest.RowsIn(t, m.Store, credential.BucketPair)[0], before), false)
	owner = m.MustEnter(t)
	m.WantList(t, owner, 0, 1)
	m.MustConceal(t, owner, vaulttest.Plaintext, secret.Terms{})
	m.WantList(t, owner, 1, 1)
}

// A main pair that was replaced stays for as long as something holds it.
func TestReplacedPairStaysWhileHeld(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	session := m.MustEnter(t)
	token := m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, session, credential.NewToken{})))
	holder := seal.NewAPIToken().WrappingSecret()
	replace := func() {
		err := replaceMainPair(t.Context(), m, seal.NewAccountKey(), holder, m.Clock.Now())
		vaulttest.Want(t, "replaceMainPair()", err, nil)
	}
	replace()
	m.WantRows(t, credential.BucketPair, 2)
	m.MustConceal(t, session, vaulttest.Plaintext, secret.Terms{})
	m.WantList(t, session, 1, 0)
	m.WantList(t, token, 1, 0)
	replace() // nothing holds the second one
	m.WantRows(t, credential.BucketPair, 2)
	vaulttest.Want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), session, m.ListTokens(t, session)[0].ID), nil)
	m.WantRows(t, credential.BucketPair, 2)
	sessions, tokens, err := endCredentials(t.Context(), m)
	vaulttest.Want(t, "EndCredentials()", err, nil)
	vaulttest.Want(t, "EndCredentials() sessions", sessions, 1)
	vaulttest.Want(t, "EndCredentials() tokens", tokens, 0)
	m.WantRows(t, credential.BucketPair, 1)
	err = putMainPair(t.Context(), m, seal.NewAccountKey(), holder, m.Clock.Now())
	vaulttest.WantErr(t, "putMainPair(second)", err, rows.ErrInconsistent)
}

// However the password is replaced, there are never more than 20 pairs.
func TestReplacedPairsAreBounded(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	m.MustToken(t, m.MustEnter(t), credential.NewToken{})
	for range credential.PairsMost - 1 {
		_, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), vaulttest.MemberAddress, credential.NewToken{})
		vaulttest.Want(t, "CreateToken()", err, nil)
	}
	key := seal.NewAccountKey()
	err := replaceMainPair(t.Context(), m, key, seal.NewAPIToken().WrappingSecret(), m.Clock.Now())
	vaulttest.Want(t, "replaceMainPair()", err, nil)
	publics, err := m.Publics(t.Context())
	vaulttest.Want(t, "livePairs()", err, nil)
	vaulttest.Want(t, "len(livePairs())", len(publics), credential.PairsMost)
	vaulttest.Want(t, "livePairs()[0]", publics[0], key.Public())
	m.WantRows(t, credential.BucketPair, credential.PairsMost)
}

// A password without its pair is damage, which callers see only as an internal
// error.
func TestAccountWithoutItsPair(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	for row := range m.RowsOf(t, credential.BucketPair) {
		vaulttest.Put(t, m.Store, credential.BucketPair, []byte(row), nil)
	}
	_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), vaulttest.MemberAddress, vaulttest.Password, false)
	vaulttest.WantErr(t, "CreateSession(no pair)", err, rows.ErrInconsistent)
	m.WantRows(t, credential.BucketSession, 0)
}
