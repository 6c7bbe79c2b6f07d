package handlers

import (
	"hush/gen/hush/v1/hushv1connect"
	"hush/gen/testname/v1/testnamev1connect"
	"hush/handlers/chain"
)

func (a *assembly) secrets(s *SecretService) {
	c, to := a.chain, &a.callable
	to.ConcealSecret = chain.Bind(c, hushv1connect.SecretServiceConcealSecretProcedure, s.ConcealSecret)
	to.GenerateSecret = chain.Bind(c, hushv1connect.SecretServiceGenerateSecretProcedure, s.GenerateSecret)
	to.GetSecret = chain.Bind(c, hushv1connect.SecretServiceGetSecretProcedure, s.GetSecret)
	to.RevealSecret = chain.Bind(c, hushv1connect.SecretServiceRevealSecretProcedure, s.RevealSecret)
	to.BurnSecret = chain.Bind(c, hushv1connect.SecretServiceBurnSecretProcedure, s.BurnSecret)
	to.GetSecretStatus = chain.Bind(c, hushv1connect.SecretServiceGetSecretStatusProcedure, s.GetSecretStatus)
	to.ListSecretStatus = chain.Bind(c, hushv1connect.SecretServiceListSecretStatusProcedure, s.ListSecretStatus)
	a.mount(hushv1connect.NewSecretServiceHandler(s, a.options))
}

func (a *assembly) metadata(s *MetadataService) {
	c, to := a.chain, &a.callable
	to.GetMetadata = chain.Bind(c, hushv1connect.MetadataServiceGetMetadataProcedure, s.GetMetadata)
	to.BatchGetMetadata = chain.Bind(c, hushv1connect.MetadataServiceBatchGetMetadataProcedure, s.BatchGetMetadata)
	to.ListMetadata = chain.Bind(c, hushv1connect.MetadataServiceListMetadataProcedure, s.ListMetadata)
	to.UpdateMetadata = chain.Bind(c, hushv1connect.MetadataServiceUpdateMetadataProcedure, s.UpdateMetadata)
	a.mount(hushv1connect.NewMetadataServiceHandler(s, a.options))
}

func (a *assembly) accounts(s *AccountService) {
	c, to := a.chain, &a.callable
	to.VerifyAccount = chain.Bind(c, hushv1connect.AccountServiceVerifyAccountProcedure, s.VerifyAccount)
	to.GetAccount = chain.Bind(c, hushv1connect.AccountServiceGetAccountProcedure, s.GetAccount)
	to.DestroyAccount = chain.Bind(c, hushv1connect.AccountServiceDestroyAccountProcedure, s.DestroyAccount)
	to.ChangeAccountPassword = chain.Bind(c, hushv1connect.AccountServiceChangeAccountPasswordProcedure, s.ChangeAccountPassword)
	to.ResetPassword = chain.Bind(c, hushv1connect.AccountServiceResetPasswordProcedure, s.ResetPassword)
	to.ConfirmAddressChange = chain.Bind(c, hushv1connect.AccountServiceConfirmAddressChangeProcedure, s.ConfirmAddressChange)
	to.UpdateLocale = chain.Bind(c, hushv1connect.AccountServiceUpdateLocaleProcedure, s.UpdateLocale)
	to.GenerateApiToken = chain.Bind(c, hushv1connect.AccountServiceGenerateApiTokenProcedure, s.GenerateApiToken)
	a.mount(hushv1connect.NewAccountServiceHandler(s, a.options))
}

func (a *assembly) sessions(s *SessionService) {
	a.callable.Authcheck = chain.Bind(a.chain, hushv1connect.SessionServiceAuthcheckProcedure, s.Authcheck)
	a.mount(hushv1connect.NewSessionServiceHandler(s, a.options))
}

