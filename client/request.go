package client

import (
	"context"
	"iter"
	"strings"
	"time"

	"hush/seal"
	"hush/seal/request"
)

// Requests is what a Backend does with requests: someone is asked for a secret. It is safe
// for concurrent use. Client.Requests returns it.
type Requests interface {
	// Ask makes a request. This device draws the secrets of both links, and no server gets
	// them. It is repeated only where the server certainly did nothing: if the answer is
	// lost, it returns ErrNetwork, and a request whose link no one has may stand at the
	// server until its time is over.
	Ask(ctx context.Context, ask AskRequest) (Asked, error)
	// Request returns what is asked for by a link, after all checks. It consumes nothing.
	// It returns ErrGone for a request that was forgotten, or whose time is over by this
	// device's clock; ErrAltered for a card that is not the link's, of which nothing may be
	// shown; and ErrUnsupported for one of a newer version. A request that was closed or is
	// full is returned: see Request.Ended.
	Request(ctx context.Context, link RequestLink) (Question, error)
	// SealAnswer encrypts an answer to a question. It sends nothing. The answer that it
	// returns is one answer, however often it is sent: another SealAnswer makes another one,
	// which takes another place. It returns ErrRefused for a content that the requester does
	// not accept, and ErrGone for a request that takes no more answers.
	SealAnswer(question Question, content Content, passphrase Text) (SealedAnswer, error)
	// Answer sends an answer, and repeats that after a lost connection. After ErrNetwork it
	// may be called again with the same answer: it takes one place. It returns ErrGone if
	// the request takes no more answers.
	Answer(ctx context.Context, answer SealedAnswer) (Answered, error)
	// Collect returns a request with its answers, in the order in which they came, after all
	// checks. It opens none: Open does, with the Link of an answer. It returns ErrAltered
	// for a request that is not the link's. What it and the other calls with the link saw of
	// answers is remembered as long as the Client: another answer with the number or the link
	// secret of one of them is AnswerRepeated, also where the server no longer shows the first.
	Collect(ctx context.Context, link CollectLink) (Collection, error)
	// WatchCollection returns a collection at once and again after each change, until the
	// request is forgotten. It connects again after a lost connection. The sequence ends
	// after its first error.
	WatchCollection(ctx context.Context, link CollectLink) iter.Seq2[Collection, error]
	// BurnAnswer destroys an answer unread, which its responder sees in the receipt. It
	// returns ErrGone if it does not wait.
	BurnAnswer(ctx context.Context, link CollectLink, number AnswerNumber) (Collection, error)
	// CloseRequest ends a request: it takes no more answers. Those that came wait as they
	// did, unless burn says that they are burned too. It may be repeated.
	CloseRequest(ctx context.Context, link CollectLink, burn bool) (Closed, error)
	// CloseRequestByID is CloseRequest for a request of the account, as ListRequests names it.
	CloseRequestByID(ctx context.Context, id string, burn bool) (Closed, error)
	// ListRequests returns the requests of the account, newest first. It reads page by page,
	// as the sequence is used. The sequence ends after its first error.
	ListRequests(ctx context.Context) iter.Seq2[Request, error]
}

// Requests returns what the protocol does with requests. It returns ErrUnsupported for v1
// and v2, which have none.
func (c *Client) Requests() (Requests, error) {
	if requests, ok := c.Backend.(Requests); ok {
		return requests, nil
	}
	return nil, &Error{Kind: KindUnsupported, Message: "only Hush servers have requests: this one speaks " + c.protocol.String()}
}

// Limits of a request.
const (
	// TitleMax and NoteMax are numbers of characters.
	TitleMax = request.TitleMax
	NoteMax  = request.NoteMax
	// AnswersMax is the largest number of answers.
	AnswersMax = request.AnswersMax
	// RequestTTLShortest and RequestTTLLongest are the shortest and the longest lifetime of any server.
	RequestTTLShortest = time.Minute
	RequestTTLLongest  = 30 * 24 * time.Hour
)

