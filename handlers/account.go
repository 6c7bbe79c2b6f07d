package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/locale"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/password"
	"hush/vault/receipt"
	"hush/vault/request"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
)

// AccountService is hush.v1.AccountService.
type AccountService struct {
	accounts  *account.Accounts
	signUps   *signup.SignUps
	passwords *password.Passwords
	vault     *vault.Vault
	tokens    *session.Tokens
	sessions  *session.Sessions
	burns     *secret.Burns
	receipts  *receipt.Receipts
	domains   *domain.Domains
	requests  *request.Requests
}

// CreateAccount signs up. Its mails are in the requested language, or else in
// that of the response.
func (s *AccountService) CreateAccount(ctx context.Context, req *hushv1.CreateAccountRequest) (*hushv1.CreateAccountResponse, error) {
	language := req.GetLocale()
	if language == "" {
		language = string(chain.LocaleFrom(ctx))
	}
	verify, err := s.signUps.CreateAccount(ctx, chain.CallerFrom(ctx), signup.NewAccount{
		Address: caller.Text(req.GetAddress()), Password: caller.Text(req.GetPassword()), Locale: canonicalLocale(language),
		Invite: caller.Text(req.GetInvite()), Challenge: req.GetAuthenticityPayload(),
	})
	if err != nil {
		return nil, err
	}
	return &hushv1.CreateAccountResponse{VerificationRequired: verify}, nil
}

// VerifyAccount confirms an address and sets the account's password.
func (s *AccountService) VerifyAccount(ctx context.Context, req *hushv1.VerifyAccountRequest) (*hushv1.VerifyAccountResponse, error) {
	if err := s.signUps.VerifyAccount(ctx, chain.CallerFrom(ctx), caller.Text(req.GetToken()), caller.Text(req.GetPassword())); err != nil {
		return nil, err
	}
	return &hushv1.VerifyAccountResponse{}, nil
}

// ResendVerification mails the confirming link again.
func (s *AccountService) ResendVerification(ctx context.Context, req *hushv1.ResendVerificationRequest) (*hushv1.ResendVerificationResponse, error) {
	if err := s.signUps.ResendVerification(ctx, chain.CallerFrom(ctx), caller.Text(req.GetAddress())); err != nil {
		return nil, err
	}
	return &hushv1.ResendVerificationResponse{}, nil
}

// GetAccount returns the caller's account.
func (s *AccountService) GetAccount(ctx context.Context, _ *hushv1.GetAccountRequest) (*hushv1.GetAccountResponse, error) {
	account, err := s.accounts.GetAccount(ctx, chain.CallerFrom(ctx))
	if err != nil {
		return nil, err
	}
	return &hushv1.GetAccountResponse{Account: accountOf(account)}, nil
}

// DestroyAccount destroys the caller's account, and ends the browser's session
// with it.
func (s *AccountService) DestroyAccount(ctx context.Context, req *hushv1.DestroyAccountRequest) (*hushv1.DestroyAccountResponse, error) {
	burned, err := s.vault.DestroyAccount(ctx, chain.CallerFrom(ctx), caller.Text(req.GetConfirmation()))
	if err != nil {
		return nil, err
	}
	forgetSession(ctx)
	return &hushv1.DestroyAccountResponse{Burned: int32(burned)}, nil
}

// UpdateLocale sets the account's language.
func (s *AccountService) UpdateLocale(ctx context.Context, req *hushv1.UpdateLocaleRequest) (*hushv1.UpdateLocaleResponse, error) {
	chosen := canonicalLocale(req.GetLocale())
	old, err := s.accounts.UpdateLocale(ctx, chain.CallerFrom(ctx), chosen)
	if err != nil {
		return nil, err
	}
	return &hushv1.UpdateLocaleResponse{NewLocale: chosen, OldLocale: old}, nil
}

// UpdateNotifications sets which mails the account gets.
func (s *AccountService) UpdateNotifications(ctx context.Context, req *hushv1.UpdateNotificationsRequest) (*hushv1.UpdateNotificationsResponse, error) {
	account, err := s.accounts.UpdateNotifications(ctx, chain.CallerFrom(ctx), req.GetNotifications().GetSecretOpened())
	if err != nil {
		return nil, err
	}
	return &hushv1.UpdateNotificationsResponse{Account: accountOf(account)}, nil
}

// CreateInvite creates an invite.
func (s *AccountService) CreateInvite(ctx context.Context, req *hushv1.CreateInviteRequest) (*hushv1.CreateInviteResponse, error) {
	invite, err := s.signUps.CreateInvite(ctx, chain.CallerFrom(ctx), caller.Text(req.GetAddress()))
	if err != nil {
		return nil, err
	}
	return &hushv1.CreateInviteResponse{
		Invite: string(invite.Key), ExpireTime: stamp(invite.Expires), Mailed: invite.Mailed,
	}, nil
}

// ListInvites lists the invites that can still be used.
func (s *AccountService) ListInvites(ctx context.Context, req *hushv1.ListInvitesRequest) (*hushv1.ListInvitesResponse, error) {
	list, next, err := s.signUps.ListInvites(ctx, chain.CallerFrom(ctx), int(req.GetPageSize()), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	return &hushv1.ListInvitesResponse{Invites: each(list, inviteOf), NextPageToken: next}, nil
}

// RevokeInvite revokes an invite.
func (s *AccountService) RevokeInvite(ctx context.Context, req *hushv1.RevokeInviteRequest) (*hushv1.RevokeInviteResponse, error) {
	if err := s.signUps.RevokeInvite(ctx, chain.CallerFrom(ctx), req.GetInviteId()); err != nil {
		return nil, err
	}
	return &hushv1.RevokeInviteResponse{}, nil
}

func inviteOf(i signup.WaitingInvite) *hushv1.Invite {
	return &hushv1.Invite{
		InviteId: i.ID, Address: i.Address, Creator: i.By, CreateTime: stamp(i.Created), ExpireTime: stamp(i.Expires),
	}
}

// BurnAllSecrets burns the account's secrets that are not opened yet.
func (s *AccountService) BurnAllSecrets(ctx context.Context, _ *hushv1.BurnAllSecretsRequest) (*hushv1.BurnAllSecretsResponse, error) {
	burned, err := s.burns.BurnAllSecrets(ctx, chain.CallerFrom(ctx))
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnAllSecretsResponse{Burned: int32(burned)}, nil
}

// canonicalLocale returns the wire name of a language. It returns an unknown
// language unchanged; the vault refuses it.
func canonicalLocale(name string) string {
	if known, ok := locale.Parse(name); ok {
		return string(known)
	}
	return name
}

func accountOf(a account.Account) *hushv1.Account {
	return &hushv1.Account{
		AccountId: a.ID.String(), Address: a.Address, PendingAddress: a.PendingAddress,
		Role: hushv1.Role(a.Role), Verified: a.Verified, Disabled: a.Disabled, Locale: a.Locale,
		CreateTime: stamp(a.Created), UpdateTime: stamp(a.Updated), SignInTime: stamp(a.SignedIn),
		Notifications: &hushv1.Notifications{SecretOpened: a.NotifyOpened},
		Tally: &hushv1.Tally{
			SecretsCreated: a.Tally.Created, SecretsShared: a.Tally.Shared,
			SecretsBurned: a.Tally.Burned, EmailsSent: a.Tally.Emails,
		},
		SealedCount: a.SealedCount, TtlCeiling: seconds(a.TTLCeiling), SecretLimit: a.SecretLimit,
	}
}
