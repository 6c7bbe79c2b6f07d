package routes

import (
	"net/http"

	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
)

// receiptPage has the button that shows what became of a secret. To look is to
// have viewed the receipt, so opening the link does not do it.
func receiptPage() standIn {
	return standIn{"receipt", receiptSheet}
}

func receiptSheet(x *exchange) *sheet {
	return &sheet{
		Title: x.text("page.receipt.title"),
		Text:  []passage{{Text: x.text("page.receipt.explanation")}, burnPassage(x)},
		Form:  &form{Button: x.text("page.receipt.button")},
	}
}

func burnPassage(x *exchange) passage {
	return passage{x.text("page.receipt.burn"), "curl -X POST " + x.links.base + "/api/v1/private/KEY/burn"}
}

// factsPages are the receipt's page after its button, at each of its paths.
func factsPages(c *handlers.Callable) []livePage {
	var all []livePage
	for _, name := range receiptNames() {
		all = append(all, livePage{
			method: http.MethodPost, path: "/" + name + "/{key}",
			action: rpc(c.GetMetadata, decodeLook, factsOf), answer: answerFacts,
		})
	}
	return all
}

func decodeLook(x *exchange) (*hushv1.GetMetadataRequest, error) {
	return &hushv1.GetMetadataRequest{MetadataKey: linkKey(x.key)}, nil
}

// receiptFacts are what a receipt says.
type receiptFacts struct {
	facts []fact
	waits bool   // whether the secret can still be burned
	ended string // says that no passphrase is accepted any more; empty if one is
}

func factsOf(x *exchange, res *hushv1.GetMetadataResponse) any {
	m := res.GetMetadata()
	found := receiptFacts{waits: waits(m.GetState())}
	found.facts = append(found.facts,
		fact{Name: x.text("page.receipt.state"), Text: x.stateText(m.GetState())},
		moment(x.text("event.created"), m.GetCreateTime()))
	for _, known := range []struct {
		name string
		at   *timestamppb.Timestamp
	}{
		{"event.revealed", m.GetReceiveTime()},
		{"event.burned", m.GetBurnTime()},
	} {
		if known.at != nil {
			found.facts = append(found.facts, moment(x.text(known.name), known.at))
		}
	}
	if found.waits {
		found.facts = append(found.facts, moment(x.text("page.receipt.expires"), m.GetSecretExpireTime()))
	}
	if m.GetLockedForGood() {
		found.ended = x.text("page.receipt.locked")
	}
	return found
}

// stateText says where a secret stands. Whether its sender looked makes no
// difference here.
func (x *exchange) stateText(s hushv1.State) string {
	if waits(s) {
		return x.text("page.state.waiting")
	}
	return x.text("page.state." + stateWord(s))
}

func answerFacts(t *tree, w http.ResponseWriter, x *exchange, result any, f *fault) {
	if f != nil {
		refuseFacts(t, w, x, f)
		return
	}
	found, _ := result.(receiptFacts)
	s := &sheet{Title: x.text("page.receipt.title"), Facts: found.facts}
	if found.ended != "" {
		s.Text = append(s.Text, passage{Text: found.ended})
	}
	if found.waits {
		s.Text = append(s.Text, burnPassage(x))
	}
	t.showSheet(w, x, http.StatusOK, s)
}

func refuseFacts(t *tree, w http.ResponseWriter, x *exchange, f *fault) {
	status, text := x.reason(f)
	s := receiptSheet(x)
	s.Problem = text
	if f.class == classUnknown {
		s = &sheet{Title: x.text("page.unknown.title"), Problem: x.text("page.receipt.unknown")}
	}
	setRetryAfter(w, f)
	t.showSheet(w, x, status, s)
}
