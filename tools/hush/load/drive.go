package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how many dials in a row may fail before a client gives up, so
// that a server that went away ends the run instead of filling it with errors.
const patience = 3

// driver holds what lasts through a run: the connections and, by ticket, the
// keys. A ticket is the number of a secret in the order of creation; its value
// follows from it, so values need no memory of their own.
type driver struct {
	cfg     config
	clients []client
	keys    []key
	seed    uint64
}

// measure runs the operations that cfg asks for and returns one result each.
// It fails if the server is not there or the requests before the measured
// ones fail.
func measure(ctx context.Context, cfg config) ([]result, error) {
	for _, server := range cfg.targets {
		if err := probe(ctx, server); err != nil {
			return nil, err
		}
	}
	if _, err := cfg.watched.processorTime(); err != nil {
		return nil, err
	}
	d := &driver{
		cfg:     cfg,
		clients: newClients(cfg),
		keys:    make([]key, cfg.warmup+cfg.count),
		seed:    rand.Uint64(),
	}
	defer func() {
		for _, c := range d.clients {
			c.close()
		}
	}()
	return d.run(ctx)
}

// probe reports whether a server takes connections.
func probe(ctx context.Context, server target) error {
	conn, err := (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "tcp", server.addr)
	if err != nil {
		return fmt.Errorf("reaching %s: %w (is the server running?)", server.addr, err)
	}
	return conn.Close()
}

func newClients(cfg config) []client {
	if cfg.protocol == protocolGRPC {
		return newGRPCClients(cfg)
	}
	clients := make([]client, cfg.clients)
	for i := range clients {
		clients[i] = newHTTPClient(cfg, cfg.targetOf(i), cfg.addressOf(i))
	}
	return clients
}

// run does the phases of the operation in turn. Tickets below warmup belong to
// the requests that are not measured.
func (d *driver) run(ctx context.Context) ([]result, error) {
	first, end := d.cfg.warmup, len(d.keys)
	if d.cfg.op == opReveal {
		if err := d.prepare(ctx, opConceal, end); err != nil {
			return nil, err
		}
		if err := d.prepare(ctx, opReveal, first); err != nil {
			return nil, err
		}
		return []result{d.phase(ctx, opReveal, first, end, d.cfg.duration)}, nil
	}
	if err := d.prepare(ctx, opConceal, first); err != nil {
		return nil, err
	}
	concealed := d.phase(ctx, opConceal, first, end, d.cfg.duration)
	if d.cfg.op == opConceal {
		return []result{concealed}, nil
	}
	if err := d.prepare(ctx, opReveal, first); err != nil {
		return nil, err
	}
	revealed := d.phase(ctx, opReveal, first, concealed.next, d.cfg.duration)
	return []result{concealed, revealed}, nil
}

// prepare does the first tickets, whose numbers are not counted. All of them
// must succeed.
func (d *driver) prepare(ctx context.Context, op string, count int) error {
	got := d.phase(ctx, op, 0, count, 0)
	if got.failed() > 0 {
		return fmt.Errorf("before measuring, %d of %d requests to %s failed: %s",
			got.failed(), got.requests(), op, got.failures())
	}
	if err := ctx.Err(); err != nil {
		return errors.New("interrupted before measuring")
	}
	return nil
}

// phase spreads the tickets of from and above, but below to, over all clients
// and waits for them. A limit above zero ends it earlier; requests in flight
// are always waited for.
func (d *driver) phase(ctx context.Context, op string, from, to int, limit time.Duration) result {
	act := d.conceal
	if op == opReveal {
		act = d.reveal
	}
	var next atomic.Int64
	next.Store(int64(from))
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	if limit > 0 {
		defer time.AfterFunc(limit, func() { stop.Store(true) }).Stop()
	}
	tallies := make([]tally, len(d.clients))
	var running sync.WaitGroup
	spent, _ := d.cfg.watched.processorTime()
	start := time.Now()
	for i, c := range d.clients {
		running.Go(func() {
			scratch := make([]byte, d.cfg.size)
			for down := 0; down < patience && !stop.Load(); {
				ticket := int(next.Add(1) - 1)
				if ticket >= to {
					return
				}
				began := time.Now()
				err := act(ctx, c, ticket, scratch)
				if err != nil && ctx.Err() != nil {
					return
				}
				tallies[i].add(time.Since(began), err)
				if errors.Is(err, errDial) {
					down++
				} else {
					down = 0
				}
			}
		})
	}
	running.Wait()
	r := newResult(op, time.Since(start), tallies, min(int(next.Load()), to))
	if now, err := d.cfg.watched.processorTime(); err == nil {
		r.cpu = now - spent // else a process has ended, and its requests have failed
	}
	return r
}

// conceal keeps the ticket's value and notes the key.
func (d *driver) conceal(ctx context.Context, c client, ticket int, scratch []byte) error {
	fillValue(scratch, d.seed, ticket)
	k, err := c.conceal(ctx, scratch)
	if err != nil {
		return err
	}
	d.keys[ticket] = k
	return nil
}

// reveal takes the ticket's secret and checks it to the byte.
func (d *driver) reveal(ctx context.Context, c client, ticket int, scratch []byte) error {
	if d.keys[ticket] == (key{}) {
		return errNeverConcealed
	}
	got, err := c.reveal(ctx, d.keys[ticket])
	if err != nil {
		return err
	}
	fillValue(scratch, d.seed, ticket)
	if !d.cfg.bare && !bytes.Equal(got, scratch) {
		return errWrongValue
	}
	return nil
}

// fillValue writes the value of a ticket: lower-case hexadecimal digits, which
// no encoding escapes, and other ones for every ticket and run.
func fillValue(dst []byte, seed uint64, ticket int) {
	const digits = "0123456789abcdef"
	var word uint64
	for i := range dst {
		if i%16 == 0 {
			// The finalizer of splitmix64, over a counter.
			word = seed + uint64(ticket)<<16 + uint64(i/16)
			word = (word ^ word>>30) * 0xbf58476d1ce4e5b9
			word = (word ^ word>>27) * 0x94d049bb133111eb
			word ^= word >> 31
		}
		dst[i] = digits[word&15]
		word >>= 4
	}
}
