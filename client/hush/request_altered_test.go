package hush_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/request"
)

// flipped returns bytes with another one at an index.
func flipped(value []byte, at int) []byte {
	value = bytes.Clone(value)
	value[at] ^= 1
	return value
}

// otherKey is a key of the right form that no request has.
const otherKey = clienttest.Key

// collectionOf returns what the server answers to a collect link.
func collectionOf(t testing.TB, d *double, ask func()) *hushv1.Collection {
	t.Helper()
	var kept *hushv1.Collection
	d.lie("GetCollection", altered(func(a *hushv1.GetCollectionResponse) {
		kept, _ = proto.Clone(a.GetCollection()).(*hushv1.Collection)
	}))
	ask()
	d.lie("GetCollection", nil)
	return kept
}

// askedAndForeign makes a request with the answers "first" and "second", and returns it with
// what the server has of another one.
func askedAndForeign(t testing.TB, d *double, c *hush.Client) (asked client.Asked, foreign *hushv1.Collection) {
	t.Helper()
	asked, other := mustAsk(t, c, 3), mustAsk(t, c, 3)
	for _, text := range []string{"first", "second"} {
		mustAnswer(t, c, asked, text, "")
		mustAnswer(t, c, other, "foreign", "")
	}
	return asked, collectionOf(t, d, func() { mustCollect(t, c, other) })
}

// A server changes one field of a request after another. The responder's device seals to
// no other key, and shows nothing of another card.
func TestAlteredRequest(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	d := startDouble(t, s, nil)
	direct, c := clientOf(t, s.URL, client.Options{}), clientOf(t, d.url, client.Options{})
	asked, other := mustAsk(t, direct, 3), mustAsk(t, direct, 3)
	var foreign *hushv1.GetRequestResponse
	d.lie("GetRequest", altered(func(a *hushv1.GetRequestResponse) {
		foreign, _ = proto.Clone(a).(*hushv1.GetRequestResponse)
	}))
	mustQuestion(t, c, other)
	for name, change := range map[string]func(*hushv1.GetRequestResponse){
		"salt":            func(a *hushv1.GetRequestResponse) { a.Card = flipped(a.GetCard(), 0) },
		"ciphertext":      func(a *hushv1.GetRequestResponse) { a.Card = flipped(a.GetCard(), 200) },
		"end":             func(a *hushv1.GetRequestResponse) { a.Card = flipped(a.GetCard(), len(a.GetCard())-1) },
		"cut":             func(a *hushv1.GetRequestResponse) { a.Card = a.GetCard()[:len(a.GetCard())-1] },
		"none":            func(a *hushv1.GetRequestResponse) { a.Card = nil },
		"another request": func(a *hushv1.GetRequestResponse) { a.Card = foreign.GetCard() },
	} {
		d.lie("GetRequest", altered(change))
		_, err := c.Request(t.Context(), asked.Link)
		clienttest.WantError(t, "Request, "+name, err, client.ErrAltered)
	}
	// The rest is the server's word, and changes nothing of the card.
	d.lie("GetRequest", altered(func(a *hushv1.GetRequestResponse) {
		a.Request = &hushv1.Request{Answers: 99, ExpireTime: timestamppb.New(time.Now().Add(-time.Hour)), State: hushv1.Request_STATE_OPEN}
		a.VerifiedDomain = "evil.example\x1b[31m"
	}))
	question := mustQuestion(t, c, asked)
	if question.Card.Answers != 3 || question.Card.Title != askedTitle || question.Domain != "evil.example\ufffd[31m" {
		t.Errorf("Request: got %+v of %q, want the card as it was", question.Card, question.Domain)
	}
	d.lie("GetRequest", altered(func(a *hushv1.GetRequestResponse) { a.AnswerMax = 100 }))
	_, err := c.SealAnswer(mustQuestion(t, c, asked), client.Content{Bytes: []byte("hunter2")}, client.Text{})
	clienttest.WantError(t, "SealAnswer where the server takes little", err, client.ErrRefused)
}

// A card whose time is over is refused by the device's own clock, whatever the server says.
func TestPastRequest(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	c := clientOf(t, s.URL, client.Options{})
	asked := mustAsk(t, c, 1)
	question := mustQuestion(t, c, asked)
	c.Late(time.Hour)
	_, err := c.Request(t.Context(), asked.Link)
	clienttest.WantError(t, "Request an hour later", err, client.ErrGone)
	_, err = c.SealAnswer(question, client.Content{Bytes: []byte("hunter2")}, client.Text{})
	clienttest.WantError(t, "SealAnswer an hour later", err, client.ErrGone)
}