// AskRequest is what to ask for.
type AskRequest struct {
	// Title is one line of at most TitleMax characters, and Note has at most NoteMax.
	// Those who have the link see both, and no server does.
	Title, Note string
	// Text and File are the kinds of content that the requester accepts; neither means both.
	Text, File bool
	// TTL is how long the request takes answers, in whole seconds; zero is the server's
	// default lifetime of secrets.
	TTL time.Duration
	// Answers is how many answers the requester accepts; zero means one.
	Answers int
	// Domain is a custom domain of the account, for the request link; empty for the
	// server's own host.
	Domain string
	// ShowAddress shows the e-mail address of the account to those who have the link.
	ShowAddress bool
	// Notify makes the server mail the account when an answer comes.
	Notify bool
}

// Normalized returns the request with its defaults and as a card has it: the title without
// blanks around it, the note without those at its end and with line feeds alone, and tabs
// as blanks. It returns ErrUsage for a request that no server accepts.
func (r AskRequest) Normalized() (AskRequest, error) {
	r.Domain = NormalDomain(r.Domain)
	r.Title = strings.TrimSpace(strings.ReplaceAll(r.Title, "\t", " "))
	r.Note = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(r.Note)
	r.Note = strings.TrimLeft(strings.TrimRight(r.Note, " \n"), "\n")
	if !r.Text && !r.File {
		r.Text, r.File = true, true
	}
	if r.Answers == 0 {
		r.Answers = 1
	}
	return r, r.check()
}

func (r AskRequest) check() error {
	switch {
	case r.Title == "":
		return usage("a request needs a title: what do you ask for?")
	case r.Answers < 1 || r.Answers > AnswersMax:
		return usage("a request takes 1 to %d answers", AnswersMax)
	case r.TTL != 0 && (r.TTL < RequestTTLShortest || r.TTL > RequestTTLLongest):
		return usage("a request lasts a minute to 30 days")
	case r.TTL%time.Second != 0:
		return usage("a request lasts whole seconds")
	}
	return nil
}

// Asked is a request that was made.
type Asked struct {
	// Link is for those who may answer. A Hush server says where its links lead, which may
	// be another host than its own: compare Link.Server with that of the Client.
	Link RequestLink
	// Collect is for the requester alone. Without it no answer can be read, by anyone.
	Collect CollectLink
	// Request is what the server knows of it.
	Request Request
	// Card says what is asked for.
	Card Card
}

// Card says what is asked for. The requester's device wrote it, and no server can change it.
type Card struct {
	// Title is one line, and line feeds may part the lines of Note. Nothing else in them
	// controls a terminal. Show them as quoted plain text, and never as links.
	Title, Note string
	// Text and File are the kinds of content that the requester accepts.
	Text, File bool
	// Latest is when the request ends.
	Latest time.Time
	// Answers is how many answers the requester accepts.
	Answers int
}

// RequestState is the state of a request.
type RequestState int

// The states.
const (
	// RequestUnknown: the server says something else.
	RequestUnknown RequestState = iota
	// RequestOpen: it takes answers.
	RequestOpen
	// RequestFull: as many answers came as were asked for.
	RequestFull
	// RequestPast: its time is over.
	RequestPast
	// RequestClosed: the requester closed it.
	RequestClosed
	// RequestWithdrawn: an administrator of the server closed it.
	RequestWithdrawn
)

// String returns "unknown", "open", "full", "past", "closed" or "withdrawn".
func (s RequestState) String() string {
	switch s {
	case RequestOpen:
		return "open"
	case RequestFull:
		return "full"
	case RequestPast:
		return "past"
	case RequestClosed:
		return "closed"
	case RequestWithdrawn:
		return "withdrawn"
	default:
		return "unknown"
	}
}

// Request is what a server knows of a request, and says: not what is asked for.
type Request struct {
	// ID names the request to its owner's account, for CloseRequestByID. It opens nothing.
	// It is empty for other callers.
	ID string
	// State is the state of the request.
	State RequestState
	// Created, Updated, Expires and Forgotten are when it was made, when it last changed, when
	// it takes no more answers, and when the server forgets it.
	Created, Updated, Expires, Forgotten time.Time
	// Answers, Answered and Waiting are how many answers it takes, how many came, and how
	// many of those wait to be opened. Only the requester is told the last two.
	Answers, Answered, Waiting int
	// Domain is the custom domain of the link.
	Domain string
	// Notify and ShowAddress are as in AskRequest.
	Notify, ShowAddress bool
}

