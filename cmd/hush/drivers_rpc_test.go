package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
)

func connectJSON() []connect.ClientOption  { return []connect.ClientOption{connect.WithProtoJSON()} }
func connectProto() []connect.ClientOption { return nil }
func grpcProto() []connect.ClientOption    { return []connect.ClientOption{connect.WithGRPC()} }
func grpcWeb() []connect.ClientOption      { return []connect.ClientOption{connect.WithGRPCWeb()} }

// rpcDriver speaks one of the protocols that connect-go knows.
type rpcDriver struct {
	protocol string
	secrets  hushv1connect.SecretServiceClient
	receipts hushv1connect.MetadataServiceClient
}

func newRPCDriver(name string, client *http.Client, url string, opts ...connect.ClientOption) *rpcDriver {
	return &rpcDriver{
		protocol: name,
		secrets:  hushv1connect.NewSecretServiceClient(client, url, opts...),
		receipts: hushv1connect.NewMetadataServiceClient(client, url, opts...),
	}
}

func (d *rpcDriver) name() string             { return d.protocol }
func (d *rpcDriver) legacy() bool             { return false }
func (d *rpcDriver) wrongPassphrase() outcome { return outcomePassphrase }

func (d *rpcDriver) conceal(ctx context.Context, w wish) answer {
	req := &hushv1.ConcealSecretRequest{
		Secret: w.secret, Passphrase: w.passphrase, ShareDomain: w.shareDomain, Recipients: w.recipients,
	}
	if w.ttl != nil {
		req.Ttl = durationpb.New(*w.ttl)
	}
	res, err := d.secrets.ConcealSecret(ctx, req)
	if err != nil {
		return rpcRefusal(err)
	}
	a := ofMetadata(res.GetMetadata())
	a.secretKey = res.GetSecret().GetSecretKey()
	return a
}

func (d *rpcDriver) get(ctx context.Context, key string) answer {
	res, err := d.secrets.GetSecret(ctx, &hushv1.GetSecretRequest{SecretKey: key})
	if err != nil {
		return rpcRefusal(err)
	}
	return ofSecret(res.GetSecret())
}

func (d *rpcDriver) reveal(ctx context.Context, key, passphrase string) answer {
	res, err := d.secrets.RevealSecret(ctx, &hushv1.RevealSecretRequest{SecretKey: key, Passphrase: passphrase})
	if err != nil {
		return rpcRefusal(err)
	}
	a := ofSecret(res.GetSecret())
	a.value = res.GetValue()
	return a
}

func (d *rpcDriver) burn(ctx context.Context, key, passphrase string) answer {
	res, err := d.secrets.BurnSecret(ctx, &hushv1.BurnSecretRequest{MetadataKey: key, Passphrase: passphrase, RequirePassphrase: true})
	if err != nil {
		return rpcRefusal(err)
	}
	return ofMetadata(res.GetMetadata())
}

func (d *rpcDriver) metadata(ctx context.Context, key string) answer {
	res, err := d.receipts.GetMetadata(ctx, &hushv1.GetMetadataRequest{MetadataKey: key})
	if err != nil {
		return rpcRefusal(err)
	}
	return ofMetadata(res.GetMetadata())
}

// status recognizes an unknown key by its state; RPCs return no error for it.
func (d *rpcDriver) status(ctx context.Context, key string) answer {
	res, err := d.secrets.GetSecretStatus(ctx, &hushv1.GetSecretStatusRequest{SecretKey: key})
	if err != nil {
		return rpcRefusal(err)
	}
	if res.GetStatus().GetState() == hushv1.State_STATE_UNSPECIFIED {
		return answer{outcome: outcomeUnknown, text: res.String()}
	}
	return ofSecret(res.GetStatus().GetSecret())
}

func ofSecret(s *hushv1.Secret) answer {
	return answer{
		outcome: outcomeOK, secretKey: s.GetSecretKey(), state: stateOf(s.GetState()),
		ttl: s.GetTtl().AsDuration(), passphrase: s.GetHasPassphrase(),
	}
}

func ofMetadata(m *hushv1.Metadata) answer {
	return answer{
		outcome: outcomeOK, metadataKey: m.GetMetadataKey(), secretKey: m.GetSecretKey(), state: stateOf(m.GetState()),
		ttl: m.GetTtl().AsDuration(), passphrase: m.GetHasPassphrase(),
	}
}

func stateOf(s hushv1.State) string {
	return strings.ToLower(strings.TrimPrefix(s.String(), "STATE_"))
}

// rpcRefusal reads an RPC's error: its details first, then its code.
func rpcRefusal(err error) answer {
	a := answer{outcome: outcomeLost, text: err.Error()}
	var rpc *connect.Error
	if !errors.As(err, &rpc) || !connect.IsWireError(err) {
		return a
	}
	a.outcome = outcomeByCode(rpc.Code())
	for _, detail := range rpc.Details() {
		message, err := detail.Value()
		if err != nil {
			a.text += " with a detail that cannot be read: " + err.Error()
			continue
		}
		switch m := message.(type) {
		case *hushv1.Refusal:
			a.refusal = m
			if m.GetReason() == hushv1.Refusal_REASON_TOO_LARGE {
				a.outcome = outcomeTooLarge
			}
		case *errdetails.RetryInfo:
			a.retryAfter = m.GetRetryDelay().AsDuration()
		case *validate.Violations:
			if m.GetViolations()[0].GetRuleId() == "string.max_bytes" {
				a.outcome = outcomeTooLarge
			}
		}
	}
	return a
}

func outcomeByCode(code connect.Code) outcome {
	switch code {
	case connect.CodeNotFound:
		return outcomeUnknown
	case connect.CodePermissionDenied:
		return outcomePassphrase
	case connect.CodeResourceExhausted:
		return outcomeLimited
	case connect.CodeInvalidArgument:
		return outcomeInvalid
	case connect.CodeUnauthenticated:
		return outcomeUnauthorized
	case connect.CodeUnavailable:
		return outcomeUnavailable
	default:
		return outcomeOther
	}
}
