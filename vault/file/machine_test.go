package file_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hush/seal/chunked"
	"hush/testtier/property"
	"hush/vault/caller"
	"hush/vault/file"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The times of the model's files and claims.
const (
	modelTTL     = 30 * time.Hour
	modelSilence = 2 * time.Hour
	modelLongest = 24 * time.Hour
)

// filed is a file as the model knows it.
type filed struct {
	sent    *vaulttest.File
	began   time.Time
	last    time.Time // when a part arrived last
	parts   map[uint32]bool
	whole   bool
	gone    bool        // burned, or its claim ended
	claim   caller.Text // that it is bound to; empty for none
	fetched map[uint32]bool
	until   time.Time // the claim's deadline
	limit   time.Time // no deadline of it is later
}

// machine runs commands on a vault and on the model, and compares every answer.
type machine struct {
	t     *testing.T
	kit   *vaulttest.Kit
	now   time.Time
	files []*filed
}

// waits reports whether a file waits to be opened, or arrives.
func (m *machine) waits(f *filed) bool {
	return !f.gone && f.claim == "" && m.now.Before(f.began.Add(modelTTL))
}

// holds reports whether a claim fetches a file.
func (m *machine) holds(f *filed, claim caller.Text) bool {
	return !f.gone && f.claim != "" && f.claim == claim && m.now.Before(f.until)
}

func (m *machine) extend(f *filed) {
	to := m.now.Add(modelSilence)
	if to.After(f.limit) {
		to = f.limit
	}
	if to.Sub(f.until) >= 30*time.Second {
		f.until = to
	}
}

// Whatever senders, readers, time and restarts do, in whatever order: each call is answered
// as the model does, one reader at most gets a file, and in the end nothing is left.
func TestStateMachine(t *testing.T) {
	t.Parallel()
	property.Check(t, func(rt *rapid.T) {
		kit := vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true})
		defer kit.Close(t)
		m := &machine{t: t, kit: kit, now: kit.Clock.Now()}
		m.begin(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"begin":       m.begin,
			"put":         m.put,
			"put all":     m.putAll,
			"other bytes": m.otherBytes,
			"other token": m.otherToken,
			"finish":      m.finish,
			"restart":     m.restart,
			"reveal":      m.reveal,
			"get":         m.get,
			"acknowledge": m.acknowledge,
			"lapse":       m.lapse,
			"burn":        m.burn,
			"cancel":      m.cancel,
			"idle":        m.idle,
			"advance":     m.advance,
			"sweep":       m.sweep,
			"reopen":      m.reopen,
			"":            m.invariants,
		})
		m.end(rt)
	})
}

func wantIs(rt *rapid.T, call string, got, want error) {
	rt.Helper()
	if want == nil && got != nil || want != nil && !errors.Is(got, want) {
		rt.Fatalf("%s: got %v, want %v", call, got, want)
	}
}

func (m *machine) begin(rt *rapid.T) {
	if len(m.files) == 3 {
		rt.Skip("enough files")
	}
	size := int(chunked.SealedSize(1000))
	if rapid.IntRange(0, 3).Draw(rt, "size") == 0 {
		size = twoParts()
	}
	sent, err := m.kit.TryBeginFile(m.t, caller.Caller{}, size, secret.Terms{TTL: new(modelTTL)})
	wantIs(rt, "Begin()", err, nil)
	m.files = append(m.files, &filed{sent: sent, began: m.now, last: m.now, parts: map[uint32]bool{}, fetched: map[uint32]bool{}})
}

func (m *machine) pick(rt *rapid.T) *filed { return rapid.SampledFrom(m.files).Draw(rt, "file") }

func (m *machine) put(rt *rapid.T) {
	f := m.pick(rt)
	m.putPart(rt, f, uint32(rapid.IntRange(0, int(f.sent.Parts())-1).Draw(rt, "part")))
}

func (m *machine) putAll(rt *rapid.T) {
	f := m.pick(rt)
	for n := range f.sent.Parts() {
		m.putPart(rt, f, n)
	}
}

func (m *machine) putPart(rt *rapid.T, f *filed, n uint32) {
	err := f.sent.Put(m.t, n)
	if !m.waits(f) {
		wantIs(rt, "PutPart(ended)", err, refusal.ErrNotFound)
		return
	}
	wantIs(rt, "PutPart()", err, nil)
	if !f.parts[n] {
		f.parts[n], f.last = true, m.now
	}
}

