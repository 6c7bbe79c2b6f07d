package endtoend

import "hush/seal"

// ContentKey lets tests write what this package does not.
func ContentKey(k Keys) []byte {
	keys := k.derived()
	return keys.content[:]
}

// LinkOf lets tests repeat a link.
func LinkOf(key string, secret [32]byte) Link {
	token, _ := seal.ParseToken(key)
	return Link{Key: token, Secret: SecretOf(secret)}
}

// PreviewKey lets tests write what this package does not.
func PreviewKey(secret LinkSecret) []byte { return previewKey(secret) }
