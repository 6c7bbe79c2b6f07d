package apitest

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

// ConnectJSON returns the options of a client of Connect with JSON.
func ConnectJSON() []connect.ClientOption { return []connect.ClientOption{connect.WithProtoJSON()} }

// ConnectProto returns the options of a client of Connect with binary messages.
func ConnectProto() []connect.ClientOption { return nil }

// GRPCProto returns the options of a client of gRPC.
func GRPCProto() []connect.ClientOption { return []connect.ClientOption{connect.WithGRPC()} }

// GRPCWeb returns the options of a client of gRPC-Web.
func GRPCWeb() []connect.ClientOption { return []connect.ClientOption{connect.WithGRPCWeb()} }

// RPCDriver speaks one of the protocols that connect-go knows.
type RPCDriver struct {
	protocol string
	Secrets  hushv1connect.SecretServiceClient
	Receipts hushv1connect.MetadataServiceClient
}

// NewRPCDriver speaks the protocol of the options with the service at url.
func NewRPCDriver(name string, client *http.Client, url string, opts ...connect.ClientOption) *RPCDriver {
	return &RPCDriver{
		protocol: name,
		Secrets:  hushv1connect.NewSecretServiceClient(client, url, opts...),
		Receipts: hushv1connect.NewMetadataServiceClient(client, url, opts...),
	}
}

func (d *RPCDriver) Name() string             { return d.protocol }
func (d *RPCDriver) Legacy() bool             { return false }
func (d *RPCDriver) WrongPassphrase() Outcome { return OutcomePassphrase }

func (d *RPCDriver) Conceal(ctx context.Context, w Terms) Answer {
	req := &hushv1.ConcealSecretRequest{
		Secret: w.Secret, Passphrase: w.Passphrase, ShareDomain: w.ShareDomain, Recipients: w.Recipients,
	}
	if w.TTL != nil {
		req.Ttl = durationpb.New(*w.TTL)
	}
	res, err := d.Secrets.ConcealSecret(ctx, req)
	if err != nil {
		return RPCRefusal(err)
	}
	a := ofMetadata(res.GetMetadata())
	a.SecretKey = res.GetSecret().GetSecretKey()
	return a
}

func (d *RPCDriver) Get(ctx context.Context, key string) Answer {
	res, err := d.Secrets.GetSecret(ctx, &hushv1.GetSecretRequest{SecretKey: key})
	if err != nil {
		return RPCRefusal(err)
	}
	return ofSecret(res.GetSecret())
}

func (d *RPCDriver) Reveal(ctx context.Context, key, passphrase string) Answer {
	res, err := d.Secrets.RevealSecret(ctx, &hushv1.RevealSecretRequest{SecretKey: key, Passphrase: passphrase})
	if err != nil {
		return RPCRefusal(err)
	}
	a := ofSecret(res.GetSecret())
	a.Value = res.GetValue()
	return a
}

func (d *RPCDriver) Burn(ctx context.Context, key, passphrase string) Answer {
	res, err := d.Secrets.BurnSecret(ctx, &hushv1.BurnSecretRequest{MetadataKey: key, Passphrase: passphrase, RequirePassphrase: true})
	if err != nil {
		return RPCRefusal(err)
	}
	return ofMetadata(res.GetMetadata())
}

func (d *RPCDriver) Metadata(ctx context.Context, key string) Answer {
	res, err := d.Receipts.GetMetadata(ctx, &hushv1.GetMetadataRequest{MetadataKey: key})
	if err != nil {
		return RPCRefusal(err)
	}
	return ofMetadata(res.GetMetadata())
}

// Status recognizes an unknown key by its state; RPCs return no error for it.
func (d *RPCDriver) Status(ctx context.Context, key string) Answer {
	res, err := d.Secrets.GetSecretStatus(ctx, &hushv1.GetSecretStatusRequest{SecretKey: key})
	if err != nil {
		return RPCRefusal(err)
	}
	if res.GetStatus().GetState() == hushv1.State_STATE_UNSPECIFIED {
		return Answer{Outcome: OutcomeUnknown, Text: res.String()}
	}
	return ofSecret(res.GetStatus().GetSecret())
}

func ofSecret(s *hushv1.Secret) Answer {
	return Answer{
		Outcome: OutcomeOK, SecretKey: s.GetSecretKey(), State: stateOf(s.GetState()),
		TTL: s.GetTtl().AsDuration(), Passphrase: s.GetHasPassphrase(),
	}
}

func ofMetadata(m *hushv1.Metadata) Answer {
	return Answer{
		Outcome: OutcomeOK, MetadataKey: m.GetMetadataKey(), SecretKey: m.GetSecretKey(), State: stateOf(m.GetState()),
		TTL: m.GetTtl().AsDuration(), Passphrase: m.GetHasPassphrase(),
	}
}

func stateOf(s hushv1.State) string {
	return strings.ToLower(strings.TrimPrefix(s.String(), "STATE_"))
}

// RPCRefusal reads an RPC's error: its details first, then its code.
func RPCRefusal(err error) Answer {
	a := Answer{Outcome: OutcomeLost, Text: err.Error()}
	var rpc *connect.Error
	if !errors.As(err, &rpc) || !connect.IsWireError(err) {
		return a
	}
	a.Outcome = outcomeByCode(rpc.Code())
	for _, detail := range rpc.Details() {
		message, err := detail.Value()
		if err != nil {
			a.Text += " with a detail that cannot be read: " + err.Error()
			continue
		}
		switch m := message.(type) {
		case *hushv1.Refusal:
			a.Refusal = m
			if m.GetReason() == hushv1.Refusal_REASON_TOO_LARGE {
				a.Outcome = OutcomeTooLarge
			}
		case *errdetails.RetryInfo:
			a.RetryAfter = m.GetRetryDelay().AsDuration()
		case *validate.Violations:
			if m.GetViolations()[0].GetRuleId() == "string.max_bytes" {
				a.Outcome = OutcomeTooLarge
			}
		}
	}
	return a
}

func outcomeByCode(code connect.Code) Outcome {
	switch code {
	case connect.CodeNotFound:
		return OutcomeUnknown
	case connect.CodePermissionDenied:
		return OutcomePassphrase
	case connect.CodeResourceExhausted:
		return OutcomeLimited
	case connect.CodeInvalidArgument:
		return OutcomeInvalid
	case connect.CodeUnauthenticated:
		return OutcomeUnauthorized
	case connect.CodeUnavailable:
		return OutcomeUnavailable
	default:
		return OutcomeOther
	}
}
