package people

import (
	"crypto/rand"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"hush/client"
	"hush/web"
)

// The bounds on the length of a generated text.
const (
	defaultLength = 20
	minLength     = 4
	maxLength     = 128
)

var errPolicy = errors.New(`must be a length from 4 to 128, sets of characters, or both, as in 24, 32:letters,digits,symbols or digits,unambiguous`)

// parsePolicy reads what a generated text is made of: LENGTH, SETS or LENGTH:SETS.
// The sets, between commas, are lower, upper, letters, digits, symbols and all;
// unambiguous leaves out characters that look alike.
func parsePolicy(text string) (*client.Generate, error) {
	policy := &client.Generate{Length: defaultLength}
	length, sets, both := strings.Cut(text, ":")
	if n, err := strconv.Atoi(length); err == nil {
		policy.Length = n
	} else if sets = length; both {
		return nil, errPolicy
	}
	if policy.Length < minLength || policy.Length > maxLength || text == "" || both && sets == "" {
		return nil, errPolicy
	}
	if sets == "" {
		return policy, nil
	}
	for set := range strings.SplitSeq(sets, ",") {
		if !addSet(policy, set) {
			return nil, errPolicy
		}
	}
	return policy, nil
}

// addSet adds a set of characters. It returns false for an unknown name.
func addSet(policy *client.Generate, name string) bool {
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

// passphraseWords is how many words a generated passphrase has, ten bits each.
const passphraseWords = 6

// drawPassphrase returns random words, as the web page draws them.
func drawPassphrase() (string, error) {
	words := web.Words()
	drawn := make([]string, passphraseWords)
	for i := range drawn {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(words))))
		if err != nil {
			return "", err
		}
		drawn[i] = words[n.Int64()]
	}
	return strings.Join(drawn, "-"), nil
}
