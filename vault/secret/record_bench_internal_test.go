package secret

import "testing"

// A record is encoded for each secret that is concealed, and decoded for each that is
// looked at or revealed.
func BenchmarkRecord(b *testing.B) {
	r := samplePassphraseSecret()
	stored := r.encode()
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.encodeHeader()
			r.encode()
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decodeSecret(stored); err != nil {
				b.Fatalf("decodeSecret(%x): got %v, want nil", stored, err)
			}
		}
	})
}