func (m *machine) otherBytes(rt *rapid.T) {
	f := m.pick(rt)
	if !f.parts[0] {
		rt.Skip("the part may still have any bytes")
	}
	other := bytes.Clone(f.sent.Part(0))
	other[0] ^= 1
	want := refusal.ErrPartDiffers
	if !m.waits(f) {
		want = refusal.ErrNotFound
	}
	wantIs(rt, "PutPart(other bytes)", m.kit.Vault.Uploads.PutPart(m.t.Context(), f.sent.Key.Expose(), f.sent.Token, 0, other), want)
}

// otherToken shows the token of another upload, or of none.
func (m *machine) otherToken(rt *rapid.T) {
	f, token := m.pick(rt), [file.TokenSize]byte{}
	if other := m.pick(rt); other != f {
		token = other.sent.Token
	}
	up, ctx, key := m.kit.Vault.Uploads, m.t.Context(), f.sent.Key.Expose()
	hash := f.sent.ProofHash()
	_, restart := up.Restart(ctx, key, token, caller.Text(hash[:]))
	_, get := up.Get(ctx, key, token)
	for _, err := range []error{up.PutPart(ctx, key, token, 0, f.sent.Part(0)), up.Finish(ctx, key, token), up.Cancel(ctx, caller.Caller{}, key, token), restart, get} {
		if !errors.Is(err, refusal.ErrUploadToken) && !errors.Is(err, refusal.ErrNotFound) {
			rt.Fatalf("call with another token: got %v, want ErrUploadToken or ErrNotFound", err)
		}
	}
}

func (m *machine) finish(rt *rapid.T) {
	f := m.pick(rt)
	err := f.sent.Finish(m.t)
	switch {
	case !m.waits(f):
		wantIs(rt, "Finish(ended)", err, refusal.ErrNotFound)
	case len(f.parts) < int(f.sent.Parts()):
		wantIs(rt, "Finish(parts missing)", err, refusal.ErrArriving)
	default:
		wantIs(rt, "Finish()", err, nil)
		f.whole = true
	}
}

func (m *machine) restart(rt *rapid.T) {
	f := m.pick(rt)
	hash := f.sent.ProofHash()
	_, err := m.kit.Vault.Uploads.Restart(m.t.Context(), f.sent.Key.Expose(), f.sent.Token, caller.Text(hash[:]))
	if !m.waits(f) || f.whole {
		wantIs(rt, "Restart(ended)", err, refusal.ErrNotFound)
		return
	}
	wantIs(rt, "Restart()", err, nil)
	f.parts, f.last = map[uint32]bool{}, m.now
	f.sent.Content[0] ^= 1
}

func drawClaim(rt *rapid.T) caller.Text {
	return vaulttest.Claim(rapid.SampledFrom([]byte{1, 2}).Draw(rt, "claim"))
}

func (m *machine) reveal(rt *rapid.T) {
	f, claim := m.pick(rt), drawClaim(rt)
	revealed, err := f.sent.Open(m.t, claim)
	switch {
	case m.holds(f, claim):
		m.extend(f)
	case !m.waits(f):
		wantIs(rt, "RevealSecret(ended)", err, refusal.ErrNotFound)
		return
	case !f.whole:
		wantIs(rt, "RevealSecret(arriving)", err, refusal.ErrArriving)
		return
	default:
		f.claim, f.until, f.limit = claim, m.now.Add(modelSilence), m.now.Add(modelLongest)
	}
	wantIs(rt, "RevealSecret()", err, nil)
	if left := f.until.Sub(m.now); revealed.ClaimLeft != left || revealed.FileSize != uint64(len(f.sent.Content)) {
		rt.Fatalf("RevealSecret(): got %d bytes for %v, want %d for %v", revealed.FileSize, revealed.ClaimLeft, len(f.sent.Content), left)
	}
}

func (m *machine) get(rt *rapid.T) {
	f, claim := m.pick(rt), drawClaim(rt)
	n := uint32(rapid.IntRange(0, int(f.sent.Parts())).Draw(rt, "part"))
	got, err := f.sent.Get(m.t, claim, n)
	switch {
	case !m.holds(f, claim):
		wantIs(rt, "GetPart(no claim)", err, refusal.ErrNotFound)
		return
	case n == f.sent.Parts():
		wantIs(rt, "GetPart(a number too much)", err, refusal.ErrInvalid)
	default:
		wantIs(rt, "GetPart()", err, nil)
		if !bytes.Equal(got, f.sent.Part(n)) {
			rt.Fatalf("GetPart(%d): got other bytes, want those that were sent last", n)
		}
	}
	m.extend(f)
}

func (m *machine) acknowledge(rt *rapid.T) {
	f, claim := m.pick(rt), drawClaim(rt)
	wantIs(rt, "AcknowledgeReveal()", m.kit.Vault.Secrets.AcknowledgeReveal(m.t.Context(), f.sent.Key.Expose(), claim), nil)
	f.gone = f.gone || f.claim != "" && f.claim == claim
}

