package credential

import (
	"testing"

	"hush/vault/recordtest"
)

func FuzzDecodeSession(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeSession(data)
		return r.encode(), err
	}, "session-v1", "session-remembered-v1", "session-device-v2")
}

func FuzzDecodeToken(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeToken(data)
		return r.encode(), err
	}, "token-v1", "token-lasting-v1", "token-child-v2")
}

func FuzzDecodePair(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodePair(data)
		return r.encode(), err
	}, "pair-v1", "pair-main-v1")
}
