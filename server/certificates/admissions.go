package certificates

import (
	"context"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"golang.org/x/sync/semaphore"
)

const (
	// admissionTime is how long the answer about a name is used again.
	admissionTime = 10 * time.Second
	// maxAdmissions is how many answers are kept.
	maxAdmissions = 4096
	// maxLookups is how many names are looked up at a time. Others wait.
	maxLookups = 8
)

// admissions are the recent answers to whether a name may have a certificate.
// Strangers choose the names of handshakes, so repeating one costs no lookup, and
// inventing many keeps only a few lookups busy.
type admissions struct {
	admits  func(ctx context.Context, name string) (bool, error)
	now     func() time.Time
	lookups *semaphore.Weighted

	mu    sync.Mutex
	known map[string]admission
}

type admission struct {
	admitted bool
	until    time.Time
}

func newAdmissions(opts ACMEOptions) *admissions {
	return &admissions{
		admits: opts.Admits, now: opts.Now, lookups: semaphore.NewWeighted(maxLookups), known: make(map[string]admission),
	}
}

// The limits of DNS on a name and its labels, in bytes.
const (
	nameSize  = 253
	labelSize = 63
)

// isPublicName reports whether a name is one that an ACME server accepts, in the
// one form that certificates have: lower case and ASCII. Strangers choose names,
// so everything else is refused before it is looked at further.
func isPublicName(name string) bool {
	return isHostName(name) && certmagic.SubjectQualifiesForPublicCert(name) && strings.Contains(name, ".") && !strings.Contains(name, "*") && net.ParseIP(name) == nil
}

func isHostName(name string) bool {
	if len(name) > nameSize {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > labelSize {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}

// recent returns whether a name may have a certificate, as it was at most
// admissionTime ago.
func (a *admissions) recent(ctx context.Context, name string) (bool, error) {
	if !isPublicName(name) {
		return false, nil
	}
	if known, ok := a.find(name); ok {
		return known, nil
	}
	if err := a.lookups.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer a.lookups.Release(1)
	if known, ok := a.find(name); ok { // others asked for the same name
		return known, nil
	}
	return a.current(ctx, name)
}

// current returns whether a name may have a certificate now.
func (a *admissions) current(ctx context.Context, name string) (bool, error) {
	if !isPublicName(name) {
		return false, nil
	}
	admitted, err := a.admits(ctx, name)
	if err == nil {
		a.keep(name, admitted)
	}
	return admitted && err == nil, err
}

func (a *admissions) find(name string) (admitted, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.known[name]
	return known.admitted, ok && a.now().Before(known.until)
}

func (a *admissions) keep(name string, admitted bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= maxAdmissions {
		clear(a.known)
	}
	a.known[name] = admission{admitted, a.now().Add(admissionTime)}
}
