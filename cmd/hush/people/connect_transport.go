package people

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// errTimeout is why a call ends that took longer than --timeout.
var errTimeout = errors.New("no complete answer within --timeout")

// newHTTPClient returns what sends the requests of a command: with proxies from the
// environment, the certificates of --ca-file, else of the file that the profile has, and
// the limit of --timeout. It follows no redirects, which could carry a token to another
// server.
func (x *connector) newHTTPClient(ctx context.Context, ofProfile string) (*http.Client, error) {
	roots, err := x.roots(ctx, ofProfile)
	if err != nil {
		return nil, err
	}
	transport := client.NewTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	var sender http.RoundTripper = transport
	if x.timeout > 0 {
		transport.ResponseHeaderTimeout = 0
		sender = &limitedTransport{next: transport, limit: x.timeout}
	}
	return &http.Client{
		Transport:     sender,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// roots returns the certificates to trust; nil for those of the system alone.
func (x *connector) roots(ctx context.Context, ofProfile string) (*x509.CertPool, error) {
	file, from := x.caFile, "--ca-file"
	if file == "" {
		file, from = ofProfile, "the --ca-file of the profile"
	}
	if file == "" {
		return nil, nil
	}
	content, err := console.ReadFile(ctx, file)
	if errors.Is(err, console.ErrInterrupted) {
		return nil, err
	}
	if err != nil {
		return nil, command.Usage("%s: %v", from, err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(content) {
		return nil, command.Usage("%s: there is no certificate in %s", from, file)
	}
	return roots, nil
}

// absoluteCAFile returns the path of --ca-file from the root, for a profile; empty without it.
func (x *connector) absoluteCAFile() (string, error) {
	if x.caFile == "" {
		return "", nil
	}
	path, err := filepath.Abs(x.caFile)
	return path, command.InFlag("ca-file", err)
}

// limitedTransport bounds the time of each request with its answer, but for streams, which
// last until something happens.
type limitedTransport struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (l *limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if isStream(request) {
		return l.next.RoundTrip(request)
	}
	ctx, cancel := context.WithTimeoutCause(request.Context(), l.limit, fmt.Errorf("%w %s", errTimeout, l.limit))
	response, err := l.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cause := context.Cause(ctx)
		cancel()
		if errors.Is(cause, errTimeout) {
			err = cause
		}
		return nil, err
	}
	response.Body = &limitedBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel}
	return response, nil
}

// isStream reports whether a request asks for a stream, by the media type that the
// Connect protocol has for those.
func isStream(request *http.Request) bool {
	return strings.HasPrefix(request.Header.Get("Content-Type"), "application/connect+")
}

// limitedBody is an answer that ends with its limit.
type limitedBody struct {
	io.ReadCloser
	ctx    context.Context //nolint:containedctx // it is that of the request, which ends with the body
	cancel context.CancelFunc
}

// Read implements io.Reader.
func (b *limitedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(b.ctx), errTimeout) {
		err = context.Cause(b.ctx)
	}
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}
