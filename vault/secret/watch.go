package secret

import (
	"context"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/watch"
)

// Watch follows one receipt. It belongs to one caller, who must close it.
type Watch struct {
	receipts *Receipts
	caller   caller.Caller
	receipt  seal.Token
	listener *watch.Listener
}

// WatchMetadata follows a receipt, or returns ErrNotFound for an unknown key.
// It does not limit the number of watches.
func (re *Receipts) WatchMetadata(ctx context.Context, c caller.Caller, key string) (*Watch, error) {
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return nil, refusal.ErrNotFound
	}
	row := receipt.RowKey(seal.KindMetadata)
	found, err := re.findMetadata(ctx, row, re.clock.Now())
	if err != nil {
		return nil, err
	}
	shown := watch.Receipt{Row: row, Expires: found.record.expires, Reads: []watch.RowOf{
		{Bucket: BucketMetadata, Key: string(row[:])}, {Bucket: bucketTimeline, Key: string(row[:])},
	}}
	if !c.Anonymous() {
		accounts, id := account.RowOf(c)
		credentials, credentialRow := credential.RowOf(c)
		shown.Reads = append(shown.Reads,
			watch.RowOf{Bucket: accounts, Key: string(id)}, watch.RowOf{Bucket: credentials, Key: string(credentialRow)})
	}
	w := &Watch{re, c, receipt, watch.NewListener(shown, c)}
	re.watches.Add(w.listener)
	return w, nil
}

// Metadata returns the receipt as it is now; see GetMetadata. It returns
// ErrUnauthenticated if the caller's credential has ended.
func (w *Watch) Metadata(ctx context.Context) (Metadata, error) {
	if _, err := w.receipts.sessions.RecheckCaller(ctx, w.caller); err != nil {
		return Metadata{}, err
	}
	return w.receipts.GetMetadata(ctx, w.caller, w.receipt.Expose())
}

// Changed receives a value after the receipt changed, and after credentials of
// the caller's account ended, on any node. Several changes may result in one
// value, and there may be values without a change. Expiry alone is not a change:
// check Metadata.Expires.
func (w *Watch) Changed() <-chan struct{} { return w.listener.Changed() }

// Close ends the watch.
func (w *Watch) Close() { w.receipts.watches.Remove(w.listener) }
