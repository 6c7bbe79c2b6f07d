package vault

import "hush/vault/caller"

// Policy returns what the operator allows. The lists are the vault's.
func (v *Vault) Policy() caller.Policy { return v.policy }

// Limits returns the bounds on what callers may keep, defaults filled in.
func (v *Vault) Limits() caller.Limits { return v.limits }

// Mails tells whether mail is set up: addresses are confirmed by it then, and
// recipients written to.
func (v *Vault) Mails() bool { return v.Outbox.Enabled() }
