package handlers

import (
	"hush/gen/hush/v1/hushv1connect"
	"hush/gen/testname/v1/testnamev1connect"
)

func (a *assembly) secrets(s *SecretService) {
	c, to := a.chain, &a.callable
	to.ConcealSecret = Bind(c, hushv1connect.SecretServiceConcealSecretProcedure, s.ConcealSecret)
	to.GenerateSecret = Bind(c, hushv1connect.SecretServiceGenerateSecretProcedure, s.GenerateSecret)
	to.GetSecret = Bind(c, hushv1connect.SecretServiceGetSecretProcedure, s.GetSecret)
	to.RevealSecret = Bind(c, hushv1connect.SecretServiceRevealSecretProcedure, s.RevealSecret)
	to.BurnSecret = Bind(c, hushv1connect.SecretServiceBurnSecretProcedure, s.BurnSecret)
	to.GetSecretStatus = Bind(c, hushv1connect.SecretServiceGetSecretStatusProcedure, s.GetSecretStatus)
	to.ListSecretStatus = Bind(c, hushv1connect.SecretServiceListSecretStatusProcedure, s.ListSecretStatus)
	a.mount(hushv1connect.NewSecretServiceHandler(s, a.options))
}

func (a *assembly) metadata(s *MetadataService) {
	c, to := a.chain, &a.callable
	to.GetMetadata = Bind(c, hushv1connect.MetadataServiceGetMetadataProcedure, s.GetMetadata)
	to.BatchGetMetadata = Bind(c, hushv1connect.MetadataServiceBatchGetMetadataProcedure, s.BatchGetMetadata)
	to.ListMetadata = Bind(c, hushv1connect.MetadataServiceListMetadataProcedure, s.ListMetadata)
	to.UpdateMetadata = Bind(c, hushv1connect.MetadataServiceUpdateMetadataProcedure, s.UpdateMetadata)
	a.mount(hushv1connect.NewMetadataServiceHandler(s, a.options))
}

func (a *assembly) accounts(s *AccountService) {
	c, to := a.chain, &a.callable
	to.VerifyAccount = Bind(c, hushv1connect.AccountServiceVerifyAccountProcedure, s.VerifyAccount)
	to.GetAccount = Bind(c, hushv1connect.AccountServiceGetAccountProcedure, s.GetAccount)
	to.DestroyAccount = Bind(c, hushv1connect.AccountServiceDestroyAccountProcedure, s.DestroyAccount)
	to.ChangeAccountPassword = Bind(c, hushv1connect.AccountServiceChangeAccountPasswordProcedure, s.ChangeAccountPassword)
	to.ResetPassword = Bind(c, hushv1connect.AccountServiceResetPasswordProcedure, s.ResetPassword)
	to.ConfirmAddressChange = Bind(c, hushv1connect.AccountServiceConfirmAddressChangeProcedure, s.ConfirmAddressChange)
	to.UpdateLocale = Bind(c, hushv1connect.AccountServiceUpdateLocaleProcedure, s.UpdateLocale)
	to.GenerateApiToken = Bind(c, hushv1connect.AccountServiceGenerateApiTokenProcedure, s.GenerateApiToken)
	a.mount(hushv1connect.NewAccountServiceHandler(s, a.options))
}

func (a *assembly) sessions(s *SessionService) {
	a.callable.Authcheck = Bind(a.chain, hushv1connect.SessionServiceAuthcheckProcedure, s.Authcheck)
	a.mount(hushv1connect.NewSessionServiceHandler(s, a.options))
}

func (a *assembly) domains(s *DomainService) {
	c, to := a.chain, &a.callable
	to.AddDomain = Bind(c, hushv1connect.DomainServiceAddDomainProcedure, s.AddDomain)
	to.RemoveDomain = Bind(c, hushv1connect.DomainServiceRemoveDomainProcedure, s.RemoveDomain)
	to.GetDomain = Bind(c, hushv1connect.DomainServiceGetDomainProcedure, s.GetDomain)
	to.ListDomains = Bind(c, hushv1connect.DomainServiceListDomainsProcedure, s.ListDomains)
	to.VerifyDomain = Bind(c, hushv1connect.DomainServiceVerifyDomainProcedure, s.VerifyDomain)
	to.UpdateDomainBrand = Bind(c, hushv1connect.DomainServiceUpdateDomainBrandProcedure, s.UpdateDomainBrand)
	to.GetDomainBrand = Bind(c, hushv1connect.DomainServiceGetDomainBrandProcedure, s.GetDomainBrand)
	to.UpdateDomainLogo = Bind(c, hushv1connect.DomainServiceUpdateDomainLogoProcedure, s.UpdateDomainLogo)
	to.GetDomainLogo = Bind(c, hushv1connect.DomainServiceGetDomainLogoProcedure, s.GetDomainLogo)
	to.DeleteDomainLogo = Bind(c, hushv1connect.DomainServiceDeleteDomainLogoProcedure, s.DeleteDomainLogo)
	to.GetPublicImage = Bind(c, hushv1connect.DomainServiceGetPublicImageProcedure, s.GetPublicImage)
	a.mount(hushv1connect.NewDomainServiceHandler(s, a.options))
}

func (a *assembly) challenges(s *ChallengeService) {
	c, to := a.chain, &a.callable
	to.AltchaChallenge = Bind(c, hushv1connect.ChallengeServiceAltchaChallengeProcedure, s.AltchaChallenge)
	to.AltchaVerify = Bind(c, hushv1connect.ChallengeServiceAltchaVerifyProcedure, s.AltchaVerify)
	to.AltchaVerifySpam = Bind(c, hushv1connect.ChallengeServiceAltchaVerifySpamProcedure, s.AltchaVerifySpam)
	a.mount(hushv1connect.NewChallengeServiceHandler(s, a.options))
}

func (a *assembly) intake(s *IntakeService) {
	c, to := a.chain, &a.callable
	to.ReceiveFeedback = Bind(c, hushv1connect.IntakeServiceReceiveFeedbackProcedure, s.ReceiveFeedback)
	to.ReceiveException = Bind(c, hushv1connect.IntakeServiceReceiveExceptionProcedure, s.ReceiveException)
	a.mount(hushv1connect.NewIntakeServiceHandler(s, a.options))
}

func (a *assembly) system(s *SystemService) {
	c, to := a.chain, &a.callable
	to.GetStatus = Bind(c, hushv1connect.SystemServiceGetStatusProcedure, s.GetStatus)
	to.GetVersion = Bind(c, hushv1connect.SystemServiceGetVersionProcedure, s.GetVersion)
	to.GetSupportedLocales = Bind(c, hushv1connect.SystemServiceGetSupportedLocalesProcedure, s.GetSupportedLocales)
	to.ValidateShrimp = Bind(c, hushv1connect.SystemServiceValidateShrimpProcedure, s.ValidateShrimp)
	a.mount(hushv1connect.NewSystemServiceHandler(s, a.options))
}

func (a *assembly) colonels(s *ColonelService) {
	a.callable.GetIndex = Bind(a.chain, hushv1connect.ColonelServiceGetIndexProcedure, s.GetIndex)
	a.mount(hushv1connect.NewColonelServiceHandler(s, a.options))
}

func (a *assembly) places(s *TestName) {
	a.mount(testnamev1connect.NewTestNameHandler(s, a.options))
}
