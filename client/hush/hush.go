// Package hush is the protocol of Hush: the RPCs of its services over Connect. Against
// it a secret is encrypted on this device before it is sent, and a reveal carries a
// claim, so that an answer that is lost can be asked for again.
package hush

import (
	"context"
	"math"
	"net/url"
	"slices"
	"sync"
	"time"

	"connectrpc.com/connect"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/seal/endtoend"
)

// Client speaks the Connect protocol with a Hush server. It is a client.Backend
// with client.Requests and client.Files.
type Client struct {
	system     hushv1connect.SystemServiceClient
	sessions   hushv1connect.SessionServiceClient
	secrets    hushv1connect.SecretServiceClient
	metadata   hushv1connect.MetadataServiceClient
	challenges hushv1connect.ChallengeServiceClient
	requests   hushv1connect.RequestServiceClient
	files      hushv1connect.FileServiceClient

	token client.Text
	// repeats is how calls are made again.
	repeats attempt.Repeats
	// progress gets how far a call is; nil for nothing.
	progress func(client.Progress)
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
	// now is this device's clock, by which requests end.
	now func() time.Time
	// collected has a *collecting for each collect link, by its Fingerprint.
	collected sync.Map
}

// New returns a Client of the server at a base URL. It sends nothing.
func New(server *url.URL, o client.Options) *Client {
	o = o.WithDefaults()
	base := server.String()
	calls := &caller{http: o.HTTP, token: o.Token, userAgent: o.UserAgent}
	options := connect.WithClientOptions(
		connect.WithReadMaxBytes(answerMax),
		connect.WithAcceptCompression("gzip", nil, nil), // contents do not get shorter
	)
	return &Client{
		system:     hushv1connect.NewSystemServiceClient(calls, base, options),
		sessions:   hushv1connect.NewSessionServiceClient(calls, base, options),
		secrets:    hushv1connect.NewSecretServiceClient(calls, base, options),
		metadata:   hushv1connect.NewMetadataServiceClient(calls, base, options),
		challenges: hushv1connect.NewChallengeServiceClient(calls, base, options),
		requests:   hushv1connect.NewRequestServiceClient(calls, base, options),
		files:      hushv1connect.NewFileServiceClient(calls, base, options),
		token:      o.Token, repeats: attempt.DefaultRepeats(o.Notice), progress: o.Progress, quiet: o.Quiet,
		keepEvery: keepEvery, silence: silenceMax, claimTime: client.ClaimTime, derive: endtoend.Derive,
		now: time.Now,
	}
}

// Policy implements client.Backend.
func (h *Client) Policy(ctx context.Context) (client.Policy, error) {
	p, err := h.getPolicy(ctx)
	if err != nil {
		return client.Policy{}, err
	}
	policy := client.Policy{
		Name: client.Plain(p.GetInstanceName()), BaseURL: p.GetBaseUrl(),
		DefaultTTL:         seconds(p.GetDefaultTtl()),
		MaxTTL:             seconds(p.GetAnonymousTtl()),
		MaxContent:         p.GetAnonymousSecret(),
		MaxSealed:          p.GetAnonymousSealed(),
		MaxFile:            p.GetAnonymousFile(),
		PassphraseRequired: p.GetPassphraseRequired(), PassphraseMin: int(p.GetPassphraseMin()),
		EndToEnd:       slices.Contains(p.GetEncryptions(), hushv1.Encryption_ENCRYPTION_END_TO_END),
		Server:         slices.Contains(p.GetEncryptions(), hushv1.Encryption_ENCRYPTION_SERVER),
		AnonymousShare: p.GetAnonymousCreate(), Mail: p.GetMail(), Maintenance: client.Plain(p.GetMaintenance()),
	}
	if !h.token.IsEmpty() {
		policy.MaxTTL, policy.MaxContent = seconds(p.GetAccountTtl()), p.GetAccountSecret()
		policy.MaxSealed, policy.MaxFile = p.GetAccountSealed(), p.GetAccountFile()
	}
	return policy, nil
}

