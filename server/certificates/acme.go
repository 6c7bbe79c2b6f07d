package certificates

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3"
	"go.uber.org/zap"
)

const (
	// issueTime is how long it may take to obtain a certificate.
	issueTime = 3 * time.Minute
	// maxCached is how many certificates are kept in memory; others are read
	// again from the folder.
	maxCached = 4096
	// cleanInterval is how often expired certificates are deleted, which is
	// expiredKeep after their end.
	cleanInterval = 24 * time.Hour
	expiredKeep   = 30 * 24 * time.Hour
	// handshakeWait is how long a handshake waits for a certificate that is being
	// obtained: less than net/http gives it, so that the client gets an error of
	// TLS.
	handshakeWait = 4 * time.Second
)

// errNotAdmitted is returned for a name that may have no certificate.
var errNotAdmitted = errors.New("certificates: not a name of this service")

// ACMEOptions say which certificates are obtained, and from whom. Host, Folder,
// Seal, Open, Log and Now are required.
type ACMEOptions struct {
	// Directory is the URL of the ACME server; empty means Let's Encrypt.
	Directory string
	// Email is the address that the ACME server may write to; empty for none.
	Email string
	// Host is the name that always has a certificate.
	Host string
	// Admits reports whether another name may have one. It is asked for handshakes
	// with a name that has none, at most every ten seconds for each, and before each
	// order. Nil admits no other name.
	Admits func(ctx context.Context, name string) (bool, error)
	// Folder is where certificates, their keys and the account are stored.
	Folder string
	// Seal encrypts a file of the folder, and Open decrypts it.
	Seal func(name string, content []byte) []byte
	Open func(name string, sealed []byte) ([]byte, error)
	// SealedBy returns the name of the key that made a result of Seal, and IsCurrent
	// reports whether it is the one that Seal uses now. They may be nil if there is
	// only one.
	SealedBy  func(sealed []byte) [4]byte
	IsCurrent func(sealed []byte) bool

	Log *slog.Logger
	Now func() time.Time
	// Roots are the authorities that the ACME server's own certificate may come
	// from; nil means the system's.
	Roots *x509.CertPool
	// RenewInterval is how often certificates are checked for renewal; zero means
	// CertMagic's ten minutes. For tests.
	RenewInterval time.Duration
	// Wait returns how long to wait after a number of failures; nil means the
	// waits of the documents. For tests.
	Wait func(failures int, refused bool) time.Duration
}

// ACME obtains certificates and renews them. It is safe for concurrent use.
type ACME struct {
	opts       ACMEOptions
	host       string
	cache      *certmagic.Cache
	config     *certmagic.Config
	issuer     *issuer
	admissions *admissions
	tries      tries
	store      *folder
	standIn    func() (*tls.Certificate, error)

	ctx  context.Context //nolint:containedctx // what is begun for one handshake serves the next ones, too
	stop context.CancelFunc
	done sync.WaitGroup
}

// OpenACME opens the folder, which it creates if it does not exist, and begins to
// renew what is in use. It asks the ACME server nothing yet. Close ends it.
func OpenACME(opts ACMEOptions) (*ACME, error) {
	if opts.Directory == "" {
		opts.Directory = certmagic.LetsEncryptProductionCA
	}
	if opts.Wait == nil {
		opts.Wait = waitAfter
	}
	if opts.Admits == nil {
		opts.Admits = func(context.Context, string) (bool, error) { return false, nil }
	}
	store, err := openFolder(opts)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of certificates: %w", err)
	}
	a := &ACME{opts: opts, host: canonical(opts.Host), store: store, admissions: newAdmissions(opts), tries: newTries(opts), standIn: sync.OnceValues(newStandIn(opts))}
	a.ctx, a.stop = context.WithCancel(context.Background())
	a.issuer = newIssuer(opts, store, a.enter)
	log := zap.New(zapLog{opts.Log})
	a.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert:   func(certmagic.Certificate) (*certmagic.Config, error) { return a.config, nil },
		RenewCheckInterval: opts.RenewInterval, Capacity: maxCached, Logger: log,
	})
	a.config = certmagic.New(a.cache, certmagic.Config{
		Issuers: []certmagic.Issuer{a.issuer}, Storage: store, Logger: log, OnEvent: a.tell,
		DefaultServerName: a.host,
		KeySource:         certmagic.StandardKeyGenerator{KeyType: certmagic.P256},
		// Let's Encrypt has no OCSP any more, and asking costs handshakes time.
		// Renewal information (ARI) says when a certificate is revoked.
		OCSP: certmagic.OCSPConfig{DisableStapling: true},
	})
	return a, nil
}

