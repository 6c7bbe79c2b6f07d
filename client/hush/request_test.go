package hush_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

const (
	askedTitle = "Deploy key for staging"
	askedNote  = "The read-only one.\nNot the old one."
)

// anyoneAsks starts a server that lets everyone ask, whose clock is that of this device.
func anyoneAsks(t testing.TB) *clienttest.Server {
	t.Helper()
	return clienttest.Start(t, vaulttest.Options{Policy: caller.Policy{Requests: caller.RequestsAnyone}}, nil)
}

// mustAsk makes a request for that many answers.
func mustAsk(t testing.TB, c *hush.Client, answers int) client.Asked {
	t.Helper()
	asked, err := c.Ask(t.Context(), client.AskRequest{Title: askedTitle, Note: askedNote, TTL: time.Hour, Answers: answers})
	if err != nil {
		t.Fatalf("Ask: got %v, want no error", err)
	}
	return asked
}

// mustSealAnswer makes an answer with text.
func mustSealAnswer(t testing.TB, c *hush.Client, asked client.Asked, text, passphrase string) client.SealedAnswer {
	t.Helper()
	link, err := client.ParseRequestLink(asked.Link.Expose())
	if err != nil {
		t.Fatalf("ParseRequestLink(link of Ask): got %v, want no error", err)
	}
	question, err := c.Request(t.Context(), link)
	if err != nil {
		t.Fatalf("Request: got %v, want no error", err)
	}
	answer, err := c.SealAnswer(question, client.Content{Bytes: []byte(text)}, client.Hide(passphrase))
	if err != nil {
		t.Fatalf("SealAnswer: got %v, want no error", err)
	}
	return answer
}

// mustAnswer answers with text.
func mustAnswer(t testing.TB, c *hush.Client, asked client.Asked, text, passphrase string) client.Answered {
	t.Helper()
	answered, err := c.Answer(t.Context(), mustSealAnswer(t, c, asked, text, passphrase))
	if err != nil {
		t.Fatalf("Answer: got %v, want no error", err)
	}
	return answered
}

// mustCollect collects.
func mustCollect(t testing.TB, c *hush.Client, asked client.Asked) client.Collection {
	t.Helper()
	link, err := client.ParseCollectLink(asked.Collect.Expose())
	if err != nil {
		t.Fatalf("ParseCollectLink(link of Ask): got %v, want no error", err)
	}
	collection, err := c.Collect(t.Context(), link)
	if err != nil {
		t.Fatalf("Collect: got %v, want no error", err)
	}
	return collection
}