// A server changes one field of a collection after another: it is refused whole.
func TestAlteredCollection(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	asked, foreign := askedAndForeign(t, d, c)
	for name, change := range map[string]func(*hushv1.Collection){
		"link box":                      func(a *hushv1.Collection) { a.LinkBox = flipped(a.GetLinkBox(), 90) },
		"no link box":                   func(a *hushv1.Collection) { a.LinkBox = nil },
		"link box of another request":   func(a *hushv1.Collection) { a.LinkBox = foreign.GetLinkBox() },
		"card":                          func(a *hushv1.Collection) { a.Card = flipped(a.GetCard(), 300) },
		"card of another request":       func(a *hushv1.Collection) { a.Card = foreign.GetCard() },
		"both of another request":       func(a *hushv1.Collection) { a.Card, a.LinkBox = foreign.GetCard(), foreign.GetLinkBox() },
		"the link box in the card":      func(a *hushv1.Collection) { a.Card = a.GetLinkBox() },
		"the collection of another one": func(a *hushv1.Collection) { proto.Reset(a); proto.Merge(a, foreign) },
	} {
		d.lie("GetCollection", altered(func(a *hushv1.GetCollectionResponse) { change(a.GetCollection()) }))
		_, err := c.Collect(t.Context(), asked.Collect)
		clienttest.WantError(t, "Collect, "+name, err, client.ErrAltered)
	}
}

// A server changes one field of one answer after another: that one is not opened.
func TestAlteredAnswers(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	asked, foreign := askedAndForeign(t, d, c)
	for name, want := range map[string]struct {
		change func(*hushv1.Collection)
		faults []client.AnswerFault
	}{
		"sealed link": {
			func(a *hushv1.Collection) { a.Answers[0].SealedLink = flipped(a.GetAnswers()[0].GetSealedLink(), 1200) },
			[]client.AnswerFault{client.AnswerAltered, client.AnswerSound},
		},
		"encapsulated key": {
			func(a *hushv1.Collection) { a.Answers[0].SealedLink = flipped(a.GetAnswers()[0].GetSealedLink(), 7) },
			[]client.AnswerFault{client.AnswerAltered, client.AnswerSound},
		},
		"sealed links changed places": {
			func(a *hushv1.Collection) {
				one, two := a.GetAnswers()[0], a.GetAnswers()[1]
				one.SealedLink, two.SealedLink = two.GetSealedLink(), one.GetSealedLink()
			},
			[]client.AnswerFault{client.AnswerAltered, client.AnswerAltered},
		},
		"sealed link of another request": {
			func(a *hushv1.Collection) {
				a.Answers[0].SealedLink, a.Answers[0].Number = foreign.GetAnswers()[0].GetSealedLink(), foreign.GetAnswers()[0].GetNumber()
			},
			[]client.AnswerFault{client.AnswerAltered, client.AnswerSound},
		},
		"number": {
			func(a *hushv1.Collection) { a.Answers[0].Number = flipped(a.GetAnswers()[0].GetNumber(), 3) },
			[]client.AnswerFault{client.AnswerAltered, client.AnswerSound},
		},
		"short number": {
			func(a *hushv1.Collection) { a.Answers[0].Number = a.GetAnswers()[0].GetNumber()[:15] },
			[]client.AnswerFault{client.AnswerAltered, client.AnswerSound},
		},
		"no key": {
			func(a *hushv1.Collection) { a.Answers[0].SecretKey = "" },
			[]client.AnswerFault{client.AnswerAltered, client.AnswerSound},
		},
		"twice": {
			func(a *hushv1.Collection) { a.Answers = append(a.Answers, a.GetAnswers()[0]) },
			[]client.AnswerFault{client.AnswerSound, client.AnswerSound, client.AnswerRepeated},
		},
		"the number of the other": {
			func(a *hushv1.Collection) { a.Answers[1].Number = a.GetAnswers()[0].GetNumber() },
			[]client.AnswerFault{client.AnswerSound, client.AnswerRepeated},
		},
	} {
		d.lie("GetCollection", altered(func(a *hushv1.GetCollectionResponse) { want.change(a.GetCollection()) }))
		got, err := c.Collect(t.Context(), asked.Collect)
		if err != nil {
			t.Errorf("Collect, %s: got %v, want the other answers", name, err)
			continue
		}
		var faults []client.AnswerFault
		for _, answer := range got.Answers {
			if faults = append(faults, answer.Fault); answer.Fault != client.AnswerSound && answer.CanOpen() {
				t.Errorf("Collect, %s: got a link for an answer that is %v", name, answer.Fault)
			}
		}
		if !slices.Equal(faults, want.faults) {
			t.Errorf("Collect, %s: got %v, want %v", name, faults, want.faults)
		}
	}
}

