package vault

import (
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/storage"
)

// Whatever a record holds, it holds after it was stored and read.

func moments() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return fromMillis(rapid.Uint64Range(0, 1<<45).Draw(t, "ms"))
	})
}

func bytesOf(size int) *rapid.Generator[[]byte] { return rapid.SliceOfN(rapid.Byte(), size, size) }

func TestSecretRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &secretRecord{
			slot:    storage.Slot{Number: rapid.Uint64().Draw(t, "slot"), Generation: rapid.Uint64().Draw(t, "generation")},
			kid:     [4]byte(bytesOf(4).Draw(t, "kid")),
			created: moments().Draw(t, "created"), expires: moments().Draw(t, "expires"),
			metadata: seal.RowKey(bytesOf(22).Draw(t, "metadata")),
			network:  [8]byte(bytesOf(8).Draw(t, "network")), wide: [8]byte(bytesOf(8).Draw(t, "wide")), verifier: [32]byte(bytesOf(32).Draw(t, "verifier")),
			shareDomain: rapid.String().Draw(t, "domain"), owner: rapid.String().Draw(t, "owner"),
			sealed: rapid.SliceOf(rapid.Byte()).Draw(t, "sealed"),
		}
		if rapid.Bool().Draw(t, "with passphrase") {
			r.passphrase = &seal.PassphraseParams{
				MemoryKiB: rapid.Uint32().Draw(t, "memory"), Time: rapid.Uint32().Draw(t, "time"),
				Threads: rapid.Uint8().Draw(t, "threads"), Salt: [16]byte(bytesOf(16).Draw(t, "salt")),
			}
		}
		r.encodeHeader()
		got, err := decodeSecret(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(secretRecord{}), cmp.Comparer(sameEmpty)); diff != "" || err != nil {
			t.Errorf("decodeSecret(encode(r)): got %v, -want +got\n%s", err, diff)
		}
	})
}

func TestMetadataRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &metadataRecord{
			state: State(rapid.Byte().Draw(t, "state")), passphrase: rapid.Bool().Draw(t, "passphrase"),
			created: moments().Draw(t, "created"), expires: moments().Draw(t, "expires"),
			updated: moments().Draw(t, "updated"), viewed: moments().Draw(t, "viewed"), ended: moments().Draw(t, "ended"),
			ttl:    time.Duration(rapid.Int64Range(0, 1<<33).Draw(t, "ttl")) * time.Second,
			secret: seal.RowKey(bytesOf(22).Draw(t, "secret")), hint: [hintSize]byte(bytesOf(hintSize).Draw(t, "hint")),
			shareDomain: rapid.String().Draw(t, "domain"), custid: rapid.String().Draw(t, "custid"),
			recipients: rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "recipients"),
			sealedKey:  rapid.SliceOf(rapid.Byte()).Draw(t, "key"), sealedMemo: rapid.SliceOf(rapid.Byte()).Draw(t, "memo"),
			network: [8]byte(bytesOf(8).Draw(t, "network")), wide: [8]byte(bytesOf(8).Draw(t, "wide")),
		}
		got, err := decodeMetadata(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(metadataRecord{}), cmp.Comparer(sameEmpty)); diff != "" || err != nil {
			t.Errorf("decodeMetadata(encode(r)): got %v, -want +got\n%s", err, diff)
		}
	})
}

func TestSmallRecordsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		attempt := attemptRecord{rapid.Uint32().Draw(t, "count"), moments().Draw(t, "began"), moments().Draw(t, "locked")}
		if got, err := decodeAttempt(attempt.encode()); got != attempt || err != nil {
			t.Errorf("decodeAttempt(encode(r)): got %v, %v, want %v", got, err, attempt)
		}
		row := auditRecord{
			moments().Draw(t, "time"), AuditType(rapid.Byte().Draw(t, "kind")),
			AuditResult(rapid.Byte().Draw(t, "result")), seal.RowKey(bytesOf(22).Draw(t, "subject")),
		}
		if got, err := decodeAudit(row.encode()); got != row || err != nil {
			t.Errorf("decodeAudit(encode(r)): got %v, %v, want %v", got, err, row)
		}
	})
}

func TestPlaceRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Place{
			Name:     rapid.StringN(1, PlaceNameLength, -1).Draw(t, "name"),
			Latitude: rapid.Float64Range(-90, 90).Draw(t, "latitude"),
			Altitude: rapid.Float64Range(minAltitude, maxAltitude).Draw(t, "altitude"),
		}
		if p.Check() != nil {
			t.Skip("no place")
		}
		got, err := decodePlace(p.encode())
		if err != nil || got.Key() != p.Key() || got.Latitude != p.Latitude || got.Altitude != p.Altitude {
			t.Errorf("decodePlace(encode(%+v)): got %+v, %v, want the same", p, got, err)
		}
	})
}

// Folding is settled after one time, and whatever Unicode takes for one letter
// in two cases is one letter.
func TestFoldSettles(t *testing.T) {
	t.Parallel()
	for r := range unicode.MaxRune + 1 {
		folded := foldName(string(r))
		if again := foldName(folded); again != folded {
			t.Errorf("foldName(%q): got %q, want the same", folded, again)
		}
		if other := unicode.SimpleFold(r); foldName(string(other)) != folded {
			t.Errorf("foldName(%q): got %q, want %q as of %q", other, foldName(string(other)), folded, r)
		}
	}
}
