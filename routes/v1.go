package routes

import "hush/handlers"

// receiptNames are the names that clients of different ages use for the same
// resource.
func receiptNames() []string {
	return []string{"private", "metadata", "receipt"}
}

// v1Family is the table of version 1.
func v1Family(c *handlers.Callable) family {
	conceal := rpc(c.ConcealSecret, decodeConceal, v1Conceal)
	generate := rpc(c.GenerateSecret, decodeGenerate, v1Generate)
	metadata := rpc(c.GetMetadata, decodeGetMetadata, v1GetMetadata)
	recent := rpc(c.ListMetadata, decodeRecent, v1Recent)
	rows := []row{
		get("/status", rpc(c.GetStatus, nothing, v1Status)),
		get("/authcheck", rpc(c.Authcheck, nothing, v1Authcheck)),
		post("/share", conceal),
		post("/generate", generate),
		post("/create", either(isGenerate, generate, conceal)),
		post("/secret/{key}", hidePassphrase(rpc(c.RevealSecret, decodeReveal, v1Reveal))),
	}
	for _, name := range receiptNames() {
		rows = append(rows,
			get("/"+name+"/recent", recent),
			post("/"+name+"/recent", recent),
			get("/"+name+"/{key}", metadata),
			post("/"+name+"/{key}", metadata),
			post("/"+name+"/{key}/burn", rpc(c.BurnSecret, decodeBurn, v1Burn)),
		)
	}
	return family{prefix: "/api/v1", rows: rows, fail: v1Fail}
}

// hidePassphrase answers a wrong passphrase as an unknown key, to the byte.
func hidePassphrase(a action) action {
	return reworded(a, classPassphrase, fault{class: classUnknown})
}
