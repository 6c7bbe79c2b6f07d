package settings

import (
	"hush/vault/caller"
	"hush/vault/claim"
)

// The values of --sign-up.
const (
	signUpOpen   = "open"
	signUpInvite = "invite"
	signUpClosed = "closed"
)

// SignUpName is the value of --sign-up that is in effect. Sign-up is open by
// itself only where addresses can be confirmed by mail.
func (s *Settings) SignUpName() string {
	switch {
	case s.SignUp != "":
		return s.SignUp
	case s.Mails():
		return signUpOpen
	default:
		return signUpClosed
	}
}

// Policy is what the vault is told.
func (s *Settings) Policy() caller.Policy {
	signUps := map[string]caller.SignUp{signUpOpen: caller.SignUpOpen, signUpInvite: caller.SignUpInvite, signUpClosed: caller.SignUpClosed}
	kinds := map[string]caller.Kinds{encryptionAny: caller.KindsAny, encryptionEndToEnd: caller.KindsEndToEnd, encryptionServer: caller.KindsServer}
	requests := map[string]caller.Requests{requestsAccounts: caller.RequestsAccounts, requestsAnyone: caller.RequestsAnyone, requestsOff: caller.RequestsOff}
	return caller.Policy{
		SignUp: signUps[s.SignUpName()], SignUpDomains: s.SignUpDomains, Colonels: s.Colonels,
		NoAnonymousCreate:  s.AnonymousCreate == "off",
		Kinds:              kinds[s.Encryption],
		Requests:           requests[s.Requests],
		PassphraseRequired: s.PassphraseRequired == "on", PassphraseMin: s.PassphraseMin,
		Maintenance: s.Maintenance, ChallengeAbove: s.ChallengeAbove,
	}
}

// Limits bound what callers may keep.
func (s *Settings) Limits() caller.Limits {
	return caller.Limits{
		AnonymousFile: fileLimit(s.AnonymousFile), AccountFile: fileLimit(s.AccountFile),
		TotalBytes: s.MaxBytes, NetworkBytes: s.NetworkBytes, AccountBytes: s.AccountBytes,
		DefaultTTL: s.standardTTL(), AnonymousTTL: s.AnonymousTTL, AccountTTL: s.AccountTTL,
	}
}

// fileLimit returns a limit on files as the vault is told it, which takes none below zero.
func fileLimit(bytes int64) int64 {
	if bytes == 0 {
		return -1
	}
	return bytes
}

// Leases says how long claims on files last.
func (s *Settings) Leases() claim.Leases {
	return claim.Leases{Silence: s.FileSilence, Longest: s.FileLongest}
}
