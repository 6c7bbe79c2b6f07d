package account_test

import (
	"testing"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	own := k.MustAccount(t, vaulttest.Ada)
	tests := []struct{ locale, old, stored string }{
		{"de", "", "de"}, {"pt-BR", "de", "pt_BR"}, {"pt_BR", "pt_BR", "pt_BR"}, {"uk", "pt_BR", "uk"},
	}
	for _, test := range tests {
		old, err := k.Vault.Accounts.UpdateLocale(t.Context(), own, test.locale)
		vaulttest.WantErr(t, "UpdateLocale("+test.locale+")", err, nil)
		vaulttest.Want(t, "UpdateLocale("+test.locale+")", old, test.old)
		vaulttest.Want(t, "Account.Locale", k.AccountOf(t, vaulttest.Ada).Locale, test.stored)
	}
	for _, locale := range []string{"", "EN", "pt", "english", "en_US"} {
		_, err := k.Vault.Accounts.UpdateLocale(t.Context(), own, locale)
		vaulttest.WantInvalid(t, "UpdateLocale("+locale+")", err, "locale")
	}
	shown, err := k.Vault.Accounts.UpdateNotifications(t.Context(), own, true)
	vaulttest.WantErr(t, "UpdateNotifications(true)", err, nil)
	vaulttest.Want(t, "Account.NotifyOpened", shown.NotifyOpened, true)
	shown, err = k.Vault.Accounts.UpdateNotifications(t.Context(), own, false)
	vaulttest.WantErr(t, "UpdateNotifications(false)", err, nil)
	vaulttest.Want(t, "Account.NotifyOpened", shown.NotifyOpened, false)
	_, err = k.Vault.Accounts.UpdateLocale(t.Context(), caller.Caller{}, "de")
	vaulttest.WantErr(t, "UpdateLocale(nobody)", err, refusal.ErrUnauthenticated)
	_, err = k.Vault.Accounts.UpdateNotifications(t.Context(), caller.Caller{}, true)
	vaulttest.WantErr(t, "UpdateNotifications(nobody)", err, refusal.ErrUnauthenticated)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), caller.Caller{})
	vaulttest.WantErr(t, "GetAccount(nobody)", err, refusal.ErrUnauthenticated)
	vaulttest.Want(t, "audit rows of languages", k.AuditCount(t, audit.Locale), len(tests))
}
