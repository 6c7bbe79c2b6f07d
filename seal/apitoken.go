package seal

import "crypto/sha256"

const (
	apiTokenRandomSize = 20
	apiTokenSize       = 2 * apiTokenRandomSize
)

// The hash domains of an API token.
const (
	apiTokenDomain       = "hush/v1 api-token\x00"
	apiTokenHolderDomain = "hush/v1 api-token-holder\x00"
)

// APIToken is an API token: 40 lower-case hexadecimal digits of 20 random
// bytes. Only Expose reveals it. Make it with NewAPIToken or ParseAPIToken; the
// zero APIToken is invalid, and using it panics.
type APIToken struct {
	redacted
	chars hidden[string] // apiTokenSize of them
}

// NewAPIToken generates an API token.
func NewAPIToken() APIToken {
	return APIToken{chars: hide(RandomHex(apiTokenRandomSize))}
}

// ParseAPIToken parses an API token. It returns false unless s is exactly 40
// characters of [0-9a-f]; a token has no second spelling.
func ParseAPIToken(s string) (APIToken, bool) {
	if len(s) != apiTokenSize {
		return APIToken{}, false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return APIToken{}, false
		}
	}
	return APIToken{chars: hide(s)}, true
}

// Expose returns the 40 characters, for the one response that shows them.
func (t APIToken) Expose() string { return t.chars() }

// Row returns the token's database key, SHA-256("hush/v1 api-token\0" ‖
// characters). It does not reveal the token.
func (t APIToken) Row() [32]byte {
	message := make([]byte, 0, len(apiTokenDomain)+apiTokenSize)
	return sha256.Sum256(append(append(message, apiTokenDomain...), t.chars()...))
}

// WrappingSecret returns the secret that the token wraps the account's key
// with.
func (t APIToken) WrappingSecret() WrappingSecret {
	return newWrappingSecret(apiTokenHolderDomain, []byte(t.chars()))
}
