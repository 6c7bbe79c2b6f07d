package hush

import (
	"bytes"
	"context"
	"net/url"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/durationpb"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal"
	"hush/seal/endtoend"
)

// sharing is one Share: a request that was checked, and the server's policy.
type sharing struct {
	*Client

	request client.ShareRequest
	policy  *hushv1.GetPolicyResponse
	// home is the base URL of the server's pages, as it says itself.
	home *url.URL
	// endToEnd reports whether this device encrypts.
	endToEnd bool
	// value is the text that this device generated.
	value string
}

// Share implements client.Backend.
func (h *Client) Share(ctx context.Context, request client.ShareRequest) (client.Shared, error) {
	request, err := request.Normalized()
	if err != nil {
		return client.Shared{}, err
	}
	if err := checkFile(request); err != nil {
		return client.Shared{}, err
	}
	policy, home, err := h.policyAndHome(ctx)
	if err != nil {
		return client.Shared{}, err
	}
	s := &sharing{Client: h, request: request, policy: policy, home: home, endToEnd: request.Encryption != client.EncryptionServer}
	if err := s.admit(); err != nil {
		return client.Shared{}, err
	}
	if s.endToEnd && request.Generate != nil {
		if err := s.generate(); err != nil {
			return client.Shared{}, err
		}
	}
	return s.create(ctx)
}

// generate draws a text on this device.
func (s *sharing) generate() error {
	value, err := s.request.Generate.Draw()
	if err != nil {
		return err
	}
	s.value, s.request.Content = value, &client.Content{Bytes: []byte(value)}
	return nil
}

// create shares, and shares again only where the server certainly did nothing:
// after a connection that did not come about, and after a challenge.
func (s *sharing) create(ctx context.Context) (client.Shared, error) {
	once := s.conceal
	if !s.endToEnd && s.request.Generate != nil {
		once = s.concealGenerated
	}
	shared, fail := challenged(ctx, s.Client, func(payload string) (concealed, *failure) {
		shared, fail := once(ctx, payload)
		if fail != nil && fail.Outcome != attempt.OutcomeUnsent {
			fail.Repeatable = false
		}
		return shared, fail
	})
	if fail == nil {
		return s.checked(ctx, shared)
	}
	if fail.Outcome == attempt.OutcomeUnknown {
		fail.Err.Message += s.unknown()
	}
	return client.Shared{}, fail.Err
}

// unknown is what is said after a lost answer.
func (s *sharing) unknown() string {
	if len(s.request.Recipients) > 0 {
		return "; whether the secret was shared and its link was mailed is not known"
	}
	return "; whether the secret was shared is not known, and no one has its link"
}

// concealed is the answer to a request that creates a secret.
type concealed struct {
	metadata *hushv1.Metadata
	secret   *hushv1.Secret
	// drawn is the secret of an end-to-end link; nil for the server's kind.
	drawn *endtoend.LinkSecret
	value string
}

// conceal shares a content. It draws a new link secret each time: the answer of an
// earlier call may be lost, and its content would wait under the same one.
func (s *sharing) conceal(ctx context.Context, payload string) (concealed, *failure) {
	content := s.request.Content.Bytes
	request := &hushv1.ConcealSecretRequest{
		Ttl: s.ttl(), ShareDomain: s.request.Domain, Memo: s.request.Label, Group: s.request.Group, AuthenticityPayload: payload,
	}
	made := concealed{value: s.value}
	if s.endToEnd {
		drawn := endtoend.NewLinkSecret()
		sealed, err := s.seal(drawn)
		if err != nil {
			return concealed{}, &failure{Err: err}
		}
		request.Sealed, made.drawn, content = sealed, &drawn, sealed.GetContent()
	} else {
		request.Secret, request.Passphrase, request.Recipients = string(content), s.request.Passphrase.Expose(), s.request.Recipients
	}
	within, f := newFlow(ctx, timeFor(len(content)), s.quiet, s.progress)
	defer f.stop()
	answer, fail := callIn(ctx, within, f, s.Client, s.secrets.ConcealSecret, request)
	if fail != nil && fail.Outcome == attempt.OutcomeUnknown && f.isIncomplete() {
		fail.Outcome, fail.Err.Unsent = attempt.OutcomeUnsent, true
		fail.Err.Message += "; the content was not sent completely, and nothing was shared"
	}
	if fail != nil {
		return concealed{}, fail
	}
	made.metadata, made.secret = answer.GetMetadata(), answer.GetSecret()
	return made, nil
}

// concealGenerated shares a text that the server generates.
func (s *sharing) concealGenerated(ctx context.Context, payload string) (concealed, *failure) {
	g := s.request.Generate.WithDefaults()
	request := &hushv1.GenerateSecretRequest{
		Ttl: s.ttl(), ShareDomain: s.request.Domain, Memo: s.request.Label, Group: s.request.Group, AuthenticityPayload: payload,
		Passphrase: s.request.Passphrase.Expose(), Recipients: s.request.Recipients, Length: int32(g.Length),
		CharacterSets: &hushv1.CharacterSets{
			Lowercase: g.Lower, Uppercase: g.Upper, Numbers: g.Digits, Symbols: g.Symbols, ExcludeAmbiguous: g.Unambiguous,
		},
	}
	answer, fail := call(ctx, s.Client, s.secrets.GenerateSecret, request, answerTime)
	if fail != nil {
		return concealed{}, fail
	}
	return concealed{metadata: answer.GetMetadata(), secret: answer.GetSecret(), value: answer.GetValue()}, nil
}

