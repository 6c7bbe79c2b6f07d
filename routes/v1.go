package routes

import "hush/routes/refusal"

import "hush/handlers"

// receiptNames are the names that clients of different ages use for the same
// resource.
func receiptNames() []string {
	return []string{"private", "metadata", "receipt"}
}

// version1 is the table of version 1.
func version1(c *handlers.Callable) apiVersion {
	conceal := rpc(c.ConcealSecret, decodeConceal, v1Conceal)
	generate := rpc(c.GenerateSecret, decodeGenerate, v1Generate)
	metadata := rpc(c.GetMetadata, decodeGetMetadata, v1GetMetadata)
	recent := rpc(c.ListMetadata, decodeRecent, v1Recent)
	routes := []route{
		get("/status", rpc(c.GetStatus, nothing, v1Status)),
		get("/authcheck", rpc(c.Authcheck, nothing, v1Authcheck)),
		post("/share", conceal),
		post("/generate", generate),
		post("/create", either(isGenerate, generate, conceal)),
		post("/secret/{key}", hidePassphrase(rpc(c.RevealSecret, decodeReveal, v1Reveal))),
	}
	for _, name := range receiptNames() {
		routes = append(routes,
			get("/"+name+"/recent", recent),
			post("/"+name+"/recent", recent),
			get("/"+name+"/{key}", metadata),
			post("/"+name+"/{key}", metadata),
			post("/"+name+"/{key}/burn", rpc(c.BurnSecret, decodeBurn, v1Burn)),
		)
	}
	return apiVersion{prefix: "/api/v1", routes: routes, fail: v1Fail}
}

// hidePassphrase answers a wrong passphrase as an unknown key, to the byte.
func hidePassphrase(a action) action {
	return reworded(a, refusal.ClassPassphrase, refusal.Error{Class: refusal.ClassUnknown})
}
