package vault_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: the thief has the data folder and the root key, and wants what
// the account lists. Nothing stored unwraps a key, and without one no entry
// opens.
func TestTheftOfAnAccount(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	in := m.mustSignIn(t, false)
	c := m.mustAuth(t, bySession(in.Cookie))
	token := m.mustToken(t, c, credential.NewToken{})
	kept := m.MustConceal(t, c, plaintext, secret.Wish{})
	m.mustAuth(t, byToken(token))

	content := everything(t, m.CopyDir(t))
	for _, secret := range []string{
		memberPassword, memberAddress, token.Expose(), in.Cookie.Expose(), in.Shrimp,
		kept.Metadata.Key.Expose()[:25], kept.Secret.Key.Expose()[:25],
	} {
		for _, form := range spellings(secret) {
			want(t, "data folder holds a canary", bytes.Contains(content, []byte(form)), false)
		}
	}
	for name, holder := range m.guesses(t) {
		for place, wrapped := range m.wraps(t) {
			_, err := m.Keys.UnwrapAccountKey(holder, place.label, wrapped)
			wantErr(t, "UnwrapAccountKey("+name+")", err, seal.ErrSealBroken)
		}
	}
	// What is right opens, so the thief was given a chance.
	pairs := m.rowsOf(t, vault.BucketPair)
	params, err := vault.StoredPassword(get(t, m.Store, vault.BucketAccount, m.id[:]))
	want(t, "StoredPassword(record)", err, nil)
	for row, record := range pairs {
		wrapped, err := vault.Wrapped(vault.BucketPair, record)
		want(t, "Wrapped(pair)", err, nil)
		key, err := m.Keys.UnwrapAccountKey(params.Hash(memberPassword).WrappingSecret(), vault.PasswordLabel([]byte(row)), wrapped)
		want(t, "UnwrapAccountKey(password)", err, nil)
		m.wantEntry(t, key, kept.Metadata.Key)
	}
}

