package receipt

import (
	"context"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/watch"
)

// Watch follows one receipt. It belongs to one caller, who must close it.
type Watch struct {
	receipts *Receipts
	caller   caller.Caller
	key      seal.Token // of the receipt
	listener *watch.Listener
}

// WatchMetadata follows a receipt, or returns ErrNotFound for an unknown key.
// It does not limit the number of watches.
func (re *Receipts) WatchMetadata(ctx context.Context, c caller.Caller, key string) (*Watch, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return nil, refusal.ErrNotFound
	}
	found, err := re.find(ctx, token, re.clock.Now())
	if err != nil {
		return nil, err
	}
	row := found.row
	shown := watch.Receipt{Row: row, Expires: found.record.expires, Reads: []watch.RowOf{
		{Bucket: BucketMetadata, Key: string(row[:])}, {Bucket: bucketTimeline, Key: string(row[:])},
	}}
	shown.Reads = append(shown.Reads, account.ReadsOf(c)...)
	w := &Watch{re, c, token, watch.NewListener(shown, c)}
	re.watches.Add(w.listener)
	return w, nil
}

// Metadata returns the receipt as it is now; see GetMetadata. It returns
// ErrUnauthenticated if the caller's credential has ended.
func (w *Watch) Metadata(ctx context.Context) (Metadata, error) {
	if _, err := w.receipts.sessions.RecheckCaller(ctx, w.caller); err != nil {
		return Metadata{}, err
	}
	return w.receipts.GetMetadata(ctx, w.caller, w.key.Expose())
}

// Changed receives a value after the receipt changed, and after credentials of
// the caller's account ended, on any node. Several changes may result in one
// value, and there may be values without a change. Expiry alone is not a change:
// check Metadata.Expires.
func (w *Watch) Changed() <-chan struct{} { return w.listener.Changed() }

// Close ends the watch.
func (w *Watch) Close() { w.receipts.watches.Remove(w.listener) }
