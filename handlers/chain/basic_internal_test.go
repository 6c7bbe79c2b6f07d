package chain

import (
	"encoding/base64"
	"strings"
	"testing"

	"hush/vault/caller"
	"hush/vault/session"
)

// Clients send the base64 of Basic with or without padding. Anything else is no
// credential.
func TestReadBasic(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"a@b.c", "aa@b.c", "aaa@b.c", "müller@b.c"} {
		want := session.Credential{Address: caller.Text(address), Token: "token:1"}
		padded := base64.StdEncoding.EncodeToString([]byte(address + ":token:1"))
		for _, value := range []string{padded, strings.TrimRight(padded, "=")} {
			got, ok := readAuthorization([]string{"Basic " + value})
			if !ok || got != want {
				t.Errorf("readAuthorization(Basic %s): got %v, want the credential of %s", value, ok, address)
			}
		}
	}
	for _, value := range []string{
		"", "=", "====", "YQ", "YTpi=", "YTpiYw=", "YTpiYw===", "YTp=iYw", "YTpiY", "YTpi-_8", "OnRva2Vu", "YTo", "YTo=",
	} {
		if got, ok := readAuthorization([]string{"Basic " + value}); ok {
			t.Errorf("readAuthorization(Basic %s): got %q, want none", value, string(got.Address))
		}
	}
}
