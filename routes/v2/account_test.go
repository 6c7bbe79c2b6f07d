package v2

import (
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

// testAccount returns an account with some activity.
func testAccount() *hushv1.Account {
	return &hushv1.Account{
		AccountId: "0123456789abcdef0123456789abcdef", Address: "a&b@example.com", Role: hushv1.Role_ROLE_CUSTOMER, Verified: true,
		CreateTime: routestest.At(routestest.Created), UpdateTime: routestest.At(routestest.Created + 10), SignInTime: routestest.At(routestest.Created + 5), Locale: "pt_BR",
		Tally:      &hushv1.Tally{SecretsCreated: 4, SecretsShared: 3, SecretsBurned: 2, EmailsSent: 1},
		TtlCeiling: 2592000, SecretLimit: 1048576,
	}
}

const testCustomer = `{"identifier":"a&b@example.com","custid":"a&b@example.com","email":"a&b@example.com","role":"customer","verified":true,"active":true,` +
	`"last_login":1795236740,"locale":"pt_BR","created":1795236735,"updated":1795236745,` +
	`"stripe_customer_id":"","stripe_subscription_id":"","stripe_checkout_email":"","planid":"basic",` +
	`"plan":{"identifier":"basic","planid":"basic","price":0,"discount":0,"options":{"ttl":2592000,"size":1048576,"api":true,` +
	`"name":"Basic","email":true,"custom_domains":true,"dark_mode":true}},` +
	`"secrets_created":4,"secrets_burned":2,"secrets_shared":3,"emails_sent":1}`

func TestAccount(t *testing.T) {
	req := routestest.Request()
	req.Visitor.Custid = "a&b@example.com"
	const open = `{"success":true,"shrimp":"shrimp","custid":"a&b@example.com",`
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"encodeGetAccount", encodeGetAccount(req, &hushv1.GetAccountResponse{Account: testAccount()}),
			open + `"record":{"apitoken":"","cust":` + testCustomer + `,"stripe_customer":null,"stripe_subscriptions":null},"details":{}}`},
		{"encodeAuthcheck", encodeAuthcheck(req, &hushv1.AuthcheckResponse{Custid: "a&b@example.com", Account: testAccount()}),
			open + `"record":` + testCustomer + `,"details":{"authenticated":true}}`},
		{"encodeDestroyed", encodeDestroyed(req, &hushv1.DestroyAccountResponse{Burned: 7}), open + `"record":{},"details":{"burned":7}}`},
		{"encodePlain", encodePlain(req, &hushv1.ChangeAccountPasswordResponse{}), open + `"record":{},"details":{}}`},
		{"encodeLocale", encodeLocale(req, &hushv1.UpdateLocaleResponse{NewLocale: "fr"}),
			open + `"record":{},"details":{},"new_locale":"fr","old_locale":""}`},
		{"encodeAPIToken", encodeAPIToken(req, &hushv1.GenerateApiTokenResponse{Token: "0123"}),
			open + `"record":{"apitoken":"0123","active":true},"details":{}}`},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
}

func TestCustomerStates(t *testing.T) {
	for _, test := range []struct {
		change func(*hushv1.Account)
		role   string
		active bool
	}{
		{func(*hushv1.Account) {}, "customer", true},
		{func(a *hushv1.Account) { a.Role = hushv1.Role_ROLE_COLONEL }, "colonel", true},
		{func(a *hushv1.Account) { a.Verified = false }, "customer", false},
		{func(a *hushv1.Account) { a.Disabled = true }, "customer", false},
	} {
		a := testAccount()
		test.change(a)
		if got := newCustomer(a); got.Role != test.role || got.Active != test.active {
			t.Errorf("newCustomer(%v): got %s, active %v, want %s, %v", a, got.Role, got.Active, test.role, test.active)
		}
	}
	a := testAccount()
	a.SignInTime = nil
	if got := newCustomer(a); got.LastLogin != nil {
		t.Errorf("newCustomer(never signed in): got %d, want null", *got.LastLogin)
	}
}

func TestDecodeAccount(t *testing.T) {
	destroy, err := routestest.Decoded(t, destroyInput().Decode, "confirmation=+p%C3%A4ss+")
	routestest.WantMessage(t, "destroyInput", destroy, &hushv1.DestroyAccountRequest{Confirmation: " päss "}, err)
	for _, body := range []string{"", "confirmation=", `{"confirmation":null}`} {
		_, err := routestest.Decoded(t, destroyInput().Decode, body)
		routestest.WantRefusal(t, "destroyInput("+body+")", err, refusal.ClassInvalid, "Password confirmation is required.")
	}
	locale, err := routestest.Decoded(t, updateLocaleInput().Decode, `{"locale":"pt_BR"}`)
	routestest.WantMessage(t, "updateLocaleInput", locale, &hushv1.UpdateLocaleRequest{Locale: "pt_BR"}, err)
	token, err := routestest.Decoded(t, decodeAPIToken, "name=mine&scopes=x")
	routestest.WantMessage(t, "decodeAPIToken", token, &hushv1.GenerateApiTokenRequest{Name: "default", Rotate: true}, err)
}

func TestChangePasswordInput(t *testing.T) {
	got, err := routestest.Decoded(t, changePasswordInput().Decode, "currentp=a&newp=+b&newp2=+b")
	routestest.WantMessage(t, "changePasswordInput", got, &hushv1.ChangeAccountPasswordRequest{CurrentPassword: "a", NewPassword: " b"}, err)
	for body, want := range map[string]string{
		"":                            "Password could not be changed.",
		"currentp=&newp=b&newp2=b":    "Password could not be changed.",
		"currentp=a&newp=b&newp2=B":   "New passwords do not match",
		"currentp=a&newp=b":           "New passwords do not match",
		"currentp=a&currentp=b":       "currentp was given more than once",
		"currentp=a&newp=%ff&newp2=b": "newp is not valid UTF-8",
		`{"currentp":"a","newp":[]}`:  "newp must be a single value",
	} {
		_, err := routestest.Decoded(t, changePasswordInput().Decode, body)
		routestest.WantRefusal(t, "changePasswordInput("+body+")", err, refusal.ClassInvalid, want)
	}
}

// Refusals in the words that clients know; others than a wrong password stay
// unchanged.
func TestWrongPassword(t *testing.T) {
	wrong := routestest.RPCError(t, connect.CodePermissionDenied, "wrong address or password",
		&hushv1.Refusal{Reason: hushv1.Refusal_REASON_CREDENTIALS})
	_, err := wrongPassword(routestest.RefuseWith(wrong), "Please check the password.").Run(t.Context(), routestest.Request())
	routestest.WantRefusal(t, "wrongPassword(wrong)", err, refusal.ClassCredentials, "Please check the password.")
	other := routestest.RPCError(t, connect.CodeUnavailable, "busy")
	_, err = wrongPassword(routestest.RefuseWith(other), "Please check the password.").Run(t.Context(), routestest.Request())
	routestest.WantRefusal(t, "wrongPassword(busy)", err, refusal.ClassUnavailable, "")
	if _, err := wrongPassword(routestest.Say(), "no").Run(t.Context(), routestest.Request()); err != nil {
		t.Errorf("wrongPassword(right): got error %v", err)
	}
	unknown := routestest.RPCError(t, connect.CodeNotFound, "not found")
	_, err = missing(routestest.RefuseWith(unknown), "Image not found").Run(t.Context(), routestest.Request())
	routestest.WantRefusal(t, "missing(unknown)", err, refusal.ClassMissing, "Image not found")
}
