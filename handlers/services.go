package handlers

import (
	"net/http"

	"connectrpc.com/connect"

	"hush/handlers/chain"
)

// assembly collects the services: each is bound to the chain for callers in
// this process, and mounted with the same chain for callers over the wire.
type assembly struct {
	chain    *chain.Chain
	options  connect.HandlerOption
	callable Callable
	mounts   []chain.Mount
}

// assemble creates every service once and returns it in both forms.
func assemble(c *chain.Chain, opts Options) (Callable, []chain.Mount) {
	v := opts.Vault
	a := &assembly{chain: c, options: connect.WithHandlerOptions(c.HandlerOptions()...)}
	a.secrets(&SecretService{secrets: v.Secrets, burns: v.Burns})
	a.metadata(&MetadataService{receipts: v.Receipts})
	a.accounts(&AccountService{
		accounts: v.Accounts, signUps: v.SignUps, passwords: v.Passwords, vault: v, tokens: v.Tokens,
		sessions: v.Sessions, burns: v.Burns, receipts: v.Receipts, domains: v.Domains,
	})
	a.sessions(&SessionService{sessions: v.Sessions, accounts: v.Accounts, base: opts.BaseURL})
	a.domains(&DomainService{domains: v.Domains, checks: v.Checks})
	a.challenges(&ChallengeService{challenges: v.Challenges})
	a.intake(&IntakeService{inbox: v.Inbox})
	a.system(systemOf(opts))
	a.colonels(newColonelService(opts))
	a.places(&TestName{places: v.Places})
	return a.callable, append(a.mounts, c.Besides()...)
}

func (a *assembly) mount(path string, handler http.Handler) {
	a.mounts = append(a.mounts, a.chain.Mount(path, handler))
}
