package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
)

// Found is what Detect learned of a server.
type Found struct {
	// Protocol is the strongest that the server speaks.
	Protocol Protocol
	// Version is the release that the server names; empty for none.
	Version string
}

// Detect asks a server which protocol it speaks: Hush, else v2, else v1. It sends no
// credentials, and nil means the HTTP client that Options describe. It returns
// ErrNetwork if the server does not answer, and ErrUnsupported if it speaks none
// of them. A network error while asking for a stronger protocol is never taken for
// a no, and neither are an error of the server or of a gateway, a redirect, or a
// limit on calls. The result is for people to decide on: New does not use it.
func Detect(ctx context.Context, server string, http *http.Client) (Found, error) {
	c, err := New(server, Options{HTTP: http})
	if err != nil {
		return Found{}, err
	}
	d := detection{newLegacy(c)}
	for _, probe := range []func(context.Context) (*Found, error){d.hush, d.v2, d.v1} {
		found, err := probe(ctx)
		if err != nil {
			return Found{}, err
		}
		if found != nil {
			return *found, nil
		}
	}
	return Found{}, &Error{Kind: KindUnsupported, Message: "the server speaks neither Hush, nor v2, nor v1"}
}

// detection asks for one protocol after the other. Each probe returns nil for a no.
type detection struct{ *legacy }

// hush asks for the policy, which no other server has. A no is held against a second
// question, for the release, by another method: something in front of a Hush server
// may let no unknown call through, and answer as if there were none.
func (d detection) hush(ctx context.Context) (*Found, error) {
	var policy hushv1.GetPolicyResponse
	asked, err := d.probe(ctx, query{
		method: http.MethodPost, path: hushv1connect.SystemServiceGetPolicyProcedure, kind: "application/json", body: []byte("{}"),
		header: map[string]string{"Connect-Protocol-Version": "1"},
	})
	if err != nil {
		return nil, err
	}
	isHush := isMessage(asked, &policy) && policy.GetBaseUrl() != "" && len(policy.GetEncryptions()) > 0
	var version hushv1.GetVersionResponse
	second, err := d.probe(ctx, query{
		method: http.MethodGet, path: hushv1connect.SystemServiceGetVersionProcedure + "?connect=v1&encoding=json&message=%7B%7D",
	})
	knows := err == nil && isMessage(second, &version) && version.GetVersion() != "" && version.GetLocale() != ""
	switch {
	case isHush:
		return &Found{Protocol: ProtocolHush, Version: plain(version.GetVersion())}, nil
	case err != nil:
		return nil, err
	case knows || isBarred(asked) && isBarred(second):
		return nil, &Error{Kind: KindProtocol, Message: "something in front of the server refuses the calls of Hush"}
	}
	return nil, nil
}

// isMessage reports whether an answer is a message of an RPC, and decodes it.
func isMessage(answer *reply, into proto.Message) bool {
	return answer.isDone() && protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(answer.body, into) == nil
}

// isBarred reports whether something that is no server of these protocols refuses a
// call.
func isBarred(answer *reply) bool {
	return !answer.isJSON && (answer.status == http.StatusUnauthorized || answer.status == http.StatusForbidden)
}

// v2 asks for the status and for the languages, which v1 does not have. They are
// what all releases tell callers without an account.
func (d detection) v2(ctx context.Context) (*Found, error) {
	isNominal, err := d.status(ctx, "/api/v2/status")
	if err != nil || !isNominal {
		return nil, err
	}
	var languages struct{ Locales []string }
	if ok, err := d.read(ctx, "/api/v2/supported-locales", &languages); err != nil || !ok || len(languages.Locales) == 0 {
		return nil, err
	}
	found := &Found{Protocol: ProtocolV2}
	var version struct{ Version []string }
	if ok, err := d.read(ctx, "/api/v2/version", &version); err == nil && ok {
		found.Version = plain(strings.Join(version.Version, "."))
	}
	return found, nil
}

func (d detection) v1(ctx context.Context) (*Found, error) {
	isNominal, err := d.status(ctx, "/api/v1/status")
	if err != nil || !isNominal {
		return nil, err
	}
	return &Found{Protocol: ProtocolV1}, nil
}

// status reports whether a path says that the server is well.
func (d detection) status(ctx context.Context, path string) (bool, error) {
	var status struct{ Status string }
	ok, err := d.read(ctx, path, &status)
	return ok && status.Status == "nominal", err
}

// read decodes the answer of a path. It reports whether there is one.
func (d detection) read(ctx context.Context, path string, into any) (bool, error) {
	answer, err := d.probe(ctx, query{method: http.MethodGet, path: path})
	if err != nil || !answer.isDone() {
		return false, err
	}
	return json.Unmarshal(answer.body, into) == nil, nil
}

// probe sends a query. It returns an error for all that is neither a yes nor a no.
func (d detection) probe(ctx context.Context, q query) (*reply, error) {
	q.most = probeMax
	answer, fail := d.send(ctx, q)
	if fail != nil {
		return nil, fail.err
	}
	fail = d.refusal(answer)
	if fail == nil {
		return answer, nil
	}
	isPassing := answer.status >= 500 || answer.status == http.StatusRequestTimeout
	isLimit := fail.err.Kind == KindLimited || fail.err.Kind == KindLocked
	isElsewhere := answer.status >= 300 && answer.status < 400 || answer.status == http.StatusProxyAuthRequired
	if isPassing && fail.err.Kind != KindLimited {
		return nil, &Error{Kind: KindNetwork, Message: "the server cannot answer at the moment", Cause: &strangeError{status: answer.status}}
	}
	if isLimit || isElsewhere {
		return nil, fail.err
	}
	return answer, nil
}
