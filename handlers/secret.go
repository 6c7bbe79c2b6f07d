package handlers

import (
	"context"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/receipt"
	"hush/vault/secret"
)

// SecretService is hush.v1.SecretService.
type SecretService struct {
	secrets *secret.Secrets
	burns   *secret.Burns
}

// ConcealSecret conceals a secret.
func (s *SecretService) ConcealSecret(ctx context.Context, req *hushv1.ConcealSecretRequest) (*hushv1.ConcealSecretResponse, error) {
	terms := termsOf(req)
	if sealed := req.GetSealed(); sealed != nil {
		terms.Sealed = &secret.SealedContent{
			Content: caller.Text(sealed.GetContent()), LinkProofHash: caller.Text(sealed.GetLinkProofHash()),
			ProofHash: caller.Text(sealed.GetProofHash()), HasPassphrase: sealed.GetHasPassphrase(),
		}
	}
	concealed, err := s.secrets.ConcealSecret(ctx, chain.CallerFrom(ctx), caller.Text(req.GetSecret()), terms)
	if err != nil {
		return nil, err
	}
	return &hushv1.ConcealSecretResponse{Metadata: metadataOf(concealed.Metadata), Secret: secretOf(concealed.Secret)}, nil
}

// GenerateSecret generates a secret and conceals it.
func (s *SecretService) GenerateSecret(ctx context.Context, req *hushv1.GenerateSecretRequest) (*hushv1.GenerateSecretResponse, error) {
	terms := termsOf(req)
	sets := secret.CharacterSets{
		Uppercase: req.GetCharacterSets().GetUppercase(), Lowercase: req.GetCharacterSets().GetLowercase(),
		Numbers: req.GetCharacterSets().GetNumbers(), Symbols: req.GetCharacterSets().GetSymbols(),
		ExcludeAmbiguous: req.GetCharacterSets().GetExcludeAmbiguous(),
	}
	concealed, value, err := s.secrets.GenerateSecret(ctx, chain.CallerFrom(ctx), int(req.GetLength()), sets, terms)
	if err != nil {
		return nil, err
	}
	return &hushv1.GenerateSecretResponse{
		Metadata: metadataOf(concealed.Metadata), Secret: secretOf(concealed.Secret), Value: string(value),
	}, nil
}

// GetSecret describes a secret that is not opened yet.
func (s *SecretService) GetSecret(ctx context.Context, req *hushv1.GetSecretRequest) (*hushv1.GetSecretResponse, error) {
	secret, shown, err := s.secrets.GetFile(ctx, chain.CallerFrom(ctx), req.GetSecretKey(), caller.Text(req.GetLinkProof()))
	if err != nil {
		return nil, err
	}
	res := &hushv1.GetSecretResponse{Secret: secretOf(secret)}
	if shown != nil {
		res.File, res.Preview = fileOf(shown.Progress), shown.Preview
	}
	return res, nil
}

// RevealSecret destroys a secret and returns its value. While a reader takes it, its
// claim is extended.
func (s *SecretService) RevealSecret(ctx context.Context, req *hushv1.RevealSecretRequest) (*hushv1.RevealSecretResponse, error) {
	key, claimed := req.GetSecretKey(), caller.Text(req.GetClaim())
	if req.GetKeepClaim() {
		left, err := s.secrets.KeepClaim(ctx, key, claimed)
		if err != nil {
			return nil, err
		}
		return &hushv1.RevealSecretResponse{ClaimLeft: durationpb.New(left)}, nil
	}
	revealed, err := s.secrets.RevealSecret(ctx, chain.CallerFrom(ctx), key, secret.Opening{
		Passphrase: caller.Text(req.GetPassphrase()), LinkProof: caller.Text(req.GetLinkProof()),
		Proof: caller.Text(req.GetProof()), CollectProof: caller.Text(req.GetCollectProof()), Claim: claimed,
		Accepts: req.GetAcceptsVersion(),
	})
	if err != nil {
		return nil, err
	}
	res := &hushv1.RevealSecretResponse{Secret: secretOf(revealed.Secret), Value: string(revealed.Value)}
	if revealed.FileSize > 0 {
		res.File = wholeFile(revealed.FileSize)
	}
	if revealed.Content != "" {
		res.Content = []byte(revealed.Content)
		if info, ok := connect.CallInfoForHandlerContext(ctx); ok {
			info.ResponseHeader().Set(sizeHeader, strconv.Itoa(len(revealed.Content)))
		}
	}
	if revealed.ClaimLeft > 0 {
		res.ClaimLeft = durationpb.New(revealed.ClaimLeft)
		keepWhileSending(ctx, s.secrets, key, claimed)
	}
	return res, nil
}

// keepWhileSending extends a claim while its reader takes the response of the call.
func keepWhileSending(ctx context.Context, secrets *secret.Secrets, key string, claimed caller.Text) {
	chain.WhileSending(ctx, claim.ExtendEvery, func() {
		// The call may be over for its caller, and the response is held up meanwhile.
		// The claim alone has authority over the content, not a token that ends now.
		ctx, cancel := context.WithTimeout(cluster.Unchecked(context.WithoutCancel(ctx)), extendTime)
		defer cancel()
		// A claim that is not extended lasts as long as its reader was told.
		_, _ = secrets.KeepClaim(ctx, key, claimed)
	})
}

