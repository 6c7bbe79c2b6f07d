package receipt

import "testing"

// A receipt is encoded for each secret that is concealed, and decoded and encoded for
// each that is revealed.
func BenchmarkRecord(b *testing.B) {
	r := charged(sampleMetadata())
	stored := r.encode()
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.encode()
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decode(stored); err != nil {
				b.Fatalf("decode(%x): got %v, want nil", stored, err)
			}
		}
	})
}
