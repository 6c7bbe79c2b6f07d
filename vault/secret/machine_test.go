package secret_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal/endtoend"
	"hush/testtier/property"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// machine runs commands on a vault and on the model and compares every answer.
type machine struct {
	t       *testing.T
	kit     *vaulttest.Kit
	model   model
	entries []*entry
	devices map[string]device // by passphrase
}

// device is what a sender's device made of a text.
type device struct {
	sealed *secret.SealedContent
	keys   endtoend.Keys
}

// The machine draws these besides passphrases: noProofs is a reveal that shows
// nothing, and otherLink one with the proof of another link.
const (
	noProofs  = caller.Text("")
	otherLink = caller.Text("other link")
)

// opening is what a caller shows who has a passphrase and a claim.
func (m *machine) opening(e *entry, o secret.Opening) secret.Opening {
	passphrase, other := o.Passphrase, caller.Text(strings.Repeat("x", 32))
	switch {
	case e.sealed == nil && passphrase == otherLink:
		return secret.Opening{Passphrase: e.passphrase, LinkProof: other, Proof: other, Claim: o.Claim}
	case e.sealed == nil:
		return o
	case passphrase == noProofs:
		return secret.Opening{Claim: o.Claim}
	}
	shown := vaulttest.Prove(m.devices[string(e.passphrase)].keys)
	shown.Claim = o.Claim
	switch passphrase {
	case otherLink:
		shown.LinkProof = other
	case "wrong":
		shown.Proof = other
	}
	return shown
}

// No sequence of commands, restarts and sweeps, at whatever times, gets another
// answer than the model's.
func TestStateMachine(t *testing.T) {
	t.Parallel()
	devices := map[string]device{}
	for _, passphrase := range []string{"", "right"} {
		sealed, keys := vaulttest.MustSeal(t, vaulttest.Plaintext, passphrase)
		devices[passphrase] = device{sealed, keys}
	}
	property.Check(t, func(rt *rapid.T) {
		kit := vaulttest.New(t, vaulttest.Options{Manual: true})
		defer kit.Close(t)
		m := &machine{t: t, kit: kit, model: model{now: kit.Clock.Now()}, devices: devices}
		m.conceal(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"conceal":  m.conceal,
			"metadata": m.metadata,
			"memo":     m.memo,
			"reveal":   m.reveal,
			"claim":    m.claim,
			"repeat":   m.repeat,
			"confirm":  m.acknowledge,
			"lapse":    m.lapse,
			"burn":     m.burn,
			"guess":    m.wrongTry,
			"advance":  m.advance,
			"edge":     m.edge,
			"sweep":    m.sweep,
			"reopen":   m.reopen,
			"":         m.invariants,
		})
	})
}

func (m *machine) conceal(rt *rapid.T) {
	if len(m.entries) == 4 {
		rt.Skip("enough secrets")
	}
	e := &entry{
		text: caller.Text(rapid.StringN(1, 300, -1).Draw(rt, "text")), state: receipt.StateNew,
		ttl:        rapid.SampledFrom([]time.Duration{time.Minute, 20 * time.Minute, 3 * time.Hour}).Draw(rt, "ttl"),
		passphrase: caller.Text(rapid.SampledFrom([]string{"", "", "right"}).Draw(rt, "passphrase")),
		created:    m.model.now, updated: m.model.now, tries: map[int]*counter{},
	}
	text, terms := e.text, secret.Terms{TTL: &e.ttl, Passphrase: e.passphrase}
	if rapid.Bool().Draw(rt, "end-to-end") {
		e.sealed = m.devices[string(e.passphrase)].sealed
		text = ""
		terms.Passphrase = ""
		terms.Sealed = e.sealed
	}
	kept, err := m.kit.Vault.Secrets.ConcealSecret(m.t.Context(), vaulttest.Caller(9), text, terms)
	if err != nil {
		rt.Fatalf("ConcealSecret(text): got %v, want nil", err)
	}
	e.kept = kept
	m.entries = append(m.entries, e)
	same(rt, "ConcealSecret(text)", kept, secret.Concealed{Metadata: m.model.metadata(e), Secret: m.model.secret(e)})
}

// same fails the check unless got is want.
func same(rt *rapid.T, call string, got, want any) {
	rt.Helper()
	if diff := cmp.Diff(want, got, tokens()); diff != "" {
		rt.Fatalf("%s: -want +got\n%s", call, diff)
	}
}

