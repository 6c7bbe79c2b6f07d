package faulttest_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// member is an account whose password and sessions clients change.
type member struct {
	*object
	number  int
	address caller.Text

	// owning is held by the one client that uses the password at a time, so that
	// wrong ones do not lock the account.
	owning    sync.Mutex
	passwords []int // that may be the present one
	next      int

	mu       sync.Mutex
	sessions []seal.SessionID // by number
	tokens   []token
}

// token is an API token with its public id.
type token struct {
	*object
	token seal.APIToken
	id    string
	owner caller.Caller
}

// sessionsOfMember is how many sessions a member opens before it is retired; a
// model has a bit for each.
const sessionsOfMember = 30

// members is the accounts that clients work on.
type members struct {
	made atomic.Int64
	mu   sync.Mutex
	all  []*member
}

const membersInUse = 6

func passwordOf(n int) caller.Text { return caller.Text(fmt.Sprintf("correct horse %d", n)) }

// work does one operation on some account.
func (m *members) work(c *fleet, n *node, d *dice) {
	m.mu.Lock()
	m.all = slices.DeleteFunc(m.all, (*member).worn)
	var some *member
	if len(m.all) >= membersInUse {
		some = m.all[d.below(len(m.all))]
	}
	m.mu.Unlock()
	if some == nil {
		m.create(c, n)
		return
	}
	switch d.below(16) {
	case 0, 1, 2:
		some.signIn(c, n)
	case 3:
		some.change(c, n, d)
	case 4:
		some.signOut(c, n, d)
	case 5, 6:
		some.createToken(c, n, d)
	case 7:
		some.useToken(c, n, d, true)
	case 8, 9, 10, 11:
		some.useToken(c, n, d, false)
	default:
		some.enter(c, n, d)
	}
}

func (m *members) create(c *fleet, n *node) {
	made := &member{number: int(m.made.Add(1)), passwords: []int{0}}
	made.address = caller.Text(fmt.Sprintf("member-%d@example.com", made.number))
	_, err := n.vault.Operator().SignUps.CreateAccount(c.t.Context(), signup.OperatorAccount{Address: made.address, Password: passwordOf(0)})
	if err != nil {
		c.excuse("CreateAccount", err)
		return
	}
	made.object = c.seen.object(fmt.Sprintf("account %d", made.number), accountModel)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, made)
}

func (m *member) worn() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sessions) >= sessionsOfMember
}

// signIn signs in with a password that should be the present one.
func (m *member) signIn(c *fleet, n *node) {
	if !m.owning.TryLock() {
		return
	}
	defer m.owning.Unlock()
	last := len(m.passwords) - 1
	if last < 0 {
		return // a change of unknown outcome came late
	}
	call := c.seen.now()
	in, err := n.vault.Sessions.CreateSession(c.t.Context(), vaulttest.Caller(m.number), m.address, passwordOf(m.passwords[last]), false)
	op := accountOp{verb: signIn, from: m.passwords[last]}
	switch {
	case err == nil:
		m.mu.Lock()
		op.session = len(m.sessions)
		m.add(call, op, done, true)
		m.sessions = append(m.sessions, in.Cookie)
		m.mu.Unlock()
		m.passwords = m.passwords[last:]
	case errors.Is(err, refusal.ErrCredentials):
		m.add(call, op, refused, true)
		m.passwords = m.passwords[:last]
	case errors.Is(err, refusal.ErrLocked):
	default:
		c.excuse("CreateSession", err)
	}
}

// some returns one of the sessions and its number, if there are any.
func (m *member) some(d *dice) (id seal.SessionID, number int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sessions) == 0 {
		return id, 0, false
	}
	number = max(0, len(m.sessions)-1-d.below(4)) // older ones have ended
	return m.sessions[number], number, true
}

