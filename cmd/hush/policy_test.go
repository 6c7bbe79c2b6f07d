package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/vault/caller"
)

// parseServe reads the flags of serve and checks them.
func parseServe(environment []string, args ...string) (*settings, error) {
	c := &cobra.Command{Use: "serve"}
	s := addSettings(c, flagNames()...)
	if err := c.ParseFlags(args); err != nil {
		return nil, err
	}
	if err := applyEnvironment(c.Flags(), environment); err != nil {
		return nil, err
	}
	return s, s.check()
}

func TestPolicyFlags(t *testing.T) {
	t.Parallel()
	relay := []string{"--smtp-host=smtp.example.com:587", "--mail-from=hush@example.com"}
	for name, c := range map[string]struct {
		environment, args []string
		want              caller.Policy
	}{
		"nothing":          {nil, nil, caller.Policy{SignUp: caller.SignUpClosed}},
		"mail":             {nil, relay, caller.Policy{SignUp: caller.SignUpOpen}},
		"closed with mail": {nil, append(slices.Clone(relay), "--sign-up=closed"), caller.Policy{SignUp: caller.SignUpClosed}},
		"open":             {nil, []string{"--sign-up=open"}, caller.Policy{SignUp: caller.SignUpOpen}},
		"invite": {nil, []string{"--sign-up=invite", "--sign-up-domains= Example.com,example.org "}, caller.Policy{
			SignUp: caller.SignUpInvite, SignUpDomains: []string{"example.com", "example.org"},
		}},
		"colonels": {nil, []string{"--colonel=A@example.com", "--colonel", "b@example.com, c@example.com"}, caller.Policy{
			SignUp: caller.SignUpClosed, Colonels: []string{"a@example.com", "b@example.com", "c@example.com"},
		}},
		"colonels of a variable": {[]string{"HUSH_COLONEL=a@example.com,b@example.com", "HUSH_SIGN_UP="}, nil, caller.Policy{
			SignUp: caller.SignUpClosed, Colonels: []string{"a@example.com", "b@example.com"},
		}},
		"secrets": {nil, strings.Fields("--anonymous-create=off --passphrase-required on --passphrase-min 8 --challenge-above=20"), caller.Policy{
			SignUp: caller.SignUpClosed, NoAnonymousCreate: true, PassphraseRequired: true, PassphraseMin: 8, ChallengeAbove: 20,
		}},
		"maintenance": {nil, []string{"--maintenance", "Back at noon."}, caller.Policy{SignUp: caller.SignUpClosed, Maintenance: "Back at noon."}},
	} {
		s, err := parseServe(c.environment, c.args...)
		if err != nil {
			t.Errorf("%s: got %v, want nil", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, s.policy()); diff != "" {
			t.Errorf("%s: policy (-want +got):\n%s", name, diff)
		}
	}
}

func TestLifetimeFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]caller.Limits{
		"":                        {DefaultTTL: 7 * day},
		"--default-ttl=90m":       {DefaultTTL: 90 * time.Minute},
		"--default-ttl=14d":       {DefaultTTL: 14 * day},
		"--max-anonymous-ttl=12h": {DefaultTTL: 7 * day, AnonymousTTL: 12 * time.Hour},
		"--max-anonymous-ttl=1d --max-account-ttl=2d": {DefaultTTL: 2 * day, AnonymousTTL: day, AccountTTL: 2 * day},
		"--max-account-ttl=365d --default-ttl 1m":     {DefaultTTL: time.Minute, AccountTTL: 365 * day},
	} {
		s, err := parseServe(nil, strings.Fields(args)...)
		if err != nil {
			t.Errorf("serve %s: got %v, want nil", args, err)
			continue
		}
		want.TotalBytes, want.NetworkBytes, want.AccountBytes = defaultMaxBytes, defaultNetworkBytes, defaultAccountBytes
		if got := s.limits(); got != want {
			t.Errorf("serve %s: got %+v, want %+v", args, got, want)
		}
	}
}

func TestAuditKeepFlag(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]time.Duration{
		"": 0, "--audit-keep=400d": 400 * day, "--audit-keep=36h": 36 * time.Hour,
	} {
		s, err := parseServe(nil, strings.Fields(args)...)
		if err != nil || s.auditKeep != want {
			t.Errorf("serve %s: got %v, want %v", args, err, want)
		}
	}
	s, err := parseServe([]string{"HUSH_AUDIT_KEEP=30d"})
	if err != nil || s.auditKeep != 30*day {
		t.Errorf("HUSH_AUDIT_KEEP=30d: got %v, want 30 days", err)
	}
}

func TestServiceFlagMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--sign-up=maybe":                "must be one of open, invite, closed",
		"--sign-up-domains=@example.com": "must be domains",
		"--colonel=boss":                 "must be an e-mail address",
		"--colonel=a@example.com,boss":   "must be an e-mail address",
		"--anonymous-create=no":          "must be one of on, off",
		"--passphrase-required=yes":      "must be one of off, on",
		"--passphrase-min=129":           "must be a number from 0 to 128",
		"--passphrase-min=-1":            "must be a number from 0 to 128",
		"--challenge-above=many":         "must be a number from 0 to 1000000",
		"--default-ttl=7":                "must be 1m to 365d",
		"--default-ttl=59s":              "must be 1m to 365d",
		"--default-ttl=366d":             "must be 1m to 365d",
		"--default-ttl=99999999d":        "must be 1m to 365d",
		"--default-ttl=-7d":              "must be 1m to 365d",
		"--max-account-ttl=0":            "must be 1m to 365d",
		"--audit-keep=23h":               "must be 1d to 3650d",
		"--audit-keep=3651d":             "must be 1d to 3650d",
		"--default-ttl=31d":              "--default-ttl is longer than",
		"--default-ttl=2d --max-account-ttl=1d --max-anonymous-ttl=1d": "--default-ttl is longer than",
		"--logo-url=logo.png":                         "must be an address that begins with https:// or http://",
		"--imprint-url=javascript:alert(1)":           "must be an address that begins with",
		"--privacy-url=https://a:b@c.example":         "must be an address that begins with",
		"--banner=a\x07":                              "must be text without control characters",
		"--instance-name=" + strings.Repeat("x", 101): "must be at most 100 characters",
		"--resolver=9.9.9.9":                          "must be host:port, as in 9.9.9.9:53",
		"--smtp-host=smtp.example.com":                "must be host:port, as in smtp.example.com:587",
		"--smtp-host=smtp.example.com:25":             "--smtp-host needs --mail-from",
		"--mail-from=a@example.com":                   "--mail-from needs --smtp-host",
		"--smtp-user=me":                              "need --smtp-host",
		"--smtp-tls=ssl":                              "must be one of starttls, tls, none",
		"--smtp-host=a.example:25 --mail-from=a@b.example --smtp-user=me": "--smtp-user and --smtp-password-file go together",
	} {
		data := filepath.Join(t.TempDir(), "data")
		call(t, nil, "", append([]string{"serve", "--data", data}, strings.Split(args, " ")...)...).want(t, "serve "+args, exitUsage, want)
		if _, err := os.Stat(data); err == nil {
			t.Errorf("hush serve %s: got a data folder, want nothing done", args)
		}
	}
}

// What the operator says reaches the pages.
func TestPolicyIsServed(t *testing.T) {
	t.Parallel()
	s := startHush(t, "--sign-up=invite", "--anonymous-create=off", "--passphrase-min=8", "--default-ttl=1d", "--max-anonymous-ttl=2d",
		"--max-account-ttl=3d", "--maintenance=Back at noon.", "--instance-name=Our Hush", "--logo-url=https://example.com/logo.png",
		"--imprint-url=https://example.com/imprint", "--privacy-url=https://example.com/privacy", "--banner=Hello.")
	client := hushv1connect.NewSystemServiceClient(newHTTPClient(t, false, nil), s.url)
	got, err := client.GetPolicy(t.Context(), &hushv1.GetPolicyRequest{})
	if err != nil {
		t.Fatalf("GetPolicy: got %v, want nil", err)
	}
	want := []any{
		false, int32(8), int64(86400), int64(2 * 86400), int64(3 * 86400), "Back at noon.", "Our Hush",
		"https://example.com/logo.png", "https://example.com/imprint", "https://example.com/privacy", "Hello.", s.url,
	}
	diff := cmp.Diff(want, []any{
		got.GetAnonymousCreate(), got.GetPassphraseMin(), got.GetDefaultTtl(), got.GetAnonymousTtl(), got.GetAccountTtl(), got.GetMaintenance(), got.GetInstanceName(),
		got.GetLogoUrl(), got.GetImprintUrl(), got.GetPrivacyUrl(), got.GetBanner(), got.GetBaseUrl(),
	})
	if diff != "" {
		t.Errorf("GetPolicy (-want +got):\n%s", diff)
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	s := startHush(t, "--sign-up=open", "--base-url=http://hush.example")
	for _, want := range []string{"addresses are taken without being confirmed", "nobody can sign in with a browser"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("serve: got %s, want %q in it", s.log, want)
		}
	}
	if quiet := startHush(t, "--base-url=http://localhost:7143"); strings.Contains(quiet.log.String(), "WARN") {
		t.Errorf("serve on loopback: got %s, want no warning", quiet.log)
	}
}

func TestSpamKeyFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("the key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := parseServe(nil, "--spam-key-file", file)
	if err != nil {
		t.Fatalf("serve: got %v, want nil", err)
	}
	if key, err := s.spamKey(); key != "the key" || err != nil {
		t.Errorf("spamKey(): got %q %v, want the file's line", key, err)
	}
	call(t, nil, "", "serve", "--listen=127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"), "--spam-key-file", file+"s").
		want(t, "serve", exitFailure, "no such file")
}
