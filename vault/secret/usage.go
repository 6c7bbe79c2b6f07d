package secret

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// The bytes that a receipt counts for besides its memo, from the moment its
// secret is concealed until the receipt is forgotten. ReceiptBytes stands for
// its rows with their keys: the receipt, its entry in an account's list, its
// row in the expiry index and its audit rows. recipientBytes stands for one
// recipient: the obscured address in the receipt, the delivery, and its row in
// the due index. TestReceiptBytes measures them. The timeline has its own
// bound, eventsMost.
const (
	ReceiptBytes   = 512
	recipientBytes = 128
)

// charge names who the bytes of a secret and of its receipt count toward: the
// account that owns it, or else the network it came from and the IPv6 /48
// around that. An anonymous receipt of version 1 or 2 names no network and
// counts toward the total alone.
type charge struct {
	owner         string // empty for anonymous callers
	network, wide [8]byte
	secret        int64
	receipt       int64
}

func (c charge) size() int64 { return c.secret + c.receipt }

// unknown reports whether the charge names neither an account nor a network.
func (c charge) unknown() bool { return c.owner == "" && c.network == [8]byte{} }

// charge returns what the secret counts for, without its receipt.
func (r *Record) charge() charge {
	return charge{owner: r.owner, network: r.network, wide: r.wide, secret: int64(len(r.sealed))}
}

// charge returns what the receipt counts for.
func (r *MetadataRecord) charge() charge {
	size := ReceiptBytes + recipientBytes*len(r.recipients) + len(r.sealedMemo)
	return charge{owner: r.Custid, network: r.network, wide: r.wide, receipt: int64(size)}
}

// Usage counts the bytes of live secrets and receipts: per account, per
// network, per /48, of all anonymous callers, and in total. Every start counts
// anew: the background pass adds what it finds while secrets come and go. Until
// the pass is finished, the count may be too low but never too high.
//
// On a store that nodes share, the ledger counts in the store instead, and put
// and drop do in a transaction what reserve and release do around it.
type Usage struct {
	ledger *ledger // nil on a store that no other node shares

	mu        sync.Mutex
	total     int64
	secrets   int64 // of total, without receipts
	anonymous int64
	accounts  map[string]int64
	networks  map[[8]byte]int64
	wides     map[[8]byte]int64
	skipped   map[uint64]struct{} // slots that ended before the pass counted them
	pass      *pass               // nil once the pass is finished
}

// pass is the state of the background pass.
type pass struct {
	cursor   seal.RowKey              // secrets up to here are counted
	own      map[uint64]struct{}      // slots that this process handed out
	receipts seal.RowKey              // receipts up to here are counted
	adopted  map[seal.RowKey]struct{} // receipts counted ahead of the pass
	damage   error                    // of records that could not be read so far
}

// NewUsage returns an empty count whose background pass is still to run.
func NewUsage() *Usage {
	return &Usage{
		accounts: map[string]int64{},
		networks: map[[8]byte]int64{},
		wides:    map[[8]byte]int64{},
		skipped:  map[uint64]struct{}{},
		pass:     &pass{own: map[uint64]struct{}{}, adopted: map[seal.RowKey]struct{}{}},
	}
}

// damaged records that the pass could not read something. It returns everything
// that could not be read so far. An interrupted pass keeps it.
func (u *Usage) damaged(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pass.damage = errors.Join(u.pass.damage, err)
	return u.pass.damage
}

// reserve takes the bytes of c, or returns ErrQuota. On a shared store it takes
// none, and returns what put needs.
func (u *Usage) reserve(ctx context.Context, c charge, limits caller.Limits) (elsewhere, error) {
	if u.ledger != nil {
		return u.ledger.admit(ctx, c, limits)
	}
	return elsewhere{}, u.take(c, limits)
}

// take is reserve on a store that no other node shares.
func (u *Usage) take(c charge, limits caller.Limits) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.admits(c, limits) {
		return refusal.ErrQuota
	}
	u.add(c)
	return nil
}

// put counts c, of a secret and a receipt in these rows, in the transaction that
// stores them. It may return ErrQuota, before it writes anything.
func (u *Usage) put(tx *rows.Tx, c charge, e elsewhere, limits caller.Limits, secret, metadata seal.RowKey) error {
	if u.ledger == nil {
		return nil
	}
	c, err := u.ledger.part(tx, c, secret, metadata)
	if err != nil {
		return err
	}
	return u.ledger.put(tx, c, e, limits)
}

// drop uncounts c, of a secret or a receipt in these rows, in the transaction
// that ends it.
func (u *Usage) drop(tx *rows.Tx, c charge, secret, metadata seal.RowKey) error {
	if u.ledger == nil {
		return nil
	}
	c, err := u.ledger.part(tx, c, secret, metadata)
	if err != nil {
		return err
	}
	return u.ledger.drop(tx, c)
}

// admits reports whether c fits every limit that it counts toward.
func (u *Usage) admits(c charge, limits caller.Limits) bool {
	size := c.size()
	switch {
	case u.total+size > limits.TotalBytes:
		return false
	case c.unknown():
		return true
	case c.owner != "":
		return u.accounts[c.owner]+size <= limits.AccountBytes
	case u.anonymous+size > limits.AnonymousBytes(), u.networks[c.network]+size > limits.NetworkBytes:
		return false
	}
	return c.wide == [8]byte{} || u.wides[c.wide]+size <= limits.WideBytes()
}

