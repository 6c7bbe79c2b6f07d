package mail

import (
	"bytes"
	"embed"
	"html/template"
	"strings"
	"time"

	"hush/locale"
)

//go:embed templates/message.html
var templates embed.FS

// timeLayout is readable in every language.
const timeLayout = "2006-01-02 15:04 UTC"

// plan describes the parts of a message of a kind. The texts are in the
// catalogue under mail.<kind>.
type plan struct {
	advice bool   // a second paragraph
	button string // what the link does; empty is mail.open
	ignore bool   // says that an unexpected message may be ignored

	link, shortkey, domain, when bool // required fields
}

var plans = map[Kind]plan{
	KindShare:          {button: "mail.share.button", link: true},
	KindVerify:         {button: "mail.verify.button", ignore: true, link: true},
	KindReset:          {button: "mail.reset.button", ignore: true, link: true},
	KindAddress:        {button: "mail.address.button", link: true},
	KindAddressChanged: {advice: true},
	KindOpened:         {advice: true, shortkey: true, when: true},
	KindTaken:          {ignore: true},
	KindInvite:         {button: "mail.invite.button", ignore: true, link: true},
	KindSuspended:      {advice: true, domain: true},
	KindAnswered:       {advice: true, when: true},
}

// content is a message in its language. Text and HTML have the same content.
type content struct {
	Language  string // as in the attribute lang
	Direction string // of the language, as in the attribute dir
	Subject   string
	Instance  string   // the service's name, in HTML
	Before    []string // paragraphs
	Button    string
	Copy      string // introduces the written-out link, in HTML
	Link      string // empty if there is none
	After     []string
	Footer    string
}

// writer fills in the texts of one message.
type writer struct {
	catalogue *locale.Catalogue
	locale    locale.Locale
	values    []string
}

func (w writer) text(key string) string { return w.catalogue.Text(w.locale, key, w.values...) }

// write requires a checked message.
func (p *Post) write(m Message) content {
	plan, prefix := plans[m.Kind], "mail."+string(m.Kind)+"."
	w := p.writer(m)
	c := content{
		Language: strings.ReplaceAll(string(w.locale), "_", "-"), Direction: w.locale.Direction(),
		Subject:  w.text(prefix + "subject"),
		Instance: p.instance,
		Before:   []string{w.text(prefix + "body")},
		Footer:   w.text("mail.footer"),
	}
	if plan.advice {
		c.Before = append(c.Before, w.text(prefix+"advice"))
	}
	if m.Kind == KindShare && m.HasPassphrase {
		c.Before = append(c.Before, w.text("mail.share.passphrase"))
	}
	if m.Link != "" {
		c.addLink(w, m, plan)
	}
	if plan.ignore {
		c.After = append(c.After, w.text("mail.ignore"))
	}
	return c
}

func (p *Post) writer(m Message) writer {
	l, known := locale.Parse(string(m.Locale))
	if !known {
		l = locale.English
	}
	sender := m.Sender
	if sender == "" {
		sender = p.instance
	}
	return writer{p.catalogue, l, []string{
		"instance", p.instance,
		"sender", sender,
		"shortkey", m.Shortkey,
		"domain", m.Domain,
		"when", showTime(m.When),
	}}
}

func (c *content) addLink(w writer, m Message, plan plan) {
	button := plan.button
	if button == "" {
		button = "mail.open"
	}
	c.Link, c.Button, c.Copy = m.Link, w.text(button), w.text("mail.copy")
	if !m.Expires.IsZero() {
		c.After = append(c.After, w.catalogue.Text(w.locale, "mail.expires", "when", showTime(m.Expires)))
	}
}

func showTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// plain returns the text part. The link has a line of its own.
func (c content) plain() string {
	paragraphs := append([]string(nil), c.Before...)
	if c.Link != "" {
		paragraphs = append(paragraphs, c.Button+":\n"+c.Link)
	}
	paragraphs = append(paragraphs, c.After...)
	paragraphs = append(paragraphs, "-- \n"+c.Footer)
	return strings.Join(paragraphs, "\n\n") + "\n"
}

func (c content) html(t *template.Template) (string, error) {
	var b bytes.Buffer
	err := t.Execute(&b, c)
	return b.String(), err
}
