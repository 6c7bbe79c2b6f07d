package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
)

const shareSize = storage.ShareSize

var (
	errPanicked = errors.New("panic")
	errText     = errors.New("another text than the one that was concealed")
)

// outcome is the result for one secret in one state.
type outcome struct {
	opened  bool   // for a caller who had not opened it before
	fault   string // anything but its text or "not found"
	again   bool   // it opened a second time
	own     traces // of its own share
	state   receipt.State
	outcome receipt.Outcome
	kept    bool   // for the claim that the load revealed it with
	after   bool   // for a claim that was acknowledged
	claim   traces // of the share of that claim
}

// traces are where the disk had a share.
type traces struct {
	raw  bool // when the power came back
	left bool // after the start
	last bool // after everything was opened, and claims were acknowledged
}

// view is what a start on one state showed.
type view struct {
	fault    string // the start failed
	outcomes []outcome
}

// examiner opens states in a folder of its own.
type examiner struct {
	dir     string
	secrets []*keptSecret
	shares  map[uint64]shareOf // by the first bytes
	buffer  []byte
}

// shareOf is a share and what it belongs to.
type shareOf struct {
	share  [shareSize]byte
	secret int
	claim  bool // it is that of the secret's claim
}

func (s shareOf) traces(outcomes []outcome) *traces {
	if s.claim {
		return &outcomes[s.secret].claim
	}
	return &outcomes[s.secret].own
}

func newExaminer(dir string, secrets []*keptSecret) *examiner {
	e := &examiner{dir: dir, secrets: secrets, shares: map[uint64]shareOf{}}
	for i, s := range secrets {
		e.shares[binary.LittleEndian.Uint64(s.share[:])] = shareOf{s.share, i, false}
		if s.claimShare != [shareSize]byte{} {
			e.shares[binary.LittleEndian.Uint64(s.claimShare[:])] = shareOf{s.claimShare, i, true}
		}
	}
	return e
}

