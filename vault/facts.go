package vault

import (
	"time"

	"hush/vault/caller"
)

// Policy returns what the operator allows. The vault owns the lists.
func (v *Vault) Policy() caller.Policy { return v.policy }

// Limits returns the bounds on what callers may store, with defaults filled in.
func (v *Vault) Limits() caller.Limits { return v.limits }

// FileSize returns a limit on files as callers are told it: 0 where no files are taken.
func (v *Vault) FileSize(limit int64) int64 {
	if !v.Files.Taken() || v.policy.Kinds == caller.KindsServer {
		return 0
	}
	return max(0, limit)
}

// Mails reports whether mail is configured. Only then are addresses confirmed
// by mail and recipients written to.
func (v *Vault) Mails() bool { return v.Outbox.Enabled() }

// Now returns the time of an operation, which is never earlier than that of one before.
func (v *Vault) Now() time.Time { return v.clock.Now() }