// TLSConfig returns the configuration of a server that uses the certificates.
func (a *ACME) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: a.certificate,
		NextProtos:     []string{"h2", "http/1.1", acmez.ACMETLS1Protocol},
	}
}

// AnswerChallenge answers a request over HTTP with which the ACME server checks
// that a name leads here. It reports whether the request was one.
func (a *ACME) AnswerChallenge(w http.ResponseWriter, r *http.Request) bool {
	return a.issuer.challenges.answer(w, r)
}

// Run obtains the certificate of the host, and tries again until it has one or
// ctx ends.
func (a *ACME) Run(ctx context.Context) {
	for {
		wait := cleanInterval
		if err := a.fetch(ctx, a.host); err != nil {
			wait = a.tries.left(a.host)
		} else {
			a.clean(ctx)
		}
		timer := time.NewTimer(max(wait, time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// Close ends what Run and handshakes have begun.
func (a *ACME) Close() error {
	a.stop()
	a.done.Wait()
	a.cache.Stop()
	return a.store.close()
}

// clean deletes certificates that expired long ago.
func (a *ACME) clean(ctx context.Context) {
	err := certmagic.CleanStorage(ctx, a.store, certmagic.CleanStorageOptions{
		Logger: a.config.Logger, ExpiredCerts: true, ExpiredCertGracePeriod: expiredKeep,
	})
	if err != nil && ctx.Err() == nil {
		a.opts.Log.Warn("expired certificates cannot be deleted", "cause", err)
	}
}

// certificate returns the certificate of a handshake. It waits for one that is
// being obtained as long as the handshake may take.
func (a *ACME) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := canonical(hello.ServerName)
	if len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acmez.ACMETLS1Protocol {
		return a.issuer.challenges.certificate(name)
	}
	if name == "" {
		name = a.host
	}
	if name != a.host && !isPublicName(name) {
		return nil, nil // before CertMagic, which takes long for a name of many labels
	}
	if len(a.cache.AllMatchingCertificates(name)) == 0 {
		if err := a.await(hello.Context(), name); err != nil {
			switch {
			case errors.Is(err, errNotAdmitted):
				return nil, nil // crypto/tls says that the name is not known
			case name == a.host && isLocal(hello.Conn):
				return a.standIn()
			}
			return nil, err
		}
	}
	return a.config.GetCertificate(hello)
}

// canonical returns a name as certificates have it.
func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// await is fetch for a handshake.
func (a *ACME) await(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, handshakeWait)
	defer cancel()
	return a.fetch(ctx, name)
}

// admitOrDrop is admit for a renewal. Without a name's leave its certificate is no
// longer used.
func (a *ACME) admitOrDrop(ctx context.Context, name string) error {
	err := a.admit(ctx, name)
	if errors.Is(err, errNotAdmitted) {
		a.cache.RemoveManaged([]certmagic.SubjectIssuer{{Subject: name}})
	}
	return err
}

// Admits reports whether a name is the host or may have a certificate, as it was
// some seconds ago at most.
func (a *ACME) Admits(ctx context.Context, name string) (bool, error) {
	name = canonical(name)
	if name == a.host {
		return true, nil
	}
	return a.admissions.recent(ctx, name)
}

// admit returns errNotAdmitted for a name that may have no certificate.
func (a *ACME) admit(ctx context.Context, name string) error {
	if name == a.host {
		return nil
	}
	return notAdmitted(a.admissions.current(ctx, name))
}

func notAdmitted(admitted bool, err error) error {
	if err == nil && !admitted {
		return errNotAdmitted
	}
	return err
}
