package hush

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"hush/client"
)

// progressSize is the size of requests and answers whose progress is reported.
const progressSize = 32 << 10

// flow ends a call when nothing arrives or leaves any more.
type flow struct {
	cancel   context.CancelFunc
	timer    *time.Timer
	late     atomic.Bool
	reported atomic.Bool // of some progress
	// patience is how long the answer to a whole request may take to begin, and quiet
	// how long it may take to go on.
	patience, quiet time.Duration
	// progress gets the progress; nil for none. received is called while an answer
	// arrives; nil for nothing.
	progress func(client.Progress)
	received func()

	mu         sync.Mutex
	answered   bool
	began      time.Time // when the answer began
	sent, size int64     // of the request
	got, total int64     // of the answer
}

type flowKey struct{}

// newFlow returns the flow of a call, and a context that ends with it. The caller must
// call stop.
func newFlow(ctx context.Context, patience, quiet time.Duration, progress func(client.Progress)) (context.Context, *flow) {
	within, cancel := context.WithCancel(ctx)
	f := &flow{cancel: cancel, patience: patience, quiet: min(quiet, patience), progress: progress}
	f.timer = time.AfterFunc(patience, func() {
		f.late.Store(true)
		cancel()
	})
	return context.WithValue(within, flowKey{}, f), f
}

func flowFrom(ctx context.Context) *flow {
	f, _ := ctx.Value(flowKey{}).(*flow)
	return f
}

func (f *flow) stop() {
	f.timer.Stop()
	f.cancel()
	if f.reported.Load() {
		f.progress(client.Progress{})
	}
}

// isIncomplete reports whether a part of the request was never sent: no server carries
// it out then.
func (f *flow) isIncomplete() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent < f.size
}

// moved gives the call more time, since it made progress.
func (f *flow) moved(more time.Duration) {
	if f.timer.Stop() {
		f.timer.Reset(more)
	}
}

// send watches the body of a request.
func (f *flow) send(r *http.Request) {
	if f == nil || r.Body == nil || r.Body == http.NoBody {
		return
	}
	f.size = r.ContentLength
	r.Body = &watchedBody{ReadCloser: r.Body, read: f.left}
	again := r.GetBody
	if again == nil {
		return
	}
	r.GetBody = func() (io.ReadCloser, error) {
		body, err := again()
		if err != nil {
			return nil, err
		}
		f.mu.Lock()
		f.sent = 0
		f.mu.Unlock()
		return &watchedBody{ReadCloser: body, read: f.left}, nil
	}
}

// left notes that bytes of the request are on their way.
func (f *flow) left(n int) {
	f.mu.Lock()
	if f.answered {
		f.mu.Unlock()
		return
	}
	f.sent += int64(n)
	p := client.Progress{Stage: client.StageSending, Done: f.sent, Total: max(f.size, 0)}
	f.mu.Unlock()
	more := f.quiet
	if p.Done >= p.Total {
		more = f.patience
	}
	f.moved(more)
	f.report(p)
}

// receive watches the body of an answer.
func (f *flow) receive(res *http.Response) {
	if f == nil {
		return
	}
	f.mu.Lock()
	f.answered, f.began, f.total = true, time.Now(), max(res.ContentLength, 0)
	f.mu.Unlock()
	f.moved(f.quiet)
	res.Body = &watchedBody{ReadCloser: res.Body, read: f.arrived}
}

// begun returns when the answer began.
func (f *flow) begun() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.began
}

// arrived notes that bytes of the answer are here.
func (f *flow) arrived(n int) {
	f.mu.Lock()
	f.got += int64(n)
	p := client.Progress{Stage: client.StageReceiving, Done: f.got, Total: f.total}
	f.mu.Unlock()
	f.moved(f.quiet)
	if f.received != nil {
		f.received()
	}
	f.report(p)
}

func (f *flow) report(p client.Progress) {
	if f.progress != nil && max(p.Done, p.Total) >= progressSize {
		f.reported.Store(true)
		f.progress(p)
	}
}

// cause returns what an error of the call is, if nothing arrived any more.
func (f *flow) cause(err error) error {
	if f.late.Load() {
		return context.DeadlineExceeded
	}
	return err
}

// stepSize is the most that is read from a body at once. HTTP/2 would read half a MiB
// of a request and send it as one frame: nothing seems to move meanwhile, and no other
// frame goes out.
const stepSize = 16 << 10

// watchedBody is a body whose progress is noted.
type watchedBody struct {
	io.ReadCloser

	read func(n int)
}

// Read implements io.Reader.
func (b *watchedBody) Read(into []byte) (int, error) {
	into = into[:min(len(into), stepSize)]
	n, err := b.ReadCloser.Read(into)
	if n > 0 {
		b.read(n)
	}
	return n, err
}
