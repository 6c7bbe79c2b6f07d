package settings

import (
	"time"

	"hush/cli/command"
	"hush/cli/flags"
)

// secretSettings say who may share secrets, and what a secret must be like.
type secretSettings struct {
	AnonymousCreate    string
	Encryption         string
	Requests           string
	DefaultTTL         time.Duration // zero where it was not given
	AnonymousTTL       time.Duration
	AccountTTL         time.Duration
	PassphraseRequired string
	PassphraseMin      int
	ChallengeAbove     int
	SpamKeyFile        string
}

// The values of --encryption.
const (
	encryptionAny      = "any"
	encryptionEndToEnd = "end-to-end"
	encryptionServer   = "server"
)

// The values of --requests.
const (
	requestsAccounts = "accounts"
	requestsAnyone   = "anyone"
	requestsOff      = "off"
)

// The lifetimes of secrets where the operator says nothing.
const (
	standardTTL          = 7 * flags.Day
	standardAnonymousTTL = 7 * flags.Day
	standardAccountTTL   = 30 * flags.Day
)

// maxPassphrase is the maximum characters of a passphrase.
const maxPassphrase = 128

func (s *secretSettings) settings() []setting {
	return []setting{
		{"anonymous-create", flags.Choice(&s.AnonymousCreate, "whether secrets may be created without an account; opening them never needs one", "on", "off")},
		{"encryption", flags.Choice(&s.Encryption, "which kinds of secrets may be created: end-to-end, encrypted on the sender's device, server, encrypted on the server, or any; existing secrets stay readable", encryptionAny, encryptionEndToEnd, encryptionServer)},
		{"requests", flags.Choice(&s.Requests, "who may ask others for secrets, by a link to a page that takes an end-to-end encrypted answer: accounts, anyone, or off, no one; existing requests go on", requestsAccounts, requestsAnyone, requestsOff)},
		{"default-ttl", flags.Duration(&s.DefaultTTL, "7d", "`lifetime` of secrets that are created without one, 1m to 365d, such as 7d, 12h or 90m")},
		{"max-anonymous-ttl", flags.Duration(&s.AnonymousTTL, "7d", "maximum `lifetime` of secrets created without an account")},
		{"max-account-ttl", flags.Duration(&s.AccountTTL, "30d", "maximum `lifetime` of secrets created with an account")},
		{"passphrase-required", flags.Choice(&s.PassphraseRequired, "whether every new secret needs a passphrase", "off", "on")},
		{"passphrase-min", flags.Number(&s.PassphraseMin, maxPassphrase, "minimum number of `characters` in a passphrase, 0 to 128")},
		{"challenge-above", flags.Number(&s.ChallengeAbove, 1_000_000, "`number` of secrets that a network may create in 20 minutes without an account before each further one needs a solved challenge; 0 never asks for one")},
		{"spam-key-file", flags.Example("/etc/hush/spam-key", flags.Text(&s.SpamKeyFile, "", "`file` with the HMAC key of the ALTCHA server whose verdicts are trusted"))},
	}
}

// check returns a usage error for lifetimes that contradict each other.
func (s *secretSettings) check() error {
	if s.DefaultTTL > s.longestTTL() {
		return command.Usage("--default-ttl is longer than --max-anonymous-ttl and --max-account-ttl allow")
	}
	return nil
}

func (s *secretSettings) longestTTL() time.Duration {
	anonymous, account := s.AnonymousTTL, s.AccountTTL
	if anonymous == 0 {
		anonymous = standardAnonymousTTL
	}
	if account == 0 {
		account = standardAccountTTL
	}
	return max(anonymous, account)
}

// standardTTL is what a secret gets that asks for nothing.
func (s *secretSettings) standardTTL() time.Duration {
	if s.DefaultTTL != 0 {
		return s.DefaultTTL
	}
	return min(standardTTL, s.longestTTL())
}
