package outbox

import (
	"context"

	"hush/storage"
)

// QueueMail drafts a mail and queues it.
func (ob *Outbox) QueueMail(ctx context.Context, m Mail) error {
	now := ob.clock.Now()
	d, err := ob.Draft(ctx, m, now)
	if err != nil {
		return err
	}
	if err := ob.store.Update(ctx, d.Put); err != nil {
		ob.Discard(err, d)
		return err
	}
	ob.Wake()
	return nil
}

// QueueNotice queues a mail without a link.
func (ob *Outbox) QueueNotice(ctx context.Context, m Mail) error {
	now := ob.clock.Now()
	return ob.store.Update(ctx, func(tx storage.Tx) error { return ob.PutNotice(tx, m, now) })
}
