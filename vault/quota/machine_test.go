package quota_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/storage"
	"hush/testtier/property"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// quotaMachine runs commands on a vault, whatever they answer, and compares what
// it counts with what is stored.
type quotaMachine struct {
	t       *testing.T
	kit     *vaulttest.Kit
	callers []caller.Caller
	kept    []secret.Concealed
	account int  // how many were made
	passed  bool // since the last start
}

// No sequence of commands, failures, sweeps and restarts, some of them in the
// middle of the pass after a start, and no record of an old version makes the
// vault count other bytes than those that are stored.
func TestQuotaStateMachine(t *testing.T) {
	t.Parallel()
	property.Check(t, func(rt *rapid.T) {
		m := &quotaMachine{t: t}
		m.kit = vaulttest.New(t, vaulttest.Options{
			Manual: true, Alone: true, // nodes have no pass; see TestLedgerStateMachine
			Send:      func(context.Context, outbox.Mail) error { return nil },
			Limits:    caller.Limits{NetworkBytes: 8 << 10, AccountBytes: 16 << 10, TotalBytes: 64 << 10},
			WrapStore: func(s storage.Store) storage.Store { return quotaStore{s} },
		})
		defer m.kit.Close(t)
		m.callers = []caller.Caller{
			vaulttest.Caller(1), {Network: caller.NetworkOf(netip.MustParseAddr("2001:db8:1:1::1"))},
			{Network: caller.NetworkOf(netip.MustParseAddr("2001:db8:1:2::1"))}, m.newAccount(),
		}
		m.conceal(rt)
		commands := m.commands()
		inPass := []string{"conceal", "memo", "reveal", "burn", "advance", "sweep", "destroy", "fail"}
		commands["pass"] = func(rt *rapid.T) {
			if _, err := m.kit.Vault.Sweeper.Reclaim(m.with(&interference{
				afterView: func() { commands[rapid.SampledFrom(inPass).Draw(rt, "in the pass")](rt) },
			})); err != nil {
				rt.Fatalf("Reclaim(): got %v, want nil", err)
			}
			m.passed = true
		}
		commands[""] = m.compare
		rt.Repeat(commands)
		m.kit.MustReclaim(t)
		m.passed = true
		m.compare(rt)
	})
}

func (m *quotaMachine) commands() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"conceal": m.conceal,
		"memo":    m.memo,
		"reveal": func(rt *rapid.T) {
			if one := m.pick(rt); one != nil {
				_, _ = m.kit.Vault.Secrets.RevealSecret(m.t.Context(), vaulttest.Caller(2), one.Secret.Key.Expose(), secret.Opening{})
			}
		},
		"burn": func(rt *rapid.T) {
			if one := m.pick(rt); one != nil {
				_, _ = m.kit.Vault.Burns.BurnGuarded(m.t.Context(), m.callers[3], one.Metadata.Key.Expose(), "")
			}
		},
		"view": func(rt *rapid.T) {
			if one := m.pick(rt); one != nil {
				_, _ = m.kit.Vault.Receipts.GetMetadata(m.t.Context(), m.callers[3], one.Metadata.Key.Expose())
			}
		},
		"advance": func(rt *rapid.T) {
			m.kit.Clock.Advance(rapid.SampledFrom([]time.Duration{time.Minute, 2 * time.Minute, time.Hour}).Draw(rt, "by"))
		},
		"sweep":   func(*rapid.T) { _, _ = m.kit.Vault.Sweep(m.t.Context()) },
		"destroy": m.destroy,
		"reopen":  func(*rapid.T) { m.kit.Reopen(m.t); m.passed = false },
		"age":     m.age,
		"fail": func(rt *rapid.T) {
			m.memoIn(m.with(&interference{failing: 1}), rt)
			m.concealIn(m.with(&interference{failing: 1}), rt)
			if m.passed { // the bytes of a secret whose end fails before that are left out until it ends
				_, _ = m.kit.Vault.Sweep(m.with(&interference{failing: rapid.IntRange(2, 3).Draw(rt, "update")}))
			}
		},
	}
}

func (m *quotaMachine) newAccount() caller.Caller {
	m.account++
	return m.kit.MustAccount(m.t, caller.Text(fmt.Sprintf("account%d@example.com", m.account)))
}

func (m *quotaMachine) conceal(rt *rapid.T) { m.concealIn(m.t.Context(), rt) }

