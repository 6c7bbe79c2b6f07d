package credential

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/testtier/property"
	"hush/vault/caller"
	"hush/vault/recordtest"
)

func sampleAccountID() caller.AccountID {
	return caller.AccountID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
}

func eight(b byte) [8]byte { return [8]byte(bytes.Repeat([]byte{b}, 8)) }

func sampleSession(remembered bool, network string) *SessionRecord {
	return &SessionRecord{
		Account: sampleAccountID(), ID: eight(0xa1), Created: recordtest.Moment(5), Used: recordtest.Moment(9),
		Remembered: remembered, Pair: eight(0xb2), Network: network, Wrapped: []byte("wrapped key"),
	}
}

func sampleDeviceSession() *SessionRecord {
	r := sampleSession(true, "2001:db8::/48")
	r.Device = caller.Device{Browser: "Firefox", System: "Linux"}
	return r
}

func sampleToken() *TokenRecord {
	return &TokenRecord{
		Account: sampleAccountID(), id: eight(0xa1), Scopes: caller.ScopeConceal | caller.ScopeMetadata,
		created: recordtest.Moment(5), expires: recordtest.Moment(65), Used: recordtest.Moment(9),
		Pair: eight(0xb2), name: "Łódź", Wrapped: []byte("wrapped key"),
	}
}

func sampleLastingToken() *TokenRecord {
	r := sampleToken()
	r.Scopes, r.name, r.expires, r.Used = caller.ScopeConceal|caller.ScopeReveal|caller.ScopeMetadata|caller.ScopeAccount, "default", time.Time{}, time.Time{}
	return r
}

func sampleChildToken() *TokenRecord {
	r := sampleToken()
	r.parent = eight(0xd4)
	return r
}

func samplePair(main bool) *PairRecord {
	r := &PairRecord{created: recordtest.Moment(5), public: seal.AccountPublic(bytes.Repeat([]byte{0xc3}, 32)), main: main}
	if main {
		r.wrapped = []byte("wrapped key")
	}
	return r
}

// As TestGoldenRecords has it for secrets: what was stored once is read for
// ever.
func TestGoldenCredentials(t *testing.T) {
	t.Parallel()
	everything := cmp.AllowUnexported(SessionRecord{}, TokenRecord{}, PairRecord{})
	recordtest.Check(t, []recordtest.Case{
		{Name: "session-v1", Record: sampleSession(false, "198.51.100.0/24"), Encoded: sampleSession(false, "198.51.100.0/24").encode(), Decode: func(b []byte) (any, error) { return decodeSession(b) }},
		{Name: "session-remembered-v1", Record: sampleSession(true, "2001:db8::/48"), Encoded: sampleSession(true, "2001:db8::/48").encode(), Decode: func(b []byte) (any, error) { return decodeSession(b) }},
		{Name: "session-device-v2", Record: sampleDeviceSession(), Encoded: sampleDeviceSession().encode(), Decode: func(b []byte) (any, error) { return decodeSession(b) }},
		{Name: "token-v1", Record: sampleToken(), Encoded: sampleToken().encode(), Decode: func(b []byte) (any, error) { return decodeToken(b) }},
		{Name: "token-lasting-v1", Record: sampleLastingToken(), Encoded: sampleLastingToken().encode(), Decode: func(b []byte) (any, error) { return decodeToken(b) }},
		{Name: "token-child-v2", Record: sampleChildToken(), Encoded: sampleChildToken().encode(), Decode: func(b []byte) (any, error) { return decodeToken(b) }},
		{Name: "pair-v1", Record: samplePair(false), Encoded: samplePair(false).encode(), Decode: func(b []byte) (any, error) { return decodePair(b) }},
		{Name: "pair-main-v1", Record: samplePair(true), Encoded: samplePair(true).encode(), Decode: func(b []byte) (any, error) { return decodePair(b) }},
	}, everything, cmp.Comparer(recordtest.SameEmpty))
}

func TestCredentialsRoundTrip(t *testing.T) {
	t.Parallel()
	same := cmp.Options{
		cmp.AllowUnexported(SessionRecord{}, TokenRecord{}, PairRecord{}), cmp.Comparer(recordtest.SameEmpty),
	}
	property.Check(t, func(t *rapid.T) {
		id, short := caller.AccountID(recordtest.Bytes(16).Draw(t, "account")), recordtest.Bytes(8)
		wrapped := rapid.SliceOf(rapid.Byte()).Draw(t, "wrapped")
		session := &SessionRecord{
			Account: id, ID: PublicID(short.Draw(t, "id")), Created: recordtest.Moments().Draw(t, "created"),
			Used: recordtest.Moments().Draw(t, "used"), Remembered: rapid.Bool().Draw(t, "remembered"),
			Pair: caller.PairID(short.Draw(t, "pair")), Network: rapid.String().Draw(t, "network"), Wrapped: wrapped,
			Device: caller.Device{Browser: rapid.String().Draw(t, "browser"), System: rapid.String().Draw(t, "system")},
		}
		if got, err := decodeSession(session.encode()); err != nil || !cmp.Equal(session, got, same) {
			t.Errorf("decodeSession(encode(r)): got %v, -want +got\n%s", err, cmp.Diff(session, got, same))
		}
		token := &TokenRecord{
			Account: id, id: PublicID(short.Draw(t, "id")), Scopes: caller.Scopes(rapid.Byte().Draw(t, "scopes")),
			created: recordtest.Moments().Draw(t, "created"), expires: recordtest.Moments().Draw(t, "expires"), Used: recordtest.Moments().Draw(t, "used"),
			Pair: caller.PairID(short.Draw(t, "pair")), name: rapid.String().Draw(t, "name"), Wrapped: wrapped,
			parent: rapid.SampledFrom([]PublicID{{}, eight(0xd4)}).Draw(t, "parent"),
		}
		if got, err := decodeToken(token.encode()); err != nil || !cmp.Equal(token, got, same) {
			t.Errorf("decodeToken(encode(r)): got %v, -want +got\n%s", err, cmp.Diff(token, got, same))
		}
		pair := &PairRecord{
			created: recordtest.Moments().Draw(t, "created"), public: seal.AccountPublic(recordtest.Bytes(32).Draw(t, "public")),
			main: rapid.Bool().Draw(t, "main"), wrapped: wrapped,
		}
		if got, err := decodePair(pair.encode()); err != nil || !cmp.Equal(pair, got, same) {
			t.Errorf("decodePair(encode(r)): got %v, -want +got\n%s", err, cmp.Diff(pair, got, same))
		}
	})
}
