package routes

import "hush/handlers"

// version2 is the table of version 2.
func version2(c *handlers.Callable) apiVersion {
	recent := rpc(c.ListMetadata, decodeRecent, v2Recent)
	routes := []route{
		forAnyone(get("/status", rpc(c.GetStatus, nothing, v2Status))),
		forAnyone(get("/version", rpc(c.GetVersion, nothing, v2Version))),
		forAnyone(get("/supported-locales", rpc(c.GetSupportedLocales, nothing, v2Locales))),
		forAnyone(post("/validate-shrimp", rpc(c.ValidateShrimp, decodeShrimp, v2Shrimp))),
		get("/authcheck", rpc(c.Authcheck, nothing, v2Authcheck)),
		hiddenGet("/colonel", rpc(c.GetIndex, nothing, v2Index)),
	}
	routes = append(routes, v2Account(c)...)
	routes = append(routes, v2Domains(c)...)
	routes = append(routes, v2Challenges(c)...)
	routes = append(routes, v2Intake(c)...)
	for _, name := range receiptNames() {
		routes = append(routes, get("/"+name+"/recent", recent))
	}
	for _, prefix := range []string{"", "/guest"} {
		routes = append(routes, v2Secrets(c, prefix+"/secret")...)
		for _, name := range receiptNames() {
			routes = append(routes, v2Receipts(c, prefix+"/"+name)...)
		}
	}
	return apiVersion{prefix: "/api/v2", routes: routes, fail: v2Fail}
}

func v2Secrets(c *handlers.Callable, path string) []route {
	conceal := rpc(c.ConcealSecret, decodeConceal, v2Conceal)
	generate := rpc(c.GenerateSecret, decodeGenerate, v2Generate)
	show := rpc(c.GetSecret, decodeGetSecret, v2GetSecret)
	reveal := either(isContinued, rpc(c.RevealSecret, decodeReveal, v2Reveal), show)
	return []route{
		openPost(path+"/conceal", either(isGenerate, generate, conceal)),
		preflight(path + "/conceal"),
		openPost(path+"/generate", generate),
		preflight(path + "/generate"),
		post(path+"/status", rpc(c.ListSecretStatus, decodeSecretStatuses, v2SecretStatuses)),
		get(path+"/{key}", show),
		post(path+"/{key}", reveal),
		post(path+"/{key}/reveal", reveal),
		get(path+"/{key}/status", rpc(c.GetSecretStatus, decodeSecretStatus, v2SecretStatus)),
	}
}

func v2Receipts(c *handlers.Callable, path string) []route {
	return []route{
		get(path+"/{key}", rpc(c.GetMetadata, decodeGetMetadata, v2GetMetadata)),
		patch(path+"/{key}", rpc(c.UpdateMetadata, decodeMemo, v2UpdateMetadata)),
		post(path+"/{key}/burn", rpc(c.BurnSecret, decodeSureBurn, v2Burn)),
	}
}
