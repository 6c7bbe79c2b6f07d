package client

import (
	"context"
	"slices"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/seal/endtoend"
)

// hushBackend speaks the Connect protocol with a Hush server.
type hushBackend struct {
	system     hushv1connect.SystemServiceClient
	sessions   hushv1connect.SessionServiceClient
	secrets    hushv1connect.SecretServiceClient
	metadata   hushv1connect.MetadataServiceClient
	challenges hushv1connect.ChallengeServiceClient

	token  Text
	notice func(err error, wait time.Duration)
	// progress is told how far a call is; nil for nothing.
	progress func(Progress)
	pace     pace
	// quiet is how long a server may say nothing in the middle of a call.
	quiet time.Duration
	// keepEvery is how often an opening tells the server that its content arrives.
	keepEvery time.Duration
	// silence is how long a stream may say nothing before it counts as broken.
	silence time.Duration
	// claimTime is how long a claim lasts at most.
	claimTime time.Duration
	// derive is endtoend.Derive.
	derive func(secret endtoend.LinkSecret, passphrase string) (endtoend.Keys, error)
}

// newHush returns the backend that speaks to Hush.
func newHush(c *Client) backend {
	o := c.options
	calls := &caller{http: o.httpClient(), token: o.Token, userAgent: o.userAgent()}
	options := connect.WithClientOptions(
		connect.WithReadMaxBytes(answerMax),
		connect.WithAcceptCompression("gzip", nil, nil), // contents do not get shorter
	)
	return &hushBackend{
		system:     hushv1connect.NewSystemServiceClient(calls, c.Server(), options),
		sessions:   hushv1connect.NewSessionServiceClient(calls, c.Server(), options),
		secrets:    hushv1connect.NewSecretServiceClient(calls, c.Server(), options),
		metadata:   hushv1connect.NewMetadataServiceClient(calls, c.Server(), options),
		challenges: hushv1connect.NewChallengeServiceClient(calls, c.Server(), options),
		token:      o.Token, notice: o.Notice, progress: o.Progress, pace: defaultPace(), quiet: o.quiet(), keepEvery: keepEvery, silence: silenceMax, claimTime: ClaimTime,
		derive: endtoend.Derive,
	}
}

func (h *hushBackend) policy(ctx context.Context) (Policy, error) {
	p, err := h.getPolicy(ctx)
	if err != nil {
		return Policy{}, err
	}
	policy := Policy{
		Name: plain(p.GetInstanceName()), BaseURL: p.GetBaseUrl(),
		DefaultTTL:         seconds(p.GetDefaultTtl()),
		MaxTTL:             seconds(p.GetAnonymousTtl()),
		MaxContent:         p.GetAnonymousSecret(),
		PassphraseRequired: p.GetPassphraseRequired(), PassphraseMin: int(p.GetPassphraseMin()),
		EndToEnd:       slices.Contains(p.GetEncryptions(), hushv1.Encryption_ENCRYPTION_END_TO_END),
		Server:         slices.Contains(p.GetEncryptions(), hushv1.Encryption_ENCRYPTION_SERVER),
		AnonymousShare: p.GetAnonymousCreate(), Mail: p.GetMail(), Maintenance: plain(p.GetMaintenance()),
	}
	if !h.token.IsEmpty() {
		policy.MaxTTL, policy.MaxContent = seconds(p.GetAccountTtl()), p.GetAccountSecret()
	}
	return policy, nil
}

func (h *hushBackend) getPolicy(ctx context.Context) (*hushv1.GetPolicyResponse, error) {
	return ask(ctx, h, h.system.GetPolicy, &hushv1.GetPolicyRequest{})
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func (h *hushBackend) account(ctx context.Context) (Account, error) {
	if h.token.IsEmpty() {
		return Account{}, errNoToken()
	}
	answer, err := ask(ctx, h, h.sessions.Authcheck, &hushv1.AuthcheckRequest{})
	if err != nil {
		return Account{}, err
	}
	return Account{Address: plain(answer.GetCustid())}, nil
}

func errNoToken() error {
	return &Error{Kind: KindUnauthorized, Message: "this needs the token of an account"}
}

func (h *hushBackend) look(ctx context.Context, link Link) (Secret, error) {
	answer, err := ask(ctx, h, h.secrets.GetSecret, &hushv1.GetSecretRequest{SecretKey: link.Key.Expose()})
	if err != nil {
		return Secret{}, err
	}
	secret := answer.GetSecret()
	if err := matches(link, secret); err != nil {
		return Secret{}, err
	}
	return Secret{
		Known: true, HasPassphrase: secret.GetHasPassphrase(), Encryption: link.Encryption, Expires: timeOf(secret.GetExpireTime()),
	}, nil
}

// matches returns an error if a server says something else of a secret than its
// link. What the link says decides: nothing that opens the secret may be sent then.
func matches(link Link, secret *hushv1.Secret) error {
	if encryptionOf(secret.GetEncryption()) == link.Encryption {
		return nil
	}
	if link.Encryption == EncryptionServer && secret.GetEncryption() == hushv1.Encryption_ENCRYPTION_END_TO_END {
		return &Error{Kind: KindLink, Message: "the link is not complete: the secret is end-to-end encrypted, and its link is longer"}
	}
	return errOtherKind()
}

func errOtherKind() error {
	return &Error{Kind: KindAltered, Message: "the server says something else of the secret than its link"}
}

func encryptionOf(e hushv1.Encryption) Encryption {
	switch e {
	case hushv1.Encryption_ENCRYPTION_SERVER:
		return EncryptionServer
	case hushv1.Encryption_ENCRYPTION_END_TO_END:
		return EncryptionEndToEnd
	default:
		return EncryptionDefault
	}
}