func wantSame(rt *rapid.T, call string, got, want error) {
	rt.Helper()
	if !sameError(want, got) {
		rt.Fatalf("%s: got %#v, want %#v", call, got, want)
	}
}

func (m *machine) pick(rt *rapid.T) *entry { return rapid.SampledFrom(m.entries).Draw(rt, "secret") }

func (m *machine) metadata(rt *rapid.T) {
	e := m.pick(rt)
	got, err := m.kit.Vault.Receipts.GetMetadata(m.t.Context(), vaulttest.Caller(1), e.kept.Metadata.Key.Expose())
	if m.model.isForgotten(e) {
		wantSame(rt, "GetMetadata(forgotten)", err, refusal.ErrNotFound)
		return
	}
	wantSame(rt, "GetMetadata(key)", err, nil)
	same(rt, "GetMetadata(key)", got, m.model.metadata(e))
	m.model.look(e)
}

func (m *machine) memo(rt *rapid.T) {
	e := m.pick(rt)
	memo := caller.Text(rapid.StringN(0, 20, -1).Draw(rt, "memo"))
	got, err := m.kit.Vault.Receipts.UpdateMemo(m.t.Context(), vaulttest.Caller(1), e.kept.Metadata.Key.Expose(), memo)
	if m.model.isForgotten(e) {
		wantSame(rt, "UpdateMemo(forgotten)", err, refusal.ErrNotFound)
		return
	}
	e.memo, e.updated = memo, m.model.now
	wantSame(rt, "UpdateMemo(key)", err, nil)
	same(rt, "UpdateMemo(key)", got, m.model.metadata(e))
}

// attempt draws who asks and with what.
func attempt(rt *rapid.T, passphrases ...string) (network int, passphrase caller.Text) {
	return rapid.IntRange(0, 4).Draw(rt, "network"), caller.Text(rapid.SampledFrom(passphrases).Draw(rt, "passphrase"))
}

func (m *machine) reveal(rt *rapid.T) {
	network, passphrase := attempt(rt, "right", "", "wrong", string(otherLink))
	m.revealAs(rt, m.pick(rt), network, passphrase)
}

func (m *machine) revealAs(rt *rapid.T, e *entry, network int, passphrase caller.Text) {
	m.revealWith(rt, e, network, secret.Opening{Passphrase: passphrase})
}

// claim reveals with a claim, for the first time or again.
func (m *machine) claim(rt *rapid.T) {
	network, passphrase := attempt(rt, "right", "", "wrong", string(otherLink))
	m.revealWith(rt, m.pick(rt), network, secret.Opening{Passphrase: passphrase, Claim: drawClaim(rt)})
}

func (m *machine) repeat(rt *rapid.T) {
	e := m.pick(rt)
	if e.claim == "" {
		rt.Skip("not bound")
	}
	m.revealWith(rt, e, 1, secret.Opening{Claim: e.claim})
}

func drawClaim(rt *rapid.T) caller.Text {
	return vaulttest.Claim(rapid.SampledFrom([]byte{1, 2}).Draw(rt, "claim"))
}

func (m *machine) acknowledge(rt *rapid.T) {
	e, claim := m.pick(rt), drawClaim(rt)
	m.model.acknowledge(e, claim)
	wantSame(rt, "AcknowledgeReveal(key, claim)", m.kit.Vault.Secrets.AcknowledgeReveal(m.t.Context(), e.kept.Secret.Key.Expose(), claim), nil)
}

func (m *machine) lapse(rt *rapid.T) {
	if _, err := m.kit.Vault.Claims.Lapse(m.t.Context()); err != nil {
		rt.Fatalf("Lapse(): got %v, want nil", err)
	}
	for _, e := range m.entries {
		m.model.lapse(e)
	}
}

