package credential_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
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
			m := vaulttest.NewMember(t, vaulttest.Options{})
			began := m.Clock.Now()
			idle, busy := vaulttest.BySession(m.SignIn(t, test.remember).Cookie), vaulttest.BySession(m.SignIn(t, test.remember).Cookie)
			for at := test.idle - time.Millisecond; at < test.lifetime; at += test.idle - time.Millisecond {
				m.Clock.Set(began.Add(at))
				vaulttest.Want(t, "Authenticate(in use)", m.AuthErr(t, busy), nil)
			}
			m.Clock.Set(began.Add(test.lifetime - time.Millisecond))
			vaulttest.Want(t, "Authenticate(at the end)", m.AuthErr(t, busy), nil)
			m.Clock.Advance(time.Millisecond)
			vaulttest.WantErr(t, "Authenticate(after the end)", m.AuthErr(t, busy), refusal.ErrUnauthenticated)

			m.Clock.Set(began)
			m.Reopen(t)
			m.Clock.Set(began.Add(test.idle - time.Millisecond))
			list, err := m.Vault.Operator().Tokens.ListSessions(t.Context(), vaulttest.MemberAddress)
			vaulttest.Want(t, "ListSessions(before the idle end)", err, nil)
			vaulttest.Want(t, "ListSessions(before the idle end)", len(list), 2)
			m.Clock.Advance(time.Millisecond)
			vaulttest.WantErr(t, "Authenticate(idle for too long)", m.AuthErr(t, idle), refusal.ErrUnauthenticated)
		})
	}
}

// The sweeper forgets sessions when they end, and not those in use.
func TestSessionsAreSwept(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	busy := vaulttest.BySession(m.SignIn(t, false).Cookie)
	m.SignIn(t, false)
	for range 5 {
		m.Pass(t, 100*time.Minute)
		vaulttest.Want(t, "Authenticate(in use)", m.AuthErr(t, busy), nil)
	}
	m.WantRows(t, credential.BucketSession, 1)
	m.WantRows(t, credential.BucketSessions, 1)
	vaulttest.Want(t, "ListSessions()", len(m.ListSessions(t, m.MustAuthenticate(t, busy))), 1)
	m.Pass(t, 16*time.Hour)
	m.WantRows(t, credential.BucketSession, 0)
	m.WantRows(t, credential.BucketSessions, 0)
	m.WantRows(t, credential.BucketPair, 1)
	vaulttest.WantErr(t, "Authenticate(swept)", m.AuthErr(t, busy), refusal.ErrUnauthenticated)
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

func (s *updatesStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// Coming with a credential writes nothing; the sweeper writes down the last
// use, which a restart does not forget.
func TestUsesAreWrittenBySweeper(t *testing.T) {
	t.Parallel()
	var counting updatesStore
	m := vaulttest.NewMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		counting.Store = s
		return &counting
	}})
	session := vaulttest.BySession(m.SignIn(t, false).Cookie)
	c := m.MustAuthenticate(t, session)
	token := vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{}))
	vaulttest.Want(t, "APIToken.Used before", m.ListTokens(t, c)[0].Used, time.Time{})
	m.Clock.Advance(90 * time.Minute)
	before := counting.updates.Load()
	for range 100 {
		m.MustAuthenticate(t, session)
		m.MustAuthenticate(t, token)
	}
	vaulttest.Want(t, "updates", counting.updates.Load(), before)
	used := m.Clock.Now()
	shows := func() {
		t.Helper()
		vaulttest.Want(t, "Session.Used", m.ListSessions(t, c)[0].Used, used)
		vaulttest.Want(t, "APIToken.Used", m.ListTokens(t, c)[0].Used, used)
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
	vaulttest.Want(t, "Authenticate(used before the restart)", m.AuthErr(t, session), nil)
}

// Where no more can be remembered, each use is written at once, and what is
// remembered of credentials that are gone is dropped.
func TestUsesBeyondMemory(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	session := vaulttest.BySession(m.SignIn(t, false).Cookie)
	token := vaulttest.ByToken(m.MustToken(t, m.MustAuthenticate(t, session), credential.NewToken{}))
	credential.FillUses(m.Vault.Credentials, m.Clock.Now())
	m.Clock.Advance(90 * time.Minute)
	c := m.MustAuthenticate(t, session)
	m.MustAuthenticate(t, token)
	m.Reopen(t) // without sweeping
	vaulttest.Want(t, "Session.Used", m.ListSessions(t, c)[0].Used, m.Clock.Now())
	vaulttest.Want(t, "APIToken.Used", m.ListTokens(t, c)[0].Used, m.Clock.Now())
	credential.FillUses(m.Vault.Credentials, m.Clock.Now())
	m.MustSweep(t)
}

// What was signed out or revoked is not missed when its time comes, and what
// cannot be read keeps nothing else from its end.
func TestSweepingWhatIsGone(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	gone, damaged := m.SignIn(t, false), m.SignIn(t, false)
	m.SignIn(t, false)
	c := m.MustAuthenticate(t, vaulttest.BySession(gone.Cookie))
	m.MustToken(t, c, credential.NewToken{Name: "gone", TTL: new(time.Hour)})
	vaulttest.Want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), c, m.ListTokens(t, c)[0].ID), nil)
	m.MustToken(t, c, credential.NewToken{Name: "kept", TTL: new(time.Hour)})
	vaulttest.Want(t, "DestroySession(caller)", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
	row := damaged.Cookie.Row()
	vaulttest.Put(t, m.Store, credential.BucketSession, row[:], []byte("damaged"))
	m.Pass(t, 3*time.Hour)
	m.WantRows(t, credential.BucketSession, 1)
	m.WantRows(t, credential.BucketToken, 0)
	err := m.AuthErr(t, vaulttest.BySession(damaged.Cookie))
	vaulttest.Want(t, "Authenticate(damaged) succeeds", err == nil, false)
	vaulttest.Want(t, "Authenticate(damaged) signs out", errors.Is(err, refusal.ErrUnauthenticated), false)
}
