package vault

import (
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/domain"
	"hush/vault/request"
	"hush/vault/rootkey"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
)

// Operator holds the operator's actions. It asks for no password: only the
// process that owns the data folder hands it out.
type Operator struct {
	Accounts AccountOperator
	SignUps  signup.Operator
	Tokens   session.Operator
	Domains  domain.Operator
	Secrets  secret.Operator
	Requests request.Operator
	RootKeys *rootkey.RootKeys
	Audit    audit.Trail
}

// AccountOperator holds the operator's actions on accounts.
type AccountOperator struct {
	account.Operator
	v *Vault
}

// Operator returns the operator's actions.
func (v *Vault) Operator() Operator {
	return Operator{
		Accounts: AccountOperator{account.NewOperator(v.Accounts), v}, SignUps: signup.NewOperator(v.SignUps),
		Tokens:  session.NewOperator(v.Sessions),
		Domains: domain.NewOperator(v.Domains), Secrets: secret.NewOperator(v.Burns),
		Requests: request.NewOperator(v.Requests),
		RootKeys: v.RootKeys, Audit: v.trail,
	}
}