func TestAskAnswerCollect(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	c := clientOf(t, s.URL, client.Options{})
	asked := mustAsk(t, c, 4)
	question, err := c.Request(t.Context(), asked.Link)
	if err != nil {
		t.Fatalf("Request: got %v, want no error", err)
	}
	card := question.Card
	if card.Title != askedTitle || card.Note != askedNote || !card.Text || !card.File || card.Answers != 4 || question.Address != "" || question.Domain != "" {
		t.Errorf("Request: got %+v of %q, want what was asked for", card, question.Address+question.Domain)
	}
	answered := mustAnswer(t, c, asked, "hunter2", "")
	mustAnswer(t, c, asked, "hunter3", "quick otter")
	file := client.Content{Bytes: []byte{0, 0xff}, IsFile: true, FileName: strings.Repeat("é", 250)}
	sealed, err := c.SealAnswer(question, file, client.Text{})
	if err != nil {
		t.Fatalf("SealAnswer(file): got %v, want no error", err)
	}
	if _, err := c.Answer(t.Context(), sealed); err != nil {
		t.Fatalf("Answer(file): got %v, want no error", err)
	}
	collection := mustCollect(t, c, asked)
	if got := collection.Request; collection.Card != card || collection.Link.Expose() != asked.Link.Expose() || got.Answered != 3 || got.Waiting != 3 || got.State != client.RequestOpen || len(collection.Answers) != 3 {
		t.Fatalf("Collect: got %+v, want the card and three answers", collection)
	}
	for i, want := range []string{"hunter2", "hunter3", string(file.Bytes)} {
		answer, claim := collection.Answers[i], client.NewClaim()
		passphrase := client.Text{}
		if answer.HasPassphrase {
			passphrase = client.Hide("quick otter")
		}
		secret, err := c.Look(t.Context(), answer.Link)
		if err != nil || secret.HasPassphrase != (i == 1) {
			t.Errorf("Look(answer %d): got %+v, %v", i, secret, err)
		}
		bare, err := client.ParseLink(answer.Link.Expose())
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Open(t.Context(), bare, passphrase, claim)
		clienttest.WantError(t, "Open without the collect link", err, client.ErrLink)
		opened, err := c.Open(t.Context(), answer.Link, passphrase, claim)
		clienttest.WantText(t, opened, err, want)
		if opened.Content.IsFile && (opened.Content.FileName != file.FileName || !strings.HasPrefix(file.FileName, answer.Name) || answer.Name == "") {
			t.Errorf("Open: got the name %q after %q, want %q", opened.Content.FileName, answer.Name, file.FileName)
		}
		// The claim opens it again, by a collection that is read anew.
		again := mustCollect(t, c, asked).Answers[i]
		if again.State != client.StateOpened || !again.CanOpen() {
			t.Errorf("Collect(opened with a claim): got %+v, want it still openable", again)
		}
		opened, err = c.Open(t.Context(), again.Link, passphrase, claim)
		clienttest.WantText(t, opened, err, want)
		if err := c.Acknowledge(t.Context(), again.Link, claim); err != nil {
			t.Errorf("Acknowledge: got %v, want no error", err)
		}
		if again = mustCollect(t, c, asked).Answers[i]; again.CanOpen() || again.Fault != client.AnswerSound || again.State != client.StateOpened {
			t.Errorf("Collect(acknowledged): got %+v, want nothing to open", again)
		}
	}
	receipt, err := c.Receipt(t.Context(), answered.Receipt.Key)
	if err != nil || receipt.Delivery != client.DeliveryConfirmed || answered.ReceiptLink.Server != s.URL {
		t.Errorf("Receipt of the responder: got %+v, %v", receipt, err)
	}
}

func TestRepeatedAnswerTakesOnePlace(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	d := startDouble(t, s, map[string]lie{"AnswerRequest": first(2, cut(true))})
	direct, c := clientOf(t, s.URL, client.Options{}), clientOf(t, d.url, client.Options{})
	asked := mustAsk(t, direct, 1)
	answer := mustSealAnswer(t, c, asked, "hunter2", "")
	answered, err := c.Answer(t.Context(), answer)
	if err != nil || d.count("AnswerRequest") != 3 {
		t.Fatalf("Answer: got %v after %d calls, want no error after 3", err, d.count("AnswerRequest"))
	}
	for _, body := range d.seen["AnswerRequest"][1:] {
		if !bytes.Equal(body, d.seen["AnswerRequest"][0]) {
			t.Error("Answer: got other bytes in a repeat, want the same")
		}
	}
	d.lie("AnswerRequest", cut(true))
	_, err = c.Answer(t.Context(), answer)
	clienttest.WantError(t, "Answer without an answer", err, client.ErrNetwork)
	d.lie("AnswerRequest", nil)
	again, err := c.Answer(t.Context(), answer)
	if err != nil || again.Receipt.ShortID != answered.Receipt.ShortID {
		t.Errorf("Answer again: got %s, %v, want the same receipt", again.Receipt.ShortID, err)
	}
	collection := mustCollect(t, direct, asked)
	if len(collection.Answers) != 1 || collection.Request.State != client.RequestFull {
		t.Errorf("Collect: got %d answers of a request that is %v, want one of a full one", len(collection.Answers), collection.Request.State)
	}
	_, err = c.SealAnswer(mustQuestion(t, c, asked), client.Content{Bytes: []byte("late")}, client.Text{})
	clienttest.WantError(t, "SealAnswer to a full request", err, client.ErrGone)
}

func mustQuestion(t testing.TB, c *hush.Client, asked client.Asked) client.Question {
	t.Helper()
	question, err := c.Request(t.Context(), asked.Link)
	if err != nil {
		t.Fatalf("Request: got %v, want no error", err)
	}
	return question
}