// guesses are holders made of what is stored.
func (m *member) guesses(t *testing.T) map[string]seal.WrappingSecret {
	t.Helper()
	params, err := vault.StoredPassword(get(t, m.Store, vault.BucketAccount, m.id[:]))
	want(t, "StoredPassword(record)", err, nil)
	holders := map[string]seal.WrappingSecret{
		"wrong password": params.Hash("correct horse batterx").WrappingSecret(),
		"address":        params.Hash(memberAddress).WrappingSecret(),
	}
	for _, bucket := range []string{vault.BucketSession, vault.BucketToken} {
		for row := range m.rowsOf(t, bucket) {
			token, ok := seal.ParseAPIToken(hex.EncodeToString([]byte(row))[:40])
			want(t, "ParseAPIToken(row)", ok, true)
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
func (m *member) wraps(t *testing.T) map[*wrap][]byte {
	t.Helper()
	found := map[*wrap][]byte{}
	for _, bucket := range []string{vault.BucketSession, vault.BucketToken, vault.BucketPair} {
		for _, record := range m.rowsOf(t, bucket) {
			wrapped, err := vault.Wrapped(bucket, record)
			want(t, "Wrapped("+bucket+")", err, nil)
			for pair := range m.rowsOf(t, vault.BucketPair) {
				for _, kind := range "pst" {
					found[&wrap{bucket, append([]byte(pair), byte(kind))}] = wrapped
				}
			}
		}
	}
	want(t, "wrapped keys were found", len(found) > 0, true)
	return found
}

// rowsOf returns a bucket.
func (m *member) rowsOf(t *testing.T, bucket string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := m.Store.View(t.Context(), func(tx storage.Tx) error {
		clear(found)
		return tx.Range(bucket, nil, nil, func(key, value []byte) error {
			found[string(key)] = bytes.Clone(value)
			return nil
		})
	})
	want(t, "Range("+bucket+")", err, nil)
	return found
}

// wantEntry fails the test unless a key opens one entry, which is the
// receipt's.
func (m *member) wantEntry(t *testing.T, key seal.AccountKey, receipt seal.Token) {
	t.Helper()
	opened := 0
	for row, record := range m.rowsOf(t, vault.BucketEntry) {
		boxes, err := vault.EntryBoxes(record)
		want(t, "EntryBoxes(record)", err, nil)
		for _, sealed := range boxes {
			if got, err := key.OpenEntry(vault.EntryReceipt([]byte(row)), sealed); err == nil {
				want(t, "OpenEntry(row)", got, receipt)
				opened++
			}
		}
	}
	want(t, "entries that open", opened, 1)
}

// The attack: with write access to the store, replace the wrapped key of one
// holder with that of another.
func TestWrapsCannotBeSwapped(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	first, second := m.mustSignIn(t, false), m.mustSignIn(t, false)
	session := m.mustAuth(t, bySession(first.Cookie))
	m.mustToken(t, session, credential.NewToken{})
	m.wantList(t, session, 0, 0)
	row, other := first.Cookie.Row(), second.Cookie.Row()
	record := get(t, m.Store, vault.BucketSession, row[:])
	for bucket, from := range map[string][]byte{
		vault.BucketSession: get(t, m.Store, vault.BucketSession, other[:]),
		vault.BucketToken:   rowsIn(t, m.Store, vault.BucketToken)[0],
		vault.BucketPair:    rowsIn(t, m.Store, vault.BucketPair)[0],
	} {
		wrapped, err := vault.Wrapped(bucket, from)
		want(t, "Wrapped("+bucket+")", err, nil)
		swapped, err := vault.WrappedIn(record, wrapped)
		want(t, "WrappedIn(session)", err, nil)
		put(t, m.Store, vault.BucketSession, row[:], swapped)
		_, err = m.Vault.Receipts.ListMetadata(t.Context(), m.mustAuth(t, bySession(first.Cookie)), secret.ListQuery{})
		wantErr(t, "ListMetadata(key of a "+bucket+")", err, vault.ErrFault)
	}
}

// A token that was made without the password lists what came after it, and
// goes with its pair.
func TestOperatorTokenListsWhatCameAfter(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	owner := m.mustEnter(t)
	m.MustConceal(t, owner, plaintext, secret.Wish{})
	made, info, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), memberAddress, credential.NewToken{})
	want(t, "CreateToken()", err, nil)
	token := m.mustAuth(t, byToken(made))
	m.wantList(t, token, 0, 1)
	m.MustConceal(t, owner, plaintext, secret.Wish{})
	m.MustConceal(t, token, plaintext, secret.Wish{})
	m.wantList(t, token, 2, 1)
	m.wantList(t, owner, 3, 0)

	// A token that it makes opens what it opens, and keeps the pair alive.
	heir := m.mustAuth(t, byToken(m.mustToken(t, token, credential.NewToken{Name: "heir"})))
	want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), owner, info.ID), nil)
	m.wantRows(t, vault.BucketPair, 2)
	m.MustConceal(t, owner, plaintext, secret.Wish{})
	m.wantList(t, heir, 3, 1)
	_, tokens, err := m.Vault.EndCredentials(t.Context(), m.id)
	want(t, "endTokens()", err, nil)
	want(t, "endTokens()", tokens, 1)
	m.wantRows(t, vault.BucketPair, 1)
}

// A password change keeps the list, for the account and its tokens.
func TestPasswordChangeKeepsTheList(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	owner, other := m.mustEnter(t), m.mustSignIn(t, false)
	token := m.mustToken(t, owner, credential.NewToken{})
	m.MustConceal(t, owner, plaintext, secret.Wish{})
	before := rowsIn(t, m.Store, vault.BucketPair)[0]
	err := m.Vault.Passwords.ChangeAccountPassword(t.Context(), owner, memberPassword, "another horse battery")
	want(t, "ChangeAccountPassword()", err, nil)
	want(t, "the pair is wrapped anew", bytes.Equal(rowsIn(t, m.Store, vault.BucketPair)[0], before), false)
	wantErr(t, "Authenticate(other session)", m.authErr(t, bySession(other.Cookie)), refusal.ErrUnauthenticated)
	m.wantList(t, owner, 1, 0)
	m.wantList(t, m.mustAuth(t, byToken(token)), 1, 0)
	in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), memberAddress, "another horse battery", false)
	want(t, "CreateSession(new password)", err, nil)
	m.wantList(t, m.mustAuth(t, bySession(in.Cookie)), 1, 0)
	_, err = m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), memberAddress, memberPassword, false)
	wantErr(t, "CreateSession(old password)", err, refusal.ErrCredentials)
}

