package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/handlers/chain"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/place"
	"hush/vault/refusal"
)

// adminLimit is the maximum bytes of an operator's message, which may hold a
// whole table of places or accounts.
const adminLimit = 64 << 20

// AdminService is hush.admin.v1.AdminService on a vault.
type AdminService struct {
	operator vault.Operator
	places   place.Places
	base     *url.URL
	local    Local
	patience time.Duration // with a reader of a backup or an examination
}

// Local is what an operator can have of the data of this process besides what is in a
// vault. The errors of both are shown to the operator; nil is for what cannot be had.
type Local struct {
	Backup  Backup
	Examine Examine
}

// NewAdmin returns the operator's service and its path. It authenticates no
// caller: access to the socket that serves it makes a caller the operator. It
// must never be part of the public tree. Links lead to base.
func NewAdmin(v *vault.Vault, base *url.URL, log *slog.Logger, local Local) (path string, handler http.Handler) {
	return newAdmin(v, base, log, local, streamPatience)
}

// newAdmin is NewAdmin with the time that a part of a stream may wait for its reader.
func newAdmin(
	v *vault.Vault, base *url.URL, log *slog.Logger, local Local, patience time.Duration,
) (path string, handler http.Handler) {
	path, handler = adminv1connect.NewAdminServiceHandler(&AdminService{v.Operator(), v.Places, base, local, patience},
		connect.WithHandlerOptions(chain.OperatorOptions(log)...),
		connect.WithReadMaxBytes(adminLimit),
	)
	return path, chain.NoStore(controlled(handler))
}

// BurnSecret burns the secret of a reported link.
func (s *AdminService) BurnSecret(ctx context.Context, req *adminv1.BurnSecretRequest) (*adminv1.BurnSecretResponse, error) {
	burned, err := s.operator.Secrets.BurnReportedSecret(ctx, caller.Text(req.GetLink()))
	if err != nil {
		return nil, err
	}
	return &adminv1.BurnSecretResponse{Metadata: keylessOf(burned)}, nil
}

// WithdrawRequest closes the request of a reported link.
func (s *AdminService) WithdrawRequest(ctx context.Context, req *adminv1.WithdrawRequestRequest) (*adminv1.WithdrawRequestResponse, error) {
	burned, err := s.operator.Requests.Withdraw(ctx, caller.Text(req.GetLink()))
	if err != nil {
		return nil, err
	}
	return &adminv1.WithdrawRequestResponse{Burned: int32(burned)}, nil
}

// ListAuditRows lists a page of the audit trail.
func (s *AdminService) ListAuditRows(ctx context.Context, req *adminv1.ListAuditRowsRequest) (*adminv1.ListAuditRowsResponse, error) {
	filter, ok := vault.NewAuditFilter(req.GetKinds()...)
	if !ok {
		return nil, &refusal.InvalidError{Field: "kinds", Text: "has an unknown word"}
	}
	if req.GetSince() != nil {
		filter.Since = req.GetSince().AsTime()
	}
	if req.GetUntil() != nil {
		filter.Until = req.GetUntil().AsTime()
	}
	page, err := s.operator.Audit.Page(ctx, filter, req.GetPageToken())
	if err != nil {
		return nil, err
	}
	return &adminv1.ListAuditRowsResponse{
		Rows: each(page.Rows, auditRowOf), Unreadable: int32(page.Unreadable), NextPageToken: page.Next,
	}, nil
}

func auditRowOf(r vault.AuditRow) *adminv1.AuditRow {
	subject, account := r.SubjectText()
	return &adminv1.AuditRow{
		Time: timestamppb.New(r.Time), Node: uint32(r.Node), Sequence: r.Number,
		Kind: r.Kind.String(), Result: r.Result.String(), Subject: subject, SubjectIsAccount: account,
	}
}
