package mailtest

import (
	"crypto/tls"
	"encoding/base64"
	"net"
	"net/textproto"
	"slices"
	"strings"
)

// session is one client's connection.
type session struct {
	server *Server
	conn   net.Conn
	text   *textproto.Conn
	secure bool
	hello  string
	user   string

	// The message in progress; from is nil before MAIL.
	from   *string
	to     []string
	params string
}

// What follows a command.
const (
	goOn = true
	stop = false
)

func (s *Server) serve(conn net.Conn) {
	c := &session{server: s, conn: conn}
	if s.options.ImplicitTLS {
		c.conn, c.secure = tls.Server(conn, s.config), true
	}
	c.text = textproto.NewConn(c.conn)
	if refused, ok := c.mishandled("", ""); refused || !ok || !c.reply(220, "mailtest ESMTP") {
		return
	}
	for {
		line, err := c.text.ReadLine()
		if err != nil || !c.obey(line) {
			return
		}
	}
}

// mishandled treats a command as the test asked. A refusal repeats line.
func (c *session) mishandled(name, line string) (refused, ok bool) {
	code, hang, delay := c.server.mood(name)
	if hang {
		c.wait()
		return true, stop
	}
	if delay > 0 && !c.server.sleep(delay) {
		return true, stop
	}
	if code == 0 {
		return false, goOn
	}
	return true, c.reply(code, "refused: "+line)
}

// wait reads until the client disconnects.
func (c *session) wait() {
	for {
		if _, err := c.text.ReadLine(); err != nil {
			return
		}
	}
}

// obey executes one command.
func (c *session) obey(line string) bool {
	name, args, _ := strings.Cut(line, " ")
	name = strings.ToUpper(name)
	if refused, ok := c.mishandled(name, line); refused {
		return ok
	}
	switch name {
	case "EHLO", "HELO":
		return c.greet(name, args)
	case "STARTTLS":
		return c.startTLS()
	case "AUTH":
		return c.auth(line, args)
	case "MAIL":
		return c.mail(line, args)
	case "RCPT":
		return c.rcpt(line, args)
	case "DATA":
		return c.data()
	case "RSET":
		c.reset()
		return c.reply(250, "2.0.0 forgotten")
	case "NOOP":
		return c.reply(250, "2.0.0 fine")
	case "QUIT":
		c.reply(221, "2.0.0 goodbye")
		return stop
	default:
		return c.reply(502, "5.5.1 unknown command: "+line)
	}
}

func (c *session) reply(code int, texts ...string) bool {
	for i, text := range texts {
		separator := "-"
		if i == len(texts)-1 {
			separator = " "
		}
		if err := c.text.PrintfLine("%03d%s%s", code, separator, text); err != nil {
			return stop
		}
	}
	return goOn
}

func (c *session) greet(name, args string) bool {
	c.reset()
	c.hello = args
	if name == "HELO" {
		return c.reply(250, "mailtest")
	}
	texts := append([]string{"mailtest", "8BITMIME", "ENHANCEDSTATUSCODES"}, c.server.options.Extensions...)
	if c.offersTLS() {
		texts = append(texts, "STARTTLS")
	}
	if c.server.options.Username != "" && c.safe() {
		texts = append(texts, "AUTH "+strings.Join(c.server.options.Mechanisms, " "))
	}
	return c.reply(250, texts...)
}

func (c *session) offersTLS() bool { return !c.secure && !c.server.options.NoTLS }

// safe reports whether the server accepts credentials and mail on this
// connection.
func (c *session) safe() bool { return c.secure || !c.server.options.RequireTLS }

func (c *session) startTLS() bool {
	if !c.offersTLS() {
		return c.reply(502, "5.5.1 no STARTTLS here")
	}
	if !c.reply(220, "2.0.0 go ahead") {
		return stop
	}
	secured := tls.Server(c.conn, c.server.config)
	c.conn, c.text, c.secure = secured, textproto.NewConn(secured), true
	c.reset()
	return goOn
}

func (c *session) auth(line, args string) bool {
	if !c.safe() {
		return c.reply(530, "5.7.0 STARTTLS first")
	}
	mechanism, initial, _ := strings.Cut(args, " ")
	if !slices.Contains(c.server.options.Mechanisms, mechanism) {
		return c.reply(504, "5.5.4 unknown mechanism: "+line)
	}
	user, password, ok := c.credentials(mechanism, initial)
	want := c.server.options
	if !ok || want.Username == "" || user != want.Username || password != want.Password {
		return c.reply(535, "5.7.8 not you: "+line)
	}
	c.user = user
	return c.reply(235, "2.7.0 welcome")
}

// credentials returns false if the client does not send valid ones.
func (c *session) credentials(mechanism, initial string) (user, password string, ok bool) {
	switch mechanism {
	case "PLAIN":
		answer, ok := c.challenge("", initial)
		parts := strings.Split(answer, "\x00")
		if !ok || len(parts) != 3 {
			return "", "", false
		}
		return parts[1], parts[2], true
	case "LOGIN":
		user, known := c.challenge("Username:", initial)
		if !known {
			return "", "", false
		}
		password, ok = c.challenge("Password:", "")
		return user, password, ok
	default:
		return "", "", false
	}
}

// challenge asks for one response, unless the client sent it with the command.
func (c *session) challenge(question, given string) (answer string, ok bool) {
	if given == "" {
		if !c.reply(334, base64.StdEncoding.EncodeToString([]byte(question))) {
			return "", false
		}
		var err error
		if given, err = c.text.ReadLine(); err != nil {
			return "", false
		}
	}
	decoded, err := base64.StdEncoding.DecodeString(given)
	return string(decoded), err == nil
}
