package servertest

import (
	"os"
	"path/filepath"
	"testing"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
)

// Services are the flags for a server that sends mail, asks DNS and believes
// verdicts about spam.
func Services(t testing.TB, mails *mailtest.Server, dns *resolvertest.Server) []string {
	t.Helper()
	key := filepath.Join(t.TempDir(), "spam.key")
	if err := os.WriteFile(key, []byte(apitest.SpamKey+"\n"), 0o600); err != nil {
		t.Fatalf("WriteFile: got %v, want nil", err)
	}
	return []string{
		"--smtp-host", mails.Addr, "--smtp-tls", "none", "--mail-from", "hush@hush.example",
		"--resolver", dns.Addr, "--spam-key-file", key,
	}
}
