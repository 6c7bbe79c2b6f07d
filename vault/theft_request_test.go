package vault_test

import (
	"bytes"
	"testing"

	"hush/seal"
	devices "hush/seal/request"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// requestVictim is a vault with a request and answers in each state.
type requestVictim struct {
	*vaulttest.Kit
	asked                 *vaulttest.Asked
	live, claimed, opened *vaulttest.Answered
	shown                 request.Collection // while all of them waited
	before, during, after string             // copies of the folder: all wait; a claim lasts; it has ended
	claim                 caller.Text
}

func newRequestVictim(t *testing.T) *requestVictim {
	t.Helper()
	v := &requestVictim{Kit: vaulttest.New(t, vaulttest.Options{
		Manual: true, Folder: true, Policy: caller.Policy{Requests: caller.RequestsAnyone},
	}), claim: vaulttest.Claim(9)}
	v.asked = v.MustAsk(t, vaulttest.Caller(1), 5)
	v.live, v.claimed = v.MustAnswer(t, vaulttest.Caller(2), v.asked, vaulttest.Plaintext), v.MustAnswer(t, vaulttest.Caller(2), v.asked, vaulttest.Plaintext)
	v.opened = v.MustAnswer(t, vaulttest.Caller(2), v.asked, vaulttest.Plaintext)
	v.shown = v.MustCollect(t, caller.Caller{}, v.asked)
	v.before = v.CopyDir(t)
	for answered, by := range map[*vaulttest.Answered]caller.Text{v.opened: "", v.claimed: v.claim} {
		_, err := v.OpenAnswer(t, caller.Caller{}, v.asked, vaulttest.AnswerOf(t, v.shown, answered), by)
		vaulttest.Want(t, "OpenAnswer()", err, nil)
	}
	vaulttest.AwaitShred(t, v.Kit)
	v.during = v.CopyDir(t)
	v.MustAcknowledge(t, *vaulttest.AnswerOf(t, v.shown, v.claimed).Secret, v.claim)
	vaulttest.AwaitShred(t, v.Kit)
	v.after = v.CopyDir(t)
	return v
}

func (v *requestVictim) thief(t *testing.T, dir string) *vaulttest.Kit {
	t.Helper()
	return vaulttest.New(t, vaulttest.Options{Manual: true, Dir: dir, RootKey: &v.RootKey, Start: v.Clock.Now()})
}

// The attack: the thief has the data folder, with the root key or without. No file has a
// text, the title or the note of the card, a secret of a link, the key of the request, of
// its collect link or of an answer, or a proof.
func TestRequestTheftOfTheFolder(t *testing.T) {
	t.Parallel()
	v := newRequestVictim(t)
	link, collect := v.asked.Link.Expose(), v.asked.Collect.Expose()
	content := v.live.Secret.Expose()
	linkProof, collectProof, proof := devices.LinkProof(v.asked.Link), v.asked.Collector.Proof(), v.live.Keys.Proof()
	canaries := map[string]string{
		"text": vaulttest.Plaintext, "title": vaulttest.CardTitle, "note": vaulttest.CardNote,
		"secret of the request link": string(link[:]), "secret of the collect link": string(collect[:]), "secret of an answer's link": string(content[:]),
		"request key": v.asked.Key.Expose()[:25], "collect key": v.asked.CollectKey.Expose()[:25],
		"proof of the link": string(linkProof[:]), "proof of the collect link": string(collectProof[:]), "proof of an answer": string(proof[:]),
		"content as it was sent": string(v.live.Content.Content[:48]),
	}
	for _, shown := range v.shown.Answers {
		canaries["key of an answer "+shown.Secret.Short(4)] = shown.Secret.Expose()[:25]
	}
	for _, dir := range []string{v.before, v.during, v.after} {
		files := vaulttest.FolderBytes(t, dir)
		for name, canary := range canaries {
			for _, form := range vaulttest.Spellings(canary) {
				vaulttest.Want(t, "data folder holds the "+name, bytes.Contains(files, []byte(form)), false)
			}
		}
		vaulttest.Want(t, "data folder holds the card as it was sent", bytes.Contains(files, []byte(v.shown.Card[:64])), true)
	}
	// The links of answers rest there as they were sealed, until nothing is left to open.
	for dir, want := range map[string]map[*vaulttest.Answered]bool{
		v.before: {v.live: true, v.claimed: true, v.opened: true}, v.during: {v.claimed: true, v.opened: false}, v.after: {v.live: true, v.claimed: false},
	} {
		stolen := v.thief(t, dir)
		for answered, there := range want {
			ref := answer.Ref{Request: v.asked.Key.RowKey(seal.KindRequest), Number: answered.Number}
			row := vaulttest.Get(t, stolen.Store, answer.BucketAnswer, ref.Key())
			vaulttest.Want(t, "row holds the sealed link", bytes.Contains(row, []byte(answered.SealedLink)), there)
		}
		stolen.Close(t)
	}
}

// The attack: the thief has the folder, the root key and the key in the request link, or
// in the collect link, as they stand in a log of a proxy, and even the whole request link,
// as all who may answer. The first shows nothing; none opens an answer, or the link of one.
func TestRequestTheftWithTheRequestLink(t *testing.T) {
	t.Parallel()
	v := newRequestVictim(t)
	thief := v.thief(t, v.before)
	re, row := thief.Vault.Requests, v.asked.Key.RowKey(seal.KindRequest)
	record := vaulttest.Get(t, thief.Store, request.BucketRequest, row[:])
	_, err := re.GetRequest(t.Context(), caller.Caller{}, v.asked.Key.Expose(), caller.Text(record[48:80]))
	vaulttest.WantErr(t, "GetRequest(key, a hash)", err, refusal.ErrLink)
	shown, err := re.GetRequest(t.Context(), caller.Caller{}, v.asked.Key.Expose(), v.asked.Proof())
	vaulttest.Want(t, "GetRequest(link)", err, nil)
	card, err := devices.Open(v.asked.Link, []byte(shown.Card))
	vaulttest.Want(t, "Open(card)", err, nil)
	vaulttest.Want(t, "title, which the link shows to all who may answer", card.Title, vaulttest.CardTitle)

	// With the link secret in the place of the collect link's: other keys.
	wrong := devices.NewCollector(v.asked.Link)
	_, err = wrong.Open([]byte(v.shown.LinkBox), []byte(shown.Card))
	vaulttest.Want(t, "Open(link box) is refused", err != nil, true)
	proof := wrong.Proof()
	for _, key := range []string{v.asked.CollectKey.Expose(), v.asked.Key.Expose()} {
		_, err = re.GetCollection(t.Context(), caller.Caller{}, request.CollectLink{Key: key, Proof: caller.Text(proof[:])})
		vaulttest.Want(t, "GetCollection(request link) is refused", err != nil, true)
	}
	// The box with the private half of the pair opens with the collect key alone.
	box := boxOf(t, record, v.shown)
	collectRow := v.asked.CollectKey.RowKey(seal.KindCollect)
	_, _, err = thief.Keys.OpenCollection(v.asked.CollectKey, collectRow, box)
	vaulttest.Want(t, "OpenCollection(collect key)", err, nil)
	for _, token := range []seal.Token{v.asked.Key, *v.shown.Answers[0].Secret, v.live.Metadata.Key} {
		_, _, err = thief.Keys.OpenCollection(token, collectRow, box)
		vaulttest.WantErr(t, "OpenCollection(another key)", err, seal.ErrSealBroken)
	}
	for _, a := range v.shown.Answers {
		_, err := wrong.OpenAnswer(card, devices.Number(a.Number), []byte(a.SealedLink))
		vaulttest.Want(t, "OpenAnswer(sealed link) is refused", err != nil, true)
	}
}

// The attack: the thief also has the key of the collect link, and asks the server's own
// seal. Then the keys of the answers open, and no content: their links are sealed to the
// requester's device.
func TestRequestTheftWithTheCollectKey(t *testing.T) {
	t.Parallel()
	v := newRequestVictim(t)
	thief := v.thief(t, v.before)
	_, err := thief.Vault.Requests.GetCollection(t.Context(), caller.Caller{}, request.CollectLink{Key: v.asked.CollectKey.Expose(), Proof: caller.Text(make([]byte, 32))})
	vaulttest.WantErr(t, "GetCollection(key)", err, refusal.ErrLink)
	for _, a := range v.shown.Answers {
		row := vaulttest.SecretRow(t, thief, *a.Secret)
		offset := vaulttest.SealedOffset(row)
		share := vaulttest.ShareOf(t, thief, *a.Secret)
		for name, hash := range map[string][32]byte{"nothing": {}, "hash of the proof of the collect link": v.asked.Collector.Proof().Hash()} {
			key, err := thief.Keys.SecretKeys().Key(thief.Keys.KID(), *a.Secret, a.Secret.RowKey(seal.KindSecret), share, hash)
			vaulttest.Want(t, "Key()", err, nil)
			_, err = key.OpenUnpadded(row[21:offset], row[offset:])
			vaulttest.WantErr(t, "OpenUnpadded("+name+")", err, seal.ErrSealBroken)
		}
		proof := v.asked.CollectLink().Proof
		_, err = thief.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, a.Secret.Expose(), secret.Opening{
			LinkProof: proof, Proof: proof, CollectProof: proof,
		})
		vaulttest.WantErr(t, "RevealSecret(collect proof alone)", err, refusal.ErrLink)
	}
}

