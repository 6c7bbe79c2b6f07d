package seal

import "crypto/sha256"

const (
	apiTokenRandomSize = 20
	apiTokenSize       = 2 * apiTokenRandomSize
)

// Domains of what is made of an API token.
const (
	apiTokenDomain       = "hush/v1 api-token\x00"
	apiTokenHolderDomain = "hush/v1 api-token-holder\x00"
)

// APIToken is what a program signs in with: 40 lower-case hexadecimal digits
// of 20 random bytes. Only Expose gives it away. Make it with NewAPIToken or
// ParseAPIToken; the zero APIToken is none, and using it is a fault.
type APIToken struct {
	redacted
	chars hidden[string] // apiTokenSize of them
}

// NewAPIToken draws an API token.
func NewAPIToken() APIToken {
	return APIToken{chars: hide(RandomHex(apiTokenRandomSize))}
}

// ParseAPIToken reads an API token. It is false for anything but exactly 40
// characters of [0-9a-f]; there is no second spelling of a token.
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

// Expose returns the 40 characters, for the one answer that shows them.
func (t APIToken) Expose() string { return t.chars() }

// Row is the database's key of the token, SHA-256("hush/v1 api-token\0" ‖
// characters), from which the token cannot be told.
func (t APIToken) Row() [32]byte {
	return sha256.Sum256([]byte(apiTokenDomain + t.chars()))
}

// WrappingSecret returns what unwraps the account's key for whoever has the token.
func (t APIToken) WrappingSecret() WrappingSecret {
	return newWrappingSecret(apiTokenHolderDomain, []byte(t.chars()))
}
