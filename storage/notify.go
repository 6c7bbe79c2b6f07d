package storage

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Topic names what a notification is about. A topic must be harmless: others
// who use the same server may hear every topic and send any, and the server may
// log them.
type Topic [8]byte

// Notifier is the part of a store that several processes share which tells them
// at once what they would otherwise find out by reading.
//
// Notifications are hints. They may be lost without a sign, delayed, repeated,
// merged, or forged, and they have no order. A listener reads the store to learn
// what happened, and reads it from time to time without a notification.
type Notifier interface {
	// Notify tells the other processes that listen, not this one, that something
	// about topics changed. Call it after the commit of the change: a read that
	// begins when the notification arrives then sees it. Notify keeps the topics
	// in a bounded queue and returns at once. They are sent together while this
	// process listens. If they do not fit or cannot be sent, the other processes
	// are told, as far as they can be reached, that topics were lost.
	Notify(topics ...Topic)
	// Listen calls heard for the topics that other processes send, until ctx ends
	// or the store is closed. Before it returns it sends what is queued, for a
	// moment at most. A store has one listener at a time.
	//
	// The calls of heard do not overlap. While one runs, further topics are kept,
	// each once, up to a bound. Lost is not nil if topics may be missing between
	// this call and the one before: when listening begins, stops or resumes, when
	// heard was too slow, and when another process reports that topics were lost.
	// Then the listener reads everything that it watches. An interruption is
	// reported once, however many attempts to listen fail.
	Listen(ctx context.Context, heard func(topics []Topic, lost error))
}

// The reasons of Notifier.Listen for lost topics.
var (
	// ErrListening: listening began or resumed; what came before was not heard.
	ErrListening = errors.New("storage: listening begins")
	// ErrOverflow: more topics came than are kept.
	ErrOverflow = errors.New("storage: too many notifications")
)

// TopicsMost is the maximum number of topics that wait in a TopicQueue.
const TopicsMost = 4096

// TopicQueue is a bounded set of topics that wait to be sent or heard, for
// implementations of Notifier. It is safe for concurrent use.
type TopicQueue struct {
	mu     sync.Mutex
	topics map[Topic]struct{}
	lost   error
	ready  chan struct{}
}

// NewTopicQueue returns an empty queue.
func NewTopicQueue() *TopicQueue {
	return &TopicQueue{topics: map[Topic]struct{}{}, ready: make(chan struct{}, 1)}
}

// Add adds topics. If they do not fit, the queue drops all its topics and
// reports ErrOverflow.
func (q *TopicQueue) Add(topics ...Topic) {
	if len(topics) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, topic := range topics {
		q.topics[topic] = struct{}{}
		if len(q.topics) > TopicsMost {
			clear(q.topics)
			q.lost = ErrOverflow
		}
	}
	q.wake()
}

// Lose reports that topics are missing. An earlier cause that was not taken yet
// remains.
func (q *TopicQueue) Lose(cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lost == nil {
		q.lost = cause
	}
	q.wake()
}

func (q *TopicQueue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// Ready receives a value when there is something to take.
func (q *TopicQueue) Ready() <-chan struct{} { return q.ready }

// Take empties the queue. It returns the topics in the order of their bytes, and
// the cause if others are missing.
func (q *TopicQueue) Take() (topics []Topic, lost error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	topics = make([]Topic, 0, len(q.topics))
	for topic := range q.topics {
		topics = append(topics, topic)
	}
	lost, q.lost = q.lost, nil
	clear(q.topics)
	slices.SortFunc(topics, func(a, b Topic) int { return slices.Compare(a[:], b[:]) })
	return topics, lost
}

// HearUntil calls heard with what the queue has, until ctx ends.
func (q *TopicQueue) HearUntil(ctx context.Context, heard func(topics []Topic, lost error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.ready:
		}
		if topics, lost := q.Take(); len(topics) > 0 || lost != nil {
			heard(topics, lost)
		}
	}
}
