package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"hush/storage"
)

const (
	// pingEvery is the time after which an idle listener proves that it would
	// hear a notification.
	pingEvery = 15 * time.Second
	// notifyGap is the time between two statements that notify. Topics that come
	// meanwhile share the next one.
	notifyGap = 50 * time.Millisecond
	// heardGap is the time between two calls that hand on what was heard. It bounds
	// the work that a flood of forged notifications causes.
	heardGap = 50 * time.Millisecond
	// steady is how long a connection must have lasted for the next attempt to
	// count as the first.
	steady = 10 * time.Second
	// lastWords bounds how long the end of listening waits to send what is left.
	lastWords = time.Second
)

// notices tells other nodes what changed, and hears them, over one connection
// that is not in the pool. Nothing is sent within a commit: NOTIFY takes a lock
// of the whole server until the commit that contains it is durable.
type notices struct {
	connector *connector
	channel   string
	self      sender
	sending   *storage.TopicQueue

	mu      sync.Mutex
	closed  bool
	closing chan struct{}
	loops   sync.WaitGroup
}

// sender names the process that sent a notification.
type sender [8]byte

func newNotices(c *connector) *notices {
	n := &notices{
		connector: c, channel: channelOf(c.opts.Schema),
		sending: storage.NewTopicQueue(), closing: make(chan struct{}),
	}
	_, _ = rand.Read(n.self[:]) // never fails
	return n
}

// maxName is the length of the longest name in PostgreSQL, in bytes.
const maxName = 63

// channelOf returns the channel of a schema. Channels belong to the database,
// which may hold the schemas of several stores.
func channelOf(schema string) string {
	name := "hush " + schema
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(schema))
	return "hush " + hex.EncodeToString(sum[:16])
}

// Notify implements storage.Notifier.
func (s *Store) Notify(topics ...storage.Topic) { s.notices.sending.Add(topics...) }

// Listen implements storage.Notifier.
func (s *Store) Listen(ctx context.Context, heard func([]storage.Topic, error)) {
	n := s.notices
	if !n.enter() {
		return
	}
	queue := storage.NewTopicQueue()
	hearing, stop := context.WithCancel(ctx)
	var delivering sync.WaitGroup
	delivering.Go(func() { queue.HearUntil(hearing, spaced(hearing, heard)) })
	// Close waits for the connection, but not for heard, which may use the store.
	defer delivering.Wait()
	defer stop()
	defer n.loops.Done()
	listening, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-n.closing:
			end()
		case <-listening.Done():
		}
	}()
	n.listenUntil(listening, queue)
}

// spaced returns heard with a pause after each call.
func spaced(ctx context.Context, heard func([]storage.Topic, error)) func([]storage.Topic, error) {
	return func(topics []storage.Topic, lost error) {
		heard(topics, lost)
		select {
		case <-ctx.Done():
		case <-time.After(heardGap):
		}
	}
}

// enter admits a listener, which then has to leave loops.
func (n *notices) enter() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	n.loops.Add(1)
	return true
}

// close ends listening and waits for it.
func (n *notices) close() {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.closing)
	}
	n.mu.Unlock()
	n.loops.Wait()
}

// listenUntil listens until ctx ends, on one connection after the other.
func (n *notices) listenUntil(ctx context.Context, heard *storage.TopicQueue) {
	told := false // that listening is interrupted
	for attempt := 0; ; attempt++ {
		began := time.Now()
		listened, err := n.listenOnce(ctx, heard)
		if ctx.Err() != nil {
			return
		}
		if listened || !told {
			heard.Lose(err)
			told = true
		}
		if listened && time.Since(began) > steady {
			attempt = 0
		}
		if !pause(ctx, attempt, time.Now().Add(time.Hour)) {
			return
		}
	}
}

// listenOnce listens on one connection until it breaks or ctx ends. It reports
// whether it heard anything.
func (n *notices) listenOnce(ctx context.Context, heard *storage.TopicQueue) (listened bool, err error) {
	c, err := n.connector.listen(ctx, n.channel)
	if err != nil {
		return false, err
	}
	l := &listener{
		notices: n, conn: c, heard: heard,
		answers: make(chan answer, 1), ended: make(chan error, 1),
	}
	go func() { l.ended <- l.receive() }()
	listened, err = l.serve(ctx)
	c.close()
	if ended := <-l.ended; err == nil {
		err = ended
	}
	return listened, err
}
