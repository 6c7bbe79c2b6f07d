package settings

import (
	"errors"
	"strings"

	"hush/cli/flags"
	"hush/vault/caller"
	"hush/vault/email"
)

// accountSettings say who may have an account.
type accountSettings struct {
	SignUp        string // empty where it was not given
	SignUpDomains []string
	Colonels      []string
}

func (s *accountSettings) settings() []setting {
	return []setting{
		{"sign-up", firstDay(flags.Example("invite", flags.Parsed(&s.SignUp, "who may sign up: `open|invite|closed` (default: open with --smtp-host, closed without)", parseSignUp)))},
		{"sign-up-domains", flags.Example("example.com,example.org", flags.List(&s.SignUpDomains, "comma-separated `domains` whose e-mail addresses may sign up (default: all)", parseDomains))},
		{"colonel", flags.Example("admin@example.com", flags.Repeated(&s.Colonels, "e-mail `address` of an administrator's account; for several, repeat the flag or separate them with commas", parseAddresses))},
	}
}

func parseSignUp(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return text, flags.OneOf([]string{signUpOpen, signUpInvite, signUpClosed})(text)
}

func parseDomains(text string) ([]string, error) {
	domains := flags.SplitList(strings.ToLower(text))
	for _, domain := range domains {
		if strings.ContainsAny(domain, "@/: *") || !strings.Contains(domain, ".") || strings.Trim(domain, ".") != domain {
			return nil, errors.New("must be domains, as in example.com,example.org")
		}
	}
	if len(domains) == 0 && text != "" { // commas alone would let all domains in
		return nil, errors.New("must be domains, as in example.com,example.org")
	}
	return domains, nil
}

// parseAddresses reads addresses and brings them into the form in which
// accounts have them.
func parseAddresses(text string) ([]string, error) {
	var addresses []string
	for _, part := range flags.SplitList(text) {
		address, err := email.Canonical(caller.Text(part))
		if err != nil {
			return nil, errors.New("must be an e-mail address")
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}
