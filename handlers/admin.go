package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/handlers/chain"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/place"
)

// adminLimit is the maximum bytes of an operator's message, which may hold a
// whole table of places or accounts.
const adminLimit = 64 << 20

// AdminService is hush.admin.v1.AdminService on a vault.
type AdminService struct {
	operator vault.Operator
	places   place.Places
	base     *url.URL
}

// NewAdmin returns the operator's service and its path. It authenticates no
// caller: access to the socket that serves it makes a caller the operator. It
// must never be part of the public tree. Links lead to base. It fails if the
// contract's field limits are invalid.
func NewAdmin(v *vault.Vault, base *url.URL, log *slog.Logger) (path string, handler http.Handler, err error) {
	service := adminv1.File_hush_admin_v1_admin_service_proto.Services().ByName("AdminService")
	options, err := chain.OperatorOptions(log, service)
	if err != nil {
		return "", nil, err
	}
	path, handler = adminv1connect.NewAdminServiceHandler(&AdminService{v.Operator(), v.Places, base},
		connect.WithHandlerOptions(options...),
		connect.WithReadMaxBytes(adminLimit),
	)
	return path, chain.NoStore(handler), nil
}

// BurnSecret burns the secret of a reported link.
func (s *AdminService) BurnSecret(ctx context.Context, req *adminv1.BurnSecretRequest) (*adminv1.BurnSecretResponse, error) {
	burned, err := s.operator.Secrets.BurnReportedSecret(ctx, caller.Text(req.GetLink()))
	if err != nil {
		return nil, err
	}
	return &adminv1.BurnSecretResponse{Metadata: keylessOf(burned)}, nil
}