// sizeHeader says how long the sealed content of a response is, for readers that show
// how far they are: a compressed response does not say how long it becomes.
const sizeHeader = "Hush-Content-Size"

// extendTime is how long a response may be held up while its claim is extended.
const extendTime = 3 * time.Second

// AcknowledgeReveal ends a claim.
func (s *SecretService) AcknowledgeReveal(ctx context.Context, req *hushv1.AcknowledgeRevealRequest) (*hushv1.AcknowledgeRevealResponse, error) {
	err := s.secrets.AcknowledgeReveal(ctx, req.GetSecretKey(), caller.Text(req.GetClaim()))
	if err != nil {
		return nil, err
	}
	return &hushv1.AcknowledgeRevealResponse{}, nil
}

// BurnSecret destroys a secret unread.
func (s *SecretService) BurnSecret(ctx context.Context, req *hushv1.BurnSecretRequest) (*hushv1.BurnSecretResponse, error) {
	c := chain.CallerFrom(ctx)
	burn := func() (receipt.Metadata, error) { return s.burns.BurnSecret(ctx, c, req.GetMetadataKey()) }
	if req.GetRequirePassphrase() {
		burn = func() (receipt.Metadata, error) {
			return s.burns.BurnGuarded(ctx, c, req.GetMetadataKey(), caller.Text(req.GetPassphrase()))
		}
	}
	metadata, err := burn()
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnSecretResponse{Metadata: metadataOf(metadata)}, nil
}

// GetSecretStatus returns the state of one secret.
func (s *SecretService) GetSecretStatus(ctx context.Context, req *hushv1.GetSecretStatusRequest) (*hushv1.GetSecretStatusResponse, error) {
	statuses, err := s.statuses(ctx, []string{req.GetSecretKey()})
	if err != nil {
		return nil, err
	}
	return &hushv1.GetSecretStatusResponse{Status: statuses[0]}, nil
}

// ListSecretStatus returns the states of several secrets.
func (s *SecretService) ListSecretStatus(ctx context.Context, req *hushv1.ListSecretStatusRequest) (*hushv1.ListSecretStatusResponse, error) {
	statuses, err := s.statuses(ctx, req.GetSecretKeys())
	if err != nil {
		return nil, err
	}
	return &hushv1.ListSecretStatusResponse{Statuses: statuses}, nil
}

func (s *SecretService) statuses(ctx context.Context, keys []string) ([]*hushv1.SecretStatus, error) {
	found, err := s.secrets.GetSecretStatus(ctx, chain.CallerFrom(ctx), keys)
	if err != nil {
		return nil, err
	}
	statuses := make([]*hushv1.SecretStatus, len(keys))
	for i, shown := range found {
		statuses[i] = &hushv1.SecretStatus{SecretKey: keys[i], State: hushv1.State(shown.State)}
		if shown.State != receipt.StateNone {
			statuses[i].Secret = secretOf(shown)
		}
	}
	return statuses, nil
}

// sharing is the common part of requests that create a secret.
type sharing interface {
	GetTtl() *durationpb.Duration
	GetPassphrase() string
	GetRecipients() []string
	GetShareDomain() string
	GetAuthenticityPayload() string
	GetMemo() string
	GetGroup() []byte
}

func termsOf(req sharing) secret.Terms {
	terms := secret.Terms{
		Passphrase: caller.Text(req.GetPassphrase()), Recipients: req.GetRecipients(),
		ShareDomain: req.GetShareDomain(), Challenge: req.GetAuthenticityPayload(),
		Memo: caller.Text(req.GetMemo()),
	}
	copy(terms.Group[:], req.GetGroup())
	if ttl := req.GetTtl(); ttl != nil {
		asked := ttl.AsDuration()
		terms.TTL = &asked
	}
	return terms
}

func secretOf(s secret.Secret) *hushv1.Secret {
	if s.Created.IsZero() { // of a repeat
		return &hushv1.Secret{SecretKey: s.Key.Expose(), State: hushv1.State(s.State), Encryption: hushv1.Encryption(s.Encryption)}
	}
	r := new(struct {
		hushv1.Secret

		created, expires timestamppb.Timestamp
		ttl, left        durationpb.Duration
	})
	res := &r.Secret
	res.SecretKey, res.State, res.HasPassphrase = s.Key.Expose(), hushv1.State(s.State), s.HasPassphrase
	res.CreateTime, res.ExpireTime = stampIn(&r.created, s.Created), stampIn(&r.expires, s.Expires)
	res.Ttl, res.TtlLeft = durationIn(&r.ttl, s.TTL), durationIn(&r.left, s.TTLLeft)
	res.ShareDomain, res.Owned, res.Encryption = s.ShareDomain, s.Owned, hushv1.Encryption(s.Encryption)
	return res
}