func (m *quotaMachine) concealIn(ctx context.Context, rt *rapid.T) {
	c := rapid.SampledFrom(m.callers).Draw(rt, "caller")
	terms := secret.Terms{TTL: new(rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(rt, "ttl"))}
	if !c.Anonymous() {
		terms.Recipients = rapid.SampledFrom([][]string{nil, {"eve@example.com", "bob@example.com"}}).Draw(rt, "recipients")
	}
	size := rapid.IntRange(1, 2000).Draw(rt, "size")
	kept, err := m.kit.Vault.Secrets.ConcealSecret(ctx, c, caller.Text(strings.Repeat("x", size)), terms)
	if err == nil {
		m.kept = append(m.kept, kept)
	} else if !errors.Is(err, refusal.ErrQuota) && !errors.Is(err, errFailed) {
		rt.Fatalf("ConcealSecret(text): got %v, want nil or ErrQuota", err)
	}
}

func (m *quotaMachine) memo(rt *rapid.T) { m.memoIn(m.t.Context(), rt) }

func (m *quotaMachine) memoIn(ctx context.Context, rt *rapid.T) {
	one := m.pick(rt)
	if one == nil {
		return
	}
	memo := caller.Text(strings.Repeat("m", rapid.IntRange(0, 500).Draw(rt, "memo")))
	_, err := m.kit.Vault.Receipts.UpdateMemo(ctx, vaulttest.Caller(2), one.Metadata.Key.Expose(), memo)
	for _, known := range []error{refusal.ErrQuota, refusal.ErrNotFound, errFailed} {
		if errors.Is(err, known) {
			return
		}
	}
	if err != nil {
		rt.Fatalf("UpdateMemo(memo): got %v, want nil, ErrQuota or ErrNotFound", err)
	}
}

func (m *quotaMachine) pick(rt *rapid.T) *secret.Concealed {
	if len(m.kept) == 0 {
		return nil
	}
	return &m.kept[rapid.IntRange(0, len(m.kept)-1).Draw(rt, "secret")]
}

// destroy ends the account and makes another.
func (m *quotaMachine) destroy(rt *rapid.T) {
	address := caller.Text(fmt.Sprintf("account%d@example.com", m.account))
	if _, err := m.kit.Vault.Operator().Accounts.DestroyAccount(m.t.Context(), address); err != nil {
		rt.Fatalf("DestroyAccount(address): got %v, want nil", err)
	}
	m.callers[3] = m.newAccount()
}

// age restarts on a folder in which an older release wrote some receipts.
func (m *quotaMachine) age(rt *rapid.T) {
	m.kit.Reopen(m.t)
	m.passed = false
	for _, one := range m.kept {
		version := byte(rapid.IntRange(2, 3).Draw(rt, "version"))
		row := one.Metadata.Key.RowKey(seal.KindMetadata)
		err := m.kit.Store.Update(m.t.Context(), func(tx storage.Tx) error {
			value, err := tx.Get(receipt.BucketMetadata, row[:])
			if errors.Is(err, storage.ErrNotFound) || err == nil && (value[0] != 3 || version == 3) {
				return nil
			}
			const added = 16 // bytes of version 3
			value = bytes.Clone(value[:max(0, len(value)-added)])
			value[0] = version
			return errors.Join(err, tx.Put(receipt.BucketMetadata, row[:], value))
		})
		if err != nil {
			rt.Fatalf("Update(receipt): got %v, want nil", err)
		}
	}
}

// compare is exact once the pass is through. Before, the count may be too low,
// and never is too high.
func (m *quotaMachine) compare(rt *rapid.T) {
	usage, stored := m.kit.Vault.Usage.Charges(), storedCharges(m.t.Context(), m.kit.Store)
	if !m.passed {
		if usage.Total > stored.Total || usage.Anonymous > stored.Anonymous {
			rt.Fatalf("usage before the pass: got %+v, want at most %+v", usage, stored)
		}
		return
	}
	if diff := cmp.Diff(stored, usage); diff != "" {
		rt.Fatalf("usage beside what is stored: -want +got\n%s", diff)
	}
}

var errFailed = errors.New("failed by the test")

// interference is what a context carries to a quotaStore; what runs in the
// background has another context.
type interference struct {
	afterView func()
	failing   int // the update to fail, from 1
}

type interferenceKey struct{}

func (m *quotaMachine) with(i *interference) context.Context {
	return context.WithValue(m.t.Context(), interferenceKey{}, i)
}

// quotaStore runs afterView after each view, and fails one update after it has
// run its function.
type quotaStore struct{ storage.Store }

func (s quotaStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	err := s.Store.View(ctx, fn)
	if i, ok := ctx.Value(interferenceKey{}).(*interference); ok && i.afterView != nil {
		i.afterView()
	}
	return err
}

func (s quotaStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if i, ok := ctx.Value(interferenceKey{}).(*interference); ok {
		if i.failing--; i.failing == 0 {
			return s.Store.Update(ctx, func(tx storage.Tx) error { return errors.Join(fn(tx), errFailed) })
		}
	}
	return s.Store.Update(ctx, fn)
}

func (s quotaStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}