// A lost password begins a new list, and every credential ends.
func TestPasswordResetBeginsANewList(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	in := m.mustSignIn(t, false)
	owner := m.mustAuth(t, bySession(in.Cookie))
	token := m.mustToken(t, owner, credential.NewToken{})
	m.MustConceal(t, owner, plaintext, secret.Wish{})
	before := rowsIn(t, m.Store, vault.BucketPair)[0]
	lost, err := m.Vault.Operator().Accounts.ResetPassword(t.Context(), memberAddress, memberPassword)
	want(t, "ResetPassword()", err, nil)
	want(t, "ResetPassword()", lost, 1)
	wantErr(t, "Authenticate(session)", m.authErr(t, bySession(in.Cookie)), refusal.ErrUnauthenticated)
	wantErr(t, "Authenticate(token)", m.authErr(t, byToken(token)), refusal.ErrUnauthenticated)
	m.wantRows(t, vault.BucketPair, 1)
	want(t, "the pair is another one", bytes.Equal(rowsIn(t, m.Store, vault.BucketPair)[0], before), false)
	owner = m.mustEnter(t)
	m.wantList(t, owner, 0, 1)
	m.MustConceal(t, owner, plaintext, secret.Wish{})
	m.wantList(t, owner, 1, 1)
}

// A main pair that was replaced stays for as long as something holds it.
func TestReplacedPairStaysWhileHeld(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	session := m.mustEnter(t)
	token := m.mustAuth(t, byToken(m.mustToken(t, session, credential.NewToken{})))
	holder := seal.NewAPIToken().WrappingSecret()
	replace := func() {
		err := m.Vault.ReplaceMainPair(t.Context(), m.id, seal.NewAccountKey(), holder, m.Clock.Now())
		want(t, "replaceMainPair()", err, nil)
	}
	replace()
	m.wantRows(t, vault.BucketPair, 2)
	m.MustConceal(t, session, plaintext, secret.Wish{})
	m.wantList(t, session, 1, 0)
	m.wantList(t, token, 1, 0)
	replace() // nothing holds the second one
	m.wantRows(t, vault.BucketPair, 2)
	want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), session, m.listTokens(t, session)[0].ID), nil)
	m.wantRows(t, vault.BucketPair, 2)
	sessions, tokens, err := m.Vault.EndCredentials(t.Context(), m.id)
	want(t, "EndCredentials()", err, nil)
	want(t, "EndCredentials() sessions", sessions, 1)
	want(t, "EndCredentials() tokens", tokens, 0)
	m.wantRows(t, vault.BucketPair, 1)
	err = m.Vault.PutMainPair(t.Context(), m.id, seal.NewAccountKey(), holder, m.Clock.Now())
	wantErr(t, "putMainPair(second)", err, vault.ErrFault)
}

// However the password is replaced, there are never more than 20 pairs.
func TestReplacedPairsAreBounded(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	m.mustToken(t, m.mustEnter(t), credential.NewToken{})
	for range vault.PairsMost - 1 {
		_, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), memberAddress, credential.NewToken{})
		want(t, "CreateToken()", err, nil)
	}
	key := seal.NewAccountKey()
	err := m.Vault.ReplaceMainPair(t.Context(), m.id, key, seal.NewAPIToken().WrappingSecret(), m.Clock.Now())
	want(t, "replaceMainPair()", err, nil)
	publics, err := m.Vault.PublicsOf(t.Context(), m.id)
	want(t, "livePairs()", err, nil)
	want(t, "len(livePairs())", len(publics), vault.PairsMost)
	want(t, "livePairs()[0]", publics[0], key.Public())
	m.wantRows(t, vault.BucketPair, vault.PairsMost)
}

// A password without its pair is damage, which callers see only as an internal
// error.
func TestAccountWithoutItsPair(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	for row := range m.rowsOf(t, vault.BucketPair) {
		put(t, m.Store, vault.BucketPair, []byte(row), nil)
	}
	_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), memberAddress, memberPassword, false)
	wantErr(t, "CreateSession(no pair)", err, vault.ErrFault)
	m.wantRows(t, vault.BucketSession, 0)
}
