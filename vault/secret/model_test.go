package secret_test

import (
	"errors"
	"time"

	"hush/vault/caller"
	"hush/vault/guess"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
)

// model says what a vault should answer. It knows nothing of storage, sweeping
// or restarts, because no answer may depend on them.
type model struct{ now time.Time }

// entry is one secret of the model.
type entry struct {
	kept       secret.Concealed
	text       caller.Text
	passphrase caller.Text
	sealed     *secret.SealedContent // nil if the server encrypts
	ttl        time.Duration

	state                           receipt.State // new, viewed, received or burned
	created, viewed, ended, updated time.Time
	memo                            caller.Text
	tries                           map[int]*counter // by network
	all                             counter

	claim   caller.Text // that it is bound to; empty for none, or once that ended
	until   time.Time   // the claim's deadline
	limit   time.Time   // no deadline of the claim is later
	outcome receipt.Outcome
}

func (e *entry) encryption() receipt.Encryption {
	if e.sealed != nil {
		return receipt.EncryptionEndToEnd
	}
	return receipt.EncryptionServer
}

// revealed is what a reveal returns.
func (e *entry) revealed(shown secret.Secret, left time.Duration) secret.Revealed {
	if e.sealed != nil {
		return secret.Revealed{Secret: shown, Content: e.sealed.Content, ClaimLeft: left}
	}
	return secret.Revealed{Secret: shown, Value: e.text, ClaimLeft: left}
}

// counter counts wrong passphrases.
type counter struct {
	count  int
	locked time.Time
}

func (c *counter) add(free int, now time.Time) int {
	c.count++
	c.locked = now.Add(guess.PauseAfter(c.count, free))
	return max(0, free-c.count)
}

func (m *model) expires(e *entry) time.Time { return e.created.Add(e.ttl) }

func (m *model) forgotten(e *entry) time.Time { return e.created.Add(2 * e.ttl) }

func (m *model) isForgotten(e *entry) bool { return !m.now.Before(m.forgotten(e)) }

// stateOf adds to the stored state what time does.
func (m *model) stateOf(e *entry) receipt.State {
	if e.state.Live() && !m.now.Before(m.expires(e)) {
		return receipt.StateExpired
	}
	return e.state
}

// secret is what a look at the link shows.
func (m *model) secret(e *entry) secret.Secret {
	if !m.stateOf(e).Live() {
		return secret.Secret{}
	}
	return secret.Secret{
		Key: e.kept.Secret.Key, State: receipt.StateNew, Encryption: e.encryption(), HasPassphrase: e.passphrase != "",
		Created: e.created, Expires: m.expires(e), TTL: e.ttl, TTLLeft: m.left(m.expires(e)),
	}
}

func (m *model) left(end time.Time) time.Duration {
	left := end.Sub(m.now)
	if part := left % time.Second; part > 0 {
		left += time.Second - part
	}
	return max(0, left)
}

// metadata is what the receipt shows, before the look at it changes it.
func (m *model) metadata(e *entry) receipt.Metadata {
	shown := receipt.Metadata{
		Key: e.kept.Metadata.Key, Hint: e.kept.Secret.Key.Short(6), State: m.stateOf(e),
		Encryption: e.encryption(), Outcome: e.outcome, HasPassphrase: e.passphrase != "", LockedForGood: m.lockedForGood(e), Created: e.created, Updated: e.updated,
		Forgotten: m.forgotten(e), Expires: m.expires(e), Viewed: e.viewed, Ended: e.ended,
		TTL: e.ttl, TTLLeft: m.left(m.forgotten(e)), Memo: e.memo,
	}
	switch {
	case shown.State.Live():
		shown.Secret, shown.SecretTTLLeft = &e.kept.Secret.Key, m.left(m.expires(e))
	case shown.State == receipt.StateExpired:
		shown.Ended = m.expires(e)
		if shown.Updated.Before(shown.Ended) {
			shown.Updated = shown.Ended
		}
	}
	return shown
}

// look moves a new receipt to viewed.
func (m *model) look(e *entry) {
	if m.stateOf(e) == receipt.StateNew {
		e.state = receipt.StateViewed
		e.viewed = m.now
		e.updated = m.now
	}
}

