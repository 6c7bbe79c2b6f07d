package outbox

import (
	"slices"

	"hush/storage"
	"hush/vault/cluster"
)

// Bell wakes the sender of mails, of which there is one among the nodes of a
// store.
type Bell struct {
	notices *cluster.Notices
	rung    chan struct{}
}

func newBell(notices *cluster.Notices) *Bell { return &Bell{notices, make(chan struct{}, 1)} }

// Wake wakes the sender after the commit of a mail, on whichever node it runs.
func (b *Bell) Wake() {
	b.WakeHere()
	b.notices.Tell(cluster.NoticeMail, nil)
}

// WakeHere lets the sender of this node look for due mails, if it is the one.
func (b *Bell) WakeHere() {
	select {
	case b.rung <- struct{}{}:
	default:
	}
}

// Hear wakes the sender of this node if one of topics says that another node
// queued a mail.
func (b *Bell) Hear(topics []storage.Topic) {
	if b.notices != nil && slices.Contains(topics, b.notices.Topic(cluster.NoticeMail, nil)) {
		b.WakeHere()
	}
}
