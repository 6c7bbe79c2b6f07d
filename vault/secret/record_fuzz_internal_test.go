package secret

import (
	"testing"

	"hush/vault/recordtest"
)

func FuzzDecodeSecret(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeSecret(data)
		if err != nil {
			return nil, err
		}
		r.encodeHeader() // the header has one form, too
		return r.encode(), nil
	}, "secret-v1", "secret-passphrase-v1", "secret-v2", "secret-passphrase-v2", "secret-endtoend-v3", "secret-answer-v4")
}