func (s *sharing) ttl() *durationpb.Duration {
	if s.request.TTL == 0 {
		return nil
	}
	return durationpb.New(s.request.TTL)
}

// timeFor returns how long the answer to so many bytes may take to begin.
func timeFor(size int) time.Duration {
	return answerTime + time.Duration(size/attempt.SlowestLine)*time.Second
}

// seal encrypts the content under a link secret.
func (s *sharing) seal(drawn endtoend.LinkSecret) (*hushv1.Sealed, *client.Error) {
	if s.progress != nil {
		s.progress(client.Progress{Stage: client.StageEncrypting})
		defer s.progress(client.Progress{}) // what is sent may be too small to be told
	}
	keys, err := s.derive(drawn, s.request.Passphrase.Expose())
	if err != nil {
		return nil, errPassphraseText()
	}
	header := headerOf(*s.request.Content)
	var sealed bytes.Buffer
	if err := keys.Seal(&sealed, header, bytes.NewReader(s.request.Content.Bytes)); err != nil {
		return nil, &client.Error{Kind: client.KindFailure, Message: "encrypting", Cause: err}
	}
	linkProof, proof := keys.LinkProof().Hash(), keys.Proof().Hash()
	return &hushv1.Sealed{
		Content: sealed.Bytes(), LinkProofHash: linkProof[:], ProofHash: proof[:], HasPassphrase: !s.request.Passphrase.IsEmpty(),
	}, nil
}

// headerOf returns the header of a content: that of a text if it is one.
func headerOf(content client.Content) endtoend.Header {
	header := endtoend.Header{Kind: endtoend.KindText, Size: uint64(len(content.Bytes))}
	if content.IsFile || !utf8.Valid(content.Bytes) {
		header.Kind, header.FileName = endtoend.KindFile, content.FileName
	}
	return header
}

// checked returns what an answer shares, if it is one to this request. Otherwise it
// shows no link: the server may have stored another kind of secret.
func (s *sharing) checked(ctx context.Context, made concealed) (client.Shared, error) {
	want := client.EncryptionServer
	if s.endToEnd {
		want = client.EncryptionEndToEnd
	}
	secretKey, isKey := seal.ParseToken(made.secret.GetSecretKey())
	_, isReceipt := seal.ParseToken(made.metadata.GetMetadataKey())
	if encryptionOf(made.secret.GetEncryption()) != want || encryptionOf(made.metadata.GetEncryption()) != want ||
		made.secret.GetHasPassphrase() == s.request.Passphrase.IsEmpty() || !isKey || !isReceipt || s.request.Generate != nil && made.value == "" {
		return client.Shared{}, &client.Error{Kind: client.KindAltered, Message: "the answer of the server is not one to this request: its secret must not be used"}
	}
	base, ok := baseOf(s.home, s.request.Domain, made.secret.GetShareDomain())
	if !ok {
		return client.Shared{}, s.withoutDomain(ctx, client.Hide(made.metadata.GetMetadataKey()))
	}
	shared := client.Shared{
		Link:        client.Link{Server: base, Encryption: client.EncryptionServer, Key: client.Hide(secretKey.Expose())},
		ReceiptLink: client.ReceiptLink{Server: s.home.String(), Keys: []client.Text{client.Hide(made.metadata.GetMetadataKey())}},
		Receipt:     receiptOf(made.metadata),
		Value:       client.Hide(made.value),
	}
	if made.drawn != nil {
		shared.Link = client.EndToEndLink(base, endtoend.Link{Key: secretKey, Secret: *made.drawn})
	}
	return shared, nil
}

// policyAndHome returns what the server allows, and homeOf that.
func (h *Client) policyAndHome(ctx context.Context) (*hushv1.GetPolicyResponse, *url.URL, error) {
	policy, err := h.getPolicy(ctx)
	if err != nil {
		return nil, nil, err
	}
	home, err := homeOf(policy)
	return policy, home, err
}

// homeOf returns the base URL that a server says its pages have. It may be of another
// host than that of the Client, whose address can be internal or forwarded; Shared
// shows it, and the caller decides whether that is good enough.
func homeOf(policy *hushv1.GetPolicyResponse) (*url.URL, error) {
	if u, err := url.Parse(policy.GetBaseUrl()); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		if home, err := client.ParseServer(u.String()); err == nil {
			return home, nil
		}
	}
	return nil, &client.Error{Kind: client.KindFailure, Message: "the server does not say where its links lead; nothing was sent"}
}

// baseOf returns the base URL of a link: that of the domain that was wanted, or else the
// home that the server states. It returns false for another domain in the answer.
func baseOf(home *url.URL, wanted, domain string) (string, bool) {
	switch {
	case domain == wanted && wanted != "":
		return (&url.URL{Scheme: "https", Host: domain}).String(), true
	case domain == "" && (wanted == "" || wanted == home.Hostname()):
		return home.String(), true
	default:
		return "", false
	}
}

// withoutDomain burns a secret that the server did not put under the domain, and
// returns the error for it: its link would lead elsewhere than the sender wants.
func (s *sharing) withoutDomain(ctx context.Context, receipt client.Text) error {
	fault := "the server did not use the domain, and the secret was burned"
	if _, err := s.Burn(ctx, receipt, client.Text{}); err != nil {
		fault = "the server did not use the domain, and burning the secret failed: it waits until it expires"
	}
	return refused("%s", fault)
}
