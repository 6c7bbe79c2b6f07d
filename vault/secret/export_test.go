package secret

import (
	"context"

	"hush/vault/caller"
)

// Hashes returns how many passphrases and passwords were hashed.
func Hashes(se *Secrets) int { return int(se.hasher.Done.Load()) }

// ConcealTyped conceals a text as older releases did: its passphrase is hashed as it was
// typed.
func (se *Secrets) ConcealTyped(ctx context.Context, c caller.Caller, text caller.Text, terms Terms) (Concealed, error) {
	return se.conceal(ctx, c, text, terms, false)
}
