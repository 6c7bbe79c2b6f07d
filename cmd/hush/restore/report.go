package restore

import (
	"time"

	"hush/vault"
	"hush/vault/restoration"
)

// report is what a restore found and did.
type report struct {
	waiting  int64 // secrets
	damaged  int64 // secrets that cannot be read
	ended    restoration.Ended
	replayed vault.Replayed
	burned   int64 // secrets without a share, or all
}

// tell prints what was restored, and what is left to do.
func (r *restoring) tell() {
	h := r.from.Header
	r.Tellf("restored the backup of %s (hush %s) into %s: %d rows", h.Time.UTC().Format(time.RFC3339), h.Release, r.settings.Data, r.trailer.Rows)
	did := r.report.replayed
	switch {
	case r.burnAll:
		r.Tellf("burned all %d secrets", r.report.burned)
	case r.accept:
		r.Tellf("no spent log was asked: what has ended since the backup can be opened and used again")
	default:
		r.Tellf("%d secrets can be opened; %d had ended since", r.report.waiting, did.Secrets+r.report.burned)
	}
	if did.Tokens+did.Accounts+did.Passwords+did.Disabled+did.Roles > 0 {
		r.Tellf("ended again: %d API tokens and %d accounts; %d accounts need a new password, %d are disabled, and %d are no longer administrators",
			did.Tokens, did.Accounts, did.Passwords, did.Disabled, did.Roles)
	}
	r.Tellf("ended %d sessions, %d mailed links and invites, and %d queued mails", r.report.ended.Sessions, r.report.ended.Tickets, r.report.ended.Mails)
	if r.report.damaged > 0 {
		r.Tellf("%d secrets cannot be read: run \"hush doctor\"", r.report.damaged)
	}
	if r.to.Created() {
		r.Tellf("created the data folder %s: give it to the user of the service", r.settings.Data)
	}
	r.Tellf("never serve the old data again: what is opened here would open there, too")
}
