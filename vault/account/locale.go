package account

import (
	"context"
	"slices"
	"strings"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Locales are the languages that an account may choose. The caller owns the
// list.
func Locales() []string {
	return []string{"en", "de", "es", "fr", "it", "ja", "nl", "pl", "pt_BR", "uk"}
}

// canonicalLocale brings a language into the form of Locales, or returns
// InvalidError.
func canonicalLocale(locale string) (string, error) {
	locale = strings.ReplaceAll(locale, "-", "_")
	if !slices.Contains(Locales(), locale) {
		return "", &refusal.InvalidError{Field: "locale", Text: "is not supported"}
	}
	return locale, nil
}

// optionalLocale is canonicalLocale where none may be chosen.
func optionalLocale(locale string) (string, error) {
	if locale == "" {
		return "", nil
	}
	return canonicalLocale(locale)
}

// UpdateLocale chooses the language of the caller's account, and returns the
// one that it had, or "". Languages that are not supported are ErrInvalid.
func (ac *Accounts) UpdateLocale(ctx context.Context, c caller.Caller, locale string) (old string, err error) {
	if locale, err = canonicalLocale(locale); err != nil {
		return "", err
	}
	_, err = ac.changeOwn(ctx, c, rows.AuditLocale, func(_ storage.Tx, r *Record) error {
		old, r.Locale = r.Locale, locale
		return nil
	})
	if err != nil {
		return "", err
	}
	return old, nil
}

// UpdateNotifications chooses whether the caller's account is told by mail that
// a secret was opened, and returns the account afterwards.
func (ac *Accounts) UpdateNotifications(ctx context.Context, c caller.Caller, opened bool) (Account, error) {
	return ac.changeOwn(ctx, c, rows.AuditNotifications, func(_ storage.Tx, r *Record) error {
		r.NotifyOpened = opened
		return nil
	})
}
