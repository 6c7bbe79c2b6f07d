package handlers

import (
	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
)

// Callable holds the RPCs that legacy routes and pages call. A test in routes
// finds unused ones.
type Callable struct {
	ConcealSecret    chain.Method[hushv1.ConcealSecretRequest, hushv1.ConcealSecretResponse]
	GenerateSecret   chain.Method[hushv1.GenerateSecretRequest, hushv1.GenerateSecretResponse]
	GetSecret        chain.Method[hushv1.GetSecretRequest, hushv1.GetSecretResponse]
	RevealSecret     chain.Method[hushv1.RevealSecretRequest, hushv1.RevealSecretResponse]
	BurnSecret       chain.Method[hushv1.BurnSecretRequest, hushv1.BurnSecretResponse]
	GetSecretStatus  chain.Method[hushv1.GetSecretStatusRequest, hushv1.GetSecretStatusResponse]
	ListSecretStatus chain.Method[hushv1.ListSecretStatusRequest, hushv1.ListSecretStatusResponse]

	GetMetadata      chain.Method[hushv1.GetMetadataRequest, hushv1.GetMetadataResponse]
	BatchGetMetadata chain.Method[hushv1.BatchGetMetadataRequest, hushv1.BatchGetMetadataResponse]
	ListMetadata     chain.Method[hushv1.ListMetadataRequest, hushv1.ListMetadataResponse]
	UpdateMetadata   chain.Method[hushv1.UpdateMetadataRequest, hushv1.UpdateMetadataResponse]

	VerifyAccount         chain.Method[hushv1.VerifyAccountRequest, hushv1.VerifyAccountResponse]
	GetAccount            chain.Method[hushv1.GetAccountRequest, hushv1.GetAccountResponse]
	DestroyAccount        chain.Method[hushv1.DestroyAccountRequest, hushv1.DestroyAccountResponse]
	ChangeAccountPassword chain.Method[hushv1.ChangeAccountPasswordRequest, hushv1.ChangeAccountPasswordResponse]
	ResetPassword         chain.Method[hushv1.ResetPasswordRequest, hushv1.ResetPasswordResponse]
	ConfirmAddressChange  chain.Method[hushv1.ConfirmAddressChangeRequest, hushv1.ConfirmAddressChangeResponse]
	UpdateLocale          chain.Method[hushv1.UpdateLocaleRequest, hushv1.UpdateLocaleResponse]
	GenerateApiToken      chain.Method[hushv1.GenerateApiTokenRequest, hushv1.GenerateApiTokenResponse] //nolint:revive // the contract's name

	Authcheck chain.Method[hushv1.AuthcheckRequest, hushv1.AuthcheckResponse]

	AddDomain         chain.Method[hushv1.AddDomainRequest, hushv1.AddDomainResponse]
	RemoveDomain      chain.Method[hushv1.RemoveDomainRequest, hushv1.RemoveDomainResponse]
	GetDomain         chain.Method[hushv1.GetDomainRequest, hushv1.GetDomainResponse]
	ListDomains       chain.Method[hushv1.ListDomainsRequest, hushv1.ListDomainsResponse]
	VerifyDomain      chain.Method[hushv1.VerifyDomainRequest, hushv1.VerifyDomainResponse]
	UpdateDomainBrand chain.Method[hushv1.UpdateDomainBrandRequest, hushv1.UpdateDomainBrandResponse]
	GetDomainBrand    chain.Method[hushv1.GetDomainBrandRequest, hushv1.GetDomainBrandResponse]
	UpdateDomainLogo  chain.Method[hushv1.UpdateDomainLogoRequest, hushv1.UpdateDomainLogoResponse]
	GetDomainLogo     chain.Method[hushv1.GetDomainLogoRequest, hushv1.GetDomainLogoResponse]
	DeleteDomainLogo  chain.Method[hushv1.DeleteDomainLogoRequest, hushv1.DeleteDomainLogoResponse]
	GetPublicImage    chain.Method[hushv1.GetPublicImageRequest, hushv1.GetPublicImageResponse]

	AltchaChallenge  chain.Method[hushv1.AltchaChallengeRequest, hushv1.AltchaChallengeResponse]
	AltchaVerify     chain.Method[hushv1.AltchaVerifyRequest, hushv1.AltchaVerifyResponse]
	AltchaVerifySpam chain.Method[hushv1.AltchaVerifySpamRequest, hushv1.AltchaVerifySpamResponse]

	ReceiveFeedback  chain.Method[hushv1.ReceiveFeedbackRequest, hushv1.ReceiveFeedbackResponse]
	ReceiveException chain.Method[hushv1.ReceiveExceptionRequest, hushv1.ReceiveExceptionResponse]

	GetPolicy           chain.Method[hushv1.GetPolicyRequest, hushv1.GetPolicyResponse]
	GetStatus           chain.Method[hushv1.GetStatusRequest, hushv1.GetStatusResponse]
	GetVersion          chain.Method[hushv1.GetVersionRequest, hushv1.GetVersionResponse]
	GetSupportedLocales chain.Method[hushv1.GetSupportedLocalesRequest, hushv1.GetSupportedLocalesResponse]
	ValidateShrimp      chain.Method[hushv1.ValidateShrimpRequest, hushv1.ValidateShrimpResponse]

	GetIndex chain.Method[hushv1.GetIndexRequest, hushv1.GetIndexResponse]
}
