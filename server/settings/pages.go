package settings

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"hush/cli/flags"
	"hush/handlers"
)

// pageSettings say how the service looks.
type pageSettings struct {
	Instance    handlers.Instance
	Maintenance string
}

// The maximum characters of the texts on pages.
const (
	maxName  = 100
	maxWords = 1000
)

func (s *pageSettings) settings() []setting {
	return []setting{
		{"instance-name", flags.Example("Hush", flags.Checked(&s.Instance.Name, "", "`name` of the service on its pages and in its mail", printable(maxName)))},
		{"logo-url", flags.Example("https://example.com/logo.svg", flags.Checked(&s.Instance.LogoURL, "", "`URL` of the logo at the top of every page", checkPageURL))},
		{"imprint-url", flags.Example("https://example.com/imprint", flags.Checked(&s.Instance.ImprintURL, "", "`URL` of the legal notice, which names who runs the service", checkPageURL))},
		{"privacy-url", flags.Example("https://example.com/privacy", flags.Checked(&s.Instance.PrivacyURL, "", "`URL` of the privacy policy", checkPageURL))},
		{"security-contact", flags.Example("security@example.com", flags.Checked(&s.Instance.SecurityContact, "", "`address` or https:// page where people report weaknesses; shown at /security and served as /.well-known/security.txt", checkSecurityContact))},
		{"source-url", flags.Example("https://example.com/hush", flags.Checked(&s.Instance.SourceURL, "", "`URL` of the source code that this service runs, shown at /security", checkPageURL))},
		{"banner", flags.Example("Maintenance on Sunday.", flags.Checked(&s.Instance.Banner, "", "`text` at the top of every page", printable(maxWords)))},
		{"maintenance", flags.Example("Back at noon.", flags.Checked(&s.Maintenance, "", "create nothing and show this `text` instead; secrets can still be opened", printable(maxWords)))},
	}
}

// checkPageURL takes the address of a page or picture of the operator's.
func checkPageURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(text) > 2048 {
		return errors.New("must be an address that begins with https:// or http://")
	}
	return nil
}

// checkSecurityContact takes an e-mail address or a page. RFC 9116 wants https:// for pages.
func checkSecurityContact(text string) error {
	if text == "" || strings.HasPrefix(text, "https://") && checkPageURL(text) == nil {
		return nil
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text || len(text) > 254 || strings.ContainsAny(text, ":\"") {
		return errors.New("must be an e-mail address, or the address of a page that begins with https://")
	}
	return nil
}

// printable takes up to most characters that print.
func printable(most int) func(string) error {
	return func(text string) error {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return errors.New("must be text without control characters")
		}
		if utf8.RuneCountInString(text) > most {
			return fmt.Errorf("must be at most %d characters", most)
		}
		return nil
	}
}
