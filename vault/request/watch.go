package request

import (
	"context"

	"hush/vault/account"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/watch"
)

// Watch follows one collection. It belongs to one caller, who must close it.
type Watch struct {
	requests *Requests
	caller   caller.Caller
	link     CollectLink
	listener *watch.Listener
}

// WatchCollection follows a collection, or returns ErrNotFound, and ErrLink for a wrong
// proof. It does not limit the number of watches.
func (re *Requests) WatchCollection(ctx context.Context, c caller.Caller, link CollectLink) (*Watch, error) {
	f, err := re.byCollect(ctx, c, link, false, re.clock.Now())
	if err != nil {
		return nil, err
	}
	answers, row := answer.RowOf(f.row)
	// Whatever happens to a request changes this small row: nodes read it every few seconds.
	shown := watch.Receipt{Row: f.row, Expires: f.record.expires, Reads: []watch.RowOf{{Bucket: answers, Key: string(row)}}}
	shown.Reads = append(shown.Reads, account.ReadsOf(c)...)
	w := &Watch{re, c, link, watch.NewListener(shown, c)}
	re.watches.Add(w.listener)
	return w, nil
}

// Collection returns the collection as it is now; see GetCollection. It returns
// ErrUnauthenticated if the caller's credential has ended.
func (w *Watch) Collection(ctx context.Context) (Collection, error) {
	if _, err := w.requests.sessions.RecheckCaller(ctx, w.caller); err != nil {
		return Collection{}, err
	}
	return w.requests.GetCollection(ctx, w.caller, w.link)
}

// Changed receives a value after the collection changed, and after credentials of the
// caller's account ended, on any node. Several changes may result in one value, and there
// may be values without a change. What time alone changes is not a change: look now and
// then.
func (w *Watch) Changed() <-chan struct{} { return w.listener.Changed() }

// Close ends the watch.
func (w *Watch) Close() { w.requests.watches.Remove(w.listener) }
