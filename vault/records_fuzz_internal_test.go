package vault

import (
	"bytes"
	"slices"
	"testing"
)

// fuzzDecoder checks what holds for each decoder: what it accepts is encoded
// to the same bytes again, so a record has one form.
func fuzzDecoder(f *testing.F, again func(data []byte) ([]byte, error), names ...string) {
	f.Helper()
	for _, name := range names {
		stored := golden(f, name)
		f.Add(stored)
		f.Add(stored[:len(stored)/2])
		f.Add(slices.Concat(stored, []byte{0}))
	}
	f.Add([]byte(nil))
	f.Add([]byte{1})
	f.Add(append([]byte{1}, bytes.Repeat([]byte{0xff}, 200)...))
	f.Add(append([]byte{1}, make([]byte, 200)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		encoded, err := again(data)
		if err == nil && !bytes.Equal(encoded, before) {
			t.Errorf("encode(decode(%x)): got %x, want the same", before, encoded)
		}
		if !bytes.Equal(data, before) {
			t.Errorf("decode(%x): got the argument changed to %x, want it as it was", before, data)
		}
	})
}

func FuzzDecodeSecret(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeSecret(data)
		if err != nil {
			return nil, err
		}
		r.encodeHeader() // the header has one form, too
		return r.encode(), nil
	}, "secret-v1", "secret-passphrase-v1", "secret-v2", "secret-passphrase-v2")
}

func FuzzDecodeMetadata(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeMetadata(data)
		if err != nil {
			return nil, err
		}
		if data[0] < metadataVersion { // read for ever, written no more
			again, err := decodeMetadata(r.encode())
			return slices.Concat(data[:1], again.encode()[1:len(data)]), err
		}
		return r.encode(), nil
	}, "metadata-v2", "metadata-ended-v2", "metadata-v3", "metadata-ended-v3")
}

func FuzzDecodeAttempt(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeAttempt(data)
		if err == nil && data[0] == 1 { // read for ever, written no more
			return slices.Concat([]byte{1}, r.encode()[1:]), nil
		}
		return r.encode(), err
	}, "attempt-v1", "attempt-v2")
}

func FuzzDecodeAudit(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeAudit(data)
		return r.encode(), err
	}, "audit-v1")
}

func FuzzDecodePlace(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		p, err := decodePlace(data)
		return p.encode(), err
	}, "place-v1")
}

func FuzzDecodeTimeline(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeTimeline(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "timeline-v1")
}

func FuzzDecodeEntry(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeEntry(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "entry-v1")
}

func FuzzDecodeAccount(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeAccount(data)
		if err != nil {
			return nil, err
		}
		if data[0] == 1 { // read for ever, written no more
			return accountAsVersion1(r), nil
		}
		return r.encode(), nil
	}, "account-v1", "account-v2")
}
