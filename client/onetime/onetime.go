// Package onetime is the HTTP interface of Onetime Secret, in its versions 1 and 2. The
// server sees the text and the passphrase, and a lost answer is a lost secret. Releases
// differ in paths, in shapes and in errors; this package reads them all.
package onetime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"hush/client"
	"hush/client/attempt"
)

const (
	// callTime is how long a call may take, besides the time for its bytes.
	callTime = 2 * time.Minute
	// replyMax is the longest answer that is read, in bytes: more than the longest text
	// of the reference in JSON.
	replyMax = 64 << 20
	// listMax is that of a list of receipts.
	listMax = 8 << 20
)

// caller sends the calls of v1 or v2, and reads their answers.
type caller struct {
	http *http.Client
	// base is the base URL of the server, and prefix where its calls begin.
	base, prefix string
	// host is that of the base URL.
	host string
	// name is that of the protocol.
	name      string
	username  string
	token     client.Text
	userAgent string
	// repeats is how calls are made again, and polls how fast a receipt is asked for.
	repeats attempt.Repeats
	polls   attempt.Pace
	// within is how long a call may take, besides the time for its bytes.
	within time.Duration
}

// newCaller returns what sends the calls of a protocol. The client that was passed
// sends them, but follows no redirect, which could take a passphrase or a token to
// another server, and has no cookies: they would need the token against forgery.
func newCaller(server *url.URL, protocol client.Protocol, o client.Options) *caller {
	o = o.WithDefaults()
	sender := *o.HTTP
	sender.Jar, sender.CheckRedirect = nil, func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &caller{
		http: &sender, base: server.String(), host: server.Host, prefix: "/api/" + protocol.String(), name: protocol.String(),
		userAgent: o.UserAgent, repeats: attempt.DefaultRepeats(o.Notice), polls: pollPace(), within: callTime,
	}
	if o.Username != "" && !o.Token.IsEmpty() {
		c.username, c.token = accountName(o.Username), o.Token
	}
	return c
}

// accountName returns a user name as servers keep it: they compare e-mail addresses
// as they are written, and keep them in lower case.
func accountName(name string) string {
	if name = strings.TrimSpace(name); strings.Contains(name, "@") {
		return strings.ToLower(name)
	}
	return name
}

// hasAccount reports whether calls are made with an account.
func (c *caller) hasAccount() bool { return !c.token.IsEmpty() }

// query is a request.
type query struct {
	method, path string
	// kind is the Content-Type of the body; empty for no body.
	kind string
	body []byte
	// header has more headers; nil for none.
	header map[string]string
	// most is the longest answer in bytes; zero means replyMax.
	most int64
}

// get returns a query for a path below the prefix.
func (c *caller) get(path string) query {
	return query{method: http.MethodGet, path: c.prefix + path}
}

// postForm returns a query with a form.
func (c *caller) postForm(path string, form url.Values) query {
	return query{
		method: http.MethodPost, path: c.prefix + path, kind: "application/x-www-form-urlencoded", body: []byte(form.Encode()),
	}
}

// postJSON returns a query with a message in JSON.
func (c *caller) postJSON(path string, message any) query {
	body, _ := json.Marshal(message) //nolint:errchkjson // maps of texts, numbers and truth values
	return query{method: http.MethodPost, path: c.prefix + path, kind: "application/json", body: body}
}

// reply is what a server answered.
type reply struct {
	// status is that of HTTP. v1 has 404 for all errors; intended is what they are.
	status, intended int
	header           http.Header
	body             []byte
	// isJSON reports whether the body is an object or a list in JSON.
	isJSON bool
	// now is the server's time.
	now time.Time
}

// isDone reports whether the server did what it was asked for.
func (r *reply) isDone() bool {
	return r.isJSON && (r.status == http.StatusOK || r.status == http.StatusCreated)
}

// failure is a call that failed.
type failure = attempt.Failure[refusal]

// refusal is what a server said when it refused.
type refusal struct {
	// status is that of HTTP, and message the text; zero without an answer.
	status  int
	message string
	// isRoute reports whether the server has no such call.
	isRoute bool
}

// send sends a query once. Only where no answer came, it returns no reply.
func (c *caller) send(ctx context.Context, q query) (*reply, *failure) {
	if ended := ctx.Err(); ended != nil {
		return nil, &failure{Err: attempt.Ended(ended), Outcome: attempt.OutcomeUnsent}
	}
	var progress progress
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := startDeadline(cancel, c.within, len(q.body))
	defer limit.timer.Stop()
	request, err := http.NewRequestWithContext(progress.trace(within), q.method, c.base+q.path, bytes.NewReader(q.body))
	if err != nil {
		return nil, &failure{Err: &client.Error{Kind: client.KindUsage, Message: "the server's URL is wrong"}, Outcome: attempt.OutcomeUnsent}
	}
	c.sign(request, q)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, progress.failure(ctx, limit.cause(err))
	}
	defer response.Body.Close()
	most := cmp.Or(q.most, replyMax)
	if response.StatusCode >= http.StatusMultipleChoices {
		most = attempt.RefusalMax // the rest of a long page says no more
	}
	body, err := io.ReadAll(limit.reader(io.LimitReader(response.Body, most+1)))
	if err != nil {
		return nil, progress.failure(ctx, limit.cause(err))
	}
	if int64(len(body)) > most && response.StatusCode < http.StatusMultipleChoices {
		long := &client.Error{Kind: client.KindProtocol, Message: "the answer is longer than any of a " + c.name + " server"}
		return nil, &failure{Err: long, Outcome: attempt.OutcomeUnknown}
	}
	if wrong := attempt.ComplainsOfScheme(response.Request, response.StatusCode, bytes.NewReader(body)); wrong != nil {
		return nil, &failure{Err: wrong, Outcome: attempt.OutcomeRefused}
	}
	return newReply(response, body), nil
}

