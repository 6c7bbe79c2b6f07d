package vault

import (
	"hush/vault/account"
	"hush/vault/budget"
	"hush/vault/challenge"
	"hush/vault/credential"
	"hush/vault/feedback"
	"hush/vault/outbox"
	"hush/vault/rows"
)

// endings returns the table of what the due index ends.
func (v *Vault) endings() map[rows.DueKind]rows.DueThing {
	return map[rows.DueKind]rows.DueThing{
		rows.DueSession:   {Bucket: credential.BucketSession, End: v.Credentials.EndSession},
		rows.DueToken:     {Bucket: credential.BucketToken, End: v.Credentials.EndToken},
		rows.DueTicket:    {Bucket: account.BucketTicket, End: v.Tickets.EndTicket},
		rows.DueSpent:     {Bucket: challenge.BucketSpent, End: v.Challenges.EndSpent},
		rows.DueFeedback:  {Bucket: feedback.BucketFeedback, End: v.Inbox.EndFeedback},
		rows.DueException: {Bucket: feedback.BucketException, End: v.Inbox.EndException},
		rows.DueTombstone: {Bucket: account.BucketAccount, End: v.Accounts.EndTombstone},
		rows.DueTries:     {Bucket: account.BucketTries, End: v.Passwords.EndTries},
		rows.DueDelivery:  {Bucket: outbox.BucketDelivery, End: v.Outbox.EndDelivery},
		rows.DuePending:   {Bucket: account.BucketAccount, End: v.Accounts.EndPending},
		rows.DueBudget:    {Bucket: budget.BucketBudget, End: v.Budgets.EndBudget},
	}
}
