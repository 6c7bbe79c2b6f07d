package protocols

import (
	"context"
	"net/http"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"hush/client"
	"hush/client/onetime"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
)

// Found is what Detect learned of a server.
type Found struct {
	// Protocol is the strongest that the server speaks.
	Protocol client.Protocol
	// Version is the release that the server names; empty for none.
	Version string
}

// Detect asks a server which protocol it speaks: Hush, else v2, else v1. It sends no
// credentials, and nil means the HTTP client that Options describe. It returns
// ErrNetwork if the server does not answer, and ErrUnsupported if it speaks none
// of them. A network error while asking for a stronger protocol is never taken for
// a no, and neither are an error of the server or of a gateway, a redirect, or a
// limit on calls. The result is for people to decide on: New does not use it.
func Detect(ctx context.Context, server string, sender *http.Client) (Found, error) {
	base, err := client.ParseServer(server)
	if err != nil {
		return Found{}, err
	}
	prober := onetime.NewProber(base, sender)
	if speaks, version, err := speaksHush(ctx, prober); err != nil || speaks {
		return found(client.ProtocolHush, version, err)
	}
	if speaks, version, err := prober.V2(ctx); err != nil || speaks {
		return found(client.ProtocolV2, version, err)
	}
	if speaks, err := prober.V1(ctx); err != nil || speaks {
		return found(client.ProtocolV1, "", err)
	}
	return Found{}, &client.Error{Kind: client.KindUnsupported, Message: "the server speaks neither Hush, nor v2, nor v1"}
}

func found(protocol client.Protocol, version string, err error) (Found, error) {
	if err != nil {
		return Found{}, err
	}
	return Found{Protocol: protocol, Version: version}, nil
}

// speaksHush asks for the policy, which no other server has. A no is held against a second
// question, for the release, by another method: something in front of a Hush server
// may let no unknown call through, and answer as if there were none.
func speaksHush(ctx context.Context, prober onetime.Prober) (speaks bool, version string, err error) {
	var policy hushv1.GetPolicyResponse
	first, err := prober.Ask(ctx, onetime.Question{
		Method: http.MethodPost, Path: hushv1connect.SystemServiceGetPolicyProcedure, JSON: []byte("{}"),
		Header: map[string]string{"Connect-Protocol-Version": "1"},
	})
	if err != nil {
		return false, "", err
	}
	isHush := isMessage(first, &policy) && policy.GetBaseUrl() != "" && len(policy.GetEncryptions()) > 0
	var release hushv1.GetVersionResponse
	second, err := prober.Ask(ctx, onetime.Question{
		Method: http.MethodGet, Path: hushv1connect.SystemServiceGetVersionProcedure + "?connect=v1&encoding=json&message=%7B%7D",
	})
	knows := err == nil && isMessage(second, &release) && release.GetVersion() != "" && release.GetLocale() != ""
	switch {
	case isHush:
		return true, client.Plain(release.GetVersion()), nil
	case err != nil:
		return false, "", err
	case knows || isBarred(first) && isBarred(second):
		return false, "", &client.Error{Kind: client.KindProtocol, Message: "something in front of the server refuses the calls of Hush"}
	}
	return false, "", nil
}

// isMessage reports whether an answer is a message of an RPC, and decodes it.
func isMessage(answer onetime.Answer, into proto.Message) bool {
	return answer.IsDone && protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(answer.Body, into) == nil
}

// isBarred reports whether something that is no server of these protocols refuses a
// call.
func isBarred(answer onetime.Answer) bool {
	return !answer.IsJSON && (answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden)
}
