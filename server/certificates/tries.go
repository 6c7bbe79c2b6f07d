package certificates

import (
	"errors"
	"sync"
	"time"

	"github.com/mholt/acmez/v3/acme"
)

// The bounds on what strangers can make the ACME server do. Let's Encrypt allows
// an account 300 orders in three hours, and a name five failures an hour. An
// attempt that fails takes two orders.
const (
	// burst is how many new certificates of custom domains may be ordered at
	// once, and refill the time for each further one.
	burst  = 20
	refill = 2 * time.Minute
)

var (
	// errBusy is returned while too many certificates are wanted.
	errBusy = errors.New("certificates: too many new ones at a time")
	// errLater is returned for a name while its next attempt has to wait.
	errLater = errors.New("certificates: the last attempt failed")
)

// waitAfter returns how long to wait after a number of failures in a row: from
// one minute to an hour where the ACME server was not reached, and from 20
// minutes to six hours where it refused: an attempt fails twice there, once for
// each kind of challenge.
func waitAfter(failures int, refused bool) time.Duration {
	wait, most := time.Minute, time.Hour
	if refused {
		wait, most = 20*time.Minute, 6*time.Hour
	}
	return min(wait<<min(failures-1, 10), most)
}

// try is an attempt that several may wait for.
type try struct {
	done chan struct{}
	err  error // once done is closed
}

// failure is the end of the last attempts for a name.
type failure struct {
	count int // 0 if none was made yet, because of errBusy
	at    time.Time
	until time.Time
}

// tries are the attempts to get certificates: one at a time for a name, whose outcome
// all who want it share, and after a failure none until a time. Only names that may have
// one get here, so there are no more than those.
type tries struct {
	mu      sync.Mutex
	now     func() time.Time
	wait    func(failures int, refused bool) time.Duration
	running map[string]*try
	failed  map[string]failure
	tokens  int
	filled  time.Time
}

func newTries(opts ACMEOptions) tries {
	return tries{
		now: opts.Now, wait: opts.Wait, tokens: burst, filled: opts.Now(),
		running: make(map[string]*try), failed: make(map[string]failure),
	}
}

// begin returns the attempt for a name, and whether the caller is to make it.
func (t *tries) begin(name string) (running *try, first bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if running := t.running[name]; running != nil {
		return running, false, nil
	}
	if t.now().Before(t.failed[name].until) {
		return nil, false, errLater
	}
	running = &try{done: make(chan struct{})}
	t.running[name] = running
	return running, true, nil
}

// end ends the attempt for a name, and returns how long the next has to wait.
func (t *tries) end(name string, err error) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	running := t.running[name]
	delete(t.running, name)
	running.err = err
	close(running.done)
	if err == nil {
		delete(t.failed, name)
		return 0
	}
	last := t.failed[name]
	if wait = refill; !errors.Is(err, errBusy) {
		var problem acme.Problem
		last.count++
		wait = t.wait(last.count, errors.As(err, &problem))
	}
	last.at = t.now()
	last.until = last.at.Add(wait)
	t.failed[name] = last
	return wait
}

// left returns how long the next attempt for a name has to wait.
func (t *tries) left(name string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed[name].until.Sub(t.now())
}

// failing returns how many names have failed their last attempt within
// failureKept.
func (t *tries) failing() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	since := t.now().Add(-failureKept)
	for _, last := range t.failed {
		if last.count > 0 && last.at.After(since) {
			n++
		}
	}
	return n
}

// take reports whether one more certificate may be ordered now.
func (t *tries) take() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if more := int(now.Sub(t.filled) / refill); more > 0 {
		t.tokens = min(burst, t.tokens+more)
		t.filled = t.filled.Add(time.Duration(more) * refill)
	}
	if t.tokens == 0 {
		return false
	}
	t.tokens--
	return true
}