// end moves a secret to received or burned, or says why not.
func (m *model) end(e *entry, network int, entered caller.Text, to receipt.State) error {
	if !m.stateOf(e).Live() {
		return refusal.ErrNotFound
	}
	if to == receipt.StateBurned && (e.sealed != nil || m.lockedForGood(e)) {
		e.tries = nil // no passphrase is needed
	} else if err := m.try(e, network, entered); err != nil {
		return err
	}
	e.state = to
	e.ended = m.now
	e.updated = m.now
	return nil
}

// bind binds a secret that was just revealed to a claim.
func (m *model) bind(e *entry, claim caller.Text) {
	e.claim = claim
	e.until = m.now.Add(2 * time.Minute)
	e.outcome = receipt.OutcomeAwaited
	e.limit = m.now.Add(time.Hour)
}

// holds reports whether a claim opens a secret.
func (m *model) holds(e *entry, claim caller.Text) bool {
	return e.claim != "" && e.claim == claim && m.now.Before(e.until)
}

// extend moves the deadline of a claim whose reader came back.
func (m *model) extend(e *entry) {
	to := m.now.Add(2 * time.Minute)
	if to.After(e.limit) {
		to = e.limit
	}
	if to.Sub(e.until) >= 30*time.Second {
		e.until = to
	}
}

// acknowledge ends a claim.
func (m *model) acknowledge(e *entry, claim caller.Text) {
	if e.claim == "" || e.claim != claim {
		return
	}
	outcome := receipt.OutcomeDelivered
	if !m.now.Before(e.until) {
		outcome = receipt.OutcomeLapsed
	}
	e.claim = ""
	e.outcome = outcome
	e.updated = m.now
}

// lapse ends a claim that is due.
func (m *model) lapse(e *entry) {
	if e.claim != "" && !m.now.Before(e.until) {
		e.claim = ""
		e.outcome = receipt.OutcomeLapsed
		e.updated = m.now
	}
}

func (m *model) try(e *entry, network int, entered caller.Text) error {
	if err := e.kindRefuses(entered); err != nil || e.passphrase == "" {
		return err
	}
	if entered == "" {
		return &refusal.PassphraseError{Missing: true}
	}
	if e.tries[network] == nil {
		e.tries[network] = &counter{}
	}
	mine, all := e.tries[network], &e.all
	if m.lockedForGood(e) {
		return &refusal.LockedError{ForGood: true}
	}
	if wait := max(mine.locked.Sub(m.now), all.locked.Sub(m.now)); wait > 0 {
		return &refusal.LockedError{RetryAfter: wait}
	}
	left := min(mine.add(passphrase.NetworkTries, m.now), all.add(passphrase.AllTries, m.now))
	if entered != e.passphrase {
		wrong := &refusal.PassphraseError{TriesLeft: left}
		if all.count < passphrase.MostTries {
			wrong.RetryAfter = max(0, mine.locked.Sub(m.now), all.locked.Sub(m.now))
		}
		return wrong
	}
	return nil
}

// kindRefuses is the part of try that no passphrase and no pause matters to.
func (e *entry) kindRefuses(entered caller.Text) error {
	switch {
	case e.sealed == nil && entered == otherLink:
		return &refusal.EncryptionError{}
	case e.sealed == nil:
		return nil
	case entered == noProofs:
		return &refusal.EncryptionError{EndToEnd: true}
	case entered == otherLink, entered == "wrong" && e.passphrase == "":
		return refusal.ErrLink
	}
	return nil
}

func (m *model) lockedForGood(e *entry) bool {
	return e.all.count >= passphrase.MostTries && m.stateOf(e).Live()
}

// sameError reports whether two errors are one kind with the same content.
func sameError(a, b error) bool {
	if pa, ok := errors.AsType[*refusal.PassphraseError](a); ok {
		pb, ok := errors.AsType[*refusal.PassphraseError](b)
		return ok && *pa == *pb
	}
	if ea, ok := errors.AsType[*refusal.EncryptionError](a); ok {
		eb, ok := errors.AsType[*refusal.EncryptionError](b)
		return ok && *ea == *eb
	}
	if la, ok := errors.AsType[*refusal.LockedError](a); ok {
		lb, ok := errors.AsType[*refusal.LockedError](b)
		return ok && *la == *lb
	}
	return errors.Is(b, a)
}
