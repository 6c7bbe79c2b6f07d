package certificates

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"
)

// requestTime bounds one request to the ACME server.
const requestTime = 30 * time.Second

// issuer obtains certificates from one ACME server. It is CertMagic's issuer.
type issuer struct {
	key        string
	email      string
	client     *acmez.Client
	store      *folder
	enter      func(ctx context.Context, name string) (leave func(error), err error)
	challenges *challenges

	mu sync.Mutex // held while the account is read or made
}

func newIssuer(opts ACMEOptions, store *folder, enter func(context.Context, string) (func(error), error)) *issuer {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // net/http's own
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: opts.Roots}
	given := &challenges{pending: make(map[string]acme.Challenge)}
	return &issuer{
		key: issuerKey(opts.Directory), email: opts.Email, store: store, enter: enter, challenges: given,
		client: &acmez.Client{
			Client: &acme.Client{
				Directory: opts.Directory, UserAgent: "hush", Logger: slog.New(acmeLog{opts.Log.Handler()}),
				HTTPClient: &http.Client{Transport: transport, Timeout: requestTime},
			},
			ChallengeSolvers: map[string]acmez.Solver{acme.ChallengeTypeHTTP01: given, acme.ChallengeTypeTLSALPN01: given},
		},
	}
}

// issuerKey names the ACME server in the folder.
func issuerKey(directory string) string {
	u, err := url.Parse(directory)
	if err != nil {
		return "acme"
	}
	return strings.Trim(strings.NewReplacer("/", "-", ":", "-").Replace(u.Host+u.Path), "-")
}

// IssuerKey implements certmagic.Issuer.
func (i *issuer) IssuerKey() string { return i.key }

// Issue implements certmagic.Issuer. CertMagic is not to try again by itself: the
// caller decides when.
func (i *issuer) Issue(ctx context.Context, csr *x509.CertificateRequest) (*certmagic.IssuedCertificate, error) {
	issued, err := i.issue(ctx, csr)
	if err != nil {
		return nil, certmagic.ErrNoRetry{Err: err}
	}
	return issued, nil
}

func (i *issuer) issue(ctx context.Context, csr *x509.CertificateRequest) (issued *certmagic.IssuedCertificate, err error) {
	if len(csr.DNSNames) != 1 {
		return nil, errors.New("certificates: a request is for one name")
	}
	leave, err := i.enter(ctx, csr.DNSNames[0])
	if err != nil {
		return nil, err
	}
	defer func() { leave(err) }()
	chains, err := i.order(ctx, csr)
	var problem acme.Problem
	if errors.As(err, &problem) && problem.Type == acme.ProblemTypeAccountDoesNotExist {
		if err := i.store.Delete(ctx, i.accountKey()); err != nil {
			return nil, err
		}
		chains, err = i.order(ctx, csr)
	}
	if err != nil {
		return nil, err
	}
	if len(chains) == 0 {
		return nil, errors.New("the ACME server returned no certificate")
	}
	return &certmagic.IssuedCertificate{Certificate: chains[0].ChainPEM, Metadata: chains[0]}, nil
}

func (i *issuer) order(ctx context.Context, csr *x509.CertificateRequest) ([]acme.Certificate, error) {
	account, err := i.account(ctx)
	if err != nil {
		return nil, fmt.Errorf("registering with the ACME server: %w", err)
	}
	params, err := acmez.OrderParametersFromCSR(account, csr)
	if err != nil {
		return nil, err
	}
	return i.client.ObtainCertificate(ctx, params)
}

// GetRenewalInfo implements certmagic.RenewalInfoGetter.
func (i *issuer) GetRenewalInfo(ctx context.Context, c certmagic.Certificate) (acme.RenewalInfo, error) {
	return i.client.GetRenewalInfo(ctx, c.Leaf)
}

// storedAccount is the account as the folder has it.
type storedAccount struct {
	Account acme.Account `json:"account"`
	Key     string       `json:"key"` // in PEM format
}

func (i *issuer) accountKey() string { return "accounts/" + i.key + ".json" }

// account returns the account with the ACME server. A new one agrees to its terms.
func (i *issuer) account(ctx context.Context) (account acme.Account, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	stored, err := i.loadAccount(ctx)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return stored, err
	}
	account.TermsOfServiceAgreed = true
	if i.email != "" {
		account.Contact = []string{"mailto:" + i.email}
	}
	if account.PrivateKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return account, err
	}
	key, err := certmagic.PEMEncodePrivateKey(account.PrivateKey)
	if err != nil {
		return account, err
	}
	if account, err = i.client.NewAccount(ctx, account); err != nil {
		return account, err
	}
	content, err := json.Marshal(storedAccount{account, string(key)})
	if err != nil {
		return account, err
	}
	return account, i.store.Store(ctx, i.accountKey(), content)
}

func (i *issuer) loadAccount(ctx context.Context) (acme.Account, error) {
	content, err := i.store.Load(ctx, i.accountKey())
	if err != nil {
		return acme.Account{}, err
	}
	var stored storedAccount
	if err := json.Unmarshal(content, &stored); err != nil {
		return acme.Account{}, fmt.Errorf("reading the account: %w", err)
	}
	stored.Account.PrivateKey, err = certmagic.PEMDecodePrivateKey([]byte(stored.Key))
	return stored.Account, err
}
