package routes

import (
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
)

// version1 is the table of version 1.
func version1(c *handlers.Callable) apiVersion {
	conceal := call.RPC(c.ConcealSecret, decodeConceal, v1Conceal, concealFields())
	generate := call.RPC(c.GenerateSecret, decodeGenerate, v1Generate, generateFields())
	metadata := call.RPC(c.GetMetadata, decodeGetMetadata, v1GetMetadata)
	recent := call.RPC(c.ListMetadata, decodeRecent, v1Recent)
	routes := []route{
		get("/status", call.RPC(c.GetStatus, call.Nothing, v1Status)),
		get("/authcheck", call.RPC(c.Authcheck, call.Nothing, v1Authcheck)),
		post("/share", conceal),
		post("/generate", generate),
		post("/create", call.Either(generates(), generate, conceal)),
		post("/secret/{key}", hidePassphrase(call.RPC(c.RevealSecret, decodeReveal, v1Reveal, passphraseField()))),
	}
	for _, name := range call.ReceiptNames() {
		routes = append(routes,
			get("/"+name+"/recent", recent),
			post("/"+name+"/recent", recent),
			get("/"+name+"/{key}", metadata),
			post("/"+name+"/{key}", metadata),
			post("/"+name+"/{key}/burn", call.RPC(c.BurnSecret, decodeBurn, v1Burn, passphraseField())),
		)
	}
	return apiVersion{prefix: "/api/v1", routes: routes, fail: v1Fail}
}

// hidePassphrase refuses a wrong passphrase exactly like an unknown key.
func hidePassphrase(a call.Action) call.Action {
	return call.Reworded(a, refusal.ClassPassphrase, refusal.Error{Class: refusal.ClassUnknown})
}
