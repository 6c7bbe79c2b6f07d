package server

import (
	"log/slog"
	"net"
)

// addressOf is where a listener listens; empty without one.
func addressOf(listener net.Listener) string {
	if listener == nil {
		return ""
	}
	return listener.Addr().String()
}

// summarise logs once what is on.
func (s *server) summarise(addr net.Addr) {
	onOff := map[bool]string{true: "on", false: "off"}
	policy := s.Policy()
	plain, every := "", ""
	if s.BackupTo != "" {
		every = s.BackupEvery().String()
	}
	if s.plain != nil {
		plain = s.plain.Addr().String()
	}
	s.log.Info("starting",
		slog.String("version", s.version), slog.String("config", s.Config),
		slog.String("address", addr.String()), slog.String("base_url", s.base.String()),
		slog.String("tls", s.TLS()), slog.String("acme_http_address", plain), slog.Int("trusted_proxies", len(s.TrustedProxies)),
		slog.String("store", s.Backend()), slog.String("spent_log", s.SpentLogFolder()),
		slog.String("backup_to", s.BackupTo), slog.String("backup_every", every), slog.String("mail", onOff[s.Mails()]), slog.String("sign_up", s.SignUpName()),
		slog.String("anonymous_create", onOff[!policy.NoAnonymousCreate]), slog.String("encryption", s.Encryption), slog.String("maintenance", onOff[policy.Maintenance != ""]),
		slog.String("admin_address", addressOf(s.observed.local())), slog.String("metrics_address", addressOf(s.observed.remote())), slog.String("rate_limits", s.RateLimits), slog.String("sandbox", s.Sandbox))
}
