package handlers

import hushv1 "hush/gen/hush/v1"

// Callable holds the RPCs that legacy routes and pages call; a test in routes
// finds those that none of them does.
type Callable struct {
	ConcealSecret    Method[hushv1.ConcealSecretRequest, hushv1.ConcealSecretResponse]
	GenerateSecret   Method[hushv1.GenerateSecretRequest, hushv1.GenerateSecretResponse]
	GetSecret        Method[hushv1.GetSecretRequest, hushv1.GetSecretResponse]
	RevealSecret     Method[hushv1.RevealSecretRequest, hushv1.RevealSecretResponse]
	BurnSecret       Method[hushv1.BurnSecretRequest, hushv1.BurnSecretResponse]
	GetSecretStatus  Method[hushv1.GetSecretStatusRequest, hushv1.GetSecretStatusResponse]
	ListSecretStatus Method[hushv1.ListSecretStatusRequest, hushv1.ListSecretStatusResponse]

	GetMetadata      Method[hushv1.GetMetadataRequest, hushv1.GetMetadataResponse]
	BatchGetMetadata Method[hushv1.BatchGetMetadataRequest, hushv1.BatchGetMetadataResponse]
	ListMetadata     Method[hushv1.ListMetadataRequest, hushv1.ListMetadataResponse]
	UpdateMetadata   Method[hushv1.UpdateMetadataRequest, hushv1.UpdateMetadataResponse]

	VerifyAccount         Method[hushv1.VerifyAccountRequest, hushv1.VerifyAccountResponse]
	GetAccount            Method[hushv1.GetAccountRequest, hushv1.GetAccountResponse]
	DestroyAccount        Method[hushv1.DestroyAccountRequest, hushv1.DestroyAccountResponse]
	ChangeAccountPassword Method[hushv1.ChangeAccountPasswordRequest, hushv1.ChangeAccountPasswordResponse]
	ResetPassword         Method[hushv1.ResetPasswordRequest, hushv1.ResetPasswordResponse]
	ConfirmAddressChange  Method[hushv1.ConfirmAddressChangeRequest, hushv1.ConfirmAddressChangeResponse]
	UpdateLocale          Method[hushv1.UpdateLocaleRequest, hushv1.UpdateLocaleResponse]
	GenerateApiToken      Method[hushv1.GenerateApiTokenRequest, hushv1.GenerateApiTokenResponse] //nolint:revive // the contract's name

	Authcheck Method[hushv1.AuthcheckRequest, hushv1.AuthcheckResponse]

	AddDomain         Method[hushv1.AddDomainRequest, hushv1.AddDomainResponse]
	RemoveDomain      Method[hushv1.RemoveDomainRequest, hushv1.RemoveDomainResponse]
	GetDomain         Method[hushv1.GetDomainRequest, hushv1.GetDomainResponse]
	ListDomains       Method[hushv1.ListDomainsRequest, hushv1.ListDomainsResponse]
	VerifyDomain      Method[hushv1.VerifyDomainRequest, hushv1.VerifyDomainResponse]
	UpdateDomainBrand Method[hushv1.UpdateDomainBrandRequest, hushv1.UpdateDomainBrandResponse]
	GetDomainBrand    Method[hushv1.GetDomainBrandRequest, hushv1.GetDomainBrandResponse]
	UpdateDomainLogo  Method[hushv1.UpdateDomainLogoRequest, hushv1.UpdateDomainLogoResponse]
	GetDomainLogo     Method[hushv1.GetDomainLogoRequest, hushv1.GetDomainLogoResponse]
	DeleteDomainLogo  Method[hushv1.DeleteDomainLogoRequest, hushv1.DeleteDomainLogoResponse]
	GetPublicImage    Method[hushv1.GetPublicImageRequest, hushv1.GetPublicImageResponse]

	AltchaChallenge  Method[hushv1.AltchaChallengeRequest, hushv1.AltchaChallengeResponse]
	AltchaVerify     Method[hushv1.AltchaVerifyRequest, hushv1.AltchaVerifyResponse]
	AltchaVerifySpam Method[hushv1.AltchaVerifySpamRequest, hushv1.AltchaVerifySpamResponse]

	ReceiveFeedback  Method[hushv1.ReceiveFeedbackRequest, hushv1.ReceiveFeedbackResponse]
	ReceiveException Method[hushv1.ReceiveExceptionRequest, hushv1.ReceiveExceptionResponse]

	GetStatus           Method[hushv1.GetStatusRequest, hushv1.GetStatusResponse]
	GetVersion          Method[hushv1.GetVersionRequest, hushv1.GetVersionResponse]
	GetSupportedLocales Method[hushv1.GetSupportedLocalesRequest, hushv1.GetSupportedLocalesResponse]
	ValidateShrimp      Method[hushv1.ValidateShrimpRequest, hushv1.ValidateShrimpResponse]

	GetIndex Method[hushv1.GetIndexRequest, hushv1.GetIndexResponse]
}
