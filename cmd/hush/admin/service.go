package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"hush/cmd/hush/console"
	"hush/cmd/hush/data"
	"hush/cmd/hush/settings"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/handlers"
	"hush/resolver"
	"hush/vault"
)

// The time in which a command finds a service that runs or a store that does
// not.
const (
	patience = 900 * time.Millisecond
	interval = 25 * time.Millisecond
)

// serviceURL is the address of requests over a socket; it is never looked up.
const serviceURL = "http://hush"

// work is what a command does with the service.
type work func(context.Context, adminv1connect.AdminServiceClient) error

// opener opens the data of a service that does not run.
type opener func(*settings.Settings, *console.Console, *slog.Logger) (*data.Data, error)

// withService runs work on the service that holds the data folder, or on the
// folder itself where none runs. It returns an error if there is no data.
func (a administrator) withService(ctx context.Context, s *settings.Settings, do work) error {
	return a.retry(ctx, s, data.OpenExisting, do)
}

// withNewService is withService for work that may be the first in a data folder:
// it creates the folder if it is missing.
func (a administrator) withNewService(ctx context.Context, s *settings.Settings, do work) error {
	return a.retry(ctx, s, data.Open, do)
}

// retry runs work on the service or on the data folder. It waits a little less
// than a second for a service that is just starting or stopping.
func (a administrator) retry(ctx context.Context, s *settings.Settings, open opener, do work) error {
	for deadline := time.Now().Add(patience); ; {
		found, err := onSocket(ctx, s.Data, do)
		if found {
			return plainly(err)
		}
		err = a.onFolder(ctx, s, open, do)
		if !errors.Is(err, data.ErrInUse) || time.Now().After(deadline) {
			return plainly(err)
		}
		select {
		case <-time.After(interval):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// onSocket runs work on the service that listens on the folder's socket, and
// reports whether there is one.
func onSocket(ctx context.Context, folder string, do work) (found bool, err error) {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return data.DialAdmin(ctx, folder)
	}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	if !responds(ctx, client) {
		return false, nil
	}
	return true, do(ctx, adminv1connect.NewAdminServiceClient(client, serviceURL))
}

// responds reports whether a service responds, whatever it says. Work that must
// not be done twice goes only to a service that responded a moment ago.
func responds(ctx context.Context, client *http.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, serviceURL, http.NoBody)
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

// onFolder runs work on the data folder itself. It returns data.ErrInUse where
// another process holds it.
func (a administrator) onFolder(ctx context.Context, s *settings.Settings, open opener, do work) (err error) {
	if data.Held(s.Data) {
		return fmt.Errorf("the data folder %s is %w", s.Data, data.ErrInUse)
	}
	log := slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := open(s, a.Console, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := data.HandOver(s.Data); err != nil {
		return fmt.Errorf("giving new files to the owner of the data folder: %w", err)
	}
	v, err := openStopped(ctx, s, d, log)
	if err != nil {
		return err
	}
	defer v.Close()
	_, handler, err := handlers.NewAdmin(v, s.PublicURL(), log)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: inProcess{handler}}
	return do(ctx, adminv1connect.NewAdminServiceClient(client, serviceURL))
}

// openStopped opens the vault of a folder for one command: nothing runs in the
// background, and no mail is sent.
func openStopped(ctx context.Context, s *settings.Settings, d *data.Data, log *slog.Logger) (*vault.Vault, error) {
	dns, err := resolver.New(s.Resolver)
	if err != nil {
		return nil, err
	}
	return d.OpenVault(ctx, vault.Options{
		Log: log, Host: s.PublicURL().Hostname(), Resolver: dns, Manual: true,
	})
}
