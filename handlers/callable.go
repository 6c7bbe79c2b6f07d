package handlers

import (
	"context"
	"net/http"

	hushv1 "hush/gen/hush/v1"
	testnamev1 "hush/gen/testname/v1"
)

// Method is one RPC as a Go call. It runs the service behind the same chain of
// interceptors as a call over the wire, and its errors are *connect.Error.
type Method[Req, Res any] struct {
	// Procedure is the RPC's full name, as in "/hush.v1.SecretService/BurnSecret".
	Procedure string
	call      func(ctx context.Context, header http.Header, req *Req) (*Res, error)
}

// Call runs the method. ctx has to come from a request that went through
// API.Middleware, which says who calls; header is that request's.
func (m Method[Req, Res]) Call(ctx context.Context, header http.Header, req *Req) (*Res, error) {
	return m.call(ctx, header, req)
}

// Callable holds every RPC for callers in this process.
type Callable struct {
	ConcealSecret    Method[hushv1.ConcealSecretRequest, hushv1.ConcealSecretResponse]
	GenerateSecret   Method[hushv1.GenerateSecretRequest, hushv1.GenerateSecretResponse]
	GetSecret        Method[hushv1.GetSecretRequest, hushv1.GetSecretResponse]
	RevealSecret     Method[hushv1.RevealSecretRequest, hushv1.RevealSecretResponse]
	BurnSecret       Method[hushv1.BurnSecretRequest, hushv1.BurnSecretResponse]
	GetSecretStatus  Method[hushv1.GetSecretStatusRequest, hushv1.GetSecretStatusResponse]
	ListSecretStatus Method[hushv1.ListSecretStatusRequest, hushv1.ListSecretStatusResponse]

	GetMetadata    Method[hushv1.GetMetadataRequest, hushv1.GetMetadataResponse]
	ListMetadata   Method[hushv1.ListMetadataRequest, hushv1.ListMetadataResponse]
	UpdateMetadata Method[hushv1.UpdateMetadataRequest, hushv1.UpdateMetadataResponse]

	Authcheck Method[hushv1.AuthcheckRequest, hushv1.AuthcheckResponse]

	GetStatus           Method[hushv1.GetStatusRequest, hushv1.GetStatusResponse]
	GetVersion          Method[hushv1.GetVersionRequest, hushv1.GetVersionResponse]
	GetSupportedLocales Method[hushv1.GetSupportedLocalesRequest, hushv1.GetSupportedLocalesResponse]
	ValidateShrimp      Method[hushv1.ValidateShrimpRequest, hushv1.ValidateShrimpResponse]

	Lookup Method[testnamev1.LookupRequest, testnamev1.Coordinate]
}
