package postgres

import "sync"

// gather lets those who wait at the same time share one call of do, of which as
// many run at once as most says.
type gather[T any] struct {
	do   func([]*T) error
	most int

	mu      sync.Mutex
	waiting []*waiter[T]
	running int
}

type waiter[T any] struct {
	item *T
	done chan error
}

const maxGathered = 1024

// join returns what the call of do that took item returned.
func (g *gather[T]) join(item *T) error {
	w := &waiter[T]{item: item, done: make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	g.serve()
	g.mu.Unlock()
	return <-w.done
}

// joinAll is join for many items, which wait together. It returns an error for each.
func (g *gather[T]) joinAll(items []*T) []error {
	all := make([]*waiter[T], len(items))
	for i, item := range items {
		all[i] = &waiter[T]{item: item, done: make(chan error, 1)}
	}
	g.mu.Lock()
	g.waiting = append(g.waiting, all...)
	g.serve()
	g.mu.Unlock()
	errs := make([]error, len(items))
	for i, w := range all {
		errs[i] = <-w.done
	}
	return errs
}

// serve begins to serve those who wait, unless enough do. g.mu is held.
func (g *gather[T]) serve() {
	if len(g.waiting) > 0 && g.running < g.most {
		g.running++
		go g.work()
	}
}

// work serves those who wait until there are none.
func (g *gather[T]) work() {
	for {
		g.mu.Lock()
		n := min(len(g.waiting), maxGathered)
		if n == 0 {
			g.running--
			g.mu.Unlock()
			return
		}
		batch := append([]*waiter[T]{}, g.waiting[:n]...)
		g.waiting = append([]*waiter[T]{}, g.waiting[n:]...)
		g.mu.Unlock()
		items := make([]*T, n)
		for i, w := range batch {
			items[i] = w.item
		}
		err := g.do(items)
		for _, w := range batch {
			w.done <- err
		}
	}
}
