// Package client shares secrets once and opens them, at a Hush server or at any
// server that speaks the Onetime Secret interface v2 or v1.
//
// Against Hush a secret is encrypted on this device before it is sent, and a
// reveal carries a claim, so that an answer that is lost can be asked for again.
// The other protocols have neither: the server sees the text, and a lost answer
// is a lost secret. A Client speaks the one protocol that it was made for and
// never falls back to another. Package protocols makes Clients, and says which
// protocol a server speaks; whether that is good enough is the caller's decision.
//
// Links, keys, passphrases, claims, tokens and contents are types that print as
// [redacted]. The package writes nothing to disk and logs nothing.
package client

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Protocol is the interface that a server speaks.
type Protocol int

// The protocols, the strongest first.
const (
	// ProtocolHush is the Connect interface of Hush: end-to-end encryption, claims,
	// labels and live receipts.
	ProtocolHush Protocol = iota
	// ProtocolV2 is version 2 of the Onetime Secret interface. The server sees the
	// text and the passphrase.
	ProtocolV2
	// ProtocolV1 is version 1 of the Onetime Secret interface. The server sees the
	// text and the passphrase, and most errors look alike.
	ProtocolV1
)

// protocolNames are the names of the protocols, by their values.
func protocolNames() []string { return []string{"hush", "v2", "v1"} }

// String returns the name of the protocol: "hush", "v2" or "v1".
func (p Protocol) String() string {
	if names := protocolNames(); p >= 0 && int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("protocol %d", int(p))
}

// ParseProtocol is the inverse of String. It returns false for another name.
func ParseProtocol(name string) (Protocol, bool) {
	for p, known := range protocolNames() {
		if name == known {
			return Protocol(p), true
		}
	}
	return 0, false
}

// Options are the optional settings of a Client.
type Options struct {
	// Protocol is what the server speaks. The zero value is Hush.
	Protocol Protocol
	// Token is an API token of an account. The zero Token makes calls without an
	// account.
	Token Text
	// Username is the e-mail address of the account: v1 and v2 need it beside the
	// token, Hush does not.
	Username string
	// HTTP sends the requests. Nil means a client that takes proxies from the
	// environment and follows no redirects. A client that is passed is used as it is, and
	// remains the caller's; calls of v1 and v2 follow no redirects and keep no cookies with
	// it either.
	HTTP *http.Client
	// UserAgent is sent with each request; empty for "hush-client".
	UserAgent string
	// Notice, if it is not nil, is called before a call is repeated, with the reason
	// and the time until then.
	Notice func(err error, wait time.Duration)
	// Progress, if it is not nil, is called while a call encrypts, or while a large
	// content is sent or received, and with StageOver at the end. It holds up the call,
	// and must be safe for concurrent use. Calls of v1 and v2 have no progress.
	Progress func(Progress)
	// Quiet is how long a Hush server may say nothing in the middle of a call before it
	// is given up. Zero means 20 seconds.
	Quiet time.Duration
}

// WithDefaults returns the options with what nil and zero mean in place of them.
func (o Options) WithDefaults() Options {
	o.HTTP = cmp.Or(o.HTTP, newHTTP())
	o.UserAgent = cmp.Or(o.UserAgent, "hush-client")
	o.Quiet = cmp.Or(o.Quiet, quietMax)
	return o
}

// Client calls one server. It is safe for concurrent use.
type Client struct {
	Backend

	server   *url.URL
	protocol Protocol
}

// New returns a client of the server at a base URL, which a backend speaks to.
func New(server *url.URL, protocol Protocol, backend Backend) *Client {
	return &Client{Backend: backend, server: server, protocol: protocol}
}

// Server returns the base URL, without a slash at the end.
func (c *Client) Server() string { return c.server.String() }

// Protocol returns the protocol that the client speaks.
func (c *Client) Protocol() Protocol { return c.protocol }

