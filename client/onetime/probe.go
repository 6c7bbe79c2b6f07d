package onetime

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"hush/client"
	"hush/client/attempt"
)

// probeMax is the longest answer that is read, in bytes, while it is not known what a
// server speaks: any link can name it.
const probeMax = 256 << 10

// Prober asks a server what it speaks. It sends no credentials.
type Prober struct{ caller *caller }

// NewProber returns a Prober of the server at a base URL.
func NewProber(server *url.URL, sender *http.Client) Prober {
	return Prober{newCaller(server, client.ProtocolHush, client.Options{HTTP: sender})}
}

// Question is a request of which it is not known whether the server understands it.
type Question struct {
	// Method is that of HTTP, and Path is below the base URL.
	Method, Path string
	// JSON is the body, and Header has more headers; nil for none.
	JSON   []byte
	Header map[string]string
}

// Answer is what a server said to a Question.
type Answer struct {
	// Status is that of HTTP.
	Status int
	// IsJSON reports whether the body is an object or a list in JSON, and IsDone
	// whether the server did what it was asked for.
	IsJSON, IsDone bool
	Body           []byte
}

// Ask sends a question. It returns an error for all that is neither a yes nor a no: no
// answer, an error of the server or of a gateway, a redirect, or a limit on calls.
func (p Prober) Ask(ctx context.Context, q Question) (Answer, error) {
	asked := query{method: q.Method, path: q.Path, body: q.JSON, header: q.Header, most: probeMax}
	if q.JSON != nil {
		asked.kind = "application/json"
	}
	got, fail := p.caller.send(ctx, asked)
	if fail != nil {
		return Answer{}, fail.Err
	}
	answer := Answer{Status: got.status, IsJSON: got.isJSON, IsDone: got.isDone(), Body: got.body}
	fail = p.caller.failed(got)
	if fail == nil {
		return answer, nil
	}
	isPassing := answer.Status >= 500 || answer.Status == http.StatusRequestTimeout
	isLimit := fail.Err.Kind == client.KindLimited || fail.Err.Kind == client.KindLocked
	isElsewhere := answer.Status >= 300 && answer.Status < 400 || answer.Status == http.StatusProxyAuthRequired
	if isPassing && fail.Err.Kind != client.KindLimited {
		return Answer{}, &client.Error{
			Kind: client.KindNetwork, Message: "the server cannot answer at the moment", Cause: &attempt.UnexpectedAnswerError{Status: answer.Status},
		}
	}
	if isLimit || isElsewhere {
		return Answer{}, fail.Err
	}
	return answer, nil
}

// V2 reports whether the server speaks v2, and the release that it names; empty for
// none. It asks for the status and for the languages, which v1 does not have. They are
// what all releases tell callers without an account.
func (p Prober) V2(ctx context.Context) (speaks bool, version string, err error) {
	isNominal, err := p.status(ctx, "/api/v2/status")
	if err != nil || !isNominal {
		return false, "", err
	}
	var languages struct{ Locales []string }
	if ok, err := p.read(ctx, "/api/v2/supported-locales", &languages); err != nil || !ok || len(languages.Locales) == 0 {
		return false, "", err
	}
	var release struct{ Version []string }
	if ok, err := p.read(ctx, "/api/v2/version", &release); err == nil && ok {
		version = client.Plain(strings.Join(release.Version, "."))
	}
	return true, version, nil
}

// V1 reports whether the server speaks v1.
func (p Prober) V1(ctx context.Context) (bool, error) { return p.status(ctx, "/api/v1/status") }

// status reports whether a path says that the server is well.
func (p Prober) status(ctx context.Context, path string) (bool, error) {
	var status struct{ Status string }
	ok, err := p.read(ctx, path, &status)
	return ok && status.Status == "nominal", err
}

// read decodes the answer of a path. It reports whether there is one.
func (p Prober) read(ctx context.Context, path string, into any) (bool, error) {
	answer, err := p.Ask(ctx, Question{Method: http.MethodGet, Path: path})
	if err != nil || !answer.IsDone {
		return false, err
	}
	return json.Unmarshal(answer.Body, into) == nil, nil
}
