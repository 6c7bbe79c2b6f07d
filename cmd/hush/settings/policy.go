package settings

import "hush/vault/caller"

// Policy is what the vault is told. Sign-up is open by itself only where
// addresses can be confirmed by mail.
func (s *Settings) Policy() caller.Policy {
	signUp := caller.SignUpClosed
	switch {
	case s.SignUp == "open", s.SignUp == "" && s.Mails():
		signUp = caller.SignUpOpen
	case s.SignUp == "invite":
		signUp = caller.SignUpInvite
	}
	return caller.Policy{
		SignUp: signUp, SignUpDomains: s.SignUpDomains, Colonels: s.Colonels,
		NoAnonymousCreate:  s.AnonymousCreate == "off",
		PassphraseRequired: s.PassphraseRequired == "on", PassphraseMin: s.PassphraseMin,
		Maintenance: s.Maintenance, ChallengeAbove: s.ChallengeAbove,
	}
}

// Limits bound what callers may keep.
func (s *Settings) Limits() caller.Limits {
	return caller.Limits{
		TotalBytes: s.MaxBytes, NetworkBytes: s.NetworkBytes, AccountBytes: s.AccountBytes,
		DefaultTTL: s.standardTTL(), AnonymousTTL: s.AnonymousTTL, AccountTTL: s.AccountTTL,
	}
}
