package faulttest_test

import (
	"sync"
	"testing"
	"time"

	"hush/testtier"
)

// load is what clients do.
type load struct {
	clients, operations int
	shelf               shelf
	members             members
	settle              time.Duration // how soon after the last fault each secret is served again
}

// run lets clients work until so many operations were answered and until ended
// is closed. Then it looks at each secret for the last time.
func (l *load) run(c *fleet, seed uint64, ended <-chan struct{}) {
	l.each(func(client int) {
		l.client(c, newDice(seed, uint64(client)+1), ended)
	})
	all := l.shelf.all()
	l.each(func(client int) {
		d := newDice(seed, uint64(client)+1)
		for i := client; i < len(all); i += l.clients {
			all[i].settle(c, d, l.settle)
		}
	})
}

func (l *load) each(do func(client int)) {
	var all sync.WaitGroup
	for client := range l.clients {
		all.Go(func() { do(client) })
	}
	all.Wait()
}

// patience is how long a client waits for an answer before it goes on with
// something else. Answers that come later count all the same.
const patience = 300 * time.Millisecond

// overdue is how many answers a client waits for at a time.
const overdue = 8

func (l *load) client(c *fleet, d *dice, ended <-chan struct{}) {
	var late sync.WaitGroup
	defer late.Wait()
	room := make(chan struct{}, overdue)
	for {
		select {
		case <-ended:
			if answers, _ := c.seen.count(); answers >= l.operations {
				return
			}
		default:
		}
		work := l.choose(c, d)
		room <- struct{}{}
		answered := make(chan struct{})
		late.Go(func() {
			work()
			close(answered)
			<-room
		})
		select {
		case <-answered:
		case <-time.After(patience):
		}
	}
}

// choose draws the next operation. What it needs of d it draws at once, or from
// dice of its own.
func (l *load) choose(c *fleet, d *dice) func() {
	n, own := c.any(d), newDice(uint64(d.below(1<<30)), 0)
	work := l.chooseOf(c, d, own, n)
	return func() {
		n.busy.Add(1)
		defer n.busy.Add(-1)
		work()
	}
}

func (l *load) chooseOf(c *fleet, d, own *dice, n *node) func() {
	if d.below(8) == 0 {
		return func() { l.members.work(c, n, own) }
	}
	k := l.shelf.take(own)
	if d.below(20) == 0 {
		if old := l.shelf.old(own); old != nil {
			k = old
		}
	}
	if k == nil {
		return func() { l.shelf.conceal(c, n, own) }
	}
	return func() { k.work(c, n, own) }
}

// TestFaults lets nodes, network and database fail under load. Whatever clients
// saw must be what one vault could have answered, doing one thing after the
// other.
func TestFaults(t *testing.T) {
	testtier.Full(t, "faults at random")
	seed := seed(t)
	c := newCluster(t, newDice(seed, 0), nil)
	l := &load{clients: *callers, operations: *opsFlag, shelf: shelf{hot: 12, ops: 12}, settle: time.Minute}
	ended, count := make(chan struct{}), tally{}
	began := time.Now()
	var disturbing sync.WaitGroup
	disturbing.Go(func() {
		defer close(ended)
		disturbAll(c, newDice(seed, 1<<32), l.operations, count)
	})
	l.run(c, seed, ended)
	disturbing.Wait()
	took := time.Since(began)
	answers, unknown := c.seen.count()
	c.seen.report(t)
	total := 0
	for _, n := range count {
		total += n
	}
	if answers < *opsFlag || total < *mostFlag {
		t.Errorf("got %d operations with an answer and %d faults, want %d and %d", answers, total, *opsFlag, *mostFlag)
	}
	t.Logf("%d operations with an answer on %d objects, %d of unknown outcome, %d faults in %v; checked in %v%v",
		answers, len(c.seen.objects), unknown, total, took.Round(time.Second), (time.Since(began) - took).Round(time.Millisecond), count)
}

// disturbAll goes through the faults in random order, again and again, until
// there were enough of them and of operations.
func disturbAll(c *fleet, d *dice, operations int, count tally) {
	deck := []fault{}
	for n := 0; ; n++ {
		if answers, _ := c.seen.count(); n >= *mostFlag && answers >= operations {
			return
		}
		if len(deck) == 0 {
			deck = append(deck, faults...)
			if *longFlag {
				deck = append(deck, stalled)
			}
			d.mu.Lock()
			d.rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
			d.mu.Unlock()
		}
		f := deck[0]
		deck = deck[1:]
		count[f.name]++
		if err := f.do(c, d); err != nil {
			c.t.Errorf("%s: got %v, want nil", f.name, err)
			return
		}
		time.Sleep(time.Duration(100+d.below(400)) * time.Millisecond)
	}
}
