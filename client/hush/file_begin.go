package hush

import (
	"context"
	"crypto/rand"

	"google.golang.org/protobuf/types/known/durationpb"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/chunked"
	"hush/seal/endtoend"
)

// beginning is one BeginFile.
type beginning struct {
	sharing

	file   client.FileRequest
	header endtoend.Header
	size   int64 // of the encrypted content
}

// begun is the answer to a request that creates a file.
type begun struct {
	concealed

	upload client.UploadFacts
	file   *hushv1.File
}

// BeginFile implements client.Files.
func (h *Client) BeginFile(ctx context.Context, request client.FileRequest) (client.Upload, client.Shared, error) {
	request, err := request.Normalized()
	if err != nil {
		return client.Upload{}, client.Shared{}, err
	}
	b := &beginning{file: request, header: endtoend.Header{Kind: endtoend.KindFile, FileName: request.FileName, Size: uint64(request.Size)}}
	if b.size, err = endtoend.SealedSize(b.header); err != nil {
		return client.Upload{}, client.Shared{}, errFileName()
	}
	policy, home, err := h.policyAndHome(ctx)
	if err != nil {
		return client.Upload{}, client.Shared{}, err
	}
	b.sharing = sharing{Client: h, policy: policy, home: home, endToEnd: true, request: client.ShareRequest{
		TTL: request.TTL, Passphrase: request.Passphrase, Domain: request.Domain, Label: request.Label, Group: request.Group,
		Encryption: client.EncryptionEndToEnd,
	}}
	if err := b.admit(); err != nil { // without its size
		return client.Upload{}, client.Shared{}, err
	}
	if err := b.admitFile(); err != nil {
		return client.Upload{}, client.Shared{}, err
	}
	return b.begin(ctx)
}

// admitFile refuses a file that is too long for the server.
func (b *beginning) admitFile() error {
	most := b.policy.GetAnonymousFile()
	if !b.token.IsEmpty() {
		most = b.policy.GetAccountFile()
	}
	switch {
	case most <= 0:
		return refused("the file has %d bytes, and the server takes no files in parts", b.file.Size)
	case b.file.Size > most:
		return refused("the file has %d bytes, and the server takes files of at most %d", b.file.Size, most)
	}
	return nil
}

// begin creates the file, and again only where the server certainly did nothing.
func (b *beginning) begin(ctx context.Context) (client.Upload, client.Shared, error) {
	made, fail := challenged(ctx, b.Client, func(payload string) (begun, *failure) {
		made, fail := b.beginOnce(ctx, payload)
		if fail != nil && fail.Outcome != attempt.OutcomeUnsent {
			fail.Repeatable = false
		}
		return made, fail
	})
	if fail != nil {
		if fail.Outcome == attempt.OutcomeUnknown {
			fail.Err.Message += b.unknown()
		}
		return client.Upload{}, client.Shared{}, fail.Err
	}
	f := made.file
	if f.GetPartSize() != endtoend.PartSize || f.GetSize() != uint64(b.size) || f.GetParts() != endtoend.Parts(uint64(b.size)) {
		return client.Upload{}, client.Shared{}, &client.Error{Kind: client.KindUnsupported, Message: "the server takes files in parts of another length than this version sends"}
	}
	shared, err := b.checked(ctx, made.concealed)
	if err != nil {
		return client.Upload{}, client.Shared{}, err
	}
	made.upload.Link, shared.Receipt.File = shared.Link, fileOf(f)
	return client.NewUpload(made.upload), shared, nil
}