// Keys that changed places open nothing, and consume nothing. The order, the states and the
// request's own numbers matter to no answer.
func TestAlteredKeysConsumeNothing(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	asked, _ := askedAndForeign(t, d, c)
	d.lie("GetCollection", altered(func(a *hushv1.GetCollectionResponse) {
		one, two := a.GetCollection().GetAnswers()[0], a.GetCollection().GetAnswers()[1]
		one.SecretKey, two.SecretKey = two.GetSecretKey(), one.GetSecretKey()
	}))
	for _, answer := range mustCollect(t, c, asked).Answers {
		_, err := c.Open(t.Context(), answer.Link, client.Text{}, client.NewClaim())
		clienttest.WantError(t, "Open with the key of another answer", err, client.ErrLink)
	}
	d.lie("GetCollection", altered(func(a *hushv1.GetCollectionResponse) {
		for _, answer := range a.GetCollection().GetAnswers() {
			answer.SecretKey = otherKey
		}
	}))
	_, err := c.Open(t.Context(), mustCollect(t, c, asked).Answers[0].Link, client.Text{}, client.NewClaim())
	clienttest.WantError(t, "Open with an unknown key", err, client.ErrGone)
	d.lie("GetCollection", altered(func(a *hushv1.GetCollectionResponse) {
		slices.Reverse(a.GetCollection().GetAnswers())
		a.Collection.Request = &hushv1.Request{}
		a.Collection.Answers[0].State = hushv1.State_STATE_BURNED
	}))
	for i, answer := range mustCollect(t, c, asked).Answers {
		opened, err := c.Open(t.Context(), answer.Link, client.Text{}, client.NewClaim())
		clienttest.WantText(t, opened, err, []string{"second", "first"}[i])
	}
}

// A responder sends the link secret of an answer again, under another number. Only the first
// of them is opened.
func TestRepeatedLinkSecret(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	c := clientOf(t, s.URL, client.Options{})
	asked := mustAsk(t, c, 3)
	one := mustSealAnswer(t, c, asked, "first", "")
	if _, err := c.Answer(t.Context(), one); err != nil {
		t.Fatalf("Answer: got %v, want no error", err)
	}
	drawn := mustCollect(t, c, asked).Answers[0].Link.LinkSecret()
	again, elsewhere := one, one
	again.Number, elsewhere.Number = request.NewNumber(), request.NewNumber()
	var err error
	if again.SealedLink, err = mustQuestion(t, c, asked).Asked.SealAnswer(again.Number, request.Answer{Secret: drawn}); err != nil {
		t.Fatalf("SealAnswer: got %v, want no error", err)
	}
	for _, answer := range []client.SealedAnswer{again, elsewhere} { // elsewhere has a sealed link of another number
		if _, err := c.Answer(t.Context(), answer); err != nil {
			t.Fatalf("Answer: got %v, want no error", err)
		}
	}
	got := mustCollect(t, c, asked).Answers
	if len(got) != 3 || !got[0].CanOpen() || got[1].Fault != client.AnswerRepeated || got[2].Fault != client.AnswerAltered || got[1].CanOpen() || got[2].CanOpen() {
		t.Errorf("Collect: got %+v, want the first alone", got)
	}
}

