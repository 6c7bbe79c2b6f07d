package mailtest

import "strings"

func (c *session) reset() { c.from, c.to, c.params = nil, nil, "" }

func (c *session) mail(line, args string) bool {
	address, params, ok := readPath(args, "FROM:")
	switch {
	case !c.safe():
		return c.reply(530, "5.7.0 STARTTLS first")
	case c.server.options.Username != "" && c.user == "":
		return c.reply(530, "5.7.0 sign on first")
	case !ok:
		return c.reply(501, "5.5.4 cannot read: "+line)
	case c.from != nil:
		return c.reply(503, "5.5.1 there is one already")
	}
	c.from, c.params = &address, params
	return c.reply(250, "2.1.0 fine")
}

func (c *session) rcpt(line, args string) bool {
	address, _, ok := readPath(args, "TO:")
	switch {
	case c.from == nil:
		return c.reply(503, "5.5.1 MAIL first")
	case !ok || address == "":
		return c.reply(501, "5.5.4 cannot read: "+line)
	}
	c.to = append(c.to, address)
	return c.reply(250, "2.1.5 fine")
}

func (c *session) data() bool {
	if len(c.to) == 0 {
		return c.reply(503, "5.5.1 RCPT first")
	}
	if !c.reply(354, "go ahead") {
		return stop
	}
	content, err := c.text.ReadDotBytes()
	if err != nil {
		return stop
	}
	m := Received{
		From: *c.from, To: c.to, Data: string(content),
		Params: c.params, Hello: c.hello, User: c.user, TLS: c.secure,
	}
	c.reset()
	if refused, ok := c.mishandled(".", strings.Join(m.To, " ")); refused {
		return ok
	}
	c.server.keep(m)
	return c.reply(250, "2.0.0 kept")
}

// readPath reads an address in angle brackets and returns what follows it.
func readPath(args, word string) (address, params string, ok bool) {
	if len(args) < len(word) || !strings.EqualFold(args[:len(word)], word) {
		return "", "", false
	}
	rest := strings.TrimSpace(args[len(word):])
	end := strings.LastIndexByte(rest, '>')
	if !strings.HasPrefix(rest, "<") || end < 0 {
		return "", "", false
	}
	return rest[1:end], strings.TrimSpace(rest[end+1:]), true
}
