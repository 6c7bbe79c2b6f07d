package outbox

import (
	"testing"

	"hush/vault/recordtest"
)

func FuzzDecodeMail(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeMail(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "mail-v1", "mail-notice-v1")
}

func FuzzDecodeLetter(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		m, err := decodeLetter(data)
		return encodeLetter(m), err
	}, "letter-v1")
}

func FuzzDecodeDelivery(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeDelivery(data)
		return r.encode(), err
	}, "delivery-v1")
}
