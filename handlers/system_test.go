package handlers_test

import (
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

func TestGetPolicy(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{
		Policy: caller.Policy{SignUp: caller.SignUpInvite, NoAnonymousCreate: true, PassphraseRequired: true, PassphraseMin: 8, Maintenance: "Back at noon."},
		Limits: caller.Limits{DefaultTTL: time.Hour},
	}, func(o *handlers.Options) {
		o.BaseURL = &url.URL{Scheme: "https", Host: "hush.example", Path: "/"}
		o.Instance = handlers.Instance{Name: "Ours", LogoURL: "l", ImprintURL: "i", PrivacyURL: "p", SecurityContact: "a+b@c.example", SourceURL: "s", Banner: "b"}
	})
	got, err := s.system(&browser{}).GetPolicy(t.Context(), &hushv1.GetPolicyRequest{})
	if err != nil {
		t.Fatalf("GetPolicy: got %v, want no error", err)
	}
	want := &hushv1.GetPolicyResponse{
		SignUp: hushv1.SignUp_SIGN_UP_INVITE, PassphraseRequired: true, PassphraseMin: 8,
		DefaultTtl: 3600, AnonymousTtl: 604_800, AccountTtl: 2_592_000, AnonymousSecret: 100 << 10, AccountSecret: 1 << 20,
		Encryptions:     []hushv1.Encryption{hushv1.Encryption_ENCRYPTION_END_TO_END, hushv1.Encryption_ENCRYPTION_SERVER},
		AnonymousSealed: 104_616, AccountSealed: 1_082_472, AnonymousFile: 100 << 20, AccountFile: 1 << 30,
		Maintenance: "Back at noon.", InstanceName: "Ours", LogoUrl: "l", ImprintUrl: "i", PrivacyUrl: "p", Banner: "b",
		SecurityContact: "mailto:a+b@c.example", SourceUrl: "s",
		BaseUrl: "https://hush.example", SignIn: true, Requests: hushv1.Requests_REQUESTS_ACCOUNTS,
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("GetPolicy (-want +got):\n%s", diff)
	}
}

// What may be created is what the policy lists.
func TestGetPolicyListsKinds(t *testing.T) {
	t.Parallel()
	for kinds, want := range map[caller.Kinds][]hushv1.Encryption{
		caller.KindsEndToEnd: {hushv1.Encryption_ENCRYPTION_END_TO_END},
		caller.KindsServer:   {hushv1.Encryption_ENCRYPTION_SERVER},
	} {
		s := newTestServer(t, vaulttest.Options{Policy: caller.Policy{Kinds: kinds}, Limits: caller.Limits{AnonymousSecret: 1, AccountSecret: 5000}}, nil)
		got, err := s.system(&browser{}).GetPolicy(t.Context(), &hushv1.GetPolicyRequest{})
		if err != nil {
			t.Fatalf("GetPolicy: got %v, want no error", err)
		}
		if !slices.Equal(got.GetEncryptions(), want) || got.GetAnonymousSealed() != 2248 || got.GetAccountSealed() != 7240 {
			t.Errorf("GetPolicy: got %v, want the kinds %v and at most 2248 and 7240 bytes", got, want)
		}
	}
}

// A page gets the token of its own session with the policy, and no other token.
// That pages of other sites get none is a case of TestForeignOrigins.
func TestGetPolicyToken(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	own, _ := s.signIn(t, false)
	other, _ := s.signIn(t, false)
	for name, test := range map[string]struct {
		by   *browser
		want string
	}{
		"a session":              {&browser{cookie: own.cookie}, own.shrimp},
		"another's token":        {&browser{cookie: own.cookie, shrimp: other.shrimp}, own.shrimp},
		"a token alone":          {&browser{shrimp: own.shrimp}, ""},
		"nothing":                {&browser{}, ""},
		"another host":           {&browser{cookie: own.cookie, host: "elsewhere.example"}, ""},
		"a cookie of no session": {&browser{cookie: own.cookie + "x"}, ""},
	} {
		policy, err := s.system(test.by).GetPolicy(t.Context(), &hushv1.GetPolicyRequest{})
		if got := policy.GetShrimp(); err != nil || got != test.want {
			t.Errorf("GetPolicy by %s: got the token %q %v, want %q", name, got, err, test.want)
		}
	}
}

func TestGetSupportedLocales(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	if _, err := s.accounts(b).UpdateLocale(t.Context(), &hushv1.UpdateLocaleRequest{Locale: "fr"}); err != nil {
		t.Fatalf("UpdateLocale: got %v, want no error", err)
	}
	res, err := s.system(b).GetSupportedLocales(t.Context(), &hushv1.GetSupportedLocalesRequest{})
	if err != nil {
		t.Fatalf("GetSupportedLocales: got %v, want no error", err)
	}
	if res.GetDefaultLocale() != "en" || res.GetLocale() != "fr" || len(res.GetLocales()) != len(locale.Supported()) {
		t.Errorf("GetSupportedLocales: got %v, want all of them, en by default and an answer in fr", res)
	}
	for _, name := range account.Locales() {
		if _, ok := locale.Parse(name); !ok {
			t.Errorf("vault.Locales: got %s, want only what locale knows", name)
		}
	}
}

func TestValidateShrimp(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	session, _ := s.signIn(t, false)
	other, _ := s.signIn(t, false)
	random := regexp.MustCompile(`^[0-9a-z]{49}$`)
	for _, c := range []struct {
		name, sent string
		by         *browser
		valid      bool
	}{
		{"the session's", session.shrimp, session, true},
		{"another session's", other.shrimp, session, false},
		{"none", "", session, false},
		{"anybody's", session.shrimp, &browser{}, false},
		{"no one's", "", &browser{}, false},
		{"a token's", session.shrimp, s.bearer(t, 0), false},
	} {
		res, err := s.system(c.by).ValidateShrimp(t.Context(), &hushv1.ValidateShrimpRequest{Shrimp: c.sent})
		if err != nil || res.GetValid() != c.valid || !random.MatchString(res.GetShrimp()) {
			t.Errorf("ValidateShrimp of %s: got %v %v, want %t and a token", c.name, res, err, c.valid)
		}
		if own := res.GetShrimp() == session.shrimp; own != (c.by == session) {
			t.Errorf("ValidateShrimp of %s: got the session's token: %t, want %t", c.name, own, c.by == session)
		}
	}
}

func TestNewShrimp(t *testing.T) {
	t.Parallel()
	seen := map[byte]bool{}
	for range 200 {
		shrimp := chain.NewShrimp()
		if !regexp.MustCompile(`^[0-9a-z]{49}$`).MatchString(shrimp) {
			t.Fatalf("NewShrimp: got %q, want 49 characters 0-9 and a-z", shrimp)
		}
		for i := range len(shrimp) {
			seen[shrimp[i]] = true
		}
	}
	if len(seen) != 36 {
		t.Errorf("NewShrimp 200 times: got %d different characters, want all 36", len(seen))
	}
}
