package handlers

import (
	"net/http"

	"connectrpc.com/connect"

	"hush/gen/hush/v1/hushv1connect"
	"hush/gen/testname/v1/testnamev1connect"
	"hush/handlers/chain"
)

// Services are the services of the public port. Routes call their methods behind the
// chain; see package call.
type Services struct {
	Secrets    *SecretService
	Files      *FileService
	Metadata   *MetadataService
	Requests   *RequestService
	Accounts   *AccountService
	Sessions   *SessionService
	Domains    *DomainService
	Challenges *ChallengeService
	Intake     *IntakeService
	System     *SystemService
	Colonels   *ColonelService
	Places     *TestName
}

func newServices(opts Options) Services {
	v := opts.Vault
	return Services{
		Secrets:  &SecretService{secrets: v.Secrets, burns: v.Burns},
		Files:    &FileService{uploads: v.Uploads, secrets: v.Secrets},
		Metadata: &MetadataService{receipts: v.Receipts},
		Requests: &RequestService{requests: v.Requests},
		Accounts: &AccountService{
			accounts: v.Accounts, signUps: v.SignUps, passwords: v.Passwords, vault: v, tokens: v.Tokens,
			sessions: v.Sessions, burns: v.Burns, receipts: v.Receipts, domains: v.Domains,
			requests: v.Requests,
		},
		Sessions:   &SessionService{sessions: v.Sessions, accounts: v.Accounts, base: opts.BaseURL},
		Domains:    &DomainService{domains: v.Domains, checks: v.Checks},
		Challenges: &ChallengeService{challenges: v.Challenges},
		Intake:     &IntakeService{inbox: v.Inbox},
		System:     systemOf(opts),
		Colonels:   newColonelService(opts),
		Places:     &TestName{places: v.Places},
	}
}

// mounts returns every service for callers over the wire, behind the chain, and those
// that the chain has besides.
func (s Services) mounts(c *chain.Chain) []chain.Mount {
	options := connect.WithHandlerOptions(c.HandlerOptions()...)
	var all []chain.Mount
	mount := func(path string, handler http.Handler) { all = append(all, c.Mount(path, handler)) }
	mount(hushv1connect.NewSecretServiceHandler(s.Secrets, options))
	mount(hushv1connect.NewFileServiceHandler(s.Files, options))
	mount(hushv1connect.NewMetadataServiceHandler(s.Metadata, options))
	mount(hushv1connect.NewRequestServiceHandler(s.Requests, options))
	mount(hushv1connect.NewAccountServiceHandler(s.Accounts, options))
	mount(hushv1connect.NewSessionServiceHandler(s.Sessions, options))
	mount(hushv1connect.NewDomainServiceHandler(s.Domains, options))
	mount(hushv1connect.NewChallengeServiceHandler(s.Challenges, options))
	mount(hushv1connect.NewIntakeServiceHandler(s.Intake, options))
	mount(hushv1connect.NewSystemServiceHandler(s.System, options))
	mount(hushv1connect.NewColonelServiceHandler(s.Colonels, options))
	mount(testnamev1connect.NewTestNameHandler(s.Places, options))
	return append(all, c.Besides()...)
}
