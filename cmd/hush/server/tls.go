package server

import (
	"context"
	"crypto/tls"
	"path/filepath"
	"sync"
	"time"

	"hush/certificates"
	"hush/cmd/hush/data"
	"hush/cmd/hush/settings"
	"hush/crash"
	"hush/vault"
)

// checkCertificate reads the certificate, which is read again to serve: a mistake
// must show before anything is created.
func checkCertificate(s *settings.Settings) error {
	if s.TLSCert == "" || s.TLSKey == "" {
		return nil
	}
	return certificates.CheckFiles(s.TLSCert, s.TLSKey)
}

// secured is the TLS of a server.
type secured struct {
	config *tls.Config                // nil if TLS is off
	status func() certificates.Status // nil if TLS is off
	end    func()                     // ends what keeps certificates current
}

// openTLS begins to keep certificates current, if TLS is on.
func (s *server) openTLS(ctx context.Context, v *vault.Vault, d *data.Data) (*secured, error) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	finish := func() {
		cancel()
		running.Wait()
	}
	switch s.TLS() {
	case settings.TLSFiles:
		files, err := certificates.OpenFiles(s.TLSCert, s.TLSKey, s.log, time.Now)
		if err != nil {
			cancel()
			return nil, err
		}
		crash.Go(&running, s.log, func() { files.Watch(ctx) })
		return &secured{files.TLSConfig(), files.Status, finish}, nil
	case settings.TLSACME:
		acme, err := s.openACME(v, d)
		if err != nil {
			cancel()
			return nil, err
		}
		v.RootKeys.Include(acme)
		stop := s.servePlain(acme.AnswerChallenge, acme.Admits)
		crash.Go(&running, s.log, func() { acme.Run(ctx) })
		return &secured{acme.TLSConfig(), acme.Status, func() {
			stop()
			finish()
			if err := acme.Close(); err != nil {
				s.log.Warn("closing the folder of certificates", "cause", err)
			}
		}}, nil
	}
	return &secured{end: finish}, nil
}

// openACME opens the certificates of the data folder.
func (s *server) openACME(v *vault.Vault, d *data.Data) (*certificates.ACME, error) {
	return certificates.OpenACME(certificates.ACMEOptions{
		Directory: s.ACMEDirectory, Email: s.ACMEEmail, Host: s.base.Hostname(), Admits: v.Domains.IsVerified,
		Folder: filepath.Join(s.Data, data.CertificatesName), Seal: d.SealFile, Open: d.OpenFile,
		SealedBy: d.SealedBy, IsCurrent: d.IsCurrent, Log: s.log, Now: time.Now,
	})
}
