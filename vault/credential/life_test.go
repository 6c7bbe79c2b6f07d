package vault_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// The limits to the millisecond: without use, and however much it is used.
func TestSessionLifetimes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		remember       bool
		idle, lifetime time.Duration
	}{
		{"session", false, 2 * time.Hour, 24 * time.Hour},
		{"remembered session", true, 7 * 24 * time.Hour, 30 * 24 * time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newMember(t, vaulttest.Options{})
			began := m.Clock.Now()
			idle, busy := bySession(m.mustSignIn(t, test.remember).Cookie), bySession(m.mustSignIn(t, test.remember).Cookie)
			for at := test.idle - time.Millisecond; at < test.lifetime; at += test.idle - time.Millisecond {
				m.Clock.Set(began.Add(at))
				want(t, "Authenticate(in use)", m.authErr(t, busy), nil)
			}
			m.Clock.Set(began.Add(test.lifetime - time.Millisecond))
			want(t, "Authenticate(at the end)", m.authErr(t, busy), nil)
			m.Clock.Advance(time.Millisecond)
			wantErr(t, "Authenticate(after the end)", m.authErr(t, busy), refusal.ErrUnauthenticated)

			m.Clock.Set(began)
			m.Reopen(t)
			m.Clock.Set(began.Add(test.idle - time.Millisecond))
			list, err := m.Vault.Operator().Tokens.ListSessions(t.Context(), memberAddress)
			want(t, "ListSessions(before the idle end)", err, nil)
			want(t, "ListSessions(before the idle end)", len(list), 2)
			m.Clock.Advance(time.Millisecond)
			wantErr(t, "Authenticate(idle for too long)", m.authErr(t, idle), refusal.ErrUnauthenticated)
		})
	}
}

// The sweeper forgets sessions when they end, and not those in use.
func TestSessionsAreSwept(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	busy := bySession(m.mustSignIn(t, false).Cookie)
	m.mustSignIn(t, false)
	for range 5 {
		m.pass(t, 100*time.Minute)
		want(t, "Authenticate(in use)", m.authErr(t, busy), nil)
	}
	m.wantRows(t, vault.BucketSession, 1)
	m.wantRows(t, vault.BucketSessions, 1)
	want(t, "ListSessions()", len(m.listSessions(t, m.mustAuth(t, busy))), 1)
	m.pass(t, 16*time.Hour)
	m.wantRows(t, vault.BucketSession, 0)
	m.wantRows(t, vault.BucketSessions, 0)
	m.wantRows(t, vault.BucketPair, 1)
	wantErr(t, "Authenticate(swept)", m.authErr(t, busy), refusal.ErrUnauthenticated)
}

// updatesStore counts updates.
type updatesStore struct {
	storage.Store
	updates atomic.Int64
}

func (s *updatesStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	s.updates.Add(1)
	return s.Store.Update(ctx, fn)
}

// Coming with a credential writes nothing; the sweeper writes down the last
// use, which a restart does not forget.
func TestUsesAreWrittenBySweeper(t *testing.T) {
	t.Parallel()
	var counting updatesStore
	m := newMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		counting.Store = s
		return &counting
	}})
	session := bySession(m.mustSignIn(t, false).Cookie)
	c := m.mustAuth(t, session)
	token := byToken(m.mustToken(t, c, credential.NewToken{}))
	want(t, "APIToken.Used before", m.listTokens(t, c)[0].Used, time.Time{})
	m.Clock.Advance(90 * time.Minute)
	before := counting.updates.Load()
	for range 100 {
		m.mustAuth(t, session)
		m.mustAuth(t, token)
	}
	want(t, "updates", counting.updates.Load(), before)
	used := m.Clock.Now()
	shows := func() {
		t.Helper()
		want(t, "Session.Used", m.listSessions(t, c)[0].Used, used)
		want(t, "APIToken.Used", m.listTokens(t, c)[0].Used, used)
	}
	shows()
	m.Clock.Advance(time.Minute)
	m.MustSweep(t)
	m.Clock.Advance(time.Minute)
	m.MustSweep(t)
	m.Clock.Advance(time.Minute)
	m.MustSweep(t)
	shows()
	m.Reopen(t)
	shows()
	m.Clock.Set(used.Add(credential.SessionIdle - time.Millisecond))
	want(t, "Authenticate(used before the restart)", m.authErr(t, session), nil)
}

// Where no more can be remembered, each use is written at once, and what is
// remembered of credentials that are gone is dropped.
func TestUsesBeyondMemory(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	session := bySession(m.mustSignIn(t, false).Cookie)
	token := byToken(m.mustToken(t, m.mustAuth(t, session), credential.NewToken{}))
	m.Vault.FillUses(m.Clock.Now())
	m.Clock.Advance(90 * time.Minute)
	c := m.mustAuth(t, session)
	m.mustAuth(t, token)
	m.Reopen(t) // without sweeping
	want(t, "Session.Used", m.listSessions(t, c)[0].Used, m.Clock.Now())
	want(t, "APIToken.Used", m.listTokens(t, c)[0].Used, m.Clock.Now())
	m.Vault.FillUses(m.Clock.Now())
	m.MustSweep(t)
}

// What was signed out or revoked is not missed when its time comes, and what
// cannot be read keeps nothing else from its end.
func TestSweepingWhatIsGone(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	gone, damaged := m.mustSignIn(t, false), m.mustSignIn(t, false)
	m.mustSignIn(t, false)
	c := m.mustAuth(t, bySession(gone.Cookie))
	m.mustToken(t, c, credential.NewToken{Name: "gone", TTL: new(time.Hour)})
	want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), c, m.listTokens(t, c)[0].ID), nil)
	m.mustToken(t, c, credential.NewToken{Name: "kept", TTL: new(time.Hour)})
	want(t, "DestroySession(caller)", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
	row := damaged.Cookie.Row()
	put(t, m.Store, vault.BucketSession, row[:], []byte("damaged"))
	m.pass(t, 3*time.Hour)
	m.wantRows(t, vault.BucketSession, 1)
	m.wantRows(t, vault.BucketToken, 0)
	err := m.authErr(t, bySession(damaged.Cookie))
	want(t, "Authenticate(damaged) succeeds", err == nil, false)
	want(t, "Authenticate(damaged) signs out", errors.Is(err, refusal.ErrUnauthenticated), false)
}
