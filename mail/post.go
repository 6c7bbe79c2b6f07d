package mail

import (
	"context"
	"crypto/rand"
	"errors"
	"html/template"
	"net/mail"

	gomail "github.com/wneessen/go-mail"

	"hush/locale"
)

// Post sends messages through one relay. It is safe for concurrent use; each
// message has its own connection.
type Post struct {
	relay     Relay
	from      *mail.Address
	instance  string
	catalogue *locale.Catalogue
	page      *template.Template
}

// NewPost returns a Post that has not yet connected to the relay. instance is
// the service's name for people, such as its host name. An error names the
// invalid setting but no value.
func NewPost(relay Relay, instance string, catalogue *locale.Catalogue) (*Post, error) {
	relay, from, err := relay.resolve()
	if err != nil {
		return nil, err
	}
	if instance == "" || !isText(instance) {
		return nil, errors.New("mail needs a printable name of the instance")
	}
	if catalogue == nil {
		return nil, errors.New("mail needs a catalogue")
	}
	page, err := template.ParseFS(templates, "templates/message.html")
	if err != nil {
		return nil, err
	}
	return &Post{relay: relay, from: from, instance: instance, catalogue: catalogue, page: page}, nil
}

// Send returns after the relay has accepted the message, or a DeliveryError. It
// takes at most the relay's timeout, or until ctx ends. After a temporary error
// the relay may still have accepted the message, if its reply was lost.
func (p *Post) Send(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	m.To, m.ReplyTo = onWire(m.To), onWire(m.ReplyTo)
	letter, err := p.compose(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.relay.Timeout)
	defer cancel()
	return p.deliver(ctx, m, letter)
}

// compose requires a checked message.
func (p *Post) compose(m Message) (*gomail.Msg, error) {
	c := p.write(m)
	page, err := c.html(p.page)
	if err != nil {
		return nil, err
	}
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	letter.FromMailAddress(p.from)
	if err := letter.To(m.To); err != nil {
		return nil, invalid("To")
	}
	if m.Kind == KindShare && m.ReplyTo != "" {
		if err := letter.ReplyTo(m.ReplyTo); err != nil {
			return nil, invalid("ReplyTo")
		}
	}
	p.head(letter, m)
	letter.Subject(c.Subject)
	letter.SetBodyString(gomail.TypeTextPlain, c.plain())
	letter.AddAlternativeString(gomail.TypeTextHTML, page)
	return letter, nil
}

// head sets the header fields that are for machines. A share is written on
// behalf of a person who wants out-of-office replies; the other kinds suppress
// automatic replies.
func (p *Post) head(letter *gomail.Msg, m Message) {
	id := m.ID
	if id == "" {
		id = rand.Text()
	}
	letter.SetMessageIDWithValue(id + "@" + domainOf(p.from.Address))
	if !m.When.IsZero() {
		letter.SetDateWithValue(m.When.UTC())
	}
	if m.Kind != KindShare {
		letter.SetGenHeader("Auto-Submitted", "auto-generated")
		letter.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	}
}