// The attack: a responder who is a thief has the whole link of an own answer, its key, and
// the receipt. Without the proof of the collect link it does not open from the running
// service, and its receipt has no key. With the folder and the root key it could be
// opened by who made it, and by no other responder.
func TestRequestTheftByAResponder(t *testing.T) {
	t.Parallel()
	v := newRequestVictim(t)
	opening := vaulttest.Prove(v.live.Keys)
	key := vaulttest.AnswerOf(t, v.shown, v.live).Secret
	_, err := v.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, key.Expose(), opening)
	vaulttest.WantErr(t, "RevealSecret(own answer)", err, refusal.ErrLink)
	vaulttest.Want(t, "key in the receipt", v.MustMetadata(t, caller.Caller{}, v.live.Metadata.Key).Secret, nil)
	opening.CollectProof = v.asked.CollectLink().Proof
	other := vaulttest.AnswerOf(t, v.shown, v.opened).Secret
	_, err = v.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, other.Expose(), opening)
	vaulttest.WantErr(t, "RevealSecret(ended answer)", err, refusal.ErrNotFound)
}

// The attack: the thief has everything, the collect link too. From a copy made before,
// what waited opens, as a secret does for who has its link. From one made later, what had
// ended does not, and while a claim lasts it takes the claim.
func TestRequestTheftOfEverything(t *testing.T) {
	t.Parallel()
	v := newRequestVictim(t)
	open := func(k *vaulttest.Kit, a *vaulttest.Answered, by caller.Text) (string, error) {
		opening := vaulttest.Prove(a.Keys)
		opening.CollectProof, opening.Claim = v.asked.CollectLink().Proof, by
		got, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, vaulttest.AnswerOf(t, v.shown, a).Secret.Expose(), opening)
		if err != nil {
			return "", err
		}
		return vaulttest.MustOpen(t, a.Keys, got.Content), nil
	}
	before := v.thief(t, v.before)
	for _, a := range []*vaulttest.Answered{v.live, v.claimed, v.opened} {
		text, err := open(before, a, "")
		vaulttest.Want(t, "RevealSecret(copy of before)", err, nil)
		vaulttest.Want(t, "text", text, vaulttest.Plaintext)
	}
	during := v.thief(t, v.during)
	for _, by := range []caller.Text{"", vaulttest.Claim(1)} {
		_, err := open(during, v.claimed, by)
		vaulttest.WantErr(t, "RevealSecret(while the claim lasts)", err, refusal.ErrNotFound)
	}
	after := v.thief(t, v.after)
	for _, a := range []*vaulttest.Answered{v.claimed, v.opened} {
		for _, by := range []caller.Text{"", v.claim} {
			_, err := open(after, a, by)
			vaulttest.WantErr(t, "RevealSecret(copy of after)", err, refusal.ErrNotFound)
		}
	}
	for _, shown := range after.MustCollect(t, caller.Caller{}, v.asked).Answers {
		vaulttest.Want(t, "an ended answer shows a link", shown.SealedLink != "" && shown.Number != v.live.Number, false)
	}
}

// boxOf returns what a stored request holds before its link box and card.
func boxOf(t *testing.T, record []byte, shown request.Collection) []byte {
	t.Helper()
	const size = 12 + 31 + 32 + 16 // nonce, request key, private half, tag
	end := len(record) - len(shown.Card) - 4 - len(shown.LinkBox) - 4
	if end < size {
		t.Fatalf("stored request: got %d bytes, want more", len(record))
	}
	return record[end-size : end]
}
