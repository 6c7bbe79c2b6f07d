// Package v2 is version 2 of the API, with the routes that came with later clients, and
// version 3, which is another face of it: the same requests for a part of the routes, and
// responses that are made of those of version 2.
//
// It promises that clients of any age find what they look for: a response has its members
// under all names that they had, and paths keep the words of their time.
package v2

import (
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

// Version is the table of version 2.
func Version(api *handlers.API) version.Version {
	routes := []version.Route{
		version.ForAnyone(version.Get("/status", call.RPC(api.Chain, api.System.GetStatus, call.Nothing, version.EncodeStatus))),
		version.ForAnyone(version.Get("/version", call.RPC(api.Chain, api.System.GetVersion, call.Nothing, encodeVersion))),
		version.ForAnyone(version.Get("/supported-locales", call.RPC(api.Chain, api.System.GetSupportedLocales, call.Nothing, encodeLocales))),
		version.ForAnyone(version.Post("/validate-shrimp", call.RPCWith(api.Chain, api.System.ValidateShrimp, shrimpInput(), encodeShrimp))),
		version.Get("/authcheck", call.RPC(api.Chain, api.Sessions.Authcheck, call.Nothing, encodeAuthcheck)),
		version.Get("/colonel", call.RPC(api.Chain, api.Colonels.GetIndex, call.Nothing, encodeIndex)),
	}
	routes = append(routes, accountRoutes(api)...)
	routes = append(routes, domainRoutes(api)...)
	routes = append(routes, challengeRoutes(api)...)
	routes = append(routes, intakeRoutes(api)...)
	for _, name := range call.ReceiptNames() {
		routes = append(routes, version.Get("/"+name+"/recent", call.RPC(api.Chain, api.Metadata.ListMetadata, version.DecodeRecent, wordsBelow("/"+name).encodeRecent)))
	}
	for _, prefix := range []string{"", "/guest"} {
		routes = append(routes, secretRoutes(api, prefix+"/secret", encodersOf(wordsBelow(prefix)))...)
		for _, name := range call.ReceiptNames() {
			path := prefix + "/" + name
			routes = append(routes, receiptRoutes(api, path, encodersOf(wordsBelow(path)))...)
		}
	}
	return version.Version{Prefix: "/api/v2", Routes: routes, Fail: fail}
}

// wordsBelow returns the vocabulary of the paths of version 2 below a path: that of
// guests and receipts came with the later one.
func wordsBelow(path string) vocabulary {
	if strings.HasPrefix(path, "/guest") || strings.HasPrefix(path, "/receipt") {
		return laterWords
	}
	return firstWords
}

// encoders write the answers of routes about secrets and receipts.
type encoders struct {
	conceal  call.Encoder[hushv1.ConcealSecretResponse]
	generate call.Encoder[hushv1.GenerateSecretResponse]
	secret   call.Encoder[hushv1.GetSecretResponse]
	reveal   call.Encoder[hushv1.RevealSecretResponse]
	status   call.Encoder[hushv1.GetSecretStatusResponse]
	statuses call.Encoder[hushv1.ListSecretStatusResponse]
	receipt  call.Encoder[hushv1.GetMetadataResponse]
	memo     call.Encoder[hushv1.UpdateMetadataResponse]
	burn     call.Encoder[hushv1.BurnSecretResponse]
}

func encodersOf(v vocabulary) encoders {
	return encoders{
		conceal: v.encodeConceal, generate: v.encodeGenerate, secret: v.encodeGetSecret, reveal: v.encodeReveal,
		status: v.encodeSecretStatus, statuses: v.encodeSecretStatuses,
		receipt: v.encodeGetMetadata, memo: v.encodeUpdateMetadata, burn: v.encodeBurn,
	}
}

func secretRoutes(api *handlers.API, path string, e encoders) []version.Route {
	conceal := call.RPCWith(api.Chain, api.Secrets.ConcealSecret, version.ConcealInput(), e.conceal)
	generate := call.RPCWith(api.Chain, api.Secrets.GenerateSecret, version.GenerateInput(), e.generate)
	show := call.RPC(api.Chain, api.Secrets.GetSecret, decodeGetSecret, e.secret)
	reveal := call.Either(reveals(), call.RPCWith(api.Chain, api.Secrets.RevealSecret, version.RevealInput(), e.reveal), show)
	return []version.Route{
		version.OpenPost(path+"/conceal", call.Either(version.Generates(), generate, conceal)),
		version.Preflight(path + "/conceal"),
		version.OpenPost(path+"/generate", generate),
		version.Preflight(path + "/generate"),
		version.Post(path+"/status", call.RPCWith(api.Chain, api.Secrets.ListSecretStatus, secretStatusesInput(), e.statuses)),
		version.Get(path+"/{key}", show),
		version.Post(path+"/{key}", reveal),
		version.Post(path+"/{key}/reveal", reveal),
		version.Get(path+"/{key}/status", call.RPC(api.Chain, api.Secrets.GetSecretStatus, decodeSecretStatus, e.status)),
	}
}

func receiptRoutes(api *handlers.API, path string, e encoders) []version.Route {
	return []version.Route{
		version.Get(path+"/{key}", call.RPC(api.Chain, api.Metadata.GetMetadata, version.DecodeGetMetadata, e.receipt)),
		version.Patch(path+"/{key}", call.RPCWith(api.Chain, api.Metadata.UpdateMetadata, memoInput(), e.memo)),
		version.Post(path+"/{key}/burn", call.RPCWith(api.Chain, api.Secrets.BurnSecret, sureBurnInput(), e.burn)),
	}
}

// accountRoutes returns the part of the table about the caller's account.
func accountRoutes(api *handlers.API) []version.Route {
	return []version.Route{
		version.Get("/account", call.RPC(api.Chain, api.Accounts.GetAccount, call.Nothing, encodeGetAccount)),
		version.Post("/account/destroy", wrongPassword(
			call.RPCWith(api.Chain, api.Accounts.DestroyAccount, destroyInput(), encodeDestroyed), "Please check the password.")),
		version.Post("/account/change-password", wrongPassword(
			call.RPCWith(api.Chain, api.Accounts.ChangeAccountPassword, changePasswordInput(), encodePlain), "Current password is incorrect")),
		version.Post("/account/update-locale", call.RPCWith(api.Chain, api.Accounts.UpdateLocale, updateLocaleInput(), encodeLocale)),
		version.Post("/account/apitoken", call.RPC(api.Chain, api.Accounts.GenerateApiToken, decodeAPIToken, encodeAPIToken)),
	}
}

// domainRoutes returns the part of the table about the domains of the caller's
// account. Clients of different ages use different paths.
func domainRoutes(api *handlers.API) []version.Route {
	var routes []version.Route
	for _, prefix := range []string{"/account/domains", "/domains"} {
		routes = append(routes,
			version.Get(prefix, call.RPC(api.Chain, api.Domains.ListDomains, call.Nothing, encodeListDomains)),
			version.Post(prefix+"/add", duplicate(call.RPCWith(api.Chain, api.Domains.AddDomain, addDomainInput(), encodeAddDomain), "Duplicate domain")),
			version.Get(prefix+"/{domain}", call.RPC(api.Chain, api.Domains.GetDomain, decodeGetDomain, encodeGetDomain)),
			version.Post(prefix+"/{domain}/remove", call.RPC(api.Chain, api.Domains.RemoveDomain, decodeRemoveDomain, encodeRemoveDomain)),
			version.Post(prefix+"/{domain}/verify", call.RPC(api.Chain, api.Domains.VerifyDomain, decodeVerifyDomain, encodeVerifyDomain)),
			version.Get(prefix+"/{domain}/brand", call.RPC(api.Chain, api.Domains.GetDomainBrand, decodeGetBrand, encodeGetBrand)),
			version.Put(prefix+"/{domain}/brand", call.RPCWith(api.Chain, api.Domains.UpdateDomainBrand, updateBrandInput(), encodeUpdateBrand)),
		)
		for _, image := range imageNames() {
			routes = append(routes, imageRoutes(api, prefix+"/{domain}/"+image.name, image)...)
		}
	}
	return routes
}

func imageRoutes(api *handlers.API, path string, image imageName) []version.Route {
	return []version.Route{
		version.Get(path, missing(call.RPC(api.Chain, api.Domains.GetDomainLogo, image.decodeGet, encodeGetImage), "Image not found")),
		version.Post(path, call.RPCWith(api.Chain, api.Domains.UpdateDomainLogo, image.updateInput(), image.updated)),
		version.Delete(path, missing(call.RPC(api.Chain, api.Domains.DeleteDomainLogo, image.decodeDelete, image.deleted), "No "+image.name+" exists for this domain")),
	}
}

// challengeRoutes returns the part of the table about challenges.
func challengeRoutes(api *handlers.API) []version.Route {
	return []version.Route{
		version.ForAnyone(version.Get("/altcha/challenge", call.RPCWith(api.Chain, api.Challenges.AltchaChallenge, challengeInput(), encodeChallenge))),
		version.Post("/altcha/verify", call.RPCWith(api.Chain, api.Challenges.AltchaVerify, solutionInput(), encodeSolved)),
		version.Post("/altcha/verify-spam", call.RPCWith(api.Chain, api.Challenges.AltchaVerifySpam, verdictInput(), encodeVerdict)),
	}
}

// intakeRoutes returns the part of the table about reports from people and
// browsers.
func intakeRoutes(api *handlers.API) []version.Route {
	return []version.Route{
		version.Post("/feedback", call.RPCWith(api.Chain, api.Intake.ReceiveFeedback, feedbackInput(), encodeFeedback)),
		version.Post("/exception", call.RPCWith(api.Chain, api.Intake.ReceiveException, exceptionInput(), encodeException)),
	}
}

// missing sets the text for something absent other than a secret.
func missing(a call.Action, text string) call.Action {
	return call.Reworded(a, refusal.ClassUnknown, refusal.Error{Class: refusal.ClassMissing, Text: text})
}

// wrongPassword sets the text for a wrong password to the one that clients
// know.
func wrongPassword(a call.Action, text string) call.Action {
	return call.Reworded(a, refusal.ClassCredentials, refusal.Error{Class: refusal.ClassCredentials, Text: text})
}

// duplicate sets the text for a name that the caller already uses to the one
// that clients know.
func duplicate(a call.Action, text string) call.Action {
	return call.Reworded(a, refusal.ClassDuplicate, refusal.Error{Class: refusal.ClassDuplicate, Text: text})
}