func (m *machine) lapse(rt *rapid.T) {
	_, err := m.kit.Vault.Claims.Lapse(m.t.Context())
	wantIs(rt, "Lapse()", err, nil)
	m.lapsed()
}

// lapsed ends the claims that are due.
func (m *machine) lapsed() {
	for _, f := range m.files {
		f.gone = f.gone || f.claim != "" && !m.now.Before(f.until)
	}
}

func (m *machine) burn(rt *rapid.T) {
	f := m.pick(rt)
	_, err := m.kit.Vault.Burns.BurnSecret(m.t.Context(), caller.Caller{}, f.sent.Receipt.Expose())
	m.ended(rt, "BurnSecret()", f, err, true)
}

func (m *machine) cancel(rt *rapid.T) {
	f := m.pick(rt)
	m.ended(rt, "Cancel()", f, m.kit.Vault.Uploads.Cancel(m.t.Context(), caller.Caller{}, f.sent.Key.Expose(), f.sent.Token), !f.whole)
}

func (m *machine) ended(rt *rapid.T, call string, f *filed, err error, may bool) {
	if !m.waits(f) || !may {
		wantIs(rt, call+" of an ended file", err, refusal.ErrNotFound)
		return
	}
	wantIs(rt, call, err, nil)
	f.gone = true
}

func (m *machine) idle(rt *rapid.T) {
	_, err := m.kit.Vault.Burns.BurnIdle(m.t.Context())
	wantIs(rt, "BurnIdle()", err, nil)
	for _, f := range m.files {
		f.gone = f.gone || m.waits(f) && !f.whole && m.now.Sub(f.last) > 6*time.Hour
	}
}

func (m *machine) advance(rt *rapid.T) {
	m.move(rapid.SampledFrom([]time.Duration{
		time.Second, 30 * time.Second, time.Minute, 40 * time.Minute, modelSilence - time.Millisecond, modelSilence, 7 * time.Hour,
	}).Draw(rt, "by"))
}

func (m *machine) move(by time.Duration) {
	m.kit.Clock.Advance(by)
	m.now = m.now.Add(by)
}

func (m *machine) sweep(rt *rapid.T) {
	_, err := m.kit.Vault.Sweep(m.t.Context())
	wantIs(rt, "Sweep()", err, nil)
}

func (m *machine) reopen(*rapid.T) {
	m.kit.Reopen(m.t)
	m.lapsed() // a start ends them
}

// invariants looks at what can be seen without changing anything.
func (m *machine) invariants(rt *rapid.T) {
	for _, f := range m.files {
		_, shown, err := m.kit.Vault.Secrets.GetFile(m.t.Context(), caller.Caller{}, f.sent.Key.Expose(), caller.Text(f.sent.Proofs[0][:]))
		if !m.waits(f) {
			wantIs(rt, "GetFile(ended)", err, refusal.ErrNotFound)
			continue
		}
		wantIs(rt, "GetFile()", err, nil)
		want := file.Progress{Size: uint64(len(f.sent.Content)), Count: f.sent.Parts(), Arrived: uint32(len(f.parts)), Whole: f.whole}
		if shown == nil || shown.Progress != want {
			rt.Fatalf("GetFile(): got %+v, want %+v", shown, want)
		}
	}
}

// end lets everything pass, and looks for what is left.
func (m *machine) end(rt *rapid.T) {
	for range 4 {
		m.move(modelTTL)
		for range 4 {
			m.move(time.Minute) // which confirms the leap
			m.sweep(rt)
			m.lapse(rt)
		}
	}
	wantIs(rt, "RemoveStray()", m.kit.Vault.Files.RemoveStray(m.t.Context()), nil)
	wantIs(rt, "Remove()", m.kit.Vault.Files.Remove(m.t.Context()), nil)
	if left := blobs(m.t, m.kit); left != 0 {
		rt.Fatalf("blobs in the end: got %d, want none", left)
	}
	for _, bucket := range []string{file.BucketFile, file.BucketUpload, file.BucketPart, file.BucketRemoval} {
		if left := len(vaulttest.RowsIn(m.t, m.kit.Store, bucket)); left != 0 {
			rt.Fatalf("rows of %s in the end: got %d, want none", bucket, left)
		}
	}
	m.kit.MustReclaim(m.t)
	if left := m.kit.Vault.Usage.ProcessBytes(); left != 0 {
		rt.Fatalf("bytes in use in the end: got %d, want none", left)
	}
}
