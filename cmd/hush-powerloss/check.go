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
	"sync"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault"
	"hush/vault/caller"
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
	opened bool
	fault  string // anything but its text or "not found"
	again  bool   // it opened a second time
	raw    bool   // its share was on the disk when the power came back
	left   bool   // its share was there after the start
	last   bool   // its share was there after everything was opened
	state  secret.State
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
	shares  map[uint64]int // by the first bytes
	buffer  []byte
}

func newExaminer(dir string, secrets []*keptSecret) *examiner {
	e := &examiner{dir: dir, secrets: secrets, shares: map[uint64]int{}}
	for i, s := range secrets {
		e.shares[binary.LittleEndian.Uint64(s.share[:])] = i
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
			e.find(shares.data[from:to], v.outcomes, func(o *outcome) { o.raw = true })
		}
	}
	if err := e.use(&v, state, now); err != nil {
		v.fault = err.Error()
	}
	return v, nil
}

// find looks for shares in the slots of content. A thief who has that, the rest
// of the folder, the link and the root key opens what he finds the share of.
func (e *examiner) find(content []byte, outcomes []outcome, found func(*outcome)) {
	for ; len(content) >= shareSize; content = content[min(slotSize, len(content)):] {
		i, ours := e.shares[binary.LittleEndian.Uint64(content)]
		if ours && [shareSize]byte(content) == e.secrets[i].share {
			found(&outcomes[i])
		}
	}
}

// search looks for shares in the file of shares, where the state had any.
func (e *examiner) search(folder *bolt.Folder, state snapshot, outcomes []outcome, found func(*outcome)) error {
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
	if err := e.search(folder, state, v.outcomes, func(o *outcome) { o.left = true }); err != nil {
		return err
	}
	e.each(func(i int, s *keptSecret) { v.outcomes[i].try(opened, s) })
	if err := e.search(folder, state, v.outcomes, func(o *outcome) { o.last = true }); err != nil {
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
	receipt, err := v.Receipts.GetMetadata(ctx, caller.Caller{}, s.MetadataKey)
	if errors.Is(err, refusal.ErrNotFound) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("receipt: %w", err)
		return
	}
	o.state = receipt.State
	got, err := v.Secrets.RevealSecret(ctx, caller.Caller{}, s.Key, secret.Opening{})
	if errors.Is(err, refusal.ErrNotFound) {
		err = nil
		return
	}
	if err != nil {
		return
	}
	if string(got.Value) != s.Text {
		err = errText
		return
	}
	o.opened = true
	_, again := v.Secrets.RevealSecret(ctx, caller.Caller{}, s.Key, secret.Opening{})
	o.again = !errors.Is(again, refusal.ErrNotFound)
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

// shareOf finds the share of a secret in a state in which it waits, and proves
// that it is the one: with the root key and the link it opens the text. The
// layout of the record is drawn at vault's secretRecord.
func (e *examiner) shareOf(state snapshot, s *keptSecret) (share [shareSize]byte, err error) {
	defer recovered(&err)
	if err := e.lay(state); err != nil {
		return share, err
	}
	folder, err := bolt.OpenFolder(e.dir)
	if err != nil {
		return share, err
	}
	defer folder.Close()
	keys, err := rootKeyOf(folder)
	if err != nil {
		return share, err
	}
	store, shares, err := folder.Open(bolt.Options{})
	if err != nil {
		return share, err
	}
	token, _ := seal.ParseToken(s.Key)
	row := token.RowKey(seal.KindSecret)
	var record []byte
	err = store.View(context.Background(), func(tx storage.Tx) (err error) {
		record, err = tx.Get(secret.BucketSecret, row[:])
		return err
	})
	if err != nil {
		return share, err
	}
	slot := storage.Slot{Number: binary.BigEndian.Uint64(record[1:]), Generation: binary.BigEndian.Uint64(record[9:])}
	if share, err = shares.Get(context.Background(), slot); err != nil {
		return share, err
	}
	header := 21 + int(binary.BigEndian.Uint32(record[17:]))
	key, err := keys.SecretKeys().Key([4]byte(record[21:]), token, row, share, [32]byte{})
	if err != nil {
		return share, err
	}
	text, err := key.Open(record[21:header], record[header:])
	if err == nil && string(text) != s.Text {
		err = errText
	}
	return share, err
}
