package certificates

import (
	"crypto/x509"
	"time"
)

// failureKept is how long a failed attempt counts in a Status. No attempt waits
// that long: what has not been tried since is wanted no more, as a domain that was
// removed.
const failureKept = 24 * time.Hour

// Status is how the certificates of a server are doing.
type Status struct {
	// Begins and Ends are those of the certificate that the service's own name is
	// served with, which may have ended; both are zero while there is none.
	Begins, Ends time.Time
	// Failing is how many names wanted a certificate, or a new one, and failed to
	// get it in their last attempt. Attempts of more than a day ago do not count.
	Failing int
}

func statusOf(leaf *x509.Certificate, failing int) Status {
	if leaf == nil {
		return Status{Failing: failing}
	}
	return Status{Begins: leaf.NotBefore, Ends: leaf.NotAfter, Failing: failing}
}

// Status tells of the pair that is served. It counts as failing while the files
// have changed and are not usable.
func (f *Files) Status() Status {
	failing := 0
	if f.unusable.Load() {
		failing = 1
	}
	return statusOf(f.current.Load().Leaf, failing)
}

// Status tells of the host's certificate and of all attempts. A certificate that
// stands in for the host's does not count.
func (a *ACME) Status() Status {
	var last *x509.Certificate
	for _, kept := range a.cache.AllMatchingCertificates(a.host) {
		if leaf := kept.Leaf; leaf != nil && (last == nil || leaf.NotAfter.After(last.NotAfter)) {
			last = leaf
		}
	}
	return statusOf(last, a.tries.failing())
}
