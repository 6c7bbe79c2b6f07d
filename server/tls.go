package server

import (
	"context"
	"crypto/tls"
	"path/filepath"
	"slices"
	"sync"

	"hush/cli/console"
	"hush/crash"
	"hush/server/certificates"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/vault"
)

// readPair reads a certificate of the settings, nil for none: a mistake must show
// before anything is created.
func readPair(ctx context.Context, cert, key certificates.Named) (*certificates.Pair, error) {
	if cert.Path == "" || key.Path == "" {
		return nil, nil
	}
	return console.Interruptible(ctx, func() (*certificates.Pair, error) { return certificates.ReadPair(cert, key) })
}

// publicPair are the files of the certificate of --listen.
func publicPair(s *settings.Settings) (cert, key certificates.Named) {
	return certificates.Named{Flag: "--tls-cert", Path: s.TLSCert}, certificates.Named{Flag: "--tls-key", Path: s.TLSKey}
}

// secured is the TLS of a server.
type secured struct {
	config *tls.Config                // nil if TLS is off
	status func() certificates.Status // nil if TLS is off
	reload func()                     // reads the files again; nil if there are none
	end    func()                     // ends what keeps certificates current
}

// openTLS begins to keep certificates current, if TLS is on.
func (s *server) openTLS(ctx context.Context, v *vault.Vault, d *datafolder.Data) (*secured, error) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	finish := func() {
		cancel()
		running.Wait()
	}
	switch s.TLS() {
	case settings.TLSFiles:
		files := certificates.OpenFiles(s.pair, s.log, s.now)
		crash.Go(&running, s.log, func() { files.Watch(ctx) })
		return &secured{files.TLSConfig(), files.Status, files.Reload, finish}, nil
	case settings.TLSACME:
		acme, err := s.openACME(v, d)
		if err != nil {
			cancel()
			return nil, err
		}
		v.RootKeys.Include(acme)
		stop := s.servePlain(acme.AnswerChallenge, acme.Admits)
		crash.Go(&running, s.log, func() { acme.Run(ctx) })
		return &secured{config: acme.TLSConfig(), status: acme.Status, end: func() {
			stop()
			finish()
			if err := acme.Close(); err != nil {
				s.log.Warn("closing the folder of certificates", "cause", err)
			}
		}}, nil
	}
	return &secured{end: finish}, nil
}

// heedReload calls the functions that read the files of certificates again each time that
// the service is told to, until stop. Those that are nil have no files.
func (s *server) heedReload(ctx context.Context, reloads ...func()) (stop func()) {
	reloads = slices.DeleteFunc(reloads, func(reload func()) bool { return reload == nil })
	if len(reloads) == 0 {
		reloads = []func(){func() { s.log.Info("told to read certificates again, and none is read from files") }}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	crash.Go(&running, s.log, func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.reload:
				for _, reload := range reloads {
					reload()
				}
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// openACME opens the certificates of the data folder.
func (s *server) openACME(v *vault.Vault, d *datafolder.Data) (*certificates.ACME, error) {
	return certificates.OpenACME(certificates.ACMEOptions{
		Directory: s.ACMEDirectory, Email: s.ACMEEmail, Host: s.base.Hostname(), Admits: v.Domains.IsVerified,
		Folder: filepath.Join(s.Data, datafolder.CertificatesName), Seal: d.SealFile, Open: d.OpenFile,
		SealedBy: d.SealedBy, IsCurrent: d.IsCurrent, Log: s.log, Now: s.now,
	})
}
