package pages

import (
	"net/http"

	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
)

// receiptPage has the button that shows a receipt. Showing it marks the receipt
// as viewed, so opening the link alone does not.
func receiptPage() noscriptPage {
	return noscriptPage{name: "receipt", start: startReceipt, view: receiptView}
}

func receiptView(req *call.Request) *view {
	return &view{
		Title: req.Text("page.receipt.title"),
		Text:  []passage{{Text: req.Text("page.receipt.explanation")}, burnPassage(req)},
		Form:  &form{Button: req.Text("page.receipt.button")},
	}
}

// burnPassage has the call that takes the receipt alone. Those of v1 and v2 also
// take the passphrase, which the sender may have forgotten.
func burnPassage(req *call.Request) passage {
	const call = `curl -H 'Content-Type: application/json' -d '{"metadataKey": "KEY"}' `
	return passage{req.Text("page.receipt.burn"), call + req.Links.Base() + hushv1connect.SecretServiceBurnSecretProcedure}
}

// receiptPages returns the receipt's page after its button, at each of its
// paths.
func receiptPages(api *handlers.API) []dynamicPage {
	var all []dynamicPage
	for _, name := range call.ReceiptNames() {
		all = append(all, dynamicPage{
			method: http.MethodPost, path: "/" + name + "/{key}",
			action: call.RPC(api.Chain, api.Metadata.GetMetadata, decodeLook, factsOf), answer: answerReceipt,
		})
	}
	return all
}

func decodeLook(req *call.Request) (*hushv1.GetMetadataRequest, error) {
	return &hushv1.GetMetadataRequest{MetadataKey: linkKey(req.Key)}, nil
}

// receiptFacts is the content of a receipt.
type receiptFacts struct {
	facts []fact
	waits bool   // whether the secret can still be burned
	ended string // set if no passphrase is accepted any more
}

func factsOf(req *call.Request, res *hushv1.GetMetadataResponse) any {
	m := res.GetMetadata()
	state := m.GetState()
	found := receiptFacts{waits: state == hushv1.State_STATE_NEW || state == hushv1.State_STATE_VIEWED}
	found.facts = append(found.facts,
		fact{Name: req.Text("page.receipt.state"), Text: stateText(req, state)},
		moment(req.Text("event.created"), m.GetCreateTime()))
	for _, known := range []struct {
		name string
		at   *timestamppb.Timestamp
	}{
		{"event.revealed", m.GetReceiveTime()},
		{"event.burned", m.GetBurnTime()},
	} {
		if known.at != nil {
			found.facts = append(found.facts, moment(req.Text(known.name), known.at))
		}
	}
	if found.waits {
		found.facts = append(found.facts, moment(req.Text("page.receipt.expires"), m.GetSecretExpireTime()))
	}
	if m.GetLockedForGood() {
		found.ended = req.Text("page.receipt.locked")
	}
	return found
}

// stateText describes the state of a secret. Whether its sender viewed the
// receipt makes no difference here.
func stateText(req *call.Request, state hushv1.State) string {
	switch state {
	case hushv1.State_STATE_NEW, hushv1.State_STATE_VIEWED:
		return req.Text("page.state.waiting")
	case hushv1.State_STATE_RECEIVED:
		return req.Text("page.state.received")
	case hushv1.State_STATE_BURNED:
		return req.Text("page.state.burned")
	case hushv1.State_STATE_EXPIRED:
		return req.Text("page.state.expired")
	default:
		return req.Text("page.state.unknown")
	}
}

func answerReceipt(site *Site, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error) {
	if refused != nil {
		refuseReceipt(site, w, req, refused)
		return
	}
	found, _ := result.(receiptFacts)
	v := &view{Title: req.Text("page.receipt.title"), Facts: found.facts}
	if found.ended != "" {
		v.Text = append(v.Text, passage{Text: found.ended})
	}
	if found.waits {
		v.Text = append(v.Text, burnPassage(req))
	}
	site.showView(w, req, http.StatusOK, v)
}

func refuseReceipt(site *Site, w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	status, text := req.Reason(refused)
	v := receiptView(req)
	v.Problem = text
	if refused.Class == refusal.ClassUnknown {
		v = &view{Title: req.Text("page.receipt.unknown.title"), Problem: req.Text("page.receipt.unknown")}
	}
	refused.SetRetryAfter(w.Header())
	site.showView(w, req, status, v)
}
