package cluster

import (
	"context"

	"hush/seal"
	"hush/storage"
)

// Notice is a kind of notification between the nodes of a store. The numbers are
// part of topics, so that nodes of different versions understand each other.
type Notice byte

// The kinds of notifications.
const (
	NoticeReceipt Notice = 1 // a receipt or its timeline changed; of a row key
	NoticeAccount Notice = 2 // credentials of an account may have ended; of an account id
	NoticeMail    Notice = 3 // a mail was queued; of nothing
)

// Notices tells the other nodes of a store what changed on this one. A nil
// Notices tells no node: there are no others, or the store cannot. It is safe for
// concurrent use.
type Notices struct {
	notifier storage.Notifier
	keys     *seal.Keys
}

// NewNotices returns the notices of a node, nil for a store that no other
// process shares.
func NewNotices(s Store, keys *seal.Keys) *Notices {
	notifier := s.Notifier()
	if notifier == nil || s.node == nil {
		return nil
	}
	return &Notices{notifier, keys}
}

// Tell tells the other nodes that something happened to the thing with an id.
// Call it after the commit. It never blocks.
func (n *Notices) Tell(kind Notice, id []byte) {
	if n != nil {
		n.notifier.Notify(n.Topic(kind, id))
	}
}

// Topic returns what Tell sends. It is a pseudorandom number to those without
// the root key: others who may connect to the database can see that a thing
// changed, and whether it is the same thing as before, but not which one. A nil
// Notices returns zero.
func (n *Notices) Topic(kind Notice, id []byte) storage.Topic {
	if n == nil {
		return storage.Topic{}
	}
	return n.keys.Topic(append([]byte{byte(kind)}, id...))
}

// ListenUntil calls heard with what other nodes tell, until ctx ends; see
// storage.Notifier. A nil Notices hears nothing.
func (n *Notices) ListenUntil(ctx context.Context, heard func(topics []storage.Topic, lost error)) {
	if n != nil {
		n.notifier.Listen(ctx, heard)
	}
}
