package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"hush/cli/console"
	"hush/crash"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/handlers"
	"hush/resolver"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/vault"
)

// The time in which a command finds a service that runs or a store that does
// not.
const (
	serviceWait  = 900 * time.Millisecond
	serviceRetry = 25 * time.Millisecond
)

// serviceCall is what a command does with the service.
type serviceCall func(context.Context, adminv1connect.AdminServiceClient) error

// dataOpener opens the data of a service that does not run.
type dataOpener func(context.Context, *settings.Settings, *console.Console, *slog.Logger) (*datafolder.Data, error)

// withService runs work on the service that holds the data folder, or on the
// folder itself where none runs. It returns an error if there is no data.
func (a administrator) withService(ctx context.Context, s *settings.Settings, do serviceCall) error {
	return a.retry(ctx, s, datafolder.OpenExisting, do)
}

// withNewService is withService for work that may be the first in a data folder. The
// folder must exist.
func (a administrator) withNewService(ctx context.Context, s *settings.Settings, do serviceCall) error {
	return a.retry(ctx, s, datafolder.OpenNew, do)
}

var errStoreInMemory = errors.New("a store in memory belongs to the service that keeps it: commands cannot reach it")

// retry runs work on the service or on the data folder. It waits a little less
// than a second for a service that is just starting or stopping.
func (a administrator) retry(ctx context.Context, s *settings.Settings, open dataOpener, do serviceCall) error {
	if s.Store == settings.StoreMemory {
		return errStoreInMemory
	}
	for deadline := time.Now().Add(serviceWait); ; {
		found, err := onSocket(ctx, s.Data, do)
		if found {
			return serviceError(err)
		}
		err = a.onFolder(ctx, s, open, do)
		if errors.Is(err, datafolder.ErrInUse) && ctx.Err() != nil {
			return ctx.Err() // it was not looked for to the end
		}
		if !errors.Is(err, datafolder.ErrInUse) || time.Now().After(deadline) {
			return serviceError(err)
		}
		select {
		case <-time.After(serviceRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// onSocket runs work on the service that listens on the folder's socket, and
// reports whether there is one.
func onSocket(ctx context.Context, folder string, do serviceCall) (found bool, err error) {
	client, done, found := datafolder.Service(ctx, folder)
	defer done()
	if !found {
		return false, nil
	}
	return true, do(ctx, adminv1connect.NewAdminServiceClient(client, datafolder.ServiceURL))
}

// onFolder runs work on the data itself. It returns datafolder.ErrInUse where another
// process holds the data folder. A database on a server may have other nodes.
func (a administrator) onFolder(ctx context.Context, s *settings.Settings, open dataOpener, do serviceCall) (err error) {
	if !s.SharedStore() && datafolder.Held(s.Data) {
		return fmt.Errorf("the data folder %s is %w", s.Data, datafolder.ErrInUse)
	}
	log := slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := open(ctx, s, a.Console, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := datafolder.HandOver(s.Data); err != nil {
		return fmt.Errorf("giving new files to the owner of the data folder: %w", err)
	}
	v, err := a.openStopped(ctx, s, d, log)
	if err != nil {
		return err
	}
	defer v.Close()
	defer keepHeartbeat(ctx, v, log)()
	_, handler := handlers.NewAdmin(v, s.PublicURL(), log, handlers.Local{})
	client := &http.Client{Transport: inProcessTransport{handler}}
	return do(ctx, adminv1connect.NewAdminServiceClient(client, datafolder.ServiceURL))
}

// openStopped opens the vault for one command: nothing runs in the background but
// the heartbeat of a node, and no mail is sent.
func (a administrator) openStopped(ctx context.Context, s *settings.Settings, d *datafolder.Data, log *slog.Logger) (*vault.Vault, error) {
	dns, err := resolver.New(s.Resolver)
	if err != nil {
		return nil, err
	}
	return d.OpenVault(ctx, a.release, vault.Options{
		Log: log, Host: s.PublicURL().Hostname(), Resolver: dns, Manual: true,
	})
}

// beatEvery is the time between two heartbeats of a command that takes long.
const beatEvery = 5 * time.Second

// keepHeartbeat sends heartbeats until stop, where the store is shared.
func keepHeartbeat(ctx context.Context, v *vault.Vault, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	crash.Go(&running, log, func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := v.Beat(ctx); err != nil && ctx.Err() == nil {
				log.Warn("sending a heartbeat", "cause", err)
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}