// lay puts a state into the folder.
func (e *examiner) lay(state snapshot) error {
	old, err := os.ReadDir(e.dir)
	if errors.Is(err, os.ErrNotExist) {
		err = os.Mkdir(e.dir, 0o700)
	}
	if err != nil {
		return err
	}
	for _, entry := range old {
		if err := os.Remove(filepath.Join(e.dir, entry.Name())); err != nil {
			return err
		}
	}
	for name, m := range state {
		if err := m.lay(filepath.Join(e.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// lay writes a file, with holes for its zeros.
func (m *image) lay(path string) (err error) {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for from, to := range m.filled {
		if _, err := out.WriteAt(m.data[from:to], int64(from)); err != nil {
			return err
		}
	}
	return out.Truncate(m.size)
}

// examine starts on a state as the program does and tries everything on it.
// now is the time on the server's clock.
func (e *examiner) examine(state snapshot, now time.Time) (v view, err error) {
	if err := e.lay(state); err != nil {
		return v, err
	}
	v.outcomes = make([]outcome, len(e.secrets))
	if shares := state[sharesName]; shares != nil {
		for from, to := range shares.filled {
			e.find(shares.data[from:to], v.outcomes, func(t *traces) { t.raw = true })
		}
	}
	if err := e.use(&v, state, now); err != nil {
		v.fault = err.Error()
	}
	return v, nil
}

// find looks for shares in the slots of content. A thief who has that, the rest
// of the folder, the link and the root key opens what he finds the share of.
func (e *examiner) find(content []byte, outcomes []outcome, found func(*traces)) {
	for ; len(content) >= shareSize; content = content[min(slotSize, len(content)):] {
		s, ours := e.shares[binary.LittleEndian.Uint64(content)]
		if ours && [shareSize]byte(content) == s.share {
			found(s.traces(outcomes))
		}
	}
}

// search looks for shares in the file of shares, where the state had any.
func (e *examiner) search(folder *bolt.Folder, state snapshot, outcomes []outcome, found func(*traces)) error {
	before := state[sharesName]
	if before == nil {
		return nil
	}
	in, err := os.Open(folder.Path(sharesName))
	if err != nil {
		return err
	}
	defer in.Close()
	for from, to := range before.filled {
		e.buffer = append(e.buffer[:0], before.data[from:to]...)
		n, err := in.ReadAt(e.buffer, int64(from))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		e.find(e.buffer[:n], outcomes, found)
	}
	return nil
}

// use starts the vault and calls it.
func (e *examiner) use(v *view, state snapshot, now time.Time) (err error) {
	defer recovered(&err)
	folder, err := bolt.OpenFolder(e.dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	keys, err := rootKeyOf(folder)
	if err != nil {
		return err
	}
	var fault error
	store, shares, err := folder.Open(bolt.Options{
		Init: vault.Init(keys, now), Fault: func(err error) { fault = err },
	})
	if err != nil {
		return err
	}
	opened, err := vault.Open(context.Background(), vault.Options{
		Store: store, Shares: shares, Keys: keys, Now: func() time.Time { return now },
		Log: slog.New(slog.DiscardHandler), Manual: true,
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	if _, err := opened.Sweep(context.Background()); err != nil {
		return fmt.Errorf("sweeping: %w", err)
	}
	if err := e.search(folder, state, v.outcomes, func(t *traces) { t.left = true }); err != nil {
		return err
	}
	e.each(func(i int, s *keptSecret) { v.outcomes[i].try(opened, s) })
	if err := e.search(folder, state, v.outcomes, func(t *traces) { t.last = true }); err != nil {
		return err
	}
	return fault
}

// each runs do for all secrets at once, which lets them share commits.
func (e *examiner) each(do func(int, *keptSecret)) {
	var all sync.WaitGroup
	for i, s := range e.secrets {
		all.Go(func() { do(i, s) })
	}
	all.Wait()
}

// try opens a secret twice, after a look at its receipt.
func (o *outcome) try(v *vault.Vault, s *keptSecret) {
	var err error
	defer func() {
		if err != nil {
			o.fault = err.Error()
		}
	}()
	defer recovered(&err)
	ctx := context.Background()
	metadata, err := v.Receipts.GetMetadata(ctx, caller.Caller{}, s.MetadataKey)
	if errors.Is(err, refusal.ErrNotFound) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("receipt: %w", err)
		return
	}
	o.state = metadata.State
	o.outcome = metadata.Outcome
	if s.Claim != nil {
		err = o.tryClaims(ctx, v, s)
		return
	}
	if o.opened, err = opens(ctx, v, s, ""); err == nil && o.opened {
		o.again, err = opens(ctx, v, s, "")
	}
}

// tryClaims tries two callers that do not have the load's claim, one of them before the
// one who has. Then it acknowledges the claim that opened the secret.
func (o *outcome) tryClaims(ctx context.Context, v *vault.Vault, s *keptSecret) (err error) {
	first, last := caller.Text(""), strangersClaim()
	if s.Claim[0]%2 == 1 {
		first, last = last, first
	}
	if o.opened, err = opens(ctx, v, s, first); err != nil {
		return err
	}
	if o.kept, err = opens(ctx, v, s, caller.Text(s.Claim)); err != nil {
		return err
	}
	if o.again, err = opens(ctx, v, s, last); err != nil {
		return err
	}
	holder := first
	if o.kept {
		holder = caller.Text(s.Claim)
	}
	if err := v.Secrets.AcknowledgeReveal(ctx, s.Key, holder); err != nil {
		return err
	}
	o.after, err = opens(ctx, v, s, holder)
	return err
}

// strangersClaim is a claim that no load has.
func strangersClaim() caller.Text { return caller.Text(strings.Repeat("?", claim.Size)) }

// opens reports whether a secret opens with its text, for a claim or for none.
func opens(ctx context.Context, v *vault.Vault, s *keptSecret, held caller.Text) (bool, error) {
	got, err := v.Secrets.RevealSecret(ctx, caller.Caller{}, s.Key, secret.Opening{Claim: held})
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	if err == nil && string(got.Value) != s.Text {
		err = errText
	}
	return err == nil, err
}

// rootKeyOf does what the program does with the root key at a start.
func rootKeyOf(folder *bolt.Folder) (*seal.Keys, error) {
	content, err := os.ReadFile(folder.Path(rootKeyName))
	if errors.Is(err, os.ErrNotExist) {
		exists, err := folder.Exists()
		if err == nil && exists {
			err = errors.New("the root key is missing")
		}
		return seal.NewKeys(seal.NewRootKey()), err
	}
	if err != nil {
		return nil, err
	}
	root, err := seal.ParseRootKey(content)
	if err != nil {
		return nil, fmt.Errorf("root key: %w", err)
	}
	return seal.NewKeys(root), nil
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v\n%s", errPanicked, p, debug.Stack())
	}
}
