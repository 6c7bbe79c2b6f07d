package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/handlers"
	"hush/resolver"
	"hush/vault"
)

// The time in which a command finds a service that runs or a store that does
// not.
const (
	adminPatience = 900 * time.Millisecond
	adminInterval = 25 * time.Millisecond
)

// adminURL is the address of requests over a socket; it is never looked up.
const adminURL = "http://hush"

// adminWork is what a command does with the service.
type adminWork func(context.Context, adminv1connect.AdminServiceClient) error

// adminAbout is the help that the commands of "hush admin" share.
const adminAbout = `

It works while the service runs and while it does not. Called by root, it leaves
the data to the owner of its folder.`

// adminCommand returns "hush admin": the commands of those who run a service.
func (p program) adminCommand() *cobra.Command {
	return p.group(&cobra.Command{
		Use: "admin", Short: "manage the accounts, tokens, domains and places of a service",
		Long: "Manage the accounts, API tokens, domains and places of a service." + adminAbout,
	}, []*cobra.Command{p.accountCommand(), p.tokenCommand(), p.domainCommand(), p.placeCommand(), p.burnCommand()})
}

// adminFlags are the flags of every command that uses the service, with more
// of the one list.
func adminFlags(more ...string) []string {
	return append([]string{"data", "root-key-file"}, more...)
}

// withAdmin runs work on the service that holds the data folder, or on the
// folder itself where none runs. One that is just starting or stopping is
// waited for a little less than a second.
func (p program) withAdmin(ctx context.Context, s *settings, work adminWork) error {
	for deadline := time.Now().Add(adminPatience); ; {
		found, err := onSocket(ctx, s.data, work)
		if found {
			return plainly(err)
		}
		err = p.onFolder(ctx, s, work)
		if !errors.Is(err, errInUse) || time.Now().After(deadline) {
			return plainly(err)
		}
		select {
		case <-time.After(adminInterval):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// onSocket runs work on the service that listens on the folder's socket, and
// reports whether there is one.
func onSocket(ctx context.Context, folder string, work adminWork) (found bool, err error) {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialAdmin(ctx, folder)
	}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	if !responds(ctx, client) {
		return false, nil
	}
	return true, work(ctx, adminv1connect.NewAdminServiceClient(client, adminURL))
}

// responds reports whether a service responds, whatever it says. Work that must
// not be done twice goes only to a service that responded a moment ago.
func responds(ctx context.Context, client *http.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, adminPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, adminURL, http.NoBody)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<10))
	return res.Body.Close() == nil
}

// onFolder runs work on the data folder itself. It returns errInUse where
// another process holds it.
func (p program) onFolder(ctx context.Context, s *settings, work adminWork) (err error) {
	if held(s.data) {
		return fmt.Errorf("the data folder %s is %w", s.data, errInUse)
	}
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := openData(s, p, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := handOver(s.data); err != nil {
		return fmt.Errorf("giving new files to the owner of the data folder: %w", err)
	}
	v, err := s.openStopped(ctx, d, log)
	if err != nil {
		return err
	}
	defer v.Close()
	_, handler, err := handlers.NewAdmin(v, s.publicURL(), log)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: inProcess{handler}}
	return work(ctx, adminv1connect.NewAdminServiceClient(client, adminURL))
}

// held reports whether another process holds a data folder. It ignores errors:
// opening the folder meets them again.
func held(folder string) bool {
	handle, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer handle.Close()
	if err = unix.Flock(int(handle.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = unix.Flock(int(handle.Fd()), unix.LOCK_UN)
	}
	return errors.Is(err, unix.EWOULDBLOCK)
}

// openStopped opens the vault of a folder for one command: nothing runs in the
// background, and no mail is sent.
func (s *settings) openStopped(ctx context.Context, d *data, log *slog.Logger) (*vault.Vault, error) {
	dns, err := resolver.New(s.resolver)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, d, vault.Options{
		Log: log, Host: s.publicURL().Hostname(), Resolver: dns, Manual: true,
	})
}

// inProcess serves requests without a network.
type inProcess struct{ handler http.Handler }

// RoundTrip runs the handler to its end before it returns.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &recorder{header: http.Header{}}
	served := r.Clone(r.Context())
	if served.Body == nil {
		served.Body = http.NoBody
	}
	defer served.Body.Close()
	t.handler.ServeHTTP(answer, served)
	answer.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: http.StatusText(answer.code), StatusCode: answer.code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header,
		Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: r,
	}, nil
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

// Header returns the headers of the answer.
func (r *recorder) Header() http.Header { return r.header }

// Write adds to the body.
func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}

// WriteHeader counts the first time.
func (r *recorder) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
}

// plainly reduces a refusal to its message.
func plainly(err error) error {
	if coded, ok := errors.AsType[*connect.Error](err); ok {
		return errors.New(coded.Message())
	}
	return err
}

// named replaces a not-found error by one that names what the command was given.
func named(err error, format string, args ...any) error {
	if connect.CodeOf(err) == connect.CodeNotFound {
		return fmt.Errorf(format, args...)
	}
	return err
}
