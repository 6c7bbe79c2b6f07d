package handlers

import (
	"context"
	"errors"
	"net/url"
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/locale"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
)

// SystemService is hush.v1.SystemService on a vault.
type SystemService struct {
	vault    *vault.Vault
	version  string
	instance Instance
	base     *url.URL
}

func systemOf(opts Options) *SystemService {
	return &SystemService{vault: opts.Vault, version: opts.Version, instance: opts.Instance, base: opts.BaseURL}
}

// GetStatus reports that the service is up. It is unavailable while the store
// cannot be reached.
func (s *SystemService) GetStatus(ctx context.Context, _ *hushv1.GetStatusRequest) (*hushv1.GetStatusResponse, error) {
	if err := s.vault.Ready(); err != nil {
		return nil, err
	}
	return &hushv1.GetStatusResponse{Status: "nominal", Locale: string(chain.LocaleFrom(ctx))}, nil
}

// GetVersion returns the running release.
func (s *SystemService) GetVersion(ctx context.Context, _ *hushv1.GetVersionRequest) (*hushv1.GetVersionResponse, error) {
	return &hushv1.GetVersionResponse{Version: s.version, Locale: string(chain.LocaleFrom(ctx))}, nil
}

// GetSupportedLocales lists the languages.
func (*SystemService) GetSupportedLocales(ctx context.Context, _ *hushv1.GetSupportedLocalesRequest) (*hushv1.GetSupportedLocalesResponse, error) {
	return &hushv1.GetSupportedLocalesResponse{
		Locales:       each(locale.Supported(), func(l locale.Locale) string { return string(l) }),
		DefaultLocale: string(locale.English), Locale: string(chain.LocaleFrom(ctx)),
	}, nil
}

// GetPolicy returns what the operator allows, what the owner of the called
// domain allows, and the token of the caller's session.
func (s *SystemService) GetPolicy(ctx context.Context, _ *hushv1.GetPolicyRequest) (*hushv1.GetPolicyResponse, error) {
	closed := s.vault.Domains.AdmitVisitor(ctx, chain.CallerFrom(ctx).Site)
	if closed != nil && !errors.Is(closed, refusal.ErrPolicy) {
		return nil, closed
	}
	p := s.policy()
	p.AnonymousCreate = p.GetAnonymousCreate() && closed == nil
	p.SignIn = p.GetSignIn() && chain.AtHome(ctx)
	p.Shrimp = chain.CallerFrom(ctx).Shrimp()
	return p, nil
}

// policy returns the policy as on the service's own host.
func (s *SystemService) policy() *hushv1.GetPolicyResponse {
	policy, limits := s.vault.Policy(), s.vault.Limits()
	return &hushv1.GetPolicyResponse{
		SignUp: signUpOf(policy.SignUp), Verification: s.vault.Mails(), Mail: s.vault.Mails(),
		AnonymousCreate:    !policy.NoAnonymousCreate,
		PassphraseRequired: policy.PassphraseRequired, PassphraseMin: int32(policy.PassphraseMin),
		DefaultTtl: seconds(limits.DefaultTTL), AnonymousTtl: seconds(limits.AnonymousTTL), AccountTtl: seconds(limits.AccountTTL),
		AnonymousSecret: limits.AnonymousSecret, AccountSecret: limits.AccountSecret,
		Encryptions: encryptionsOf(policy.Kinds), Requests: requestsOf(policy.WhoMayRequest()),
		AnonymousSealed: caller.SealedSize(limits.AnonymousSecret), AccountSealed: caller.SealedSize(limits.AccountSecret),
		AnonymousFile: s.vault.FileSize(limits.AnonymousFile), AccountFile: s.vault.FileSize(limits.AccountFile),
		Maintenance:  policy.Maintenance,
		InstanceName: s.instance.Name, LogoUrl: s.instance.LogoURL, Banner: s.instance.Banner,
		ImprintUrl: s.instance.ImprintURL, PrivacyUrl: s.instance.PrivacyURL,
		SecurityContact: s.instance.securityLink(), SourceUrl: s.instance.SourceURL,
		BaseUrl: strings.TrimSuffix(s.base.String(), "/"), SignIn: keepsCookies(s.base),
	}
}

// ValidateShrimp checks a token and returns the one of the caller's session. A
// caller without a session gets a random one, which is never checked.
func (*SystemService) ValidateShrimp(ctx context.Context, req *hushv1.ValidateShrimpRequest) (*hushv1.ValidateShrimpResponse, error) {
	own := chain.CallerFrom(ctx).Shrimp()
	if own == "" {
		return &hushv1.ValidateShrimpResponse{Shrimp: chain.NewShrimp()}, nil
	}
	return &hushv1.ValidateShrimpResponse{Valid: chain.SameShrimp(req.GetShrimp(), own), Shrimp: own}, nil
}

// encryptionsOf lists the kinds of secrets that may be created; the one that
// devices choose where they can comes first.
func encryptionsOf(k caller.Kinds) []hushv1.Encryption {
	switch k {
	case caller.KindsEndToEnd:
		return []hushv1.Encryption{hushv1.Encryption_ENCRYPTION_END_TO_END}
	case caller.KindsServer:
		return []hushv1.Encryption{hushv1.Encryption_ENCRYPTION_SERVER}
	case caller.KindsAny:
	}
	return []hushv1.Encryption{hushv1.Encryption_ENCRYPTION_END_TO_END, hushv1.Encryption_ENCRYPTION_SERVER}
}

func requestsOf(who caller.Requests) hushv1.Requests {
	switch who {
	case caller.RequestsAnyone:
		return hushv1.Requests_REQUESTS_ANYONE
	case caller.RequestsOff:
		return hushv1.Requests_REQUESTS_OFF
	case caller.RequestsAccounts:
	}
	return hushv1.Requests_REQUESTS_ACCOUNTS
}

func signUpOf(s caller.SignUp) hushv1.SignUp {
	switch s {
	case caller.SignUpOpen:
		return hushv1.SignUp_SIGN_UP_OPEN
	case caller.SignUpInvite:
		return hushv1.SignUp_SIGN_UP_INVITE
	case caller.SignUpClosed:
		return hushv1.SignUp_SIGN_UP_CLOSED
	default: // unset means closed
		return hushv1.SignUp_SIGN_UP_CLOSED
	}
}
