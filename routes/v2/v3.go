package v2

import (
	"net/http"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

// Version3 is the table of version 3, as far as its clients share and open
// secrets. Its refusals are those of version 2, but for a path without a route.
func Version3(api *handlers.API) version.Version {
	routes := []version.Route{
		version.ForAnyone(version.Get("/status", call.RPC(api.Chain, api.System.GetStatus, call.Nothing, version.EncodeStatus))),
		version.ForAnyone(version.Get("/version", call.RPC(api.Chain, api.System.GetVersion, call.Nothing, encodeVersion))),
		version.ForAnyone(version.Get("/supported-locales", call.RPC(api.Chain, api.System.GetSupportedLocales, call.Nothing, encodeLocales))),
		version.Post("/feedback", call.RPCWith(api.Chain, api.Intake.ReceiveFeedback, feedbackInput(), encodeFeedback)),
		version.Get("/receipt/recent", call.RPC(api.Chain, api.Metadata.ListMetadata, version.DecodeRecent, v3Recent)),
		version.Post("/guest/receipts", call.RPCWith(api.Chain, api.Metadata.BatchGetMetadata, receiptsInput(), v3Receipts)),
	}
	for _, prefix := range []string{"", "/guest"} {
		routes = append(routes, v3Secrets(api, prefix+"/secret")...)
		routes = append(routes, receiptRoutes(api, prefix+"/receipt", v3Encoders())...)
	}
	return version.Version{Prefix: "/api/v3", Routes: routes, Fail: v3Fail}
}

// v3RouteAnswer is the response of a path of version 3 without a route, in the form that
// its clients read.
type v3RouteAnswer struct {
	Error     string `json:"error"`
	ErrorType string `json:"error_type"`
}

func v3Fail(w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	if refused.Class == refusal.ClassRoute {
		version.WriteJSON(w, http.StatusNotFound, v3RouteAnswer{Error: refusal.TextRoute, ErrorType: "NotFound"})
		return
	}
	fail(w, req, refused)
}

func v3Encoders() encoders {
	return encoders{
		conceal: v3Conceal, generate: v3Generate, secret: v3GetSecret, reveal: v3Reveal,
		status: v3SecretStatus, statuses: v3SecretStatuses,
		receipt: v3GetMetadata, memo: v3UpdateMetadata, burn: v3Burn,
	}
}

// v3Secrets returns version 2's routes without the reveal at the secret itself,
// which only serves clients older than version 3.
func v3Secrets(api *handlers.API, path string) []version.Route {
	var routes []version.Route
	for _, rt := range secretRoutes(api, path, v3Encoders()) {
		if rt.Method != http.MethodPost || rt.Path != path+"/{key}" {
			routes = append(routes, rt)
		}
	}
	return routes
}

// maxReceipts is the maximum number of receipts that BatchGetMetadata returns
// at a time.
const maxReceipts = 25

// receiptsInput takes keys like secretStatusesInput. It counts them, because the RPC's refusal
// names a field that callers of this path do not send.
func receiptsInput() call.Input[hushv1.BatchGetMetadataRequest] {
	takes := call.Fill(call.Nothing[hushv1.BatchGetMetadataRequest], keysFields("metadata_keys")...)
	return takes.Checked(func(_ *call.Request, message *hushv1.BatchGetMetadataRequest) error {
		switch count := len(message.GetMetadataKeys()); {
		case count == 0:
			return refusal.Invalid("identifiers: must contain at least 1 item(s)")
		case count > maxReceipts:
			return refusal.Invalid("identifiers: must contain no more than %d item(s)", maxReceipts)
		default:
			return nil
		}
	})
}