func (h *Client) getPolicy(ctx context.Context) (*hushv1.GetPolicyResponse, error) {
	return ask(ctx, h, h.system.GetPolicy, &hushv1.GetPolicyRequest{})
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// Account implements client.Backend.
func (h *Client) Account(ctx context.Context) (client.Account, error) {
	if h.token.IsEmpty() {
		return client.Account{}, attempt.NoToken()
	}
	answer, err := ask(ctx, h, h.sessions.Authcheck, &hushv1.AuthcheckRequest{})
	if err != nil {
		return client.Account{}, err
	}
	return client.Account{Address: client.Plain(answer.GetCustid())}, nil
}

// Look implements client.Backend.
func (h *Client) Look(ctx context.Context, link client.Link) (client.Secret, error) {
	looked, err := h.describe(ctx, link)
	if err == nil && link.Encryption == client.EncryptionEndToEnd && link.CollectProof() == nil {
		err = h.lookAtFile(ctx, link, &looked)
	}
	if err != nil {
		return client.Secret{}, err
	}
	return looked, nil
}

// describe asks what every caller with the key of a secret is told.
func (h *Client) describe(ctx context.Context, link client.Link) (client.Secret, error) {
	answer, err := ask(ctx, h, h.secrets.GetSecret, &hushv1.GetSecretRequest{SecretKey: link.Key.Expose()})
	if err != nil {
		return client.Secret{}, err
	}
	secret := answer.GetSecret()
	if err := matches(link, secret); err != nil {
		return client.Secret{}, err
	}
	return client.Secret{
		Known: true, HasPassphrase: secret.GetHasPassphrase(), Encryption: link.Encryption, Expires: timeOf(secret.GetExpireTime()),
	}, nil
}

// lookAtFile asks whether a secret is a file. It shows the proof of the link for that, which
// opens nothing: only where the server says the same of the secret as its link.
func (h *Client) lookAtFile(ctx context.Context, link client.Link, looked *client.Secret) error {
	proof := endtoend.LinkProof(link.LinkSecret())
	answer, err := ask(ctx, h, h.secrets.GetSecret, &hushv1.GetSecretRequest{SecretKey: link.Key.Expose(), LinkProof: proof[:]})
	if err != nil {
		return err
	}
	if err := matches(link, answer.GetSecret()); err != nil {
		return err
	}
	if answer.GetFile() == nil {
		return nil
	}
	looked.File = fileOf(answer.GetFile())
	if len(answer.GetPreview()) == 0 {
		return nil
	}
	preview, err := endtoend.OpenPreview(link.LinkSecret(), answer.GetPreview())
	if err != nil {
		return &client.Error{Kind: client.KindAltered, Message: "what is shown of the file before it is opened was altered, or belongs to another link"}
	}
	looked.Preview = &client.Preview{FileName: preview.FileName, Size: int64(preview.Size), Count: int(preview.Count), Note: preview.Note}
	return nil
}

// fileOf returns how far a file is; nil for none.
func fileOf(f *hushv1.File) *client.File {
	if f == nil {
		return nil
	}
	return &client.File{
		Size: int64(min(f.GetSize(), math.MaxInt64)), Parts: int(f.GetParts()), Arrived: int(f.GetArrived()), Fetched: int(f.GetFetched()),
		Complete: f.GetComplete(),
	}
}

// matches returns an error if a server says something else of a secret than its
// link. What the link says decides: nothing that opens the secret may be sent then.
func matches(link client.Link, secret *hushv1.Secret) error {
	if encryptionOf(secret.GetEncryption()) == link.Encryption {
		return nil
	}
	if link.Encryption == client.EncryptionServer && secret.GetEncryption() == hushv1.Encryption_ENCRYPTION_END_TO_END {
		return &client.Error{Kind: client.KindLink, Message: "the link is not complete: the secret is end-to-end encrypted, and its link is longer"}
	}
	return errOtherKind()
}

func errOtherKind() error {
	return &client.Error{Kind: client.KindAltered, Message: "the server says something else of the secret than its link"}
}

func encryptionOf(e hushv1.Encryption) client.Encryption {
	switch e {
	case hushv1.Encryption_ENCRYPTION_SERVER:
		return client.EncryptionServer
	case hushv1.Encryption_ENCRYPTION_END_TO_END:
		return client.EncryptionEndToEnd
	default:
		return client.EncryptionDefault
	}
}
