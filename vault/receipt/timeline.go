package receipt

import (
	"time"

	"hush/seal"
	"hush/vault/rows"
)

const timelineVersion = 1

// bucketTimeline has metadata row -> timelineRecord.
const bucketTimeline = "timeline"

// EventKind is what happened to a secret. The numbers are stored.
type EventKind byte

// The kinds of events. Only looks and wrong passphrases are stored; the others
// follow from the receipt itself.
const (
	EventCreated    EventKind = 1
	EventLooked     EventKind = 2 // the link was looked at
	EventPassphrase EventKind = 3 // a wrong passphrase
	EventRevealed   EventKind = 4
	EventBurned     EventKind = 5
	EventExpired    EventKind = 6
	EventDelivered  EventKind = 7 // the recipient's device confirmed
	EventLapsed     EventKind = 8 // the recipient's device did not confirm in time
)

// Event is one line of a receipt's timeline.
type Event struct {
	Kind    EventKind
	Time    time.Time
	Network string // masked; empty if there was no caller
	Count   int    // at least 1
}

const (
	// eventsMost is the maximum number of events of a receipt; further ones
	// only count.
	eventsMost = 100
	// eventStep is the time within which events of one kind and network count
	// as one.
	eventStep = time.Minute
)

// timelineRecord holds what happened to a secret before its end.
//
//	version 1 │ number 4 │ each: kind 1 │ time 8 │ count 4 │ network (4, text)
type timelineRecord struct{ events []Event }

func (r *timelineRecord) fields(c *rows.Codec) {
	c.Version(timelineVersion)
	for e := range rows.List(c, &r.events) {
		rows.Byte(c, &e.Kind)
		c.Time(&e.Time)
		count := uint32(e.Count)
		c.Uint32(&count)
		e.Count = int(count)
		c.Text(&e.Network)
	}
}

func (r *timelineRecord) encode() []byte {
	return rows.Encode(5+40*len(r.events), r, (*timelineRecord).fields)
}

func decodeTimeline(data []byte) (*timelineRecord, error) {
	r := new(timelineRecord)
	return r, rows.Decode(data, r, (*timelineRecord).fields)
}

// getTimeline loads a timeline; a missing one is empty.
func getTimeline(tx *rows.Tx, metadata seal.RowKey) (*timelineRecord, error) {
	return rows.LoadOr(tx, bucketTimeline, metadata[:], decodeTimeline, &timelineRecord{})
}

// Looked adds to the timeline of the receipt in a row that a masked network looked at
// the link, in a transaction in which the secret lives.
func Looked(tx *rows.Tx, row seal.RowKey, network string, now time.Time) error {
	_, err := addEvent(tx, row, EventLooked, network, now)
	return err
}

// Tried adds to the timeline of the receipt in a row that a masked network gave a wrong
// passphrase. It is called before the passphrase is known to be wrong, and returns what
// TryWasRight takes back.
func Tried(tx *rows.Tx, row seal.RowKey, network string, now time.Time) (counted Event, err error) {
	return addEvent(tx, row, EventPassphrase, network, now)
}

// addEvent adds an event to a timeline, and returns the one that counts it, zero for
// none. An event of the same kind and network soon after the last one only raises its
// count, and so does every event once the timeline is full.
func addEvent(tx *rows.Tx, metadata seal.RowKey, kind EventKind, network string, now time.Time) (counted Event, err error) {
	r, err := getTimeline(tx, metadata)
	if err != nil {
		return Event{}, err
	}
	at := r.add(Event{Kind: kind, Time: now, Network: network, Count: 1})
	if at < 0 {
		return Event{}, nil
	}
	return r.events[at], tx.Put(bucketTimeline, metadata[:], r.encode())
}

// add adds an event and returns the place of the one that counts it, or -1 if the
// record stays as it is. Looks within a step are one look.
func (r *timelineRecord) add(e Event) (at int) {
	full := len(r.events) >= eventsMost
	for i := len(r.events) - 1; i >= 0; i-- {
		last := &r.events[i]
		if last.Kind != e.Kind || !full && (last.Network != e.Network || e.Time.Sub(last.Time) >= eventStep) {
			continue
		}
		if e.Kind == EventLooked && !full {
			return -1
		}
		last.Count++
		return i
	}
	if full {
		return -1
	}
	r.events = append(r.events, e)
	return len(r.events) - 1
}

// TryWasRight takes back what Tried counted in the timeline of the receipt in a row;
// the zero Event is nothing. In a full timeline that is another network's event.
func TryWasRight(tx *rows.Tx, row seal.RowKey, counted Event) error {
	r, err := getTimeline(tx, row)
	if err != nil {
		return err
	}
	for i := len(r.events) - 1; i >= 0; i-- {
		last := &r.events[i]
		if last.Kind != counted.Kind || last.Network != counted.Network || !last.Time.Equal(counted.Time) {
			continue
		}
		if last.Count--; last.Count == 0 {
			r.events = append(r.events[:i], r.events[i+1:]...)
		}
		return tx.Put(bucketTimeline, row[:], r.encode())
	}
	return nil
}

// timeline joins the stored events with those that the receipt itself implies,
// oldest first.
func (r *timelineRecord) timeline(m *Record) []Event {
	events := make([]Event, 0, len(r.events)+2)
	events = append(events, m.createdEvent())
	events = append(events, r.events...)
	end := Event{Time: m.ended, Network: m.endedBy, Count: 1}
	switch m.state {
	case StateReceived:
		end.Kind = EventRevealed
	case StateBurned:
		end.Kind = EventBurned
	case StateExpired:
		end.Kind = EventExpired
		end.Network = ""
	case StateNone, StateNew, StateViewed:
		return events
	}
	events = append(events, end)
	switch m.outcome {
	case OutcomeDelivered:
		events = append(events, Event{Kind: EventDelivered, Time: m.outcomeAt, Count: 1})
	case OutcomeLapsed:
		events = append(events, Event{Kind: EventLapsed, Time: m.outcomeAt, Count: 1})
	case OutcomeNone, OutcomeAwaited:
	}
	return events
}

// createdEvent returns the first event of every timeline.
func (r *Record) createdEvent() Event {
	return Event{Kind: EventCreated, Time: r.created, Network: r.createdBy, Count: 1}
}
