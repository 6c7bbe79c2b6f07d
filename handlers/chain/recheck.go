package chain

import (
	"context"
	"errors"

	"hush/vault/caller"
	"hush/vault/session"
)

// recheck checks a caller's credential again once a message has been read. The gate
// decided on the headers, and the body may come much later: by then the credential
// may have ended, or its account may have lost a role.
type recheck struct {
	sessions *session.Sessions
	policies policies
}

// pass renews the record's caller, or returns why it may not call the procedure any
// more. Anonymous callers have nothing that could have ended.
func (r recheck) pass(ctx context.Context, record *record, procedure string) error {
	if record.caller.Anonymous() {
		return nil
	}
	renewed, err := r.sessions.RecheckCaller(ctx, record.caller)
	switch {
	case err == nil:
		record.caller = renewed
		return admits(r.policies[procedure], record)
	case errors.Is(err, session.ErrEnded):
		return r.end(record, procedure)
	default:
		return err
	}
}

// end takes the ended credential from the record, and returns what its call gets. A
// call that began with a session is refused even where no credential is needed: it
// must not become another's without a word. The browser's cookie stays, since by now
// it may have another session.
func (r recheck) end(record *record, procedure string) error {
	was := record.caller
	record.caller = caller.Caller{Network: was.Network, Site: was.Site}
	record.refused = !record.anyone
	return admits(r.policies[procedure], record)
}