// Ended returns ErrGone if the request takes no more answers, with the reason.
func (r Request) Ended() error {
	reason := map[RequestState]string{
		RequestFull:      "as many came as were asked for",
		RequestPast:      "its time is over",
		RequestClosed:    "the requester closed it",
		RequestWithdrawn: "an administrator of the server closed it",
	}[r.State]
	if reason == "" {
		return nil
	}
	return &Error{Kind: KindGone, Message: "the request takes no more answers: " + reason}
}

// Question is what a responder's device knows of a request.
type Question struct {
	// Link is the link of the request.
	Link RequestLink
	Card Card
	// Request is what the server says of it.
	Request Request
	// Domain and Address are who asks, by the word of the server: the requester's verified
	// domain, or the confirmed e-mail address of the requester's account. Both are empty
	// where all that is known is that someone sent the link.
	Domain, Address string
	// Home is the base URL of the server's pages, for the responder's receipt.
	Home string
	// AnswerMax is how long an encrypted answer may be, in bytes.
	AnswerMax int64
	// Asked is the card with the key to which answers are sealed, for the code that does so.
	Asked *request.Asked
}

// AnswerNumber numbers an answer: 16 random bytes, which the server has too.
type AnswerNumber = request.Number

// SealedAnswer is an answer as it is sent, for the first time or again. It prints as
// [redacted].
type SealedAnswer struct {
	seal.Redacted
	// Link is the link of the request, and Home the base URL of the receipt.
	Link RequestLink
	Home string
	// Number is that of the answer.
	Number AnswerNumber
	// SealedLink is the link secret of the answer, sealed to the requester's key.
	SealedLink []byte
	// Content is the encrypted content.
	Content []byte
	// LinkProofHash and ProofHash are what the server checks when it is opened.
	LinkProofHash, ProofHash [32]byte
	// HasPassphrase reports whether the responder chose a passphrase.
	HasPassphrase bool
}

// Answered is an answer that was sent.
type Answered struct {
	// ReceiptLink is for the responder.
	ReceiptLink ReceiptLink
	// Receipt describes the answer.
	Receipt Receipt
}

// Collection is a request with its answers, as the requester's device sees it.
type Collection struct {
	// Link is the link of the request.
	Link RequestLink
	Card Card
	// Request is what the server knows of it.
	Request Request
	// Answers are in the order in which they came.
	Answers []Answer
}

// Answer is an answer to a request, before it is opened.
type Answer struct {
	// Number names it, for BurnAnswer.
	Number AnswerNumber
	// Fault is why it is never opened; AnswerSound for none.
	Fault AnswerFault
	// State is what became of it.
	State State
	// Link opens it: pass it to Look, Open and Acknowledge. It is the zero Link where
	// CanOpen reports false. An answer in StateOpened has one while the claim lasts that
	// it was opened with.
	Link Link
	// Name is the name of the file that it is, maybe shortened; empty for none. The
	// responder chose it: show it as text, and save under the name in the content.
	Name string
	// HasPassphrase reports whether the responder chose a passphrase for it.
	HasPassphrase bool
	// Size is the length of the encrypted content in bytes.
	Size int64
	// Created and Expires are when it came, and when it is destroyed unread.
	Created, Expires time.Time
	// Events are its timeline, oldest first.
	Events []Event
}

// CanOpen reports whether the answer has what opens it.
func (a Answer) CanOpen() bool { return a.Link.endToEnd != nil }

// AnswerFault is why an answer is never opened.
type AnswerFault int

// The faults.
const (
	// AnswerSound: there is none.
	AnswerSound AnswerFault = iota
	// AnswerAltered: its sealed link does not open under its number, and may be that of
	// another answer or request.
	AnswerAltered
	// AnswerRepeated: another answer has the same number or the same link secret.
	AnswerRepeated
)

// String returns "sound", "altered" or "repeated".
func (f AnswerFault) String() string {
	switch f {
	case AnswerAltered:
		return "altered"
	case AnswerRepeated:
		return "repeated"
	default:
		return "sound"
	}
}

// Closed is a request that was closed.
type Closed struct {
	Request Request
	// Burned is how many answers were burned.
	Burned int
}
