package certificates

import (
	"context"
	"errors"
	"io/fs"

	"hush/crash"
)

// fetch puts the certificate of a name into the cache. All who want it at a time
// wait for one attempt; if one has failed, the next has to wait.
func (a *ACME) fetch(ctx context.Context, name string) error {
	if err := errors.Join(a.ctx.Err(), notAdmitted(a.Admits(ctx, name))); err != nil {
		return err
	}
	try, first, err := a.tries.begin(name)
	if err != nil {
		return err
	}
	if first {
		crash.Go(&a.done, a.opts.Log, func() { a.attempt(name) })
	}
	select {
	case <-try.done:
		return try.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attemptKey is the key of the value of a context that is there in attempts.
type attemptKey struct{}

// enter is called before each order. A renewal, which CertMagic begins itself,
// waits after failures as attempts do: CertMagic alone would ask more often than
// Let's Encrypt allows.
func (a *ACME) enter(ctx context.Context, name string) (leave func(error), err error) {
	if err := a.admitOrDrop(ctx, name); err != nil {
		return nil, err
	}
	if ctx.Value(attemptKey{}) != nil {
		return func(error) {}, nil
	}
	_, first, err := a.tries.begin(name)
	if err != nil {
		return nil, err
	}
	if !first {
		return nil, errLater
	}
	return func(err error) { a.tries.end(name, err) }, nil
}

// attempt is one try to get a certificate. It goes on when the handshake that
// wanted it is over, so that the next one finds it.
func (a *ACME) attempt(name string) {
	ctx, cancel := context.WithTimeout(context.WithValue(a.ctx, attemptKey{}, true), issueTime)
	defer cancel()
	err := a.obtain(ctx, name)
	wait := a.tries.end(name, err)
	switch {
	case err == nil, a.ctx.Err() != nil, errors.Is(err, errNotAdmitted):
	case errors.Is(err, errBusy):
		a.opts.Log.Warn("too many new certificates at a time; a domain has to wait", "name", name)
	default:
		a.opts.Log.Warn("no certificate yet: HTTPS to this name does not work", "name", name, "cause", err, "next_try_in", wait)
	}
}

// obtain puts a certificate into the cache: the one in the folder, or else a new
// one.
func (a *ACME) obtain(ctx context.Context, name string) error {
	kept, err := a.config.CacheManagedCertificate(ctx, name)
	if err == nil && !kept.Expired() {
		return nil // it is renewed when its time comes
	}
	if name != a.host && !a.tries.take() {
		return errBusy
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = a.config.ObtainCertSync(ctx, name)
	} else {
		// It has expired, or a crash has left a certificate with the key of another.
		err = a.config.RenewCertSync(ctx, name, true)
	}
	if err == nil {
		_, err = a.config.CacheManagedCertificate(ctx, name)
	}
	return err
}

// tell logs what became of a certificate.
func (a *ACME) tell(_ context.Context, event string, data map[string]any) error {
	name, renewal := data["identifier"], data["renewal"] == true
	cause, _ := data["error"].(error)
	switch {
	case errors.Is(cause, errLater):
	case errors.Is(cause, errNotAdmitted):
		a.opts.Log.Info("a certificate is not renewed, because the domain is no longer verified", "name", name)
	case event == "cert_obtained":
		a.opts.Log.Info("obtained a certificate", "name", name, "renewal", renewal)
	case event == "cert_failed" && renewal:
		a.opts.Log.Warn("a certificate cannot be renewed; still serving the one before", "name", name, "cause", cause)
	}
	return nil
}
