package faulttest_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The passphrases of clients.
const rightPassphrase, wrongPassphrase = "right", "wrong"

// kept is a concealed secret.
type kept struct {
	*object
	number       int
	key, receipt string
	text         string
	passphrase   caller.Text // empty for none

	mu    sync.Mutex
	left  int // operations until it is retired
	memos int
}

// shelf is the secrets that clients work on. A few are in use at a time, so that
// operations meet.
type shelf struct {
	hot int // how many are in use
	ops int // on each until it is retired

	mu      sync.Mutex
	inUse   []*kept
	retired []*kept
	made    int
}

// take returns a secret to work on, or nil if there should be more of them.
func (s *shelf) take(d *dice) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.inUse) < s.hot {
		return nil
	}
	k := s.inUse[d.below(len(s.inUse))]
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left--; k.left <= 0 {
		s.inUse = slices.DeleteFunc(s.inUse, func(other *kept) bool { return other == k })
		s.retired = append(s.retired, k)
	}
	return k
}

// old returns a retired secret, or nil.
func (s *shelf) old(d *dice) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.retired) == 0 {
		return nil
	}
	return s.retired[d.below(len(s.retired))]
}

func (s *shelf) all() []*kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(slices.Clone(s.inUse), s.retired...)
}

func (s *shelf) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return s.made
}