func (a *assembly) domains(s *DomainService) {
	c, to := a.chain, &a.callable
	to.AddDomain = chain.Bind(c, hushv1connect.DomainServiceAddDomainProcedure, s.AddDomain)
	to.RemoveDomain = chain.Bind(c, hushv1connect.DomainServiceRemoveDomainProcedure, s.RemoveDomain)
	to.GetDomain = chain.Bind(c, hushv1connect.DomainServiceGetDomainProcedure, s.GetDomain)
	to.ListDomains = chain.Bind(c, hushv1connect.DomainServiceListDomainsProcedure, s.ListDomains)
	to.VerifyDomain = chain.Bind(c, hushv1connect.DomainServiceVerifyDomainProcedure, s.VerifyDomain)
	to.UpdateDomainBrand = chain.Bind(c, hushv1connect.DomainServiceUpdateDomainBrandProcedure, s.UpdateDomainBrand)
	to.GetDomainBrand = chain.Bind(c, hushv1connect.DomainServiceGetDomainBrandProcedure, s.GetDomainBrand)
	to.UpdateDomainLogo = chain.Bind(c, hushv1connect.DomainServiceUpdateDomainLogoProcedure, s.UpdateDomainLogo)
	to.GetDomainLogo = chain.Bind(c, hushv1connect.DomainServiceGetDomainLogoProcedure, s.GetDomainLogo)
	to.DeleteDomainLogo = chain.Bind(c, hushv1connect.DomainServiceDeleteDomainLogoProcedure, s.DeleteDomainLogo)
	to.GetPublicImage = chain.Bind(c, hushv1connect.DomainServiceGetPublicImageProcedure, s.GetPublicImage)
	a.mount(hushv1connect.NewDomainServiceHandler(s, a.options))
}

func (a *assembly) challenges(s *ChallengeService) {
	c, to := a.chain, &a.callable
	to.AltchaChallenge = chain.Bind(c, hushv1connect.ChallengeServiceAltchaChallengeProcedure, s.AltchaChallenge)
	to.AltchaVerify = chain.Bind(c, hushv1connect.ChallengeServiceAltchaVerifyProcedure, s.AltchaVerify)
	to.AltchaVerifySpam = chain.Bind(c, hushv1connect.ChallengeServiceAltchaVerifySpamProcedure, s.AltchaVerifySpam)
	a.mount(hushv1connect.NewChallengeServiceHandler(s, a.options))
}

func (a *assembly) intake(s *IntakeService) {
	c, to := a.chain, &a.callable
	to.ReceiveFeedback = chain.Bind(c, hushv1connect.IntakeServiceReceiveFeedbackProcedure, s.ReceiveFeedback)
	to.ReceiveException = chain.Bind(c, hushv1connect.IntakeServiceReceiveExceptionProcedure, s.ReceiveException)
	a.mount(hushv1connect.NewIntakeServiceHandler(s, a.options))
}

func (a *assembly) system(s *SystemService) {
	c, to := a.chain, &a.callable
	to.GetPolicy = chain.Bind(c, hushv1connect.SystemServiceGetPolicyProcedure, s.GetPolicy)
	to.GetStatus = chain.Bind(c, hushv1connect.SystemServiceGetStatusProcedure, s.GetStatus)
	to.GetVersion = chain.Bind(c, hushv1connect.SystemServiceGetVersionProcedure, s.GetVersion)
	to.GetSupportedLocales = chain.Bind(c, hushv1connect.SystemServiceGetSupportedLocalesProcedure, s.GetSupportedLocales)
	to.ValidateShrimp = chain.Bind(c, hushv1connect.SystemServiceValidateShrimpProcedure, s.ValidateShrimp)
	a.mount(hushv1connect.NewSystemServiceHandler(s, a.options))
}

func (a *assembly) colonels(s *ColonelService) {
	a.callable.GetIndex = chain.Bind(a.chain, hushv1connect.ColonelServiceGetIndexProcedure, s.GetIndex)
	a.mount(hushv1connect.NewColonelServiceHandler(s, a.options))
}

func (a *assembly) places(s *TestName) {
	a.mount(testnamev1connect.NewTestNameHandler(s, a.options))
}
