package server

import (
	"net"
	"net/netip"

	"hush/cli/console"
	"hush/hosts"
	"hush/server/settings"
)

// advise warns of what production needs and this start lacks.
func (s *server) advise(addr net.Addr) {
	if s.SignUp == "open" && !s.Mails() {
		s.log.Warn("--sign-up=open without --smtp-host: addresses are taken without being confirmed")
	}
	if s.BaseURL != nil && s.base.Scheme == "http" && !hosts.IsLoopback(s.base.Hostname()) {
		s.log.Warn("--base-url begins with http: nobody can sign in with a browser")
	}
	for _, file := range []string{s.SMTPPasswordFile, s.SpamKeyFile} {
		if file != "" && console.IsEverybodys(file) {
			s.log.Warn("every user of this machine may read a file with a secret", "file", file)
		}
	}
	for _, name := range s.Meaningless() {
		s.log.Warn("a flag has no effect with this --store", "flag", name)
	}
	if !s.SharedStore() && s.Store != settings.StoreMemory && s.SpentLogFolder() == "" {
		s.log.Info("--spent-log is off: an older state of the data folder, such as a snapshot of its disk, would be served, and what has ended since would open again")
	}
	s.adviseProxies()
	if s.RateLimits == "off" {
		s.log.Warn("--rate-limits=off: one network may call as often as it likes; only wrong passphrases and passwords make it wait")
	}
	if s.Sandbox == settings.SandboxOff {
		s.log.Warn("--sandbox=off: an attacker who takes over the process reaches every file of its user")
	}
	local, err := netip.ParseAddrPort(addr.String())
	if err != nil || local.Addr().IsLoopback() {
		return
	}
	if s.BaseURL == nil {
		s.log.Warn("no --base-url: links name the address listened on, which others may not reach")
	}
	if s.TLS() == settings.TLSOff && (s.base.Scheme != "https" || len(s.TrustedProxies) == 0) {
		s.log.Warn("TLS is off, and no trusted proxy serves a --base-url of https: secrets cross the network in the clear")
	}
}

// adviseProxies warns of networks that hold more than proxies.
func (s *server) adviseProxies() {
	for _, prefix := range s.TrustedProxies {
		most := 48
		if prefix.Addr().Unmap().Is4() {
			most = 16
		}
		if prefix.Bits() < most {
			s.log.Warn("--trusted-proxies has a wide network: every machine in it can choose the address that limits count", "network", prefix.String())
		}
	}
}
