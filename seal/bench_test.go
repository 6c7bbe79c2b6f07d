package seal_test

import (
	"fmt"
	"testing"

	"hush/seal"
)

func BenchmarkNewToken(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		seal.NewToken(sampleTime)
	}
}

func BenchmarkRowKey(b *testing.B) {
	token := mustToken(sampleParts().token)
	b.ReportAllocs()
	for b.Loop() {
		token.RowKey(seal.KindSecret)
	}
}

func BenchmarkSecretKey(b *testing.B) {
	p := sampleParts()
	keys, token := p.keys(), mustToken(p.token)
	b.ReportAllocs()
	for b.Loop() {
		mustKey(keys, token, p.row, p.share, p.passphrase)
	}
}

func BenchmarkSealMetadata(b *testing.B) {
	p := sampleParts()
	keys, token, plaintext := p.keys(), mustToken(p.token), []byte(p.token)
	b.ReportAllocs()
	for b.Loop() {
		keys.SealMetadata(token, p.row, "secret-key", plaintext)
	}
}

var benchmarkSizes = []int{100, 10 << 10, 100 << 10}

func BenchmarkSeal(b *testing.B) {
	key := sampleParts().secretKey()
	for _, size := range benchmarkSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			plaintext := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				key.Seal(sampleHeader, plaintext)
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	key := sampleParts().secretKey()
	for _, size := range benchmarkSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			sealed := key.Seal(sampleHeader, make([]byte, size))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := key.Open(sampleHeader, sealed); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPassphraseHash(b *testing.B) {
	params := seal.NewPassphraseParams()
	b.ReportAllocs()
	for b.Loop() {
		params.Hash("correct horse battery staple")
	}
}

func BenchmarkGenerate(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := seal.Generate(seal.GenerateLengthDefault, seal.CharacterSets{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSession does what each request with a session cookie needs.
func BenchmarkSession(b *testing.B) {
	keys := sampleParts().keys()
	b.ReportAllocs()
	for b.Loop() {
		session := mustSession(sampleSession)
		session.Row()
		keys.Shrimp(session)
		session.WrappingSecret()
	}
}

// BenchmarkAPIToken does what each request with an API token needs.
func BenchmarkAPIToken(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		token := mustAPIToken(sampleAPIToken)
		token.Row()
		token.WrappingSecret()
	}
}