func (m *machine) revealWith(rt *rapid.T, e *entry, network int, o secret.Opening) {
	shown := m.model.secret(e)
	got, err := m.kit.Vault.Secrets.RevealSecret(m.t.Context(), vaulttest.Caller(network), e.kept.Secret.Key.Expose(), m.opening(e, o))
	if m.model.holds(e, o.Claim) {
		wantSame(rt, "RevealSecret(key, claim)", err, nil)
		m.model.extend(e)
		again := secret.Secret{Key: e.kept.Secret.Key, State: receipt.StateReceived, Encryption: e.encryption()}
		same(rt, "RevealSecret(key, claim)", got, e.revealed(again, e.until.Sub(m.model.now)))
		return
	}
	wanted := m.model.end(e, network, o.Passphrase, receipt.StateReceived)
	wantSame(rt, "RevealSecret(key)", err, wanted)
	if wanted != nil {
		same(rt, "RevealSecret(key)", got, secret.Revealed{})
		return
	}
	shown.State = receipt.StateReceived
	revealed := e.revealed(shown, 0)
	if o.Claim != "" {
		m.model.bind(e, o.Claim)
		revealed.ClaimLeft = claim.Lifetime
	}
	same(rt, "RevealSecret(key)", got, revealed)
}

func (m *machine) burn(rt *rapid.T) {
	e := m.pick(rt)
	network, passphrase := attempt(rt, "right", "", "wrong")
	got, err := m.kit.Vault.Burns.BurnGuarded(m.t.Context(), vaulttest.Caller(network), e.kept.Metadata.Key.Expose(), passphrase)
	wanted := m.model.end(e, network, passphrase, receipt.StateBurned)
	wantSame(rt, "BurnGuarded(key)", err, wanted)
	if wanted == nil {
		same(rt, "BurnGuarded(key)", got, m.model.metadata(e))
	}
}

// wrongTry uses up tries, so that locks are reached.
func (m *machine) wrongTry(rt *rapid.T) {
	e, network := m.pick(rt), rapid.IntRange(0, 4).Draw(rt, "network")
	if e.passphrase == "" {
		rt.Skip("nothing to guess")
	}
	for range rapid.IntRange(1, 5).Draw(rt, "guesses") {
		m.revealAs(rt, e, network, "wrong")
	}
}

func (m *machine) advance(rt *rapid.T) {
	m.move(rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Second, 30 * time.Second, time.Minute, 10*time.Minute - time.Millisecond,
		10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
	}).Draw(rt, "by"))
}

func (m *machine) move(by time.Duration) {
	m.kit.Clock.Advance(by)
	m.model.now = m.model.now.Add(by)
}

// edge moves to where an answer changes, or one millisecond before it.
func (m *machine) edge(rt *rapid.T) {
	e := m.pick(rt)
	edges := []time.Time{m.model.expires(e), m.model.forgotten(e), e.all.locked, e.until}
	for network := range 5 { // in an order, so that a failure can be repeated
		if c := e.tries[network]; c != nil {
			edges = append(edges, c.locked)
		}
	}
	edge := rapid.SampledFrom(edges).Draw(rt, "edge")
	if !edge.After(m.model.now) {
		rt.Skip("passed")
	}
	before := rapid.SampledFrom([]time.Duration{0, time.Millisecond}).Draw(rt, "before")
	m.move(edge.Sub(m.model.now) - before)
}

func (m *machine) sweep(rt *rapid.T) {
	if _, err := m.kit.Vault.Sweep(m.t.Context()); err != nil {
		rt.Fatalf("Sweep(): got %v, want nil", err)
	}
}

func (m *machine) reopen(*rapid.T) {
	m.kit.Reopen(m.t)
	for _, e := range m.entries {
		m.model.lapse(e)
	}
}

// invariants looks at what can be seen without changing anything.
func (m *machine) invariants(rt *rapid.T) {
	var keys []string
	var wanted []secret.Secret
	for _, e := range m.entries {
		keys, wanted = append(keys, e.kept.Secret.Key.Expose()), append(wanted, m.model.secret(e))
	}
	got, err := m.kit.Vault.Secrets.GetSecretStatus(m.t.Context(), vaulttest.Caller(1), keys)
	wantSame(rt, "GetSecretStatus(keys)", err, nil)
	same(rt, "GetSecretStatus(keys)", got, wanted)
	for i, e := range m.entries {
		_, err := m.kit.Vault.Secrets.GetSecret(m.t.Context(), vaulttest.Caller(1), keys[i])
		if m.model.stateOf(e).Live() {
			wantSame(rt, "GetSecret(key)", err, nil)
		} else {
			wantSame(rt, "GetSecret(ended)", err, refusal.ErrNotFound)
		}
	}
}
