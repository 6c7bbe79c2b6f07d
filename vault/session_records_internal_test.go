package vault

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
)

func sampleAccountID() AccountID {
	return AccountID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
}

func eight(b byte) [8]byte { return [8]byte(bytes.Repeat([]byte{b}, 8)) }

func sampleSession(remembered bool, network string) *sessionRecord {
	return &sessionRecord{
		account: sampleAccountID(), id: eight(0xa1), created: sampleMoment(5), used: sampleMoment(9),
		remembered: remembered, pair: eight(0xb2), network: network, wrapped: []byte("wrapped key"),
	}
}

func sampleToken() *tokenRecord {
	return &tokenRecord{
		account: sampleAccountID(), id: eight(0xa1), scopes: ScopeConceal | ScopeMetadata,
		created: sampleMoment(5), expires: sampleMoment(65), used: sampleMoment(9),
		pair: eight(0xb2), name: "Łódź", wrapped: []byte("wrapped key"),
	}
}

func sampleLastingToken() *tokenRecord {
	r := sampleToken()
	r.scopes, r.name, r.expires, r.used = ScopesAll, "default", time.Time{}, time.Time{}
	return r
}

func samplePair(main bool) *pairRecord {
	r := &pairRecord{created: sampleMoment(5), public: seal.AccountPublic(bytes.Repeat([]byte{0xc3}, 32)), main: main}
	if main {
		r.wrapped = []byte("wrapped key")
	}
	return r
}

// As TestGoldenRecords has it for secrets: what was stored once is read for
// ever.
func TestGoldenCredentials(t *testing.T) {
	t.Parallel()
	everything := cmp.AllowUnexported(sessionRecord{}, tokenRecord{}, pairRecord{})
	tests := []struct {
		name    string
		record  any
		encoded []byte
		decode  func([]byte) (any, error)
	}{
		{"session-v1", sampleSession(false, "198.51.100.0/24"), sampleSession(false, "198.51.100.0/24").encode(), func(b []byte) (any, error) { return decodeSession(b) }},
		{"session-remembered-v1", sampleSession(true, "2001:db8::/48"), sampleSession(true, "2001:db8::/48").encode(), func(b []byte) (any, error) { return decodeSession(b) }},
		{"token-v1", sampleToken(), sampleToken().encode(), func(b []byte) (any, error) { return decodeToken(b) }},
		{"token-lasting-v1", sampleLastingToken(), sampleLastingToken().encode(), func(b []byte) (any, error) { return decodeToken(b) }},
		{"pair-v1", samplePair(false), samplePair(false).encode(), func(b []byte) (any, error) { return decodePair(b) }},
		{"pair-main-v1", samplePair(true), samplePair(true).encode(), func(b []byte) (any, error) { return decodePair(b) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stored := golden(t, test.name)
			if !bytes.Equal(test.encoded, stored) {
				t.Errorf("encode(record): got %x, want %x", test.encoded, stored)
			}
			got, err := test.decode(stored)
			if err != nil {
				t.Fatalf("decode(%s): got %v, want nil", test.name, err)
			}
			if diff := cmp.Diff(test.record, got, everything, cmp.Comparer(sameEmpty)); diff != "" {
				t.Errorf("decode(%s): -want +got\n%s", test.name, diff)
			}
			wantDamaged(t, stored, test.decode)
		})
	}
}

func TestCredentialsRoundTrip(t *testing.T) {
	t.Parallel()
	same := cmp.Options{
		cmp.AllowUnexported(sessionRecord{}, tokenRecord{}, pairRecord{}), cmp.Comparer(sameEmpty),
	}
	rapid.Check(t, func(t *rapid.T) {
		id, short := AccountID(bytesOf(16).Draw(t, "account")), bytesOf(8)
		wrapped := rapid.SliceOf(rapid.Byte()).Draw(t, "wrapped")
		session := &sessionRecord{
			account: id, id: publicID(short.Draw(t, "id")), created: moments().Draw(t, "created"),
			used: moments().Draw(t, "used"), remembered: rapid.Bool().Draw(t, "remembered"),
			pair: pairID(short.Draw(t, "pair")), network: rapid.String().Draw(t, "network"), wrapped: wrapped,
		}
		if got, err := decodeSession(session.encode()); err != nil || !cmp.Equal(session, got, same) {
			t.Errorf("decodeSession(encode(r)): got %v, -want +got\n%s", err, cmp.Diff(session, got, same))
		}
		token := &tokenRecord{
			account: id, id: publicID(short.Draw(t, "id")), scopes: Scopes(rapid.Byte().Draw(t, "scopes")),
			created: moments().Draw(t, "created"), expires: moments().Draw(t, "expires"), used: moments().Draw(t, "used"),
			pair: pairID(short.Draw(t, "pair")), name: rapid.String().Draw(t, "name"), wrapped: wrapped,
		}
		if got, err := decodeToken(token.encode()); err != nil || !cmp.Equal(token, got, same) {
			t.Errorf("decodeToken(encode(r)): got %v, -want +got\n%s", err, cmp.Diff(token, got, same))
		}
		pair := &pairRecord{
			created: moments().Draw(t, "created"), public: seal.AccountPublic(bytesOf(32).Draw(t, "public")),
			main: rapid.Bool().Draw(t, "main"), wrapped: wrapped,
		}
		if got, err := decodePair(pair.encode()); err != nil || !cmp.Equal(pair, got, same) {
			t.Errorf("decodePair(encode(r)): got %v, -want +got\n%s", err, cmp.Diff(pair, got, same))
		}
	})
}
