package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
	"hush/routes/version"
)

func destroyInput() call.Input[hushv1.DestroyAccountRequest] {
	takes := call.Fill(call.Nothing[hushv1.DestroyAccountRequest],
		params.Field{Name: "confirmation", Form: params.FormText, Becomes: "confirmation", Required: true})
	return takes.Checked(func(_ *call.Request, message *hushv1.DestroyAccountRequest) error {
		if message.GetConfirmation() == "" {
			return refusal.Invalid("Password confirmation is required.")
		}
		return nil
	})
}

// changePasswordInput compares the new password with its repetition, which guards against
// typing errors; the service does not need it.
func changePasswordInput() call.Input[hushv1.ChangeAccountPasswordRequest] {
	repetition := params.Field{Name: "newp2", Form: params.FormText, Required: true, About: "The new password again."}
	takes := call.Fill(call.Nothing[hushv1.ChangeAccountPasswordRequest],
		params.Field{Name: "currentp", Form: params.FormText, Becomes: "current_password", Required: true},
		params.Field{Name: "newp", Form: params.FormText, Becomes: "new_password", Required: true},
		repetition)
	return takes.Checked(func(req *call.Request, message *hushv1.ChangeAccountPasswordRequest) error {
		again, err := req.Params.Text(repetition.Name)
		switch {
		case err != nil:
			return err
		case message.GetCurrentPassword() == "":
			return refusal.Invalid("Password could not be changed.")
		case message.GetNewPassword() != again:
			return refusal.Invalid("New passwords do not match")
		default:
			return nil
		}
	})
}

func updateLocaleInput() call.Input[hushv1.UpdateLocaleRequest] {
	return call.Fill(call.Nothing[hushv1.UpdateLocaleRequest],
		params.Field{Name: "locale", Form: params.FormText, Becomes: "locale", Required: true})
}

// decodeAPIToken requests the single token that old clients know, which
// replaces the one before.
func decodeAPIToken(*call.Request) (*hushv1.GenerateApiTokenRequest, error) {
	return &hushv1.GenerateApiTokenRequest{Name: "default", Rotate: true}, nil
}

// customer is an account. Browser clients refuse unknown members, so it has
// exactly these.
type customer struct {
	Identifier           string `json:"identifier"`
	Custid               string `json:"custid"`
	Email                string `json:"email"`
	Role                 string `json:"role"`
	Verified             bool   `json:"verified"`
	Active               bool   `json:"active"`
	LastLogin            *int64 `json:"last_login"`
	Locale               string `json:"locale"`
	Created              int64  `json:"created"`
	Updated              int64  `json:"updated"`
	StripeCustomerID     string `json:"stripe_customer_id"`
	StripeSubscriptionID string `json:"stripe_subscription_id"`
	StripeCheckoutEmail  string `json:"stripe_checkout_email"`
	Planid               string `json:"planid"`
	Plan                 plan   `json:"plan"`
	SecretsCreated       int64  `json:"secrets_created"`
	SecretsBurned        int64  `json:"secrets_burned"`
	SecretsShared        int64  `json:"secrets_shared"`
	EmailsSent           int64  `json:"emails_sent"`
}

// plan describes what an account may do. There is one plan, which is free.
type plan struct {
	Identifier string      `json:"identifier"`
	Planid     string      `json:"planid"`
	Price      int         `json:"price"`
	Discount   int         `json:"discount"`
	Options    planOptions `json:"options"`
}

type planOptions struct {
	TTL           int64  `json:"ttl"`
	Size          int64  `json:"size"`
	API           bool   `json:"api"`
	Name          string `json:"name"`
	Email         bool   `json:"email"`
	CustomDomains bool   `json:"custom_domains"`
	DarkMode      bool   `json:"dark_mode"`
}

// planid is the name of the one plan.
const planid = "basic"

func newCustomer(a *hushv1.Account) customer {
	return customer{
		Identifier: a.GetAddress(), Custid: a.GetAddress(), Email: a.GetAddress(), Role: roleWord(a.GetRole()),
		Verified: a.GetVerified(), Active: a.GetVerified() && !a.GetDisabled(),
		LastLogin: version.EpochOrNull(a.GetSignInTime()), Locale: a.GetLocale(),
		Created: a.GetCreateTime().GetSeconds(), Updated: a.GetUpdateTime().GetSeconds(),
		Planid: planid, Plan: newPlan(a),
		SecretsCreated: a.GetTally().GetSecretsCreated(), SecretsBurned: a.GetTally().GetSecretsBurned(),
		SecretsShared: a.GetTally().GetSecretsShared(), EmailsSent: a.GetTally().GetEmailsSent(),
	}
}

func newPlan(a *hushv1.Account) plan {
	return plan{Identifier: planid, Planid: planid, Options: planOptions{
		TTL: a.GetTtlCeiling(), Size: a.GetSecretLimit(),
		API: true, Name: "Basic", Email: true, CustomDomains: true, DarkMode: true,
	}}
}

func roleWord(role hushv1.Role) string {
	if role == hushv1.Role_ROLE_COLONEL {
		return "colonel"
	}
	return "customer"
}

// accountRecord has no API token: only its hash is stored.
type accountRecord struct {
	APIToken            string   `json:"apitoken"`
	Cust                customer `json:"cust"`
	StripeCustomer      *string  `json:"stripe_customer"`
	StripeSubscriptions *string  `json:"stripe_subscriptions"`
}

func encodeGetAccount(req *call.Request, res *hushv1.GetAccountResponse) any {
	return newEnvelope(req, accountRecord{Cust: newCustomer(res.GetAccount())}, struct{}{})
}

// encodePlain confirms success.
func encodePlain[Res any](req *call.Request, _ *Res) any {
	return newEnvelope(req, struct{}{}, struct{}{})
}

type destroyedDetails struct {
	Burned int32 `json:"burned"`
}

func encodeDestroyed(req *call.Request, res *hushv1.DestroyAccountResponse) any {
	return newEnvelope(req, struct{}{}, destroyedDetails{Burned: res.GetBurned()})
}

type localeAnswer struct {
	envelope
	NewLocale string `json:"new_locale"`
	OldLocale string `json:"old_locale"`
}

func encodeLocale(req *call.Request, res *hushv1.UpdateLocaleResponse) any {
	return localeAnswer{newEnvelope(req, struct{}{}, struct{}{}), res.GetNewLocale(), res.GetOldLocale()}
}

type apiTokenRecord struct {
	APIToken string `json:"apitoken"`
	Active   bool   `json:"active"`
}

func encodeAPIToken(req *call.Request, res *hushv1.GenerateApiTokenResponse) any {
	return newEnvelope(req, apiTokenRecord{APIToken: res.GetToken(), Active: true}, struct{}{})
}
