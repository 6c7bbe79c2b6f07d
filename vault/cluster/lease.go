package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Work is background work that one node does at a time. The numbers are stored.
type Work byte

// The kinds of work.
const (
	WorkSweep   Work = 1 // ends what is due, destroys overdue shares, puts the clock's mark
	WorkMail    Work = 2 // sends queued mails
	WorkRecheck Work = 3 // checks domains

	workLast = WorkRecheck
)

// ErrLeaseLost reports that another node does this work now. Nothing was
// written.
var ErrLeaseLost = fmt.Errorf("another node does this work: %w", refusal.ErrUnavailable)

const leaseVersion = 1

// leaseRecord says which node does a kind of work. It is in BucketNode under
// the key 0xff, work.
//
//	version 1 │ holder 16 │ fence 8 │ until 8
type leaseRecord struct {
	Holder Instance
	Fence  uint64 // grows with each new holder
	Until  time.Time
}

func (r *leaseRecord) fields(c *rows.Codec) {
	c.Version(leaseVersion)
	c.Bytes(r.Holder[:])
	c.Uint64(&r.Fence)
	c.Time(&r.Until)
}

func (r leaseRecord) encode() []byte { return rows.Encode(33, &r, (*leaseRecord).fields) }

func decodeLease(data []byte) (r leaseRecord, err error) {
	err = rows.Decode(data, &r, (*leaseRecord).fields)
	return r, err
}

// leaseKey is the key of a lease in a context.
type leaseKey struct{}

// lease is what a node holds.
type lease struct {
	work   Work
	holder Instance
	fence  uint64
}

// key returns the row of a lease. No node has a number that begins with 0xff.
func (w Work) key() []byte { return []byte{0xff, 0, byte(w)} }

// check returns ErrLeaseLost if the lease has a later holder. Transactions are
// serializable, so none commits after it. A database that lost its last changes gives
// a fence again, to another holder.
func (l lease) check(tx storage.Tx) error {
	stored, err := rows.Load(tx, BucketNode, l.work.key(), decodeLease)
	if errors.Is(err, refusal.ErrNotFound) || errors.Is(err, rows.ErrDamaged) || err == nil && (stored.Fence != l.fence || stored.Holder != l.holder) {
		return ErrLeaseLost
	}
	return err
}

// loadLease loads a lease. One that is missing or damaged is free; its fence
// begins at a number that no earlier one has reached.
func loadLease(tx storage.Tx, work Work, now time.Time) (leaseRecord, error) {
	free := leaseRecord{Fence: rows.Millis(now)}
	r, err := rows.LoadOr(tx, BucketNode, work.key(), decodeLease, free)
	if errors.Is(err, rows.ErrDamaged) {
		return free, nil
	}
	return r, err
}

// Hold takes or keeps the lease for a kind of work. held is false while another
// node has it. Until the work ends, the caller must use the returned context,
// with which each transaction fails with ErrLeaseLost once another node has
// taken over. Heartbeats renew the lease, Leave releases it. On a store that no
// other node shares, Hold returns ctx and true and costs nothing.
func (s Store) Hold(ctx context.Context, work Work) (fenced context.Context, held bool, err error) {
	n := s.node
	if n == nil {
		return ctx, true, nil
	}
	self := n.self.Load()
	if self == nil {
		return ctx, false, nil
	}
	now := n.clock.shared()
	var stored leaseRecord
	err = s.View(ctx, func(tx *rows.Tx) (err error) {
		stored, err = loadLease(tx, work, now)
		return err
	})
	if err == nil && !stored.current(self.instance, now) {
		stored, err = n.takeLease(ctx, self, work, now)
	}
	if err != nil {
		return ctx, false, fmt.Errorf("taking a lease: %w", err)
	}
	if stored.Holder != self.instance {
		return ctx, false, nil
	}
	return context.WithValue(ctx, leaseKey{}, lease{work, stored.Holder, stored.Fence}), true, nil
}

// Unfenced returns a context without the lease of Hold, for the one step of the
// work that must be stored whichever node has the lease. It must be safe beside the
// work of a new holder.
func Unfenced(ctx context.Context) context.Context {
	return context.WithValue(ctx, leaseKey{}, nil)
}

// current reports whether there is nothing to take: the lease is that of another
// node and has not ended, or that of self and not about to.
func (r leaseRecord) current(self Instance, now time.Time) bool {
	return r.runs(now) && (r.Holder != self || r.Until.Sub(now) > nodeTerm/2)
}

// runs reports whether a lease has not ended. An end far in the future came from
// a wrong clock.
func (r leaseRecord) runs(now time.Time) bool {
	return now.Before(r.Until) && r.Until.Sub(now) <= nodeTerm+nodeAhead
}

// takeLease takes or renews a lease, unless another node has it. It returns the
// lease as stored.
func (n *Node) takeLease(ctx context.Context, self *nodeSelf, work Work, now time.Time) (r leaseRecord, err error) {
	err = n.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if err := self.check(tx); err != nil {
			return err
		}
		if r, err = loadLease(tx, work, now); err != nil {
			return err
		}
		if r.current(self.instance, now) {
			return nil
		}
		if r.Holder != self.instance {
			r.Holder, r.Fence = self.instance, r.Fence+1
		}
		r.Until = now.Add(nodeTerm)
		return tx.Put(BucketNode, work.key(), r.encode())
	})
	return r, err
}

// renewLeases renews the leases that an instance holds.
func renewLeases(tx storage.Tx, holder Instance, now time.Time) error {
	return changeLeases(tx, holder, func(r *leaseRecord) { r.Until = now.Add(nodeTerm) })
}

// releaseLeases ends the leases that an instance holds. The rows stay, so that
// their fences only grow.
func releaseLeases(tx storage.Tx, holder Instance) error {
	return changeLeases(tx, holder, func(r *leaseRecord) { r.Holder, r.Until = Instance{}, time.Time{} })
}

func changeLeases(tx storage.Tx, holder Instance, change func(*leaseRecord)) error {
	for work := WorkSweep; work <= workLast; work++ {
		r, err := loadLease(tx, work, time.Time{})
		if err != nil {
			return err
		}
		if r.Holder != holder {
			continue
		}
		change(&r)
		if err := tx.Put(BucketNode, work.key(), r.encode()); err != nil {
			return err
		}
	}
	return nil
}