// enter authenticates with a session, and returns the caller if it is valid.
func (m *member) enter(c *fleet, n *node, d *dice) (who caller.Caller, number int, ok bool) {
	id, number, ok := m.some(d)
	if !ok {
		return who, 0, false
	}
	call, op := c.seen.now(), accountOp{verb: enter, session: number}
	who, err := n.vault.Sessions.Authenticate(c.t.Context(), vaulttest.Caller(m.number).Network, session.Credential{Session: caller.Text(id.Expose())})
	switch {
	case err == nil:
		m.add(call, op, done, true)
		return who, number, true
	case errors.Is(err, refusal.ErrUnauthenticated):
		m.add(call, op, refused, true)
	default:
		c.excuse("Authenticate", err)
	}
	return who, number, false
}

func (m *member) change(c *fleet, n *node, d *dice) {
	if !m.owning.TryLock() {
		return
	}
	defer m.owning.Unlock()
	who, number, ok := m.enter(c, n, d)
	if !ok || len(m.passwords) != 1 {
		return
	}
	m.next++
	call, op := c.seen.now(), accountOp{verb: password, from: m.passwords[0], to: m.next, session: number}
	err := n.vault.Passwords.ChangeAccountPassword(c.t.Context(), who, passwordOf(op.from), passwordOf(op.to))
	switch {
	case err == nil:
		m.add(call, op, done, true)
		m.passwords = []int{op.to}
	case errors.Is(err, refusal.ErrCredentials):
		m.add(call, op, refused, true)
	case errors.Is(err, refusal.ErrLocked):
	case c.excuse("ChangeAccountPassword", err):
		m.add(call, op, unknown, false)
		m.passwords = []int{op.from, op.to}
	}
}

func (m *member) signOut(c *fleet, n *node, d *dice) {
	who, _, ok := m.enter(c, n, d)
	if !ok {
		return
	}
	call, op := c.seen.now(), accountOp{verb: signOut}
	_, err := n.vault.Sessions.RevokeSessions(c.t.Context(), who, nil, true)
	if err == nil || c.excuse("RevokeSessions", err) {
		m.add(call, op, map[bool]answer{true: done, false: unknown}[err == nil], err == nil)
	}
}

func (m *member) createToken(c *fleet, n *node, d *dice) {
	who, _, ok := m.enter(c, n, d)
	if !ok {
		return
	}
	made, shown, err := n.vault.Tokens.GenerateAPIToken(c.t.Context(), who, credential.NewToken{Name: fmt.Sprintf("token %d", c.seen.now())})
	switch {
	case err == nil:
		m.mu.Lock()
		defer m.mu.Unlock()
		t := token{c.seen.object(fmt.Sprintf("token of account %d", m.number), tokenModel), made, shown.ID, who}
		m.tokens = append(m.tokens, t)
	case errors.Is(err, refusal.ErrUnauthenticated), errors.Is(err, refusal.ErrTooMany):
	default:
		c.excuse("GenerateAPIToken", err)
	}
}

// useToken authenticates with a token, or revokes it.
func (m *member) useToken(c *fleet, n *node, d *dice, revoke bool) {
	m.mu.Lock()
	if len(m.tokens) == 0 {
		m.mu.Unlock()
		return
	}
	t := m.tokens[max(0, len(m.tokens)-1-d.below(3))]
	m.mu.Unlock()
	call := c.seen.now()
	if revoke {
		err := n.vault.Tokens.RevokeAPIToken(c.t.Context(), t.owner, t.id)
		switch {
		case err == nil:
			t.add(call, signOut, done, true)
		case errors.Is(err, refusal.ErrNotFound):
			t.add(call, enter, refused, true)
		case c.excuse("RevokeAPIToken", err):
			t.add(call, signOut, unknown, false)
		}
		return
	}
	_, err := n.vault.Sessions.Authenticate(c.t.Context(), vaulttest.Caller(1).Network, session.Credential{Token: caller.Text(t.token.Expose())})
	switch {
	case err == nil:
		t.add(call, enter, done, true)
	case errors.Is(err, refusal.ErrUnauthenticated):
		t.add(call, enter, refused, true)
	default:
		c.excuse("Authenticate", err)
	}
}
