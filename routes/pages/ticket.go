package pages

import (
	"net/http"
	"strconv"
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
)

// ticketPage is the target of a mailed link. Opening it changes nothing and
// looks nothing up, because programs open links before people do: the page is
// the same for every token, and its button sends the token to the RPC. The
// token is only in the path.
type ticketPage struct {
	path      string
	texts     string      // prefix of its texts in the catalogue
	start     string      // what it shows before its script runs
	passwords bool        // whether it asks for a new password, with the texts of page.reset
	account   string      // key of the text about the required account; empty if none
	action    call.Action // returns the paragraphs of the page
}

func ticketPages(api *handlers.API) []ticketPage {
	return []ticketPage{
		{path: "/verify/{key}", texts: "page.verify", start: "verify", passwords: true, action: call.RPCWith(api.Chain, api.Accounts.VerifyAccount, verifyInput(), saysDone[hushv1.VerifyAccountResponse]("page.verify"))},
		{path: "/reset/{key}", texts: "page.reset", start: "reset", passwords: true, action: call.RPCWith(api.Chain, api.Accounts.ResetPassword, resetInput(), saysReset)},
		{path: "/confirm/{key}", texts: "page.address", start: "confirm", account: "page.address.account", action: call.RPC(api.Chain, api.Accounts.ConfirmAddressChange, decodeConfirm, saysDone[hushv1.ConfirmAddressChangeResponse]("page.address"))},
	}
}

// says returns the page that a link opens.
func (p ticketPage) says() noscriptPage {
	return noscriptPage{name: p.texts, start: p.start, view: func(req *call.Request) *view { return p.view(req, true) }}
}

// sent returns the page after its button.
func (p ticketPage) sent() dynamicPage {
	return dynamicPage{
		method: http.MethodPost, path: p.path, action: p.action,
		answer: func(site *Site, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error) {
			if refused != nil {
				p.refuse(site, w, req, refused)
				return
			}
			v := p.view(req, false)
			v.Done, _ = result.([]string)
			site.showView(w, req, http.StatusOK, v)
		},
	}
}

// refuse shows the refusal, with the form again if another try may help.
func (p ticketPage) refuse(site *Site, w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	status, text := req.Reason(refused)
	v := p.view(req, refused.Class != refusal.ClassTicket)
	switch v.Problem = text; {
	case refused.Class == refusal.ClassTicket:
		v.Problem = req.Text(p.texts + ".failed")
	case refused.Class == refusal.ClassUnauthorized && p.account != "":
		v.Problem, v.Text = req.Text(p.account), v.Text[:1]
	case p.passwords && (strings.HasPrefix(text, "new_password") || strings.HasPrefix(text, "password")):
		v.Problem = req.Text("page.reset.refused")
	}
	refused.SetRetryAfter(w.Header())
	site.showView(w, req, status, v)
}

func (p ticketPage) view(req *call.Request, asks bool) *view {
	v := &view{Title: req.Text(p.texts + ".title")}
	if !asks {
		return v
	}
	v.Text = []passage{{Text: req.Text(p.texts + ".explanation")}}
	if p.account != "" {
		v.Text = append(v.Text, passage{Text: req.Text(p.account)})
	}
	v.Form = &form{Button: req.Text(p.texts + ".button")}
	if p.passwords {
		v.Form.Fields = []input{
			{Name: newPasswordField("").Name, Label: req.Text("page.reset.password"), Hint: req.Text("page.reset.hint"), Complete: "new-password", Least: 10, Required: true},
			{Name: repeatedPasswordField().Name, Label: req.Text("page.reset.repeat"), Complete: "new-password", Least: 10, Required: true},
		}
	}
	return v
}

func verifyInput() call.Input[hushv1.VerifyAccountRequest] {
	takes := call.Fill(func(req *call.Request) (*hushv1.VerifyAccountRequest, error) {
		return &hushv1.VerifyAccountRequest{Token: req.Key}, nil
	}, newPasswordField("password"), repeatedPasswordField())
	return takes.Checked(func(req *call.Request, message *hushv1.VerifyAccountRequest) error {
		return checkRepeated(req, message.GetPassword())
	})
}

func decodeConfirm(req *call.Request) (*hushv1.ConfirmAddressChangeRequest, error) {
	return &hushv1.ConfirmAddressChangeRequest{Token: req.Key}, nil
}

func resetInput() call.Input[hushv1.ResetPasswordRequest] {
	takes := call.Fill(func(req *call.Request) (*hushv1.ResetPasswordRequest, error) {
		return &hushv1.ResetPasswordRequest{Token: req.Key}, nil
	}, newPasswordField("new_password"), repeatedPasswordField())
	return takes.Checked(func(req *call.Request, message *hushv1.ResetPasswordRequest) error {
		return checkRepeated(req, message.GetNewPassword())
	})
}

// newPasswordField is the parameter with a new password, for a message that has it in a field.
func newPasswordField(field string) params.Field {
	return params.Field{Name: "newp", Form: params.FormText, Becomes: field, Required: true}
}

func repeatedPasswordField() params.Field {
	return params.Field{Name: "newp2", Form: params.FormText, Required: true}
}

// checkRepeated compares the password with its repetition before the token is
// used.
func checkRepeated(req *call.Request, password string) error {
	again, err := req.Params.Text(repeatedPasswordField().Name)
	if err != nil {
		return err
	}
	if password != again {
		return refusal.Invalid("%s", req.Text("page.reset.mismatch"))
	}
	return nil
}

// saysDone encodes empty responses.
func saysDone[Res any](texts string) call.Encoder[Res] {
	return func(req *call.Request, _ *Res) any {
		return []string{req.Text(texts + ".done")}
	}
}

func saysReset(req *call.Request, res *hushv1.ResetPasswordResponse) any {
	said := []string{req.Text("page.reset.done")}
	if lost := res.GetSealedCount(); lost > 0 {
		said = append(said, req.Text("page.reset.lost", "count", strconv.FormatInt(lost, 10)))
	}
	return said
}
