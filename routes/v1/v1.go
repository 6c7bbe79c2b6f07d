// Package v1 is version 1 of the API: its routes, with the form of their responses and
// refusals.
//
// It promises that its clients, which are the oldest, cannot tell what they could not
// tell before: a wrong passphrase looks like an unknown secret, and most refusals have the
// status 404, with the accurate one in a header.
package v1

import (
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

// Version is the table of version 1.
func Version(api *handlers.API) version.Version {
	conceal := call.RPCWith(api.Chain, api.Secrets.ConcealSecret, version.ConcealInput(), encodeConceal)
	generate := call.RPCWith(api.Chain, api.Secrets.GenerateSecret, version.GenerateInput(), encodeGenerate)
	metadata := call.RPC(api.Chain, api.Metadata.GetMetadata, version.DecodeGetMetadata, encodeGetMetadata)
	recent := call.RPC(api.Chain, api.Metadata.ListMetadata, version.DecodeRecent, encodeRecent)
	routes := []version.Route{
		version.Get("/status", call.RPC(api.Chain, api.System.GetStatus, call.Nothing, version.EncodeStatus)),
		version.Get("/authcheck", call.RPC(api.Chain, api.Sessions.Authcheck, call.Nothing, encodeAuthcheck)),
		version.Post("/share", conceal),
		version.Post("/generate", generate),
		version.Post("/create", call.Either(version.Generates(), generate, conceal)),
		version.Post("/secret/{key}", hidePassphrase(call.RPCWith(api.Chain, api.Secrets.RevealSecret, version.RevealInput(), encodeReveal))),
	}
	for _, name := range call.ReceiptNames() {
		routes = append(routes,
			version.Get("/"+name+"/recent", recent),
			version.Post("/"+name+"/recent", recent),
			version.Get("/"+name+"/{key}", metadata),
			version.Post("/"+name+"/{key}", metadata),
			version.Post("/"+name+"/{key}/burn", call.RPCWith(api.Chain, api.Secrets.BurnSecret, version.BurnInput(), encodeBurn)),
		)
	}
	return version.Version{Prefix: "/api/v1", Routes: routes, Fail: fail}
}

// hidePassphrase refuses a wrong passphrase exactly like an unknown key.
func hidePassphrase(a call.Action) call.Action {
	return call.Reworded(a, refusal.ClassPassphrase, refusal.Error{Class: refusal.ClassUnknown})
}
