package routes

import (
	"net/http"
	"strconv"
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
)

// ticketPage is where the link of a mail leads. Opening it changes nothing and
// looks nothing up, since programs open links before people do: the page is
// the same for every token, and its button sends the token to the RPC. The
// token is in the path alone.
type ticketPage struct {
	path      string
	texts     string // where its texts are in the catalogue
	passwords bool   // whether it asks for a new one, in the words of page.reset
	account   string // key of the text that says which account it takes; empty if none
	action    action // its answer is what the page says, in paragraphs
}

func ticketPages(c *handlers.Callable) []ticketPage {
	return []ticketPage{
		{path: "/verify/{key}", texts: "page.verify", passwords: true, action: rpc(c.VerifyAccount, decodeVerify, saysDone[hushv1.VerifyAccountResponse]("page.verify"))},
		{path: "/reset/{key}", texts: "page.reset", passwords: true, action: rpc(c.ResetPassword, decodeReset, saysReset)},
		{path: "/confirm/{key}", texts: "page.address", account: "page.address.account", action: rpc(c.ConfirmAddressChange, decodeConfirm, saysDone[hushv1.ConfirmAddressChangeResponse]("page.address"))},
	}
}

// says is the page as a link opens it.
func (p ticketPage) says() standIn {
	return standIn{p.texts, func(x *exchange) *sheet { return p.sheet(x, true) }}
}

// sent is the page after its button.
func (p ticketPage) sent() livePage {
	return livePage{
		method: http.MethodPost, path: p.path, action: p.action,
		answer: func(t *tree, w http.ResponseWriter, x *exchange, result any, f *fault) {
			if f != nil {
				p.refuse(t, w, x, f)
				return
			}
			s := p.sheet(x, false)
			s.Done, _ = result.([]string)
			t.showSheet(w, x, http.StatusOK, s)
		},
	}
}

// refuse says why it was not done, with the form again where another try may
// help.
func (p ticketPage) refuse(t *tree, w http.ResponseWriter, x *exchange, f *fault) {
	status, text := x.reason(f)
	s := p.sheet(x, f.class != classTicket)
	switch s.Problem = text; {
	case f.class == classTicket:
		s.Problem = x.text(p.texts + ".failed")
	case f.class == classUnauthorized && p.account != "":
		s.Problem, s.Text = x.text(p.account), s.Text[:1]
	case p.passwords && (strings.HasPrefix(text, "new_password") || strings.HasPrefix(text, "password")):
		s.Problem = x.text("page.reset.refused")
	}
	setRetryAfter(w, f)
	t.showSheet(w, x, status, s)
}

func (p ticketPage) sheet(x *exchange, asks bool) *sheet {
	s := &sheet{Title: x.text(p.texts + ".title")}
	if !asks {
		return s
	}
	s.Text = []passage{{Text: x.text(p.texts + ".explanation")}}
	if p.account != "" {
		s.Text = append(s.Text, passage{Text: x.text(p.account)})
	}
	s.Form = &form{Button: x.text(p.texts + ".button")}
	if p.passwords {
		s.Form.Fields = []input{
			{Name: "newp", Label: x.text("page.reset.password"), Hint: x.text("page.reset.hint"), Complete: "new-password", Least: 10},
			{Name: "newp2", Label: x.text("page.reset.repeat"), Complete: "new-password", Least: 10},
		}
	}
	return s
}

func decodeVerify(x *exchange) (*hushv1.VerifyAccountRequest, error) {
	password, err := newPassword(x)
	return &hushv1.VerifyAccountRequest{Token: x.key, Password: password}, err
}

func decodeConfirm(x *exchange) (*hushv1.ConfirmAddressChangeRequest, error) {
	return &hushv1.ConfirmAddressChangeRequest{Token: x.key}, nil
}

func decodeReset(x *exchange) (*hushv1.ResetPasswordRequest, error) {
	password, err := newPassword(x)
	return &hushv1.ResetPasswordRequest{Token: x.key, NewPassword: password}, err
}

// newPassword compares the password with its repetition before the token is
// spent.
func newPassword(x *exchange) (string, error) {
	var next, again string
	if err := x.params.read(reading{"newp", &next}, reading{"newp2", &again}); err != nil {
		return "", err
	}
	if next != again {
		return "", invalid("%s", x.text("page.reset.mismatch"))
	}
	return next, nil
}

// saysDone encodes responses that hold nothing.
func saysDone[Res any](texts string) encoder[Res] {
	return func(x *exchange, _ *Res) any {
		return []string{x.text(texts + ".done")}
	}
}

func saysReset(x *exchange, res *hushv1.ResetPasswordResponse) any {
	said := []string{x.text("page.reset.done")}
	if lost := res.GetSealedCount(); lost > 0 {
		said = append(said, x.text("page.reset.lost", "count", strconv.FormatInt(lost, 10)))
	}
	return said
}
