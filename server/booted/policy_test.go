package booted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/cli/command"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/server/servertest"
)

func TestServiceFlagMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--sign-up=maybe":                "must be one of open, invite, closed",
		"--sign-up-domains=@example.com": "must be domains",
		"--sign-up-domains=, ,":          "must be domains",
		"--colonel=boss":                 "must be an e-mail address",
		"--colonel=a@example.com,boss":   "must be an e-mail address",
		"--anonymous-create=no":          "must be one of on, off",
		"--passphrase-required=yes":      "must be one of off, on",
		"--encryption=on":                "must be one of any, end-to-end, server",
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
		"--logo-url=logo.png":                                             "must be an address that begins with https:// or http://",
		"--imprint-url=javascript:alert(1)":                               "must be an address that begins with",
		"--privacy-url=https://a:b@c.example":                             "must be an address that begins with",
		"--security-contact=security":                                     "must be an e-mail address, or the address of a page that begins with https://",
		"--security-contact=http://a.example":                             "must be an e-mail address, or the address of a page that begins with https://",
		"--security-contact=\"a\"@b.example\x0d\x0aX:y":                   "must be an e-mail address, or the address of a page that begins with https://",
		"--source-url=ftp://a.example":                                    "must be an address that begins with",
		"--banner=a\x07":                                                  "must be text without control characters",
		"--instance-name=" + strings.Repeat("x", 101):                     "must be at most 100 characters",
		"--resolver=9.9.9.9":                                              "must be host:port, as in 9.9.9.9:53",
		"--smtp-host=smtp.example.com":                                    "must be host:port, as in smtp.example.com:587",
		"--smtp-host=smtp.example.com:25":                                 "--smtp-host needs --mail-from",
		"--mail-from=a@example.com":                                       "--mail-from needs --smtp-host",
		"--smtp-user=me":                                                  "need --smtp-host",
		"--smtp-tls=ssl":                                                  "must be one of starttls, tls, none",
		"--smtp-host=a.example:25 --mail-from=a@b.example --smtp-user=me": "--smtp-user and --smtp-password-file go together",
	} {
		data := filepath.Join(t.TempDir(), "data")
		servertest.Call(t, nil, "", append([]string{"serve", "--data", data}, strings.Split(args, " ")...)...).Want(t, "serve "+args, command.ExitUsage, want)
		if _, err := os.Stat(data); err == nil {
			t.Errorf("hush serve %s: got a data folder, want nothing done", args)
		}
	}
}

// What the operator says reaches the pages.
func TestPolicyIsServed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--sign-up=invite", "--anonymous-create=off", "--passphrase-min=8", "--encryption=server", "--default-ttl=1d", "--max-anonymous-ttl=2d",
		"--max-account-ttl=3d", "--maintenance=Back at noon.", "--instance-name=Our Hush", "--logo-url=https://example.com/logo.png",
		"--imprint-url=https://example.com/imprint", "--privacy-url=https://example.com/privacy",
		"--security-contact=security@example.com", "--source-url=https://example.com/hush", "--banner=Hello.")
	client := hushv1connect.NewSystemServiceClient(servertest.HTTPClient(t, false, nil), s.URL)
	got, err := client.GetPolicy(t.Context(), &hushv1.GetPolicyRequest{})
	if err != nil {
		t.Fatalf("GetPolicy: got %v, want nil", err)
	}
	want := []any{
		false, int32(8), int64(86400), int64(2 * 86400), int64(3 * 86400), "Back at noon.", "Our Hush",
		"https://example.com/logo.png", "https://example.com/imprint", "https://example.com/privacy", "mailto:security@example.com", "https://example.com/hush", "Hello.", s.URL,
		[]hushv1.Encryption{hushv1.Encryption_ENCRYPTION_SERVER}, int64(104_616), int64(1_082_472),
	}
	diff := cmp.Diff(want, []any{
		got.GetAnonymousCreate(), got.GetPassphraseMin(), got.GetDefaultTtl(), got.GetAnonymousTtl(), got.GetAccountTtl(), got.GetMaintenance(), got.GetInstanceName(),
		got.GetLogoUrl(), got.GetImprintUrl(), got.GetPrivacyUrl(), got.GetSecurityContact(), got.GetSourceUrl(), got.GetBanner(), got.GetBaseUrl(),
		got.GetEncryptions(), got.GetAnonymousSealed(), got.GetAccountSealed(),
	})
	if diff != "" {
		t.Errorf("GetPolicy (-want +got):\n%s", diff)
	}
	if !strings.Contains(s.Log.String(), " encryption=server ") {
		t.Errorf("serve: got no encryption=server in the line that sums up what is on:\n%s", s.Log)
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--sign-up=open", "--base-url=http://hush.example")
	for _, want := range []string{"addresses are taken without being confirmed", "nobody can sign in with a browser"} {
		if !strings.Contains(s.Log.String(), want) {
			t.Errorf("serve: got %s, want %q in it", s.Log, want)
		}
	}
	if quiet := servertest.Start(t, "--base-url=http://localhost:7143"); strings.Contains(quiet.Log.String(), "WARN") {
		t.Errorf("serve on loopback: got %s, want no warning", quiet.Log)
	}
}

func TestMissingSpamKeyFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	servertest.Call(t, nil, "", "serve", "--listen=127.0.0.1:0", "--data", filepath.Join(folder, "data"), "--spam-key-file", filepath.Join(folder, "key")).
		Want(t, "serve", command.ExitFailure, "no such file")
}