// sign gives a request its headers. It asks for English, since texts are all by
// which some errors differ.
func (c *caller) sign(r *http.Request, q query) {
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Accept-Language", "en")
	r.Header.Set("User-Agent", c.userAgent)
	if q.kind != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	if c.hasAccount() {
		r.SetBasicAuth(c.username, c.token.Expose())
	}
}

func newReply(response *http.Response, body []byte) *reply {
	r := &reply{status: response.StatusCode, intended: response.StatusCode, header: response.Header, body: body, now: time.Now()}
	trimmed := bytes.TrimSpace(body)
	r.isJSON = len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed)
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		r.now = date
	}
	if intended, err := strconv.Atoi(response.Header.Get("X-Ots-Intended-Status")); err == nil && intended >= 400 && r.status == http.StatusNotFound {
		r.intended = intended
	}
	return r
}

// progress is how far a request came.
type progress struct{ begun, sent atomic.Bool }

// trace returns a context that notes the progress of the requests made with it.
func (p *progress) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { p.begun.Store(true) },
		WroteHeaders: func() { p.sent.Store(true) },
		WroteRequest: func(httptrace.WroteRequestInfo) { p.sent.Store(true) },
	})
}

// isUnsent reports whether the request certainly did not reach the server. Another
// transport than that of net/http notes nothing, and proves nothing.
func (p *progress) isUnsent(err error) bool {
	return p.begun.Load() && !p.sent.Load() || attempt.IsDial(err)
}

// failure returns what the error of a connection means.
func (p *progress) failure(ctx context.Context, err error) *failure {
	if outer, ok := err.(*url.Error); ok { //nolint:errorlint // only the method and the URL around the error are left out
		err = outer.Err
	}
	unsent := p.isUnsent(err)
	if ended := ctx.Err(); ended != nil {
		f := &failure{Err: attempt.Ended(ended), Outcome: attempt.OutcomeUnknown}
		if unsent {
			f.Outcome = attempt.OutcomeUnsent
		}
		return f
	}
	if wrong := attempt.SpeaksTLS(err); wrong != nil {
		return &failure{Err: wrong, Outcome: attempt.OutcomeRefused}
	}
	if !unsent {
		err = withoutServerText(err)
	}
	f := attempt.Unanswered[refusal](err)
	if unsent && f.Outcome != attempt.OutcomeUnsent {
		f.Err.Message, f.Outcome = "there is no connection to the server", attempt.OutcomeUnsent
	}
	return f
}

// withoutServerText returns an error without the text of the server: those of net/http
// repeat an answer that is not HTTP.
func withoutServerText(err error) error {
	_, isNet := errors.AsType[net.Error](err)
	_, isSystem := errors.AsType[syscall.Errno](err)
	if isNet || isSystem || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return errors.New("the answer is not HTTP")
}

// call sends a query and returns the answer if the server did it. It repeats the
// call where the request certainly did not reach the server, and, if it changes
// nothing, also where the answer was lost.
func (c *caller) call(ctx context.Context, q query) (*reply, *failure) {
	return attempt.Do(ctx, c.repeats, func(int) (*reply, *failure) {
		answer, fail := c.send(ctx, q)
		if fail == nil {
			fail = c.failed(answer)
		}
		if fail != nil && fail.Outcome != attempt.OutcomeUnsent && q.method != http.MethodGet {
			fail.Repeatable = false
		}
		return answer, fail
	})
}

// read decodes the answer to a call.
func (c *caller) read(answer *reply, into any) error {
	if err := json.Unmarshal(answer.body, into); err != nil {
		return c.unexpected()
	}
	return nil
}

// readEach decodes a list one object after the other, since many empty ones would take
// far more memory than their text.
func readEach[T any](c *caller, list []byte, use func(T)) error {
	decoder := json.NewDecoder(bytes.NewReader(list))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('[') {
		return c.unexpected()
	}
	for decoder.More() {
		var one T
		if decoder.Decode(&one) != nil {
			return c.unexpected()
		}
		use(one)
	}
	return nil
}

// unexpected is the error for an answer that no server of the protocol gives.
func (c *caller) unexpected() *client.Error { return attempt.Unexpected(c.name) }

// unsupported is the error for what the protocol cannot do.
func (c *caller) unsupported(what string) *client.Error {
	return &client.Error{Kind: client.KindUnsupported, Message: c.name + " " + what}
}
