package vaulttest

import (
	"slices"
	"testing"
	"time"

	"hush/seal/endtoend"
	devices "hush/seal/request"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/request"
	"hush/vault/secret"
)

// Asked is a request with what its requester's device knows.
type Asked struct {
	request.Created
	Card      *devices.Asked
	Collector devices.Collector
	// Link is the secret of the request's link, and Collect that of the collect link.
	Link, Collect endtoend.LinkSecret
}

// AskTerms makes the terms of a request of a day for that many answers as a requester's
// device does, and what the device keeps.
func AskTerms(t testing.TB, k *Kit, answers int) (*Asked, request.Terms) {
	t.Helper()
	a := &Asked{Collect: endtoend.NewLinkSecret()}
	a.Collector = devices.NewCollector(a.Collect)
	const ttl = 24 * time.Hour
	var err error
	a.Card, err = a.Collector.Ask(devices.Card{
		Title: CardTitle, Note: CardNote, Kinds: []endtoend.Kind{endtoend.KindText}, Latest: k.Clock.Now().Add(ttl).Truncate(time.Second), Answers: answers,
	})
	Want(t, "Ask(card)", err, nil)
	a.Link = a.Card.Secret()
	card, err := a.Card.Seal()
	Want(t, "Seal(card)", err, nil)
	box, err := a.Collector.SealLink(a.Link)
	Want(t, "SealLink(link)", err, nil)
	link, collect := devices.LinkProof(a.Link).Hash(), a.Collector.Proof().Hash()
	return a, request.Terms{
		Card: caller.Text(card), LinkBox: caller.Text(box), LinkProofHash: caller.Text(link[:]), CollectProofHash: caller.Text(collect[:]),
		TTL: ttl, Answers: answers,
	}
}

// The texts of the cards of AskTerms.
const (
	CardTitle = "card-title-canary"
	CardNote  = "card-note-canary"
)

// MustAsk creates a request for that many answers.
func (k *Kit) MustAsk(t testing.TB, c caller.Caller, answers int) *Asked {
	t.Helper()
	a, terms := AskTerms(t, k, answers)
	return k.MustAskWith(t, c, a, terms)
}

// MustAskWith creates a request with the terms of a device.
func (k *Kit) MustAskWith(t testing.TB, c caller.Caller, a *Asked, terms request.Terms) *Asked {
	t.Helper()
	var err error
	if a.Created, err = k.Vault.Requests.CreateRequest(t.Context(), c, terms); err != nil {
		t.Fatalf("CreateRequest(): got %v, want nil", err)
	}
	return a
}

// Proof returns the proof of the request's link.
func (a *Asked) Proof() caller.Text {
	proof := devices.LinkProof(a.Link)
	return caller.Text(proof[:])
}

// CollectLink returns what the requester's device shows.
func (a *Asked) CollectLink() request.CollectLink {
	proof := a.Collector.Proof()
	return request.CollectLink{Key: a.CollectKey.Expose(), Proof: caller.Text(proof[:])}
}

// Answered is an answer with what its responder's device knows.
type Answered struct {
	request.Sent
	Keys     endtoend.Keys
	Secret   endtoend.LinkSecret
	Metadata receipt.Metadata // set by MustAnswer
}

// MakeAnswer makes an answer with text as a responder's device does.
func (a *Asked) MakeAnswer(t testing.TB, text, passphrase string) *Answered {
	t.Helper()
	made := &Answered{Secret: endtoend.NewLinkSecret()}
	content, keys := mustSeal(t, made.Secret, text, passphrase)
	number := devices.NewNumber()
	link, err := a.Card.SealAnswer(number, devices.Answer{Secret: made.Secret})
	Want(t, "SealAnswer()", err, nil)
	made.Keys = keys
	made.Sent = request.Sent{Number: answer.Number(number), SealedLink: caller.Text(link), Content: *content}
	return made
}

// SendAnswer sends an answer, for the first time or again.
func (k *Kit) SendAnswer(t testing.TB, c caller.Caller, a *Asked, made *Answered) (receipt.Metadata, error) {
	t.Helper()
	return k.Vault.Requests.AnswerRequest(t.Context(), c, a.Key.Expose(), a.Proof(), made.Sent)
}

// MustAnswer answers a request with text.
func (k *Kit) MustAnswer(t testing.TB, c caller.Caller, a *Asked, text string) *Answered {
	t.Helper()
	made := a.MakeAnswer(t, text, "")
	m, err := k.SendAnswer(t, c, a, made)
	if err != nil {
		t.Fatalf("AnswerRequest(): got %v, want nil", err)
	}
	made.Metadata = m
	return made
}

// MustCollect returns the collection of a request, and checks it as the requester's device
// does.
func (k *Kit) MustCollect(t testing.TB, c caller.Caller, a *Asked) request.Collection {
	t.Helper()
	got, err := k.Vault.Requests.GetCollection(t.Context(), c, a.CollectLink())
	if err != nil {
		t.Fatalf("GetCollection(): got %v, want nil", err)
	}
	opened, err := a.Collector.Open([]byte(got.LinkBox), []byte(got.Card))
	if err != nil || opened.Title != CardTitle || got.Key != a.Key {
		t.Errorf("Open(link box, card): got %v, want the card, and the key of the request", err)
	}
	return got
}

// AnswerOf returns the answer of a collection that was made here.
func AnswerOf(t testing.TB, c request.Collection, made *Answered) request.Answer {
	t.Helper()
	at := slices.IndexFunc(c.Answers, func(shown request.Answer) bool { return shown.Number == made.Number })
	if at < 0 {
		t.Fatalf("Collection.Answers: got %d without the answer, want it", len(c.Answers))
	}
	return c.Answers[at]
}

// OpenAnswer opens an answer of a collection as the requester's device does, with a claim
// unless that is empty, and returns its text.
func (k *Kit) OpenAnswer(t testing.TB, c caller.Caller, a *Asked, shown request.Answer, claim caller.Text) (string, error) {
	t.Helper()
	if shown.Secret == nil {
		t.Fatal("Answer.Secret: got none, want the key of the answer")
	}
	link, err := a.Collector.OpenAnswer(a.Card, devices.Number(shown.Number), []byte(shown.SealedLink))
	Want(t, "OpenAnswer(sealed link)", err, nil)
	keys, err := endtoend.Derive(link.Secret, "")
	Want(t, "Derive(link)", err, nil)
	opening := Prove(keys)
	opening.CollectProof, opening.Claim = a.CollectLink().Proof, claim
	got, err := k.Vault.Secrets.RevealSecret(t.Context(), c, shown.Secret.Expose(), opening)
	if err != nil {
		if got != (secret.Revealed{}) {
			t.Errorf("RevealSecret(answer): got something with %v, want nothing", err)
		}
		return "", err
	}
	return MustOpen(t, keys, got.Content), nil
}
