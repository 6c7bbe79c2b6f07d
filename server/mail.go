package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"

	"hush/cli/console"
	"hush/locale"
	"hush/mail"
	"hush/server/settings"
	"hush/vault/outbox"
	"hush/vault/refusal"
)

// relayOf returns the server that takes mail.
func relayOf(ctx context.Context, s *settings.Settings) (mail.Relay, error) {
	host, port, _ := net.SplitHostPort(s.SMTPHost) // checked when it was set
	number, _ := strconv.Atoi(port)
	relay := mail.Relay{Host: host, Port: number, TLS: s.SMTPTLS, Username: s.SMTPUser, From: s.MailFrom}
	if s.SMTPPasswordFile == "" {
		return relay, nil
	}
	var err error
	if relay.Password, err = console.ReadSecretFile(ctx, s.SMTPPasswordFile); err != nil {
		return relay, fmt.Errorf("--smtp-password-file: %w", err)
	}
	return relay, nil
}

// newPost returns what writes mails, or nil if no mail is set up.
func newPost(ctx context.Context, s *settings.Settings, catalogue *locale.Catalogue) (*mail.Post, error) {
	if !s.Mails() {
		return nil, nil
	}
	relay, err := relayOf(ctx, s)
	if err != nil {
		return nil, err
	}
	name := s.Instance.Name
	if name == "" {
		name = s.PublicURL().Host
	}
	post, err := mail.NewPost(relay, name, catalogue)
	if wrong, ok := errors.AsType[*mail.SettingError](err); ok {
		return nil, fmt.Errorf("%s: %w", mailFlag(wrong.Setting), err)
	}
	return post, err
}

// mailFlag returns the flag of a setting of mail.
func mailFlag(setting string) string {
	switch setting {
	case mail.SettingUser:
		return "--smtp-user"
	case mail.SettingPassword:
		return "--smtp-password-file"
	case mail.SettingSender:
		return "--mail-from"
	case mail.SettingTLS:
		return "--smtp-tls"
	default:
		return "--smtp-host"
	}
}

// sendOn returns what sends the vault's mail with links to base, or nil if
// there is no post. Why a mail was not delivered is logged, without addresses.
func sendOn(post *mail.Post, base *url.URL, log *slog.Logger) func(context.Context, outbox.Mail) error {
	if post == nil {
		return nil
	}
	return func(ctx context.Context, m outbox.Mail) error {
		err := post.Send(ctx, messageOf(base, m))
		if err != nil && ctx.Err() == nil {
			log.Warn("a mail was not delivered", "kind", string(kindOf(m.Kind)), "cause", err)
		}
		if errors.Is(err, mail.ErrUnsupported) {
			return errors.Join(refusal.ErrUndeliverable, refusal.ErrUnsupportedAddress, err)
		}
		if errors.Is(err, mail.ErrPermanent) {
			return errors.Join(refusal.ErrUndeliverable, err)
		}
		return err
	}
}

// messageOf gives a mail its words' kind and its link, which begins with the
// configured base URL or the domain that the sender chose and proved.
func messageOf(base *url.URL, m outbox.Mail) mail.Message {
	return mail.Message{
		Kind: kindOf(m.Kind), Locale: locale.Locale(m.Locale), To: string(m.To),
		ReplyTo: string(m.Sender), Sender: string(m.Sender), Link: linkOf(base, m),
		Shortkey: m.Shortkey, Domain: m.Domain, When: m.Created, Expires: m.Expires,
		HasPassphrase: m.HasPassphrase, ID: m.ID,
	}
}

func kindOf(kind outbox.MailKind) mail.Kind {
	switch kind {
	case outbox.MailShare:
		return mail.KindShare
	case outbox.MailVerify:
		return mail.KindVerify
	case outbox.MailReset:
		return mail.KindReset
	case outbox.MailAddress:
		return mail.KindAddress
	case outbox.MailAddressChanged:
		return mail.KindAddressChanged
	case outbox.MailOpened:
		return mail.KindOpened
	case outbox.MailTaken:
		return mail.KindTaken
	case outbox.MailInvite:
		return mail.KindInvite
	case outbox.MailSuspended:
		return mail.KindSuspended
	case outbox.MailAnswered:
		return mail.KindAnswered
	default:
		return "" // which no relay gets to see
	}
}

// linkOf makes the link of a mail; it is empty for kinds without one. A secret's
// key stands behind the #, where it stays in its reader's browser and out of the
// logs on the way.
func linkOf(base *url.URL, m outbox.Mail) string {
	var page string
	switch m.Kind {
	case outbox.MailShare:
		link := url.URL{Scheme: base.Scheme, Host: cmp.Or(m.Domain, base.Host), Path: "/s", Fragment: string(m.Key)}
		return link.String()
	case outbox.MailVerify:
		page = "verify"
	case outbox.MailReset:
		page = "reset"
	case outbox.MailAddress:
		page = "confirm"
	case outbox.MailInvite:
		page = "signup"
	default:
		return ""
	}
	link := url.URL{Scheme: base.Scheme, Host: base.Host}
	return link.JoinPath(page, string(m.Key)).String()
}
