package settings

import (
	"strings"
	"testing"
)

// What does nothing without --acme is a mistake, and its default is none.
func TestUnusedACME(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--acme-email=ops@example.com":                        "--acme-email needs --acme",
		"--acme-http-listen=:8080":                            "--acme-http-listen needs --acme",
		"--acme-directory=https://ca.example.com/dir":         "--acme-directory needs --acme",
		"--acme-email=ops@example.com --acme-http-listen=:81": "--acme-email and --acme-http-listen need --acme",
		"--acme-http-listen=:80 --acme=false":                 "",
		"--acme --acme-email=ops@example.com --acme-http-listen=:81 --base-url=https://hush.example.com": "",
	} {
		_, err := parse(nil, strings.Fields(args)...)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("serve %s: got %v, want %q", args, err, want)
		}
	}
}

// A switch says what it takes, wherever its value is from.
func TestSwitchMistakes(t *testing.T) {
	t.Parallel()
	const want = "must be true or false"
	_, ofFile := parse(nil, "--config", writeConfig(t, "acme: maybe\n"))
	_, ofVariable := parse([]string{"HUSH_ACME=maybe"})
	_, ofFlag := parse(nil, "--acme=maybe")
	for source, err := range map[string]error{"hush.yaml:1: acme: ": ofFile, "HUSH_ACME: ": ofVariable, `"--acme" flag: `: ofFlag} {
		if err == nil || !strings.HasSuffix(err.Error(), source+want) {
			t.Errorf("acme=maybe: got %v, want %s%s", err, source, want)
		}
	}
	for _, value := range []string{"true", "1"} {
		s, err := parse([]string{"HUSH_ACME=" + value, "HUSH_BASE_URL=https://hush.example.com"})
		if err != nil || !s.ACME {
			t.Errorf("HUSH_ACME=%s: got %v, want it on", value, err)
		}
	}
}
