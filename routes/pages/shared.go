package pages

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/refusal"
)

// sharedLinks is the page after sharing. It has neither the text nor the passphrase.
// Its receipt is in the path, so that it opens without a script.
func sharedLinks(req *call.Request, res *hushv1.ConcealSecretResponse) any {
	m, s := res.GetMetadata(), res.GetSecret()
	origin := req.Links.Origin(s.GetShareDomain())
	v := &view{
		Title: req.Text("page.shared.title"),
		Done:  []string{req.Text("page.shared.once")},
		Links: []link{
			{Label: req.Text("page.shared.link"), Hint: req.Text("page.shared.link.hint"), URL: origin + "/s#" + s.GetSecretKey(), Class: "card-give"},
			{Label: req.Text("page.shared.plain"), Hint: req.Text("page.shared.plain.hint"), URL: origin + "/secret/" + s.GetSecretKey()},
			{Label: req.Text("page.shared.receipt"), Hint: req.Text("page.shared.receipt.hint"), URL: req.Links.Base() + "/private/" + m.GetMetadataKey(), Class: "card-keep", Keep: true},
		},
		Facts: []fact{moment(req.Text("page.receipt.expires"), m.GetSecretExpireTime())},
		Next:  &anchor{URL: sharePath, Text: req.Text("page.shared.another")},
	}
	if s.GetHasPassphrase() {
		v.Text = append(v.Text, passage{Text: req.Text("page.shared.passphrase")})
	}
	return v
}

// explainShare gives the refusals that a form can bring about a text in the
// visitor's language.
func explainShare(a call.Action) call.Action {
	run := a.Run
	a.Run = func(ctx context.Context, req *call.Request) (any, error) {
		answer, err := run(ctx, req)
		if err == nil {
			return answer, nil
		}
		refused := *refusal.Read(err)
		refused.Text = cmp.Or(shareText(req, refusal.Detail(err)), refused.Text)
		return nil, &refused
	}
	return a
}

// shareText returns an empty text for a refusal whose class says everything.
func shareText(req *call.Request, r *hushv1.Refusal) string {
	switch r.GetReason() {
	case hushv1.Refusal_REASON_TOO_LARGE:
		return req.Text("page.share.too_large", "count", strconv.FormatInt(r.GetLimit(), 10))
	case hushv1.Refusal_REASON_CHALLENGE:
		return req.Text("page.share.busy")
	case hushv1.Refusal_REASON_POLICY:
		if r.GetField() == "passphrase" {
			return req.Text("page.share.refused")
		}
		return cmp.Or(closedReason(req), req.Text("page.share.domain"))
	default:
		return ""
	}
}

// answerShare shows the links, or the refusal with the form again. What was entered
// is not on the page.
func answerShare(site *Site, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error) {
	if shared, ok := result.(*view); ok && refused == nil {
		site.showView(w, req, http.StatusOK, shared)
		return
	}
	status, text := req.Reason(refused)
	v := shareView(req)
	switch refused.Class {
	case refusal.ClassForbidden, refusal.ClassMaintenance:
		v = &view{Title: v.Title, Next: &anchor{URL: sharePath, Text: req.Text("page.share.title")}}
	case refusal.ClassLimited:
		// The gate refuses, before there is an action to explain it.
		minutes := max(1, int((refused.Retry+time.Minute-1)/time.Minute))
		text = req.Text("page.share.limited", "minutes", strconv.Itoa(minutes))
	default:
	}
	v.Problem = text
	if v.Form != nil {
		v.Text = append([]passage{{Text: req.Text("page.share.again")}}, v.Text...)
	}
	refused.SetRetryAfter(w.Header())
	site.showView(w, req, status, v)
}
