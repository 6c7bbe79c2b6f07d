package routes

import (
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
)

// version2 is the table of version 2.
func version2(c *handlers.Callable) apiVersion {
	routes := []route{
		forAnyone(get("/status", call.RPC(c.GetStatus, call.Nothing, v2Status))),
		forAnyone(get("/version", call.RPC(c.GetVersion, call.Nothing, v2Version))),
		forAnyone(get("/supported-locales", call.RPC(c.GetSupportedLocales, call.Nothing, v2Locales))),
		forAnyone(post("/validate-shrimp", call.RPC(c.ValidateShrimp, decodeShrimp, v2Shrimp, params.Optional(params.FormText, "shrimp")))),
		get("/authcheck", call.RPC(c.Authcheck, call.Nothing, v2Authcheck)),
		get("/colonel", call.RPC(c.GetIndex, call.Nothing, v2Index)),
	}
	routes = append(routes, v2Account(c)...)
	routes = append(routes, v2Domains(c)...)
	routes = append(routes, v2Challenges(c)...)
	routes = append(routes, v2Intake(c)...)
	for _, name := range call.ReceiptNames() {
		routes = append(routes, get("/"+name+"/recent", call.RPC(c.ListMetadata, decodeRecent, wordsBelow("/"+name).v2Recent)))
	}
	for _, prefix := range []string{"", "/guest"} {
		routes = append(routes, secretRoutes(c, prefix+"/secret", v2Encoders(wordsBelow(prefix)))...)
		for _, name := range call.ReceiptNames() {
			path := prefix + "/" + name
			routes = append(routes, receiptRoutes(c, path, v2Encoders(wordsBelow(path)))...)
		}
	}
	return apiVersion{prefix: "/api/v2", routes: routes, fail: v2Fail}
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

func secretRoutes(c *handlers.Callable, path string, e encoders) []route {
	conceal := call.RPC(c.ConcealSecret, decodeConceal, e.conceal, concealFields())
	generate := call.RPC(c.GenerateSecret, decodeGenerate, e.generate, generateFields())
	show := call.RPC(c.GetSecret, decodeGetSecret, e.secret)
	reveal := call.Either(call.Continues(), call.RPC(c.RevealSecret, decodeReveal, e.reveal, passphraseField()), show)
	return []route{
		openPost(path+"/conceal", call.Either(generates(), generate, conceal)),
		preflight(path + "/conceal"),
		openPost(path+"/generate", generate),
		preflight(path + "/generate"),
		post(path+"/status", call.RPC(c.ListSecretStatus, decodeSecretStatuses, e.statuses, keysFields())),
		get(path+"/{key}", show),
		post(path+"/{key}", reveal),
		post(path+"/{key}/reveal", reveal),
		get(path+"/{key}/status", call.RPC(c.GetSecretStatus, decodeSecretStatus, e.status)),
	}
}

func receiptRoutes(c *handlers.Callable, path string, e encoders) []route {
	return []route{
		get(path+"/{key}", call.RPC(c.GetMetadata, decodeGetMetadata, e.receipt)),
		patch(path+"/{key}", call.RPC(c.UpdateMetadata, decodeMemo, e.memo, params.Required(params.FormText, "memo"))),
		post(path+"/{key}/burn", call.RPC(c.BurnSecret, decodeSureBurn, e.burn, params.Required(params.FormFlag, "continue"), passphraseField())),
	}
}

// v2Account returns the part of the table about the caller's account.
func v2Account(c *handlers.Callable) []route {
	return []route{
		get("/account", call.RPC(c.GetAccount, call.Nothing, v2GetAccount)),
		post("/account/destroy", wrongPassword(
			call.RPC(c.DestroyAccount, decodeDestroy, v2Destroyed, params.Required(params.FormText, "confirmation")), "Please check the password.")),
		post("/account/change-password", wrongPassword(
			call.RPC(c.ChangeAccountPassword, decodeChangePassword, v2Plain, params.Required(params.FormText, "currentp", "newp", "newp2")), "Current password is incorrect")),
		post("/account/update-locale", call.RPC(c.UpdateLocale, decodeLocale, v2Locale, params.Required(params.FormText, "locale"))),
		post("/account/apitoken", call.RPC(c.GenerateApiToken, decodeAPIToken, v2APIToken)),
	}
}

// v2Domains returns the part of the table about the domains of the caller's
// account. Clients of different ages use different paths.
func v2Domains(c *handlers.Callable) []route {
	var routes []route
	for _, prefix := range []string{"/account/domains", "/domains"} {
		routes = append(routes,
			get(prefix, call.RPC(c.ListDomains, call.Nothing, v2ListDomains)),
			post(prefix+"/add", duplicate(call.RPC(c.AddDomain, decodeAddDomain, v2AddDomain, params.Required(params.FormText, "domain")), "Duplicate domain")),
			get(prefix+"/{domain}", call.RPC(c.GetDomain, decodeGetDomain, v2GetDomain)),
			post(prefix+"/{domain}/remove", call.RPC(c.RemoveDomain, decodeRemoveDomain, v2RemoveDomain)),
			post(prefix+"/{domain}/verify", call.RPC(c.VerifyDomain, decodeVerifyDomain, v2VerifyDomain)),
			get(prefix+"/{domain}/brand", call.RPC(c.GetDomainBrand, decodeGetBrand, v2GetBrand)),
			put(prefix+"/{domain}/brand", call.RPC(c.UpdateDomainBrand, decodeUpdateBrand, v2UpdateBrand, brandFields())),
		)
		for _, image := range imageNames() {
			routes = append(routes, v2Images(c, prefix+"/{domain}/"+image.name, image)...)
		}
	}
	return routes
}

func v2Images(c *handlers.Callable, path string, image imageName) []route {
	return []route{
		get(path, missing(call.RPC(c.GetDomainLogo, image.decodeGet, v2GetImage), "Image not found")),
		post(path, call.RPC(c.UpdateDomainLogo, image.decodeUpdate, image.updated, params.Optional(params.FormFile, "logo", "image", "icon"))),
		remove(path, missing(call.RPC(c.DeleteDomainLogo, image.decodeDelete, image.deleted), "No "+image.name+" exists for this domain")),
	}
}

// v2Challenges returns the part of the table about challenges.
func v2Challenges(c *handlers.Callable) []route {
	return []route{
		forAnyone(get("/altcha/challenge", call.RPC(c.AltchaChallenge, decodeChallenge, v2Challenge, params.Optional(params.FormText, "action")))),
		post("/altcha/verify", call.RPC(c.AltchaVerify, decodeSolution, v2Solved, params.Required(params.FormText, payload), params.Optional(params.FormText, "action"))),
		post("/altcha/verify-spam", call.RPC(c.AltchaVerifySpam, decodeVerdict, v2Verdict, params.Required(params.FormText, payload), params.Optional(params.FormText, params.AnyName))),
	}
}

// v2Intake returns the part of the table about reports from people and
// browsers.
func v2Intake(c *handlers.Callable) []route {
	return []route{
		post("/feedback", call.RPC(c.ReceiveFeedback, decodeFeedback, v2Feedback, feedbackFields())),
		post("/exception", call.RPC(c.ReceiveException, decodeException, v2Exception, exceptionFields())),
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
