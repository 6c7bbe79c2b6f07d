package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/caller"
)

// ChangeAccountPassword sets a new password. The caller's own session stays.
func (s *AccountService) ChangeAccountPassword(ctx context.Context, req *hushv1.ChangeAccountPasswordRequest) (*hushv1.ChangeAccountPasswordResponse, error) {
	current, next := caller.Text(req.GetCurrentPassword()), caller.Text(req.GetNewPassword())
	if err := s.passwords.ChangeAccountPassword(ctx, chain.CallerFrom(ctx), current, next); err != nil {
		return nil, err
	}
	return &hushv1.ChangeAccountPasswordResponse{}, nil
}

// RequestPasswordReset mails a link that sets a new password.
func (s *AccountService) RequestPasswordReset(ctx context.Context, req *hushv1.RequestPasswordResetRequest) (*hushv1.RequestPasswordResetResponse, error) {
	if err := s.signUps.RequestPasswordReset(ctx, chain.CallerFrom(ctx), caller.Text(req.GetAddress())); err != nil {
		return nil, err
	}
	return &hushv1.RequestPasswordResetResponse{}, nil
}

// ResetPassword sets a new password with a mailed token.
func (s *AccountService) ResetPassword(ctx context.Context, req *hushv1.ResetPasswordRequest) (*hushv1.ResetPasswordResponse, error) {
	sealed, err := s.vault.ResetPassword(ctx, chain.CallerFrom(ctx), caller.Text(req.GetToken()), caller.Text(req.GetNewPassword()))
	if err != nil {
		return nil, err
	}
	return &hushv1.ResetPasswordResponse{SealedCount: sealed}, nil
}

// RequestAddressChange mails a link to a new address.
func (s *AccountService) RequestAddressChange(ctx context.Context, req *hushv1.RequestAddressChangeRequest) (*hushv1.RequestAddressChangeResponse, error) {
	address, password := caller.Text(req.GetNewAddress()), caller.Text(req.GetPassword())
	if err := s.signUps.RequestAddressChange(ctx, chain.CallerFrom(ctx), address, password); err != nil {
		return nil, err
	}
	return &hushv1.RequestAddressChangeResponse{}, nil
}

// ConfirmAddressChange sets a new address with a mailed token.
func (s *AccountService) ConfirmAddressChange(ctx context.Context, req *hushv1.ConfirmAddressChangeRequest) (*hushv1.ConfirmAddressChangeResponse, error) {
	if err := s.signUps.ConfirmAddressChange(ctx, chain.CallerFrom(ctx), caller.Text(req.GetToken())); err != nil {
		return nil, err
	}
	return &hushv1.ConfirmAddressChangeResponse{}, nil
}
