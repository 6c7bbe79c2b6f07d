package account

import (
	"context"
	"slices"
	"strings"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Locales returns the languages that an account may choose. The caller owns the
// list.
func Locales() []string {
	return []string{"en", "ar", "de", "es", "fr", "he", "it", "ja", "nl", "pl", "pt_BR", "uk"}
}

// canonicalLocale returns a language in the form of Locales, or InvalidError.
func canonicalLocale(locale string) (string, error) {
	locale = strings.ReplaceAll(locale, "-", "_")
	if !slices.Contains(Locales(), locale) {
		return "", &refusal.InvalidError{Field: "locale", Text: "is not supported"}
	}
	return locale, nil
}

// OptionalLocale returns a language in the form of Locales, or InvalidError. An empty
// one stays empty.
func OptionalLocale(locale string) (string, error) {
	if locale == "" {
		return "", nil
	}
	return canonicalLocale(locale)
}

// UpdateLocale sets the language of the caller's account and returns the old
// one, or "". An unsupported language is ErrInvalid.
func (ac *Accounts) UpdateLocale(ctx context.Context, c caller.Caller, locale string) (old string, err error) {
	if locale, err = canonicalLocale(locale); err != nil {
		return "", err
	}
	_, err = ac.changeOwn(ctx, c, audit.Locale, func(_ *rows.Tx, r *Record) error {
		old, r.Locale = r.Locale, locale
		return nil
	})
	if err != nil {
		return "", err
	}
	return old, nil
}

// UpdateNotifications sets whether the caller's account is mailed when a secret
// was opened, and returns the updated account.
func (ac *Accounts) UpdateNotifications(ctx context.Context, c caller.Caller, opened bool) (Account, error) {
	return ac.changeOwn(ctx, c, audit.Notifications, func(_ *rows.Tx, r *Record) error {
		r.NotifyOpened = opened
		return nil
	})
}
