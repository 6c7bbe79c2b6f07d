package handlers

import (
	"net/http"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	hushv1 "hush/gen/hush/v1"
)

// assembly is the set of services as it comes together: each is bound to the
// chain for callers in this process, and mounted with the same chain for
// callers over the wire.
type assembly struct {
	chain    chain
	options  connect.HandlerOption
	callable Callable
	mounts   []Mount
}

// assemble builds every service once and hands it out twice.
func (c chain) assemble(opts Options) (Callable, []Mount) {
	v := opts.Vault
	a := &assembly{chain: c, options: connect.WithHandlerOptions(c.options()...)}
	a.secrets(&SecretService{secrets: v.Secrets, burns: v.Burns})
	a.metadata(&MetadataService{receipts: v.Receipts})
	a.accounts(&AccountService{
		accounts: v.Accounts, signUps: v.SignUps, passwords: v.Passwords, tokens: v.Tokens,
		sessions: v.Sessions, burns: v.Burns, receipts: v.Receipts, domains: v.Domains,
	})
	a.sessions(&SessionService{sessions: v.Sessions, accounts: v.Accounts, base: opts.BaseURL})
	a.domains(&DomainService{domains: v.Domains, checks: v.Checks})
	a.challenges(&ChallengeService{challenges: v.Challenges})
	a.intake(&IntakeService{inbox: v.Inbox})
	a.system(&SystemService{vault: v, version: opts.Version, instance: opts.Instance, base: opts.BaseURL})
	a.colonels(newColonelService(opts))
	a.places(&TestName{places: v.Places})
	return a.callable, append(a.mounts, c.besides()...)
}

func (a *assembly) mount(path string, handler http.Handler) {
	a.mounts = append(a.mounts, a.chain.mounted(path, handler))
}

// besides are the services for everybody: health and reflection. They know
// nothing of secrets, have no access option, and do not list what is for
// administrators.
func (c chain) besides() []Mount {
	var names []string
	for _, service := range services() {
		if c.policies.accessOf(proceduresOf(service)) != hushv1.Access_ACCESS_COLONEL {
			names = append(names, string(service.FullName()))
		}
	}
	options := connect.WithHandlerOptions(connect.WithReadMaxBytes(messageLimit),
		packing(c.flight, messageLimit), connect.WithInterceptors(c.streams))
	reflector := grpcreflect.NewStaticReflector(names...)
	var mounts []Mount
	add := func(m Mount) { mounts = append(mounts, m) }
	add(c.plain(grpchealth.NewHandler(health{names, c.streams.stopping}, options)))
	add(c.plain(grpcreflect.NewHandlerV1(reflector, options)))
	add(c.plain(grpcreflect.NewHandlerV1Alpha(reflector, options)))
	return mounts
}
