package mailtest_test

import (
	"crypto/tls"
	"errors"
	"net"
	"net/smtp"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/mail/mailtest"
)

const (
	sender    = "sender@example.com"
	recipient = "recipient@example.org"
)

// content has a part in each encoding, one inside the other.
const content = "From: sender@example.com\r\n" +
	"Subject: =?UTF-8?q?Gr=C3=BC=C3=9Fe?=\r\n" +
	"Content-Type: multipart/mixed; boundary=outer\r\n\r\n" +
	"--outer\r\nContent-Type: multipart/alternative; boundary=inner\r\n\r\n" +
	"--inner\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
	"sch=C3=B6n: https://example.com/secret/=\r\nabc?x=3D1\r\n..dots\r\n" +
	"--inner\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPGI+aGk8\r\nL2I+\r\n" +
	"--inner--\r\n--outer--\r\n"

// dial says hello as a client that the server's certificate convinces.
func dial(t *testing.T, s *mailtest.Server) *smtp.Client {
	t.Helper()
	c, err := smtp.Dial(s.Addr)
	if err != nil {
		t.Fatalf("Dial: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Hello("client.example"); err != nil {
		t.Fatalf("Hello: %v", err)
	}
	return c
}

func startTLS(t *testing.T, s *mailtest.Server, c *smtp.Client) {
	t.Helper()
	if err := c.StartTLS(&tls.Config{ServerName: s.Host, RootCAs: s.CAs()}); err != nil {
		t.Fatalf("StartTLS: %v", err)
	}
}

func send(c *smtp.Client) error {
	if err := c.Mail(sender); err != nil {
		return err
	}
	if err := c.Rcpt(recipient); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(content)); err != nil {
		return err
	}
	return w.Close()
}

// wantCode fails the test unless err is the server's answer of that code.
func wantCode(t *testing.T, what string, err error, code int) {
	t.Helper()
	var answer *textproto.Error
	if !errors.As(err, &answer) || answer.Code != code {
		t.Errorf("%s: got %v, want %d", what, err, code)
	}
}

func TestReceived(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	if err := send(dial(t, s)); err != nil {
		t.Fatalf("send: %v", err)
	}
	got := s.Wait(t, 1)[0]
	want := mailtest.Received{
		From: sender, To: []string{recipient}, Data: strings.ReplaceAll(content, "\r\n", "\n"),
		Params: "BODY=8BITMIME", Hello: "client.example",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Wait(1) (-want +got):\n%s", diff)
	}
	if got := got.Header("subject"); got != "Grüße" {
		t.Errorf("Header(subject): got %q, want it decoded", got)
	}
	if got, want := got.Text(), "schön: https://example.com/secret/abc?x=1\n..dots"; got != want {
		t.Errorf("Text(): got %q, want %q", got, want)
	}
	if got, want := got.HTML(), "<b>hi</b>"; got != want {
		t.Errorf("HTML(): got %q, want %q", got, want)
	}
	if got, want := got.Link(t), "https://example.com/secret/abc?x=1"; got != want {
		t.Errorf("Link(): got %q, want %q", got, want)
	}
	if got := got.Headers()["Subject"]; got != 1 {
		t.Errorf("Headers(): got %d subjects, want 1", got)
	}
	s.Forget()
	if got := s.Messages(); len(got) != 0 {
		t.Errorf("Messages() after Forget: got %d, want 0", len(got))
	}
}

func TestReceivedUnreadable(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "no header", "Content-Type: multipart/mixed; boundary=x\n\nnothing", "Content-Type: multipart/mixed\n\n"} {
		r := mailtest.Received{Data: data}
		if got := r.HTML() + r.Header("Subject"); got != "" {
			t.Errorf("Received of %q: got %q, want nothing", data, got)
		}
	}
	plain := mailtest.Received{Data: "Subject: x\n\nhello\n"}
	if got := plain.Text(); got != "hello\n" {
		t.Errorf("Text() without a type: got %q, want the body", got)
	}
}

func TestRequireTLS(t *testing.T) {
	t.Parallel()
	s := mailtest.NewWith(t, mailtest.Options{RequireTLS: true})
	c := dial(t, s)
	wantCode(t, "Mail before STARTTLS", c.Mail(sender), 530)
	startTLS(t, s, c)
	if err := send(c); err != nil {
		t.Fatalf("send: %v", err)
	}
	if got := s.Wait(t, 1)[0]; !got.TLS {
		t.Errorf("Wait(1): got TLS false, want true")
	}
	other := dial(t, s)
	if err := other.StartTLS(&tls.Config{ServerName: s.Host, RootCAs: mailtest.New(t).CAs()}); err == nil {
		t.Error("StartTLS with the CAs of another server: got nil, want an error")
	}
}

func TestImplicitTLS(t *testing.T) {
	t.Parallel()
	s := mailtest.NewWith(t, mailtest.Options{ImplicitTLS: true})
	conn, err := tls.Dial("tcp", s.Addr, &tls.Config{ServerName: "localhost", RootCAs: s.CAs()})
	if err != nil {
		t.Fatalf("Dial: %v", err)
	}
	c, err := smtp.NewClient(conn, s.Host)
	if err != nil {
		t.Fatalf("NewClient: %v", err)
	}
	defer c.Close()
	if ok, _ := c.Extension("STARTTLS"); ok {
		t.Error("STARTTLS inside of TLS: got it offered, want it left out")
	}
	if err := send(c); err != nil {
		t.Fatalf("send: %v", err)
	}
}

func TestAuth(t *testing.T) {
	t.Parallel()
	s := mailtest.NewWith(t, mailtest.Options{Username: "user", Password: "password"})
	wantCode(t, "Mail without a password", dial(t, s).Mail(sender), 530)
	wantCode(t, "Auth with a wrong password", dial(t, s).Auth(smtp.PlainAuth("", "user", "passwort", s.Host)), 535)
	c := dial(t, s)
	if err := c.Auth(smtp.PlainAuth("", "user", "password", s.Host)); err != nil {
		t.Fatalf("Auth: %v", err)
	}
	if err := send(c); err != nil {
		t.Fatalf("send: %v", err)
	}
	if got := s.Wait(t, 1)[0].User; got != "user" {
		t.Errorf("Wait(1): got the user %q, want user", got)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	s.RefuseRecipients(550, 2)
	for range 2 {
		c := dial(t, s)
		err := send(c)
		wantCode(t, "send", err, 550)
		if !strings.Contains(err.Error(), recipient) {
			t.Errorf("refusal: got %q, want it to repeat the recipient", err)
		}
	}
	s.Refuse(".", 451, 1)
	c := dial(t, s)
	wantCode(t, "content", send(c), 451)
	if err := send(c); err != nil {
		t.Errorf("send after all refusals: got %v, want nil", err)
	}
	if got := len(s.Messages()); got != 1 {
		t.Errorf("Messages(): got %d, want 1", got)
	}
}

func TestHangAndClose(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	s.Hang("RCPT")
	c := dial(t, s)
	if err := c.Mail(sender); err != nil {
		t.Fatalf("Mail: %v", err)
	}
	answered := make(chan error)
	go func() { answered <- c.Rcpt(recipient) }()
	if got := s.Connections(); got != 1 {
		t.Errorf("Connections(): got %d, want 1", got)
	}
	s.Close()
	if err := <-answered; err == nil {
		t.Error("Rcpt of a server that hangs: got nil, want an error")
	}
	if conn, err := net.Dial("tcp", s.Addr); err == nil {
		conn.Close()
		t.Error("Dial after Close: got a connection, want none")
	}
}
