package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/handlers"
	"hush/vault/caller"
	"hush/vault/email"
)

// policySettings are what the operator allows and how the service looks.
type policySettings struct {
	signUp             string
	signUpDomains      []string
	colonels           []string
	anonymousCreate    string
	passphraseRequired string
	passphraseMin      int
	defaultTTL         time.Duration // zero where it was not given
	anonymousTTL       time.Duration
	accountTTL         time.Duration
	maintenance        string
	challengeAbove     int
	instance           handlers.Instance
	spamKeyFile        string
}

// The lifetimes of secrets where the operator says nothing.
const (
	standardTTL          = 7 * day
	standardAnonymousTTL = 7 * day
	standardAccountTTL   = 30 * day
)

// The maximum characters of a passphrase, and of the texts on pages.
const (
	maxPassphrase = 128
	maxName       = 100
	maxWords      = 1000
)

func (s *policySettings) secretSettings() []setting {
	return []setting{
		{"anonymous-create", choice(&s.anonymousCreate, "whether callers without an account may share secrets; they may always open them", "on", "off")},
		{"default-ttl", duration(&s.defaultTTL, "7d", "`lifetime` of secrets that ask for none, 1m to 365d, as in 7d, 12h or 90m")},
		{"max-anonymous-ttl", duration(&s.anonymousTTL, "7d", "longest `lifetime` of secrets shared without an account")},
		{"max-account-ttl", duration(&s.accountTTL, "30d", "longest `lifetime` of secrets of accounts")},
		{"passphrase-required", choice(&s.passphraseRequired, "whether every secret needs a passphrase", "off", "on")},
		{"passphrase-min", number(&s.passphraseMin, maxPassphrase, "fewest `characters` of a passphrase, 0 to 128")},
		{"challenge-above", number(&s.challengeAbove, 1_000_000, "`number` of secrets that a network may share in 20 minutes without an account before each needs a solved challenge; 0 for any")},
		{"spam-key-file", text(&s.spamKeyFile, "", "`file` with the HMAC key of the ALTCHA server whose verdicts are believed")},
	}
}

func (s *policySettings) accountSettings() []setting {
	return []setting{
		{"sign-up", parsed(&s.signUp, "who may create an account, `open|invite|closed` (default: open with --smtp-host, else closed)", parseSignUp)},
		{"sign-up-domains", parsed(&s.signUpDomains, "comma-separated `domains` whose addresses may sign up (default: all)", parseDomains)},
		{"colonel", repeated(&s.colonels, "`address` of an administrator's account; may be given several times or hold several, separated by commas", parseAddresses)},
	}
}

func (s *policySettings) pageSettings() []setting {
	return []setting{
		{"instance-name", checked(&s.instance.Name, "", "`name` of the service on its pages and in mails", printable(maxName))},
		{"logo-url", checked(&s.instance.LogoURL, "", "`URL` of the picture at the head of pages", checkPageURL)},
		{"imprint-url", checked(&s.instance.ImprintURL, "", "`URL` of the page that names who runs the service", checkPageURL)},
		{"privacy-url", checked(&s.instance.PrivacyURL, "", "`URL` of the privacy policy", checkPageURL)},
		{"banner", checked(&s.instance.Banner, "", "`text` at the head of all pages", printable(maxWords))},
		{"maintenance", checked(&s.maintenance, "", "refuse to create anything and show this `text` instead; secrets can still be opened", printable(maxWords))},
	}
}

// check returns a usage error for lifetimes that contradict each other.
func (s *policySettings) check() error {
	if s.defaultTTL > s.longestTTL() {
		return usage("--default-ttl is longer than --max-anonymous-ttl and --max-account-ttl allow")
	}
	return nil
}

func (s *policySettings) longestTTL() time.Duration {
	anonymous, account := s.anonymousTTL, s.accountTTL
	if anonymous == 0 {
		anonymous = standardAnonymousTTL
	}
	if account == 0 {
		account = standardAccountTTL
	}
	return max(anonymous, account)
}

// standardTTL is what a secret gets that asks for nothing.
func (s *policySettings) standardTTL() time.Duration {
	if s.defaultTTL != 0 {
		return s.defaultTTL
	}
	return min(standardTTL, s.longestTTL())
}

// policy is what the vault is told. Sign-up is open by itself only where
// addresses can be confirmed by mail.
func (s *settings) policy() caller.Policy {
	signUp := caller.SignUpClosed
	switch {
	case s.signUp == "open", s.signUp == "" && s.mails():
		signUp = caller.SignUpOpen
	case s.signUp == "invite":
		signUp = caller.SignUpInvite
	}
	return caller.Policy{
		SignUp: signUp, SignUpDomains: s.signUpDomains, Colonels: s.colonels,
		NoAnonymousCreate:  s.anonymousCreate == "off",
		PassphraseRequired: s.passphraseRequired == "on", PassphraseMin: s.passphraseMin,
		Maintenance: s.maintenance, ChallengeAbove: s.challengeAbove,
	}
}

func parseSignUp(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return text, oneOf([]string{"open", "invite", "closed"})(text)
}

func parseDomains(text string) ([]string, error) {
	domains := splitList(strings.ToLower(text))
	for _, domain := range domains {
		if strings.ContainsAny(domain, "@/: *") || !strings.Contains(domain, ".") {
			return nil, errors.New("must be domains, as in example.com,example.org")
		}
	}
	return domains, nil
}

// parseAddresses reads addresses and brings them into the form in which
// accounts have them.
func parseAddresses(text string) ([]string, error) {
	var addresses []string
	for _, part := range splitList(text) {
		address, err := email.Canonical(caller.Text(part))
		if err != nil {
			return nil, errors.New("must be an e-mail address")
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
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

// spamKey reads the key of the ALTCHA server; without a file there is none.
func (s *policySettings) spamKey() (string, error) {
	if s.spamKeyFile == "" {
		return "", nil
	}
	return readSecretFile(s.spamKeyFile)
}

// readSecretFile returns the first line of a file.
func readSecretFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	line, err := firstLine(file)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return line, nil
}

// isEverybodys reports whether every user of this machine may read or change a
// file. Containers often get their secrets in such files, so it is a warning and
// not an error.
func isEverybodys(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0
}
