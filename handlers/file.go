package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/file"
	"hush/vault/secret"
	"hush/vault/upload"
)

// FileService is hush.v1.FileService.
type FileService struct {
	uploads *upload.Uploads
	secrets *secret.Secrets
}

// BeginFile conceals a file whose content comes later.
func (s *FileService) BeginFile(ctx context.Context, req *hushv1.BeginFileRequest) (*hushv1.BeginFileResponse, error) {
	token, err := upload.TokenOf(caller.Text(req.GetUploadToken()))
	if err != nil {
		return nil, err
	}
	begun, err := s.uploads.Begin(ctx, chain.CallerFrom(ctx), secret.File{
		Size: req.GetSize(), LinkProofHash: caller.Text(req.GetLinkProofHash()), ProofHash: caller.Text(req.GetProofHash()),
		HasPassphrase: req.GetHasPassphrase(), Preview: caller.Text(req.GetPreview()), Token: token,
	}, begunTerms(req))
	if err != nil {
		return nil, err
	}
	begunFile := fileOf(file.Progress{Size: req.GetSize(), Count: file.Parts(req.GetSize())})
	metadata := metadataOf(begun.Metadata)
	metadata.File = begunFile
	return &hushv1.BeginFileResponse{Metadata: metadata, Secret: secretOf(begun.Secret), File: begunFile}, nil
}

// begunTerms returns the terms of a file. Its passphrase stays on the device, and no mail is
// sent: the server does not know the link.
func begunTerms(req *hushv1.BeginFileRequest) secret.Terms {
	terms := secret.Terms{
		ShareDomain: req.GetShareDomain(), Challenge: req.GetAuthenticityPayload(), Memo: caller.Text(req.GetMemo()),
	}
	copy(terms.Group[:], req.GetGroup())
	if ttl := req.GetTtl(); ttl != nil {
		asked := ttl.AsDuration()
		terms.TTL = &asked
	}
	return terms
}

// PutPart stores a part of a file.
func (s *FileService) PutPart(ctx context.Context, req *hushv1.PutPartRequest) (*hushv1.PutPartResponse, error) {
	token, err := upload.TokenOf(caller.Text(req.GetUploadToken()))
	if err != nil {
		return nil, err
	}
	if err := s.uploads.PutPart(ctx, req.GetSecretKey(), token, req.GetNumber(), req.GetContent()); err != nil {
		return nil, err
	}
	return &hushv1.PutPartResponse{}, nil
}

// GetUpload says which parts of a file have arrived.
func (s *FileService) GetUpload(ctx context.Context, req *hushv1.GetUploadRequest) (*hushv1.GetUploadResponse, error) {
	token, err := upload.TokenOf(caller.Text(req.GetUploadToken()))
	if err != nil {
		return nil, err
	}
	arrived, err := s.uploads.Get(ctx, req.GetSecretKey(), token)
	if err != nil {
		return nil, err
	}
	return &hushv1.GetUploadResponse{File: fileOf(arrived.Progress), Arrived: arrived.Parts}, nil
}

// RestartUpload forgets what has arrived of a file.
func (s *FileService) RestartUpload(ctx context.Context, req *hushv1.RestartUploadRequest) (*hushv1.RestartUploadResponse, error) {
	token, err := upload.TokenOf(caller.Text(req.GetUploadToken()))
	if err != nil {
		return nil, err
	}
	progress, err := s.uploads.Restart(ctx, req.GetSecretKey(), token, caller.Text(req.GetProofHash()))
	if err != nil {
		return nil, err
	}
	return &hushv1.RestartUploadResponse{File: fileOf(progress)}, nil
}

// FinishFile makes a file whole.
func (s *FileService) FinishFile(ctx context.Context, req *hushv1.FinishFileRequest) (*hushv1.FinishFileResponse, error) {
	token, err := upload.TokenOf(caller.Text(req.GetUploadToken()))
	if err != nil {
		return nil, err
	}
	if err := s.uploads.Finish(ctx, req.GetSecretKey(), token); err != nil {
		return nil, err
	}
	return &hushv1.FinishFileResponse{}, nil
}

// CancelUpload burns a file that arrives.
func (s *FileService) CancelUpload(ctx context.Context, req *hushv1.CancelUploadRequest) (*hushv1.CancelUploadResponse, error) {
	token, err := upload.TokenOf(caller.Text(req.GetUploadToken()))
	if err != nil {
		return nil, err
	}
	if err := s.uploads.Cancel(ctx, chain.CallerFrom(ctx), req.GetSecretKey(), token); err != nil {
		return nil, err
	}
	return &hushv1.CancelUploadResponse{}, nil
}

// GetPart returns a part of a file. While a reader takes it, its claim is extended.
func (s *FileService) GetPart(ctx context.Context, req *hushv1.GetPartRequest) (*hushv1.GetPartResponse, error) {
	key, claimed := req.GetSecretKey(), caller.Text(req.GetClaim())
	if err := chain.HoldPart(ctx, file.PartSize); err != nil {
		return nil, err
	}
	content, err := s.secrets.GetPart(ctx, key, claimed, req.GetNumber())
	if err != nil {
		return nil, err
	}
	keepWhileSending(ctx, s.secrets, key, claimed)
	return &hushv1.GetPartResponse{Content: content}, nil
}

func fileOf(p file.Progress) *hushv1.File {
	return &hushv1.File{
		Size: p.Size, PartSize: file.PartSize, Parts: p.Count, Arrived: p.Arrived, Complete: p.Whole, Fetched: p.Fetched,
	}
}

// wholeFile describes a file that is opened.
func wholeFile(size uint64) *hushv1.File {
	parts := file.Parts(size)
	return fileOf(file.Progress{Size: size, Count: parts, Arrived: parts, Whole: true})
}
