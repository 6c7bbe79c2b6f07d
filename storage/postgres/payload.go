package postgres

import (
	"encoding/base64"
	"strings"

	"hush/storage"
)

// A payload is the text of one notification, in base 64. PostgreSQL takes less
// than 8,000 bytes.
//
//	kind 1 │ sender 8 │ topics, 8 each
const (
	payloadTopics byte = 1 // something about topics changed; none is a sign of life
	payloadLost   byte = 2 // the sender lost topics

	payloadHead = 1 + len(sender{})
	// payloadMost is the maximum number of topics in a payload: 7,479 bytes.
	payloadMost = 700
)

// payloads returns what tells of topics, and of lost ones. There is at least
// one.
func payloads(from sender, topics []storage.Topic, lost bool) []string {
	var all []string
	add := func(kind byte, topics []storage.Topic) {
		raw := make([]byte, 0, payloadHead+len(topics)*len(storage.Topic{}))
		raw = append(append(raw, kind), from[:]...)
		for _, topic := range topics {
			raw = append(raw, topic[:]...)
		}
		all = append(all, base64.RawStdEncoding.EncodeToString(raw))
	}
	if lost {
		add(payloadLost, nil)
	}
	for len(topics) > payloadMost {
		add(payloadTopics, topics[:payloadMost])
		topics = topics[payloadMost:]
	}
	if len(topics) > 0 || !lost {
		add(payloadTopics, topics)
	}
	return all
}

// readPayload reads a payload. ok is false for what no version of Hush sent that
// this one understands.
func readPayload(text string) (from sender, topics []storage.Topic, lost, ok bool) {
	raw, err := base64.RawStdEncoding.Strict().DecodeString(text)
	ignored := strings.ContainsAny(text, "\r\n") // by the decoder, even a strict one
	if err != nil || ignored || len(raw) < payloadHead || (len(raw)-payloadHead)%len(storage.Topic{}) != 0 {
		return from, nil, false, false
	}
	from = sender(raw[1:payloadHead])
	switch raw[0] {
	case payloadLost:
		return from, nil, true, true
	case payloadTopics:
	default:
		return from, nil, false, false
	}
	for rest := raw[payloadHead:]; len(rest) > 0; rest = rest[len(storage.Topic{}):] {
		topics = append(topics, storage.Topic(rest))
	}
	return from, topics, false, true
}
