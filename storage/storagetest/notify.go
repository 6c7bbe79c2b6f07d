package storagetest

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"testing"

	"hush/storage"
)

// RunNotifier runs the suite of storage.Notifier. For each of its tests it calls
// open, which returns three notifiers of one store that no process listens to.
// Lost notifications fail the suite unless the listener is told.
func RunNotifier(t *testing.T, open func(t *testing.T) []storage.Notifier) {
	for name, test := range map[string]func(*testing.T, []storage.Notifier){
		"Others":     testOthersHear,
		"Many":       testManyTopics,
		"Slow":       testSlowListener,
		"NoListener": testNoListener,
		"Again":      testListenAgain,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Ear is a listener of a test. It keeps what it hears.
type Ear struct {
	mu     sync.Mutex
	heard  map[storage.Topic]int
	lost   []error
	change chan struct{} // closed when either changes
	block  chan struct{} // not nil: each call waits until it is closed
	stop   context.CancelFunc
	done   chan struct{}
}

// Listen listens until the end of the test, and waits until listening has begun.
func Listen(t testing.TB, n storage.Notifier) *Ear {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	e := &Ear{heard: map[storage.Topic]int{}, change: make(chan struct{}), stop: stop, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		n.Listen(ctx, e.hear)
	}()
	t.Cleanup(e.Stop)
	e.Wait(func(_ map[storage.Topic]int, lost []error) bool { return len(lost) > 0 })
	return e
}

func (e *Ear) hear(topics []storage.Topic, lost error) {
	e.mu.Lock()
	for _, topic := range topics {
		e.heard[topic]++
	}
	if lost != nil {
		e.lost = append(e.lost, lost)
	}
	close(e.change)
	e.change = make(chan struct{})
	block := e.block
	e.mu.Unlock()
	if block != nil {
		<-block
	}
}

// Stop ends listening.
func (e *Ear) Stop() {
	e.stop()
	<-e.done
}

// Wait waits until what was heard and the reports of lost topics fulfil is.
func (e *Ear) Wait(is func(heard map[storage.Topic]int, lost []error) bool) {
	for {
		e.mu.Lock()
		ok, change := is(e.heard, e.lost), e.change
		e.mu.Unlock()
		if ok {
			return
		}
		<-change
	}
}

// WaitFor waits until a topic was heard.
func (e *Ear) WaitFor(topic storage.Topic) {
	e.Wait(func(heard map[storage.Topic]int, _ []error) bool { return heard[topic] > 0 })
}

// Lost returns the reports of lost topics.
func (e *Ear) Lost() []error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.lost)
}

// Heard returns how often a topic was heard.
func (e *Ear) Heard(topic storage.Topic) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[topic]
}

// Topic returns a topic with a number.
func Topic(n int) storage.Topic {
	return storage.Topic(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

// testOthersHear: all others hear a topic, and its sender does not.
func testOthersHear(t *testing.T, all []storage.Notifier) {
	var ears []*Ear
	for _, n := range all {
		ears = append(ears, Listen(t, n))
	}
	all[0].Notify(Topic(1))
	ears[1].WaitFor(Topic(1))
	ears[2].WaitFor(Topic(1))
	all[1].Notify(Topic(2))
	ears[0].WaitFor(Topic(2))
	ears[2].WaitFor(Topic(2))
	if n := ears[0].Heard(Topic(1)); n != 0 {
		t.Errorf("Listen on the node that notified: heard it %d times, want 0", n)
	}
	for i, e := range ears {
		if lost := e.Lost(); len(lost) != 1 {
			t.Errorf("Listen on node %d: got lost %v, want that listening began", i, lost)
		}
	}
}

// testManyTopics: many topics at the same time arrive, or the listener is told
// that some did not.
func testManyTopics(t *testing.T, all []storage.Notifier) {
	const senders, each = 8, 2000
	e := Listen(t, all[0])
	Listen(t, all[1])
	Listen(t, all[2])
	var sending sync.WaitGroup
	for s := range senders {
		sending.Go(func() {
			for i := range each {
				all[1+s%2].Notify(Topic(s*each + i))
			}
		})
	}
	sending.Wait()
	e.Wait(func(heard map[storage.Topic]int, lost []error) bool {
		return len(heard) == senders*each || len(lost) > 1
	})
}

// testSlowListener: a listener that hears nothing for long does not hold up its
// node or others, and is told that it missed some.
func testSlowListener(t *testing.T, all []storage.Notifier) {
	slow, quick := Listen(t, all[0]), Listen(t, all[1])
	Listen(t, all[2])
	block := make(chan struct{})
	slow.mu.Lock()
	slow.block = block
	slow.mu.Unlock()
	all[2].Notify(Topic(1))
	slow.WaitFor(Topic(1)) // and is now stuck
	const most = 3 * storage.TopicsMost
	for i := 2; i < most; i += 256 {
		for n := range 256 {
			all[2].Notify(Topic(i + n))
		}
		last := Topic(i + 255)
		quick.Wait(func(heard map[storage.Topic]int, lost []error) bool { return heard[last] > 0 || len(lost) > 1 })
	}
	before := len(slow.Lost())
	all[0].Notify(Topic(0))
	quick.Wait(func(heard map[storage.Topic]int, lost []error) bool { return heard[Topic(0)] > 0 || len(lost) > 1 })
	slow.mu.Lock()
	slow.block = nil
	slow.mu.Unlock()
	close(block)
	slow.Wait(func(heard map[storage.Topic]int, lost []error) bool { return len(lost) > before || len(heard) >= most })
	all[1].Notify(Topic(most + 1000))
	slow.WaitFor(Topic(most + 1000))
}

// testNoListener: notifications without a listener cost nothing.
func testNoListener(t *testing.T, all []storage.Notifier) {
	for i := range 3 * storage.TopicsMost {
		all[0].Notify(Topic(i))
	}
	e := Listen(t, all[1])
	Listen(t, all[0])
	all[0].Notify(Topic(-1))
	e.WaitFor(Topic(-1))
}

// testListenAgain: a listener that begins again is told, and hears.
func testListenAgain(t *testing.T, all []storage.Notifier) {
	Listen(t, all[1])
	for i := range 3 {
		e := Listen(t, all[0])
		all[1].Notify(Topic(i))
		e.WaitFor(Topic(i))
		e.Stop()
	}
}