// A server shows the first of two answers with the same link secret in one call, and the
// second alone in another. The device remembers the first, and opens the second in no call.
func TestRepeatedLinkSecretLater(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	asked := mustAsk(t, c, 2)
	one := mustSealAnswer(t, c, asked, "first", "")
	if _, err := c.Answer(t.Context(), one); err != nil {
		t.Fatalf("Answer: got %v, want no error", err)
	}
	again, drawn := one, mustCollect(t, c, asked).Answers[0].Link.LinkSecret()
	again.Number = request.NewNumber()
	var err error
	if again.SealedLink, err = mustQuestion(t, c, asked).Asked.SealAnswer(again.Number, request.Answer{Secret: drawn}); err != nil {
		t.Fatalf("SealAnswer: got %v, want no error", err)
	}
	if _, err := c.Answer(t.Context(), again); err != nil {
		t.Fatalf("Answer: got %v, want no error", err)
	}
	d.lie("GetCollection", altered(func(a *hushv1.GetCollectionResponse) { a.Collection.Answers = a.GetCollection().GetAnswers()[1:] }))
	if got := mustCollect(t, c, asked).Answers; len(got) != 1 || got[0].Fault != client.AnswerRepeated || got[0].CanOpen() {
		t.Errorf("Collect: got %+v, want it repeated", got)
	}
}

// Answers to CreateRequest that are none to the call give no links.
func TestAlteredAsk(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	for name, change := range map[string]func(*hushv1.CreateRequestResponse){
		"no key":      func(a *hushv1.CreateRequestResponse) { a.RequestKey = "" },
		"strange key": func(a *hushv1.CreateRequestResponse) { a.CollectKey += "/x" },
		"same keys":   func(a *hushv1.CreateRequestResponse) { a.CollectKey = a.GetRequestKey() },
		"answers":     func(a *hushv1.CreateRequestResponse) { a.Request.Answers++ },
		"time": func(a *hushv1.CreateRequestResponse) {
			a.Request.ExpireTime = timestamppb.New(a.GetRequest().GetExpireTime().AsTime().Add(-time.Minute))
		},
	} {
		d := startDouble(t, s, map[string]lie{"CreateRequest": altered(change)})
		_, err := clientOf(t, d.url, client.Options{}).Ask(t.Context(), client.AskRequest{Title: askedTitle, TTL: time.Hour})
		clienttest.WantError(t, "Ask, "+name, err, client.ErrAltered)
	}
	// A link under another domain than that of the requester is not shown, and closed.
	d := startDouble(t, s, map[string]lie{"CreateRequest": altered(func(a *hushv1.CreateRequestResponse) { a.Request.ShareDomain = "evil.example" })})
	_, err := clientOf(t, d.url, client.Options{}).Ask(t.Context(), client.AskRequest{Title: askedTitle, TTL: time.Hour})
	clienttest.WantError(t, "Ask, another domain", err, client.ErrRefused)
	if d.count("CloseRequest") != 1 {
		t.Errorf("CloseRequest: got %d calls, want one", d.count("CloseRequest"))
	}
	// An answer that is lost is not asked for again: the request would stand twice.
	d = startDouble(t, s, map[string]lie{"CreateRequest": cut(true)})
	_, err = clientOf(t, d.url, client.Options{}).Ask(t.Context(), client.AskRequest{Title: askedTitle, TTL: time.Hour})
	clienttest.WantError(t, "Ask, lost", err, client.ErrNetwork)
	if d.count("CreateRequest") != 1 {
		t.Errorf("CreateRequest: got %d calls, want one", d.count("CreateRequest"))
	}
}

// Neither R, C nor K is in a call, in whatever form a device has them.
func TestNoSecretOfARequestIsSent(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	asked := mustAsk(t, c, 1)
	mustAnswer(t, c, asked, "content-canary", "")
	answer := mustCollect(t, c, asked).Answers[0]
	opened, err := c.Open(t.Context(), answer.Link, client.Text{}, client.NewClaim())
	clienttest.WantText(t, opened, err, "content-canary")
	r, collect, k := asked.Link.LinkSecret().Expose(), asked.Collect.LinkSecret().Expose(), answer.Link.LinkSecret().Expose()
	needles := map[string][]byte{
		"R": r[:], "C": collect[:], "K": k[:], "title": []byte(askedTitle), "note": []byte(askedNote), "content": []byte("content-canary"),
		"digits of R": []byte(asked.Link.Expose()[len(asked.Link.Expose())-43:]), "digits of C": []byte(asked.Collect.Expose()[len(asked.Collect.Expose())-43:]),
	}
	for rpc, bodies := range d.seen {
		for _, body := range bodies {
			for name, needle := range needles {
				if bytes.Contains(body, needle) {
					t.Errorf("%s: got %s in the call, want it nowhere", rpc, name)
				}
			}
		}
	}
}
