// Package v2 is version 2 of the API, with its 32 routes and those that came with later
// clients, and version 3, which is another face of it: the same requests for a part of the
// routes, and responses that are made of those of version 2.
//
// It promises that clients of any age find what they look for: a response has its members
// under all names that they had, and paths keep the words of their time.
package v2

import (
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
	"hush/routes/version"
)

// Version is the table of version 2.
func Version(c *handlers.Callable) version.Version {
	routes := []version.Route{
		version.ForAnyone(version.Get("/status", call.RPC(c.GetStatus, call.Nothing, version.EncodeStatus))),
		version.ForAnyone(version.Get("/version", call.RPC(c.GetVersion, call.Nothing, v2Version))),
		version.ForAnyone(version.Get("/supported-locales", call.RPC(c.GetSupportedLocales, call.Nothing, v2Locales))),
		version.ForAnyone(version.Post("/validate-shrimp", call.RPC(c.ValidateShrimp, decodeShrimp, v2Shrimp, params.Optional(params.FormText, "shrimp")))),
		version.Get("/authcheck", call.RPC(c.Authcheck, call.Nothing, v2Authcheck)),
		version.Get("/colonel", call.RPC(c.GetIndex, call.Nothing, v2Index)),
	}
	routes = append(routes, v2Account(c)...)
	routes = append(routes, v2Domains(c)...)
	routes = append(routes, v2Challenges(c)...)
	routes = append(routes, v2Intake(c)...)
	for _, name := range call.ReceiptNames() {
		routes = append(routes, version.Get("/"+name+"/recent", call.RPC(c.ListMetadata, version.DecodeRecent, wordsBelow("/"+name).v2Recent)))
	}
	for _, prefix := range []string{"", "/guest"} {
		routes = append(routes, secretRoutes(c, prefix+"/secret", v2Encoders(wordsBelow(prefix)))...)
		for _, name := range call.ReceiptNames() {
			path := prefix + "/" + name
			routes = append(routes, receiptRoutes(c, path, v2Encoders(wordsBelow(path)))...)
		}
	}
	return version.Version{Prefix: "/api/v2", Routes: routes, Fail: v2Fail}
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

func v2Encoders(v vocabulary) encoders {
	return encoders{
		conceal: v.v2Conceal, generate: v.v2Generate, secret: v.v2GetSecret, reveal: v.v2Reveal,
		status: v.v2SecretStatus, statuses: v.v2SecretStatuses,
		receipt: v.v2GetMetadata, memo: v.v2UpdateMetadata, burn: v.v2Burn,
	}
}

func secretRoutes(c *handlers.Callable, path string, e encoders) []version.Route {
	conceal := call.RPC(c.ConcealSecret, version.DecodeConceal, e.conceal, version.ConcealFields())
	generate := call.RPC(c.GenerateSecret, version.DecodeGenerate, e.generate, version.GenerateFields())
	show := call.RPC(c.GetSecret, decodeGetSecret, e.secret)
	reveal := call.Either(call.Continues(), call.RPC(c.RevealSecret, version.DecodeReveal, e.reveal, version.PassphraseField()), show)
	return []version.Route{
		version.OpenPost(path+"/conceal", call.Either(version.Generates(), generate, conceal)),
		version.Preflight(path + "/conceal"),
		version.OpenPost(path+"/generate", generate),
		version.Preflight(path + "/generate"),
		version.Post(path+"/status", call.RPC(c.ListSecretStatus, decodeSecretStatuses, e.statuses, keysFields())),
		version.Get(path+"/{key}", show),
		version.Post(path+"/{key}", reveal),
		version.Post(path+"/{key}/reveal", reveal),
		version.Get(path+"/{key}/status", call.RPC(c.GetSecretStatus, decodeSecretStatus, e.status)),
	}
}

func receiptRoutes(c *handlers.Callable, path string, e encoders) []version.Route {
	return []version.Route{
		version.Get(path+"/{key}", call.RPC(c.GetMetadata, version.DecodeGetMetadata, e.receipt)),
		version.Patch(path+"/{key}", call.RPC(c.UpdateMetadata, decodeMemo, e.memo, params.Required(params.FormText, "memo"))),
		version.Post(path+"/{key}/burn", call.RPC(c.BurnSecret, decodeSureBurn, e.burn, params.Required(params.FormFlag, "continue"), version.PassphraseField())),
	}
}

// v2Account returns the part of the table about the caller's account.
func v2Account(c *handlers.Callable) []version.Route {
	return []version.Route{
		version.Get("/account", call.RPC(c.GetAccount, call.Nothing, v2GetAccount)),
		version.Post("/account/destroy", wrongPassword(
			call.RPC(c.DestroyAccount, decodeDestroy, v2Destroyed, params.Required(params.FormText, "confirmation")), "Please check the password.")),
		version.Post("/account/change-password", wrongPassword(
			call.RPC(c.ChangeAccountPassword, decodeChangePassword, v2Plain, params.Required(params.FormText, "currentp", "newp", "newp2")), "Current password is incorrect")),
		version.Post("/account/update-locale", call.RPC(c.UpdateLocale, decodeLocale, v2Locale, params.Required(params.FormText, "locale"))),
		version.Post("/account/apitoken", call.RPC(c.GenerateApiToken, decodeAPIToken, v2APIToken)),
	}
}

// v2Domains returns the part of the table about the domains of the caller's
// account. Clients of different ages use different paths.
func v2Domains(c *handlers.Callable) []version.Route {
	var routes []version.Route
	for _, prefix := range []string{"/account/domains", "/domains"} {
		routes = append(routes,
			version.Get(prefix, call.RPC(c.ListDomains, call.Nothing, v2ListDomains)),
			version.Post(prefix+"/add", duplicate(call.RPC(c.AddDomain, decodeAddDomain, v2AddDomain, params.Required(params.FormText, "domain")), "Duplicate domain")),
			version.Get(prefix+"/{domain}", call.RPC(c.GetDomain, decodeGetDomain, v2GetDomain)),
			version.Post(prefix+"/{domain}/remove", call.RPC(c.RemoveDomain, decodeRemoveDomain, v2RemoveDomain)),
			version.Post(prefix+"/{domain}/verify", call.RPC(c.VerifyDomain, decodeVerifyDomain, v2VerifyDomain)),
			version.Get(prefix+"/{domain}/brand", call.RPC(c.GetDomainBrand, decodeGetBrand, v2GetBrand)),
			version.Put(prefix+"/{domain}/brand", call.RPC(c.UpdateDomainBrand, decodeUpdateBrand, v2UpdateBrand, brandFields())),
		)
		for _, image := range imageNames() {
			routes = append(routes, v2Images(c, prefix+"/{domain}/"+image.name, image)...)
		}
	}
	return routes
}

func v2Images(c *handlers.Callable, path string, image imageName) []version.Route {
	return []version.Route{
		version.Get(path, missing(call.RPC(c.GetDomainLogo, image.decodeGet, v2GetImage), "Image not found")),
		version.Post(path, call.RPC(c.UpdateDomainLogo, image.decodeUpdate, image.updated, params.Optional(params.FormFile, "logo", "image", "icon"))),
		version.Delete(path, missing(call.RPC(c.DeleteDomainLogo, image.decodeDelete, image.deleted), "No "+image.name+" exists for this domain")),
	}
}

// v2Challenges returns the part of the table about challenges.
func v2Challenges(c *handlers.Callable) []version.Route {
	return []version.Route{
		version.ForAnyone(version.Get("/altcha/challenge", call.RPC(c.AltchaChallenge, decodeChallenge, v2Challenge, params.Optional(params.FormText, "action")))),
		version.Post("/altcha/verify", call.RPC(c.AltchaVerify, decodeSolution, v2Solved, params.Required(params.FormText, version.Payload), params.Optional(params.FormText, "action"))),
		version.Post("/altcha/verify-spam", call.RPC(c.AltchaVerifySpam, decodeVerdict, v2Verdict, params.Required(params.FormText, version.Payload), params.Optional(params.FormText, params.AnyName))),
	}
}

// v2Intake returns the part of the table about reports from people and
// browsers.
func v2Intake(c *handlers.Callable) []version.Route {
	return []version.Route{
		version.Post("/feedback", call.RPC(c.ReceiveFeedback, decodeFeedback, v2Feedback, feedbackFields())),
		version.Post("/exception", call.RPC(c.ReceiveException, decodeException, v2Exception, exceptionFields())),
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
