package vault

import (
	"hush/vault/account"
	"hush/vault/domain"
	"hush/vault/secret"
	"hush/vault/session"
)

// Operator is whoever runs the service. Nothing here asks for a password: who
// may be the operator is for those to know who hand it out.
type Operator struct {
	Accounts account.Operator
	Tokens   session.Operator
	Domains  domain.Operator
	Secrets  secret.Operator
}

// Operator returns what the operator may do.
func (v *Vault) Operator() Operator {
	return Operator{
		Accounts: account.NewOperator(v.Accounts), Tokens: session.NewOperator(v.Sessions),
		Domains: domain.NewOperator(v.Domains), Secrets: secret.NewOperator(v.Burns),
	}
}
