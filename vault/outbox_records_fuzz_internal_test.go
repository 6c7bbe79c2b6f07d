package vault

import "testing"

func FuzzDecodeMail(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeMail(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "mail-v1", "mail-notice-v1")
}

func FuzzDecodeLetter(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		m, err := decodeLetter(data)
		return encodeLetter(m), err
	}, "letter-v1")
}

func FuzzDecodeDelivery(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeDelivery(data)
		return r.encode(), err
	}, "delivery-v1")
}
