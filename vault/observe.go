package vault

import (
	"context"
	"time"

	"hush/vault/guess"
	"hush/vault/outbox"
	"hush/vault/rows"
)

// Observer is told what the background of a vault does, for metrics. Its methods
// must return at once and be safe for concurrent use.
type Observer interface {
	// Swept reports a sweep that this process made: what it looked after, one of
	// SweptSecrets and SweptRest, how many rows it handled, how long it took, and
	// its error.
	Swept(what string, rows int, took time.Duration, err error)
	// Mailed reports that a mail was tried. Kind and state are those of MailTries.
	Mailed(kind, state string)
}

// What sweeps look after: secrets with their receipts, and everything else.
const (
	SweptSecrets = "secrets"
	SweptRest    = "rest"
)

// MailTries returns the kinds of mails and the states after a try that an
// Observer can get.
func MailTries() (kinds, states []string) { return outbox.Tries() }

// unobserved is what a vault without an observer tells.
type unobserved struct{}

func (unobserved) Swept(string, int, time.Duration, error) {}
func (unobserved) Mailed(string, string)                   {}

// HashLoad is how busy a queue of hashing is.
type HashLoad = guess.Load

// State is what this process holds at the moment.
type State struct {
	// Watches is the number of receipts that are watched.
	Watches int
	// Claims is the number of claims that this process knows of.
	Claims int
	// FileClaims is how many of them are on files.
	FileClaims int
	// Passphrases and Passwords are the queues of slow hashing, and Hashed the
	// number of hashes so far.
	Passphrases, Passwords HashLoad
	Hashed                 int64
	// ClockLeapt reports whether the clock leapt forward, and nothing is deleted
	// until that is confirmed.
	ClockLeapt bool
	// ResealLeft is how many rows wait to be sealed with the current root key, and
	// OldKeyUses are how many things of each kind needed an older one when that was
	// last counted, nil before.
	ResealLeft int64
	OldKeyUses map[string]int
}

// Monitor is for what watches the process, such as metrics. Its methods check no
// caller.
type Monitor struct{ vault *Vault }

// State returns what this process holds at the moment. It asks nothing of the
// store.
func (m Monitor) State() State {
	v := m.vault
	s := State{Watches: v.Watches.Open(), Claims: v.Claims.Live(), Hashed: v.hasher.Done.Load(), ClockLeapt: v.clock.Leapt()}
	s.FileClaims = v.Claims.LiveOnFiles()
	s.Passphrases, s.Passwords = v.hasher.Load()
	s.ResealLeft, s.OldKeyUses = v.RootKeys.Progress()
	return s
}

// Totals returns the counters of all processes that share the store, and the
// bytes of live secrets. Callers get them by GetIndex.
func (m Monitor) Totals(ctx context.Context) (counts Counts, liveBytes int64, err error) {
	err = m.vault.store.View(ctx, func(tx *rows.Tx) (err error) {
		counts, err = showCounts(tx)
		return err
	})
	if err != nil {
		return Counts{}, 0, err
	}
	liveBytes, err = m.vault.Usage.LiveBytes(ctx)
	return counts, liveBytes, err
}
