package admin

import (
	"path/filepath"
	"time"

	"hush/cli/console"
	"hush/server/datafolder"
)

// tell prints what was restored, and what is left to do.
func (r *restoreRun) tell() {
	h := r.from.Header
	r.Tellf("restored the backup of %s (hush %s) into %s: %s", h.Time.UTC().Format(time.RFC3339), h.Release, r.settings.Data, console.Count(r.trailer.Rows, "rows"))
	did := r.report.Replayed
	switch {
	case r.burnAll:
		r.Tellf("burned every secret: %d", r.report.Burned)
		r.Tellf("no spent log was asked: what was revoked or changed since the backup is valid again")
	case r.acceptResurrection:
		r.Tellf("no spent log was asked: what has ended since the backup can be opened and used again")
	default:
		r.Tellf("%s can be opened; %d had ended since", console.Count(r.report.Waiting, "secrets"), did.Secrets+r.report.Burned)
	}
	if did.Tokens+did.Accounts+did.Passwords+did.Disabled+did.Roles > 0 {
		r.Tellf("ended again: %s and %s; accounts that need a new password: %d; disabled: %d; no longer administrators: %d",
			console.Count(did.Tokens, "API tokens"), console.Count(did.Accounts, "accounts"), did.Passwords, did.Disabled, did.Roles)
	}
	dropped := r.report.Dropped
	r.Tellf("ended what no restore keeps: %s, %s, %s and %s", console.Count(dropped.Sessions, "sessions"), console.Count(dropped.Tickets, "mailed links"),
		console.Count(dropped.Mails, "queued mails"), console.Count(dropped.Claims, "claims"))
	if dropped.Uploads > 0 {
		r.Tellf("ended %s of files that had not arrived", console.Count(dropped.Uploads, "uploads"))
	}
	if r.report.Files > 0 {
		r.Tellf("burned %s whose contents are not in %s: no backup has them", console.Count(r.report.Files, "files"), filepath.Join(r.settings.Data, datafolder.FilesName))
	}
	if r.report.Damaged > 0 {
		r.Tellf("%s cannot be read: run \"hush admin doctor\"", console.Count(r.report.Damaged, "secrets"))
	}
	if r.to.Created() {
		r.Tellf("created the data folder %s: give it to the user of the service", r.settings.Data)
	}
	if r.burnAll || r.acceptResurrection {
		r.tellWithoutLog()
	}
	r.Tellf("never serve the old data again: what is opened here would open there, too")
}

// tellWithoutLog says what is left to do after a restore that read no log.
func (r *restoreRun) tellWithoutLog() {
	r.Tellf("do again what was done since the backup: revoke API tokens, disable or destroy accounts, take roles away, reset passwords")
	if folder := r.settings.SpentLogFolder(); folder != "" {
		r.Tellf("--spent-log=%s was not read, and does not belong to the restored data", folder)
	}
	r.Tellf("the restored data has no spent log: name an empty folder with --spent-log when it is served first, and make a backup then")
}
