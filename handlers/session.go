package handlers

import (
	"context"
	"net/url"
	"slices"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/hosts"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/session"
)

// SessionService is hush.v1.SessionService.
type SessionService struct {
	sessions *session.Sessions
	accounts *account.Accounts
	base     *url.URL // the service's public address
}

// CreateSession signs in on the service's own host and sets the browser's
// session cookie.
func (s *SessionService) CreateSession(ctx context.Context, req *hushv1.CreateSessionRequest) (*hushv1.CreateSessionResponse, error) {
	if !keepsCookies(s.base) {
		return nil, chain.ErrInsecure
	}
	if !chain.AtHome(ctx) {
		return nil, &chain.ElsewhereError{Base: s.base}
	}
	address, password := caller.Text(req.GetAddress()), caller.Text(req.GetPassword())
	from := chain.CallerFrom(ctx)
	from.Device = chain.DeviceFrom(ctx)
	made, err := s.sessions.CreateSession(ctx, from, address, password, req.GetRemember())
	if err != nil {
		return nil, err
	}
	var expires time.Time
	if made.Session.Remembered {
		expires = made.Session.Expires
	}
	chain.SetSession(ctx, made.Cookie.Expose(), expires)
	return &hushv1.CreateSessionResponse{
		Account: accountOf(made.Account), Session: sessionOf(made.Session), Shrimp: made.Shrimp,
	}, nil
}

// DestroySession signs out.
func (s *SessionService) DestroySession(ctx context.Context, _ *hushv1.DestroySessionRequest) (*hushv1.DestroySessionResponse, error) {
	if err := s.sessions.DestroySession(ctx, chain.CallerFrom(ctx)); err != nil {
		return nil, err
	}
	forgetSession(ctx)
	return &hushv1.DestroySessionResponse{}, nil
}

// ListSessions lists the account's sessions.
func (s *SessionService) ListSessions(ctx context.Context, _ *hushv1.ListSessionsRequest) (*hushv1.ListSessionsResponse, error) {
	sessions, err := s.sessions.ListSessions(ctx, chain.CallerFrom(ctx))
	if err != nil {
		return nil, err
	}
	return &hushv1.ListSessionsResponse{Sessions: each(sessions, sessionOf)}, nil
}

// RevokeSessions ends sessions. If the caller's own is among them, it clears
// the browser's cookie as well.
func (s *SessionService) RevokeSessions(ctx context.Context, req *hushv1.RevokeSessionsRequest) (*hushv1.RevokeSessionsResponse, error) {
	own := req.GetAll()
	if !own {
		var err error
		if own, err = s.ownAmong(ctx, req.GetSessionIds()); err != nil {
			return nil, err
		}
	}
	revoked, err := s.sessions.RevokeSessions(ctx, chain.CallerFrom(ctx), req.GetSessionIds(), req.GetAll())
	if err != nil {
		return nil, err
	}
	if own {
		forgetSession(ctx)
	}
	return &hushv1.RevokeSessionsResponse{Revoked: int32(revoked)}, nil
}

// ownAmong reports whether one of the ids is the caller's session.
func (s *SessionService) ownAmong(ctx context.Context, ids []string) (bool, error) {
	caller := chain.CallerFrom(ctx)
	if !caller.FromSession() {
		return false, nil
	}
	sessions, err := s.sessions.ListSessions(ctx, caller)
	return slices.ContainsFunc(sessions, func(session credential.Session) bool {
		return session.Current && slices.Contains(ids, session.ID)
	}), err
}

// Authcheck returns the caller's account. A token without the account's scope
// gets only id, address, role and whether it is verified.
func (s *SessionService) Authcheck(ctx context.Context, _ *hushv1.AuthcheckRequest) (*hushv1.AuthcheckResponse, error) {
	who := chain.CallerFrom(ctx)
	found, err := s.accounts.GetAccount(ctx, who)
	if err != nil {
		return nil, err
	}
	account := accountOf(found)
	if !who.May(caller.ScopeAccount) {
		account = &hushv1.Account{
			AccountId: account.GetAccountId(), Address: account.GetAddress(),
			Role: account.GetRole(), Verified: account.GetVerified(),
		}
	}
	return &hushv1.AuthcheckResponse{Custid: who.Address(), Account: account}, nil
}

// forgetSession clears the browser's cookie if the call came with a session.
func forgetSession(ctx context.Context) {
	if chain.CallerFrom(ctx).FromSession() {
		chain.ClearSession(ctx)
	}
}

// keepsCookies reports whether browsers keep a session cookie of the service at
// base: they require TLS, or plain HTTP to the same machine.
func keepsCookies(base *url.URL) bool {
	if base.Scheme != "http" {
		return true
	}
	return hosts.IsLoopback(domain.HostName(base.Hostname()))
}

func sessionOf(s credential.Session) *hushv1.Session {
	return &hushv1.Session{
		SessionId: s.ID, Network: s.Network, Browser: s.Device.Browser, System: s.Device.System, Current: s.Current, Remembered: s.Remembered,
		CreateTime: stamp(s.Created), UseTime: stamp(s.Used), ExpireTime: stamp(s.Expires),
	}
}
