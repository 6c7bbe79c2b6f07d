package vault

import (
	"hush/vault/account"
	"hush/vault/budget"
	"hush/vault/challenge"
	"hush/vault/credential"
	"hush/vault/feedback"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/request"
	"hush/vault/signup"
	"hush/vault/sweep"
	"hush/vault/ticket"
)

// endings returns the table of what the due index ends.
func (v *Vault) endings() map[sweep.DueKind]sweep.DueThing {
	return map[sweep.DueKind]sweep.DueThing{
		sweep.DueSession:   {Bucket: credential.BucketSession, End: v.Credentials.EndSession},
		sweep.DueToken:     {Bucket: credential.BucketToken, End: v.Credentials.EndToken},
		sweep.DueTicket:    {Bucket: ticket.BucketTicket, End: account.EndTicket},
		sweep.DueSpent:     {Bucket: challenge.BucketSpent, End: v.Challenges.EndSpent},
		sweep.DueFeedback:  {Bucket: feedback.BucketFeedback, End: v.Inbox.EndFeedback},
		sweep.DueException: {Bucket: feedback.BucketException, End: v.Inbox.EndException},
		sweep.DueTombstone: {Bucket: account.BucketAccount, End: account.EndTombstone},
		sweep.DueTries:     {Bucket: password.BucketTries, End: password.EndTries},
		sweep.DueDelivery:  {Bucket: outbox.BucketDelivery, End: v.Outbox.EndDelivery},
		sweep.DuePending:   {Bucket: account.BucketAccount, End: signup.EndPending},
		sweep.DueBudget:    {Bucket: budget.BucketBudget, End: v.Budgets.EndBudget},
		sweep.DueRequest:   {Bucket: request.BucketRequest, End: v.Requests.Forget},
	}
}