// beginOnce creates the file with a new link secret and a new upload token.
func (b *beginning) beginOnce(ctx context.Context, payload string) (begun, *failure) {
	drawn := endtoend.NewLinkSecret()
	keys, err := b.derive(drawn, b.file.Passphrase.Expose())
	if err != nil {
		return begun{}, &failure{Err: errPassphraseText()}
	}
	made := begun{concealed: concealed{drawn: &drawn}, upload: client.UploadFacts{Keys: keys, Salt: chunked.NewSalt(), Header: b.header}}
	_, _ = rand.Read(made.upload.Token[:]) // never fails
	linkProof, proof := keys.LinkProof().Hash(), keys.Proof().Hash()
	request := &hushv1.BeginFileRequest{
		Size: uint64(b.size), LinkProofHash: linkProof[:], ProofHash: proof[:], HasPassphrase: !b.file.Passphrase.IsEmpty(),
		UploadToken: made.upload.Token[:], ShareDomain: b.file.Domain, AuthenticityPayload: payload, Memo: b.file.Label, Group: b.file.Group,
	}
	if b.file.TTL > 0 {
		request.Ttl = durationpb.New(b.file.TTL)
	}
	if b.file.Passphrase.IsEmpty() {
		preview := endtoend.Preview{Kind: endtoend.KindFile, FileName: b.file.FileName, Size: uint64(b.file.Size), Note: b.file.Note}
		if request.Preview, err = endtoend.SealPreview(drawn, preview); err != nil {
			return begun{}, &failure{Err: &client.Error{Kind: client.KindUsage, Message: "the note or the name of the file cannot be shown to the recipient"}}
		}
	}
	answer, fail := call(ctx, b.Client, b.files.BeginFile, request, answerTime)
	if fail != nil {
		return begun{}, fail
	}
	made.metadata, made.secret, made.file = answer.GetMetadata(), answer.GetSecret(), answer.GetFile()
	return made, nil
}

// uploadRequest has what every call of an upload sends.
type uploadRequest struct {
	key   string
	token []byte
}

func requestOfUpload(upload client.Upload) uploadRequest {
	facts := upload.Facts()
	return uploadRequest{facts.Link.Key.Expose(), facts.Token[:]}
}

// RestartFile implements client.Files.
func (h *Client) RestartFile(ctx context.Context, upload client.Upload) error {
	to, proof := requestOfUpload(upload), upload.Facts().Keys.Proof().Hash()
	request := &hushv1.RestartUploadRequest{SecretKey: to.key, UploadToken: to.token, ProofHash: proof[:]}
	return ofUpload(insist(ctx, h, h.files.RestartUpload, request))
}

// FinishFile implements client.Files.
func (h *Client) FinishFile(ctx context.Context, upload client.Upload) error {
	to := requestOfUpload(upload)
	return ofUpload(insist(ctx, h, h.files.FinishFile, &hushv1.FinishFileRequest{SecretKey: to.key, UploadToken: to.token}))
}

// CancelFile implements client.Files.
func (h *Client) CancelFile(ctx context.Context, upload client.Upload) error {
	to := requestOfUpload(upload)
	_, err := ask(ctx, h, h.files.CancelUpload, &hushv1.CancelUploadRequest{SecretKey: to.key, UploadToken: to.token})
	return ofUpload(err)
}

// insist calls an RPC that may be repeated until the server does it or refuses it, or ctx
// ends.
func insist[Q, A any, M message[Q]](ctx context.Context, h *Client, rpc method[Q, A], request M) error {
	_, fail := attempt.Do(ctx, h.repeats.Endless(), func(int) (*A, *failure) {
		answer, fail := call(ctx, h, rpc, request, answerTime)
		if fail != nil {
			fail.Repeatable = mayPass(ctx, fail)
		}
		return answer, fail
	})
	if fail != nil {
		return fail.Err
	}
	return nil
}

// mayPass reports whether a call of a file that failed may succeed later. Only a Hush
// server itself ends it: whatever else answers, as the portal of a network does, may be
// gone soon.
func mayPass(ctx context.Context, fail *failure) bool {
	return ctx.Err() == nil && (fail.Outcome != attempt.OutcomeRefused || fail.Err.Kind == client.KindLimited)
}

// ofUpload returns the error of a call of an upload with the words for uploads.
func ofUpload(err error) error {
	if client.KindOf(err) == client.KindGone {
		return &client.Error{Kind: client.KindGone, Message: "the upload is over: the file was burned or has expired, or nothing arrived for too long"}
	}
	return err
}