// Backend is one protocol with one server. It is safe for concurrent use.
type Backend interface {
	// Policy returns what the server allows. v1 and v2 servers do not say; the Policy
	// then has what their reference documents.
	Policy(ctx context.Context) (Policy, error)
	// Account returns the account of the token. It returns ErrUnauthorized without a
	// token, and for one that the server does not accept.
	Account(ctx context.Context) (Account, error)
	// Share conceals a content and returns its link and its receipt. The content is
	// encrypted on this device unless the request or the protocol says that the server
	// encrypts; it never falls back from one to the other.
	//
	// Sharing is repeated only where the request was certainly not carried out. If
	// the answer is lost, it returns ErrNetwork, and a secret whose link no one has
	// may wait at the server until it expires.
	Share(ctx context.Context, request ShareRequest) (Shared, error)
	// Look describes a secret. It consumes nothing. It returns ErrGone for a secret
	// that was opened, was burned, has expired or never existed. v1 servers cannot
	// describe a secret: the Secret then has Known false.
	Look(ctx context.Context, link Link) (Secret, error)
	// Open reveals a secret and returns its content after all checks. It never sends a
	// passphrase or a proof if the server says something else of the secret than the
	// link.
	//
	// With a claim, Open repeats the call after a lost connection, until the server
	// answers, the claim has lapsed, or ctx ends; the same claim may also be used by a
	// later Open, within ClaimTime. While the content arrives, however slowly, Open tells
	// the server that it is still at it, and the claim lasts on, for an hour at most. It
	// sends a passphrase, or the proof of one, at most twice, since each time may cost a
	// try. After that it asks with the claim alone, and returns ErrNetwork if the secret
	// was not bound to it. Call Acknowledge once the content is safe. The zero Claim makes
	// a plain reveal: a lost answer is a lost secret, and Open returns ErrLost. v1 and v2
	// ignore claims.
	Open(ctx context.Context, link Link, passphrase Text, claim Claim) (Opened, error)
	// Acknowledge makes the server destroy a content that was opened with a claim. It
	// may be repeated, and repeats itself after a lost connection. It does nothing for
	// v1 and v2.
	Acknowledge(ctx context.Context, link Link, claim Claim) error
	// Receipt returns a receipt by its key. Servers note the first look at a receipt.
	// It returns ErrGone for an unknown key.
	Receipt(ctx context.Context, key Text) (Receipt, error)
	// Watch returns a receipt at once and again after each change, until the secret
	// is gone and, if it was opened with a claim, its delivery is known. It connects
	// again after a lost connection. v1 and v2 servers are asked every few seconds. The
	// sequence ends after its first error.
	Watch(ctx context.Context, key Text) iter.Seq2[Receipt, error]
	// Burn destroys a secret unread, by the key of its receipt. v1 and v2 servers need
	// the passphrase if the secret has one; Hush does not. It returns ErrGone for a
	// secret that is gone.
	Burn(ctx context.Context, key, passphrase Text) (Receipt, error)
	// Receipts returns the receipts of the account, newest first. It reads page by
	// page, as the sequence is used. Behind a page with receipts that the credential
	// cannot read comes one that has nothing but their number, in Sealed. The sequence
	// ends after its first error.
	Receipts(ctx context.Context) iter.Seq2[Receipt, error]
}

// ParseServer parses the base URL of a server: http or https, a host, and a path
// where the server does not own the whole host. A host alone gets https, or http
// for this machine.
func ParseServer(server string) (*url.URL, error) {
	wrong := &Error{Kind: KindUsage, Message: "the server must be a URL such as https://hush.example"}
	text := strings.TrimRight(strings.TrimSpace(server), "/")
	if !strings.Contains(text, "://") {
		text = "https://" + text
		if u, err := url.Parse(text); err == nil && IsThisMachine(u.Hostname()) {
			u.Scheme = "http"
			text = u.String()
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return nil, wrong
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: u.Path}, nil
}

// IsThisMachine reports whether a host name or address is that of this machine.
func IsThisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
