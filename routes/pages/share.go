package pages

import (
	"net/http"
	"strconv"
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/call"
	"hush/routes/version"
)

const sharePath = "/"

// sharePage has the form that shares a text, which the server encrypts: it takes a
// script to encrypt on the device. closedPage is in its place on a domain whose
// owner lets no visitors share.
func sharePage() noscriptPage { return noscriptPage{name: "share", start: startShare, view: shareView} }

func closedPage() noscriptPage {
	return noscriptPage{name: "share closed", start: startShare, view: func(req *call.Request) *view {
		return closedView(req, req.Text("page.share.domain"))
	}}
}

func shareView(req *call.Request) *view {
	if why := closedReason(req); why != "" {
		return closedView(req, why)
	}
	encrypts := req.Text("page.share.server")
	if len(req.Policy.GetEncryptions()) > 1 {
		encrypts += " " + req.Text("page.share.browser")
	}
	v := &view{Title: req.Text("page.share.title"), Text: []passage{{Text: req.Text("page.home.explanation")}, {Text: encrypts}}}
	v.Form = &form{Button: req.Text("page.share.button"), Fields: shareFields(req)}
	return v
}

// closedReason returns why the visitor can share nothing from the form, or an empty
// text.
func closedReason(req *call.Request) string {
	policy := req.Policy
	switch all := policy.GetEncryptions(); {
	case policy.GetMaintenance() != "":
		return policy.GetMaintenance()
	case len(all) == 1 && all[0] == hushv1.Encryption_ENCRYPTION_END_TO_END:
		return req.Text("page.home.end_to_end")
	case !policy.GetAnonymousCreate() && req.Visitor.Shrimp == "":
		return req.Text("page.share.account")
	default:
		return ""
	}
}

// closedView says why nothing can be shared.
func closedView(req *call.Request, why string) *view {
	return &view{Title: req.Text("page.share.title"), Text: []passage{{Text: req.Text("page.home.explanation")}, {Text: why}}}
}

// shareFields returns the fields of the form. Browsers check what they can, because
// a page that refuses the text does not show it again. They are not told the limits
// on lengths: they would cut a pasted text or passphrase short without a word.
func shareFields(req *call.Request) []input {
	policy := req.Policy
	passphrase := input{
		Kind: inputText, Name: version.NewPassphraseField().Name, Label: req.Text("page.share.passphrase"), Complete: "off",
		Hint: req.Text("page.share.hint"), Least: int(policy.GetPassphraseMin()),
	}
	if policy.GetPassphraseRequired() {
		passphrase.Label, passphrase.Required = req.Text("page.secret.passphrase"), true
	}
	if passphrase.Least > 0 {
		passphrase.Hint += " " + req.Text("page.share.least", "count", strconv.Itoa(passphrase.Least))
	}
	return []input{
		{Kind: inputLines, Name: version.SecretField().Name, Label: req.Text("page.share.secret"), Complete: "off", Required: true},
		{Kind: inputChoice, Name: version.LifetimeField().Name, Label: req.Text("page.share.lifetime"), Choices: lifetimes(req)},
		passphrase,
	}
}

// lifetimes returns the lifetimes to choose from. The default is the chosen one, and
// has no value if it is none of those that have a name.
func lifetimes(req *call.Request) []choice {
	most, usual := req.Policy.GetAnonymousTtl(), req.Policy.GetDefaultTtl()
	if req.Visitor.Shrimp != "" {
		most = req.Policy.GetAccountTtl()
	}
	usual = min(usual, most)
	var all []choice
	named := false
	for _, seconds := range [...]int64{300, 3600, 86_400, 259_200, 604_800, 1_209_600, 2_592_000} {
		if seconds > most {
			break
		}
		value := strconv.FormatInt(seconds, 10)
		all = append(all, choice{Value: value, Text: req.Text("page.lifetime." + value), Chosen: seconds == usual})
		named = named || seconds == usual
	}
	if !named {
		all = append([]choice{{Text: req.Text("page.lifetime.default"), Chosen: true}}, all...)
	}
	return all
}

// home serves the page that shares. It is the same for all visitors without a
// session, except that the owner of a domain decides whether they may share there.
func (site *Site) home(asks call.Action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, sharePath)
		req := site.env.Request(r)
		says := sharePage()
		if !chain.AtHome(r.Context()) && site.closed(req, r, asks) {
			says = closedPage()
		}
		site.showShell(w, req, http.StatusOK, says)
	}
}

// closed reports whether the owner of the called domain lets no visitors share. If
// that cannot be known, the form is shown, and refused if it is sent.
func (site *Site) closed(req *call.Request, r *http.Request, asks call.Action) bool {
	found, err := site.env.Run(req, r, asks)
	policy, known := found.(*hushv1.GetPolicyResponse)
	return err == nil && known && !policy.GetAnonymousCreate() && site.env.Policy.GetAnonymousCreate()
}

// asksPolicy returns the policy for the called domain.
func asksPolicy(api *handlers.API) call.Action {
	return call.RPC(api.Chain, api.System.GetPolicy, call.Nothing, func(_ *call.Request, res *hushv1.GetPolicyResponse) any { return res })
}

// sharedPage is the page after the form: its links.
func sharedPage(api *handlers.API) dynamicPage {
	return dynamicPage{
		method: http.MethodPost, path: sharePath, answer: answerShare,
		action: explainShare(call.RPCWith(api.Chain, api.Secrets.ConcealSecret, shareInput(), sharedLinks)),
	}
}

// shareInput is what the form has. It takes back that browsers send every line break of a
// text area as two characters: the text is stored as a script on the page would send it.
func shareInput() call.Input[hushv1.ConcealSecretRequest] {
	takes := call.Fill(call.Nothing[hushv1.ConcealSecretRequest], version.SecretField(), version.LifetimeField(), version.NewPassphraseField())
	return takes.Checked(func(_ *call.Request, message *hushv1.ConcealSecretRequest) error {
		message.Secret = strings.ReplaceAll(message.GetSecret(), "\r\n", "\n")
		return nil
	})
}
