package people

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"hush/client"
)

// The bounds on the length of a generated text.
const (
	defaultGeneratedLength = 20
	minGeneratedLength     = 4
	maxGeneratedLength     = 128
)

var errGeneratePolicy = errors.New(`must be a length from 4 to 128, sets of characters, or both, as in 24, 32:letters,digits,symbols or digits,unambiguous`)

// parseGeneratePolicy reads what a generated text is made of: LENGTH, SETS or LENGTH:SETS.
// The sets, between commas, are lower, upper, letters, digits, symbols and all;
// unambiguous leaves out characters that look alike.
func parseGeneratePolicy(text string) (*client.Generate, error) {
	policy := &client.Generate{Length: defaultGeneratedLength}
	length, sets, both := strings.Cut(text, ":")
	if n, err := strconv.Atoi(length); err == nil {
		policy.Length = n
	} else if sets = length; both {
		return nil, errGeneratePolicy
	}
	if policy.Length < minGeneratedLength || policy.Length > maxGeneratedLength || text == "" || both && sets == "" {
		return nil, errGeneratePolicy
	}
	if sets == "" {
		return policy, nil
	}
	for set := range strings.SplitSeq(sets, ",") {
		if !addCharacterSet(policy, set) {
			return nil, errGeneratePolicy
		}
	}
	return policy, nil
}

// addCharacterSet adds a set of characters. It returns false for an unknown name.
func addCharacterSet(policy *client.Generate, name string) bool {
	switch name {
	case "lower":
		policy.Lower = true
	case "upper":
		policy.Upper = true
	case "letters":
		policy.Lower, policy.Upper = true, true
	case "digits":
		policy.Digits = true
	case "symbols":
		policy.Symbols = true
	case "all":
		policy.Lower, policy.Upper, policy.Digits, policy.Symbols = true, true, true, true
	case "unambiguous":
		policy.Unambiguous = true
	default:
		return false
	}
	return true
}

const (
	day = 24 * time.Hour
	// maxLifetime bounds what is asked for; servers allow less.
	maxLifetime = 10 * 365 * day
)

var errLifetime = errors.New("must be a lifetime such as 30m, 12h, 1h30m, 3d or 2w, from 1s to 3650d")

// parseLifetime reads whole numbers with the units w, d, h, m and s, as in 1h30m.
func parseLifetime(text string) (time.Duration, error) {
	var total time.Duration
	for rest := text; rest != ""; {
		at := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if at < 1 {
			return 0, errLifetime
		}
		n, err := strconv.ParseUint(rest[:at], 10, 32)
		length := lifetimeUnit(rest[at : at+1])
		if err != nil || length == 0 || n > uint64(maxLifetime/length) {
			return 0, errLifetime
		}
		total += time.Duration(n) * length
		rest = rest[at+1:]
	}
	if total < time.Second || total > maxLifetime {
		return 0, errLifetime
	}
	return total, nil
}

// lifetimeUnit returns the length of a unit, zero for none.
func lifetimeUnit(letter string) time.Duration {
	switch letter {
	case "w":
		return 7 * day
	case "d":
		return day
	case "h":
		return time.Hour
	case "m":
		return time.Minute
	case "s":
		return time.Second
	default:
		return 0
	}
}

// maxRecipients is how many recipients one content may have.
const maxRecipients = 10

// parseRecipients splits a list at its commas, as the server does: one in a quoted name
// parts nothing.
func parseRecipients(text string) (parts []string, err error) {
	isQuoted, isEscaped := false, false
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool {
		switch {
		case isEscaped:
			isEscaped = false
		case r == '"':
			isQuoted = !isQuoted
		case r == '\\':
			isEscaped = isQuoted
		}
		return !isQuoted && r == ','
	}) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// distinctRecipients keeps the first of the recipients that are one for the server: each share
// mails anew.
func distinctRecipients(recipients []string) (found []string) {
	seen := map[string]bool{}
	for _, recipient := range recipients {
		if address := recipientAddress(recipient); !seen[address] {
			seen[address] = true
			found = append(found, recipient)
		}
	}
	return found
}

// recipientAddress returns the address of a recipient, with or without a name, as the server
// compares it: in lower case, and its domain as in DNS. The server decides whether it is
// one.
func recipientAddress(recipient string) string {
	address := recipient
	if inside, named := strings.CutSuffix(recipient, ">"); named {
		_, address, _ = strings.Cut(inside, "<")
	}
	address = norm.NFC.String(address)
	at := strings.LastIndexByte(address, '@')
	if domain, err := idna.New(idna.MapForLookup()).ToASCII(address[at+1:]); err == nil {
		address = address[:at+1] + domain
	}
	return strings.ToLower(address)
}