// conceal adds a secret. One of unknown outcome has no key, and no client meets it.
func (s *shelf) conceal(c *fleet, n *node, d *dice) {
	k := &kept{number: s.number(), left: s.ops}
	k.text = "text " + strconv.Itoa(k.number)
	ttl := time.Hour
	switch d.below(10) {
	case 0:
		ttl = time.Minute
	case 1:
		if d.below(2) == 0 {
			k.passphrase = rightPassphrase
		}
	}
	call := c.seen.now()
	made, err := n.vault.Secrets.ConcealSecret(c.t.Context(), k.caller(d.below(networks)), caller.Text(k.text),
		secret.Terms{TTL: &ttl, Passphrase: k.passphrase})
	if err != nil {
		c.excuse("ConcealSecret", err)
		return
	}
	k.object = c.seen.object(fmt.Sprintf("secret %d", k.number), secretModel)
	k.key, k.receipt = made.Secret.Key.Expose(), made.Metadata.Key.Expose()
	k.add(call, secretOp{verb: conceal, ttl: ttl}, secretOut{answer: done}, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse = append(s.inUse, k)
}

// excuse records an error that no fault excuses. It reports whether the outcome
// is unknown.
func (c *fleet) excuse(call string, err error) bool {
	if errors.Is(err, refusal.ErrBusy) {
		return false
	}
	if !unavailable(err) && !errors.Is(err, refusal.ErrUnavailable) {
		c.seen.wrongf("%s: got %v, want at most that it is unavailable", call, err)
	}
	return true
}

// caller returns one of the callers of a secret. Networks are its own, so that
// its tries count alone.
func (k *kept) caller(network int) caller.Caller {
	return vaulttest.Caller(k.number*networks + network)
}

// work does one operation.
func (k *kept) work(c *fleet, n *node, d *dice) {
	switch network := d.below(networks); d.below(10) {
	case 0, 1, 2:
		k.look(c, n, network)
	case 3, 4:
		k.fetch(c, n)
	case 5, 6:
		k.note(c, n)
	case 7:
		k.finish(c, n, burn, network, k.passphrase)
	default:
		passphrase := k.passphrase
		if passphrase != "" && d.below(3) > 0 {
			passphrase = wrongPassphrase
		}
		k.finish(c, n, reveal, network, passphrase)
	}
}

// look and fetch report whether they were answered.
func (k *kept) look(c *fleet, n *node, network int) bool {
	call, op := c.seen.now(), secretOp{verb: look}
	_, err := n.vault.Secrets.GetSecret(c.t.Context(), k.caller(network), k.key)
	switch {
	case err == nil:
		k.add(call, op, secretOut{answer: done}, true)
	case errors.Is(err, refusal.ErrNotFound):
		k.add(call, op, secretOut{answer: notFound}, true)
	default:
		c.excuse("GetSecret", err)
		return false
	}
	return true
}

func (k *kept) fetch(c *fleet, n *node) bool {
	call, op := c.seen.now(), secretOp{verb: showReceipt}
	got, err := n.vault.Receipts.GetMetadata(c.t.Context(), k.caller(0), k.receipt)
	switch {
	case err == nil:
		noted, _ := strconv.Atoi(string(got.Memo))
		k.add(call, op, secretOut{answer: done, state: got.State, memo: noted}, true)
	case errors.Is(err, refusal.ErrNotFound):
		k.add(call, op, secretOut{answer: notFound}, true)
	default:
		if c.excuse("GetMetadata", err) {
			k.add(call, op, secretOut{answer: unknown}, false)
		}
		return false
	}
	return true
}

// note sets a memo. It is one transaction, so that an error other than an
// unknown outcome means that nothing changed.
func (k *kept) note(c *fleet, n *node) {
	k.mu.Lock()
	k.memos++
	op := secretOp{verb: memo, memo: k.memos}
	k.mu.Unlock()
	call := c.seen.now()
	_, err := n.vault.Receipts.UpdateMemo(c.t.Context(), k.caller(0), k.receipt, caller.Text(strconv.Itoa(op.memo)))
	switch {
	case err == nil:
		k.add(call, op, secretOut{answer: done}, true)
	case errors.Is(err, refusal.ErrNotFound):
		k.add(call, op, secretOut{answer: notFound}, true)
	case c.excuse("UpdateMemo", err) && errors.Is(err, storage.ErrUnknownOutcome):
		k.add(call, op, secretOut{answer: unknown}, false)
	}
}

// finish reveals or burns. With a passphrase that is a try at it, which counts
// in a transaction of its own, and then the end.
func (k *kept) finish(c *fleet, n *node, how verb, network int, passphrase caller.Text) {
	call, op := c.seen.now(), secretOp{verb: how}
	tried := secretOp{verb: try, network: network}
	var err error
	if how == reveal {
		var got secret.Revealed
		got, err = n.vault.Secrets.RevealSecret(c.t.Context(), k.caller(network), k.key, secret.Opening{Passphrase: passphrase})
		if err == nil && string(got.Value) != k.text {
			c.seen.wrongf("%s: got another text", k.name)
		}
	} else {
		_, err = n.vault.Burns.BurnGuarded(c.t.Context(), k.caller(network), k.receipt, passphrase)
	}
	wrong, isWrong := errors.AsType[*refusal.PassphraseError](err)
	switch {
	case err == nil:
		k.try(call, tried, secretOut{answer: done, left: -1}, true)
		k.add(call, op, secretOut{answer: done}, true)
	case isWrong && passphrase == wrongPassphrase:
		k.try(call, tried, secretOut{answer: done, left: wrong.TriesLeft}, true)
	case errors.Is(err, refusal.ErrLocked):
		k.try(call, tried, secretOut{answer: locked}, true)
	case errors.Is(err, refusal.ErrNotFound):
		k.try(call, tried, secretOut{answer: unknown, left: -1}, false)
		k.add(call, op, secretOut{answer: notFound}, true)
	case c.excuse(string(how), err):
		k.try(call, tried, secretOut{answer: unknown, left: -1}, false)
		if passphrase != wrongPassphrase {
			k.add(call, op, secretOut{answer: unknown}, false)
		}
	}
}

// try records a try, if the secret has a passphrase.
func (k *kept) try(call int64, op secretOp, out secretOut, known bool) {
	if k.passphrase != "" {
		k.add(call, op, out, known)
	}
}

// settle looks at a secret for the last time: what was acknowledged must be
// there, and what has ended must not. It must be served within limit.
func (k *kept) settle(c *fleet, d *dice, limit time.Duration) {
	for began := time.Now(); !k.fetch(c, c.any(d)) || !k.look(c, c.any(d), 0); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > limit {
			c.seen.wrongf("%s: got no answer in %v after the last fault, want one", k.name, limit)
			return
		}
	}
	if k.passphrase == "" {
		k.finish(c, c.any(d), reveal, 0, "")
	}
}