func TestBurnAndClose(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	owner := clientOf(t, s.URL, client.Options{Token: s.Token(t, caller.ScopesAll)})
	other := clientOf(t, s.URL, client.Options{})
	asked := mustAsk(t, owner, 3)
	for range 2 {
		mustAnswer(t, other, asked, "hunter2", "")
	}
	number := mustCollect(t, other, asked).Answers[0].Number
	burned, err := other.BurnAnswer(t.Context(), asked.Collect, number)
	if err != nil || burned.Answers[0].State != client.StateBurned || burned.Answers[0].CanOpen() {
		t.Errorf("BurnAnswer: got %+v, %v", burned.Answers, err)
	}
	_, err = other.BurnAnswer(t.Context(), asked.Collect, number)
	clienttest.WantError(t, "BurnAnswer again", err, client.ErrGone)
	var listed []client.Request
	for request, err := range owner.ListRequests(t.Context()) {
		if err != nil {
			t.Fatalf("ListRequests: got %v, want no error", err)
		}
		listed = append(listed, request)
	}
	if len(listed) != 1 || listed[0].ID == "" || listed[0].ID != asked.Request.ID || listed[0].Waiting != 1 {
		t.Fatalf("ListRequests: got %+v, want the request", listed)
	}
	closed, err := owner.CloseRequestByID(t.Context(), listed[0].ID, true)
	if err != nil || closed.Burned != 1 || closed.Request.State != client.RequestClosed {
		t.Errorf("CloseRequestByID: got %+v, %v", closed, err)
	}
	if _, err := other.CloseRequest(t.Context(), asked.Collect, false); err != nil {
		t.Errorf("CloseRequest again: got %v, want no error", err)
	}
	for _, err := range other.ListRequests(t.Context()) {
		clienttest.WantError(t, "ListRequests without an account", err, client.ErrUnauthorized)
	}
}

func TestWatchCollection(t *testing.T) {
	t.Parallel()
	s := anyoneAsks(t)
	c := clientOf(t, s.URL, client.Options{})
	asked := mustAsk(t, c, 2)
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	var seen []int
	for collection, err := range c.WatchCollection(ctx, asked.Collect) {
		if err != nil {
			t.Fatalf("WatchCollection: got %v, want no error", err)
		}
		if seen = append(seen, collection.Request.Answered); len(seen) == 3 {
			break
		}
		mustAnswer(t, c, asked, "hunter2", "")
	}
	if len(seen) != 3 || seen[0] != 0 || seen[1] != 1 || seen[2] != 2 {
		t.Errorf("WatchCollection: got %v answers, want 0, 1 and 2", seen)
	}
}

// A busy network does the work that the operator asks for, to ask and to answer.
func TestRequestsSolveChallenges(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{Policy: caller.Policy{Requests: caller.RequestsAnyone, ChallengeAbove: 1}}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	for range 2 {
		asked := mustAsk(t, c, 2)
		mustAnswer(t, c, asked, "hunter2", "")
		mustAnswer(t, c, asked, "hunter3", "")
	}
	if d.count("AltchaChallenge") < 2 {
		t.Errorf("AltchaChallenge: got %d calls, want one for each kind of call or more", d.count("AltchaChallenge"))
	}
}

// A server that lets no one ask, or only accounts, says so before anything is sent.
func TestAskWhereItIsNotAllowed(t *testing.T) {
	t.Parallel()
	for want, policy := range map[*client.Error]caller.Policy{client.ErrRefused: {Requests: caller.RequestsOff}, client.ErrUnauthorized: {}} {
		d := startDouble(t, clienttest.Start(t, vaulttest.Options{Policy: policy}, nil), nil)
		_, err := clientOf(t, d.url, client.Options{}).Ask(t.Context(), client.AskRequest{Title: askedTitle})
		clienttest.WantError(t, "Ask", err, want)
		if d.count("CreateRequest") > 0 {
			t.Errorf("CreateRequest: got %d calls, want none", d.count("CreateRequest"))
		}
	}
}