// release gives the bytes of c back. On a shared store drop did.
func (u *Usage) release(c charge) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	c.secret, c.receipt = -c.secret, -c.receipt
	u.add(c)
}

// settle is called once a secret has durably ended. counted says whether its bytes
// c were counted, and claimed whether a claim keeps them, which counts them until
// it ends.
func (u *Usage) settle(c charge, counted, claimed bool) {
	switch {
	case counted && !claimed:
		u.release(c)
	case claimed && !counted:
		u.found(c)
	}
}

// claim counts the bytes of a claim in the transaction that makes it, or uncounts
// them in that which ends it, for a negative sign. settle and release do so around
// it on a store that is not shared.
func (u *Usage) claim(tx *rows.Tx, c charge, sign int64) error {
	if u.ledger == nil {
		return nil
	}
	return u.ledger.claim(tx, c, sign)
}

// found counts the bytes of a claim. On a shared store claim did, or its count
// does.
func (u *Usage) found(c charge) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(c)
}

func (u *Usage) add(c charge) {
	size := c.size()
	u.total += size
	u.secrets += c.secret
	switch {
	case c.unknown():
		return
	case c.owner != "":
		addBytes(u.accounts, c.owner, size)
		return
	}
	u.anonymous += size
	addBytes(u.networks, c.network, size)
	if c.wide != [8]byte{} {
		addBytes(u.wides, c.wide, size)
	}
}

// addBytes adds size to the count of who. It deletes a count that reaches zero.
func addBytes[K comparable](kept map[K]int64, who K, size int64) {
	if left := kept[who] + size; left > 0 {
		kept[who] = left
	} else {
		delete(kept, who)
	}
}

// cancel gives back what was reserved for an update that failed with cause. If
// its outcome is unknown, the bytes stay counted: what was stored all the same
// gives them back when it ends.
func (u *Usage) cancel(c charge, cause error) {
	if !errors.Is(cause, storage.ErrUnknownOutcome) {
		u.release(c)
	}
}

// handed records that this process is about to write a secret to slot, and its
// receipt. Both are counted already.
func (u *Usage) handed(slot uint64, receipt seal.RowKey) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.skipped, slot)
	if u.pass != nil {
		u.pass.own[slot] = struct{}{}
		u.pass.adopted[receipt] = struct{}{}
	}
}

// touch records that a secret is about to end. It reports whether its bytes
// were counted, so that only those are released. If the end fails and is tried
// again after the pass, touch returns the same.
func (u *Usage) touch(row seal.RowKey, slot uint64) (counted bool) {
	if u.ledger != nil {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, skipped := u.skipped[slot]; skipped {
		return false
	}
	if u.pass == nil {
		return true
	}
	if _, own := u.pass.own[slot]; own {
		return true
	}
	if bytes.Compare(row[:], u.pass.cursor[:]) <= 0 {
		return true
	}
	u.skipped[slot] = struct{}{}
	return false
}

// adopt records that a receipt is about to change or to be deleted. If the pass
// has not counted it yet, adopt counts it now as c, its charge as stored.
func (u *Usage) adopt(row seal.RowKey, c charge) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pass == nil || bytes.Compare(row[:], u.pass.receipts[:]) <= 0 {
		return
	}
	if _, adopted := u.pass.adopted[row]; adopted {
		return
	}
	u.pass.adopted[row] = struct{}{}
	u.add(c)
}

// countedSecret is a live secret that the pass found.
type countedSecret struct {
	row    seal.RowKey
	slot   uint64
	charge charge
}

// countedReceipt is a receipt that the pass found.
type countedReceipt struct {
	row    seal.RowKey
	charge charge
}

// resume returns the row from which the pass continues, and false if it is
// finished.
func (u *Usage) resume() (from []byte, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pass == nil {
		return nil, false
	}
	return append(append(from, u.pass.cursor[:]...), 0), true
}

// count adds a batch of the pass, which ends at cursor.
func (u *Usage) count(batch []countedSecret, cursor seal.RowKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range batch {
		_, own := u.pass.own[c.slot]
		_, skipped := u.skipped[c.slot]
		if !own && !skipped {
			u.add(c.charge)
		}
	}
	u.pass.cursor = cursor
}

// resumeReceipts is resume for receipts.
func (u *Usage) resumeReceipts() []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append(append([]byte(nil), u.pass.receipts[:]...), 0)
}

// countReceipts adds a batch of receipts, which ends at cursor.
func (u *Usage) countReceipts(batch []countedReceipt, cursor seal.RowKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range batch {
		if _, adopted := u.pass.adopted[c.row]; !adopted {
			u.add(c.charge)
		}
	}
	u.pass.receipts = cursor
}

// finishPass ends the pass.
func (u *Usage) finishPass() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pass = nil
}

// bytes returns the bytes of live secrets, without receipts, on a store that no
// other node shares.
func (u *Usage) bytes() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.secrets
}
