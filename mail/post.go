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
// message has a connection of its own.
type Post struct {
	relay     Relay
	from      *mail.Address
	instance  string
	catalogue *locale.Catalogue
	page      *template.Template
}

// NewPost returns a Post that did not speak to the relay yet. The instance is
// how the service calls itself to people, such as its host name. An error names
// the setting that is wrong and no value.
func NewPost(relay Relay, instance string, catalogue *locale.Catalogue) (*Post, error) {
	relay, from, err := relay.resolve()
	if err != nil {
		return nil, err
	}
	if instance == "" || !isText(instance) {
		return nil, errors.New("mail needs a name of the instance that prints")
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

// Send returns after the relay has taken the message, or a DeliveryError. It
// takes as long as the relay's timeout allows, or ctx if that is shorter. After
// a temporary error the relay may have taken the message nevertheless, if its
// answer was lost.
func (p *Post) Send(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	letter, err := p.compose(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.relay.Timeout)
	defer cancel()
	return p.deliver(ctx, letter, isASCII(p.from.Address, m.To, m.ReplyTo))
}

// compose expects a message that was checked.
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

// head sets the fields that are not for people. A share is written on behalf of
// somebody who wants to hear that the recipient is away; all else wants no
// answer from machines.
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
