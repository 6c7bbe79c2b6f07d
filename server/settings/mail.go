package settings

import (
	"errors"
	"net"
	"strconv"

	"hush/cli/command"
	"hush/cli/flags"
	"hush/mail"
)

// mailSettings say which server takes the service's mail.
type mailSettings struct {
	SMTPHost         string // host:port; empty if there is none
	SMTPTLS          string
	SMTPUser         string
	SMTPPasswordFile string
	MailFrom         string
}

func (s *mailSettings) settings() []setting {
	return []setting{
		{"smtp-host", firstDay(flags.Example("smtp.example.com:587", flags.Checked(&s.SMTPHost, "", "`host:port` of the SMTP server that sends mail; without it, no mail is sent", checkRelay)))},
		{"smtp-tls", flags.Choice(&s.SMTPTLS, "how the connection to the SMTP server is secured; \"none\" is allowed only on this machine",
			mail.TLSStart, mail.TLSFirst, mail.TLSNone)},
		{"smtp-user", flags.Example("hush", flags.Text(&s.SMTPUser, "", "user `name` at the SMTP server"))},
		{"smtp-password-file", flags.Example("/etc/hush/smtp-password", flags.Text(&s.SMTPPasswordFile, "", "`file` with the password at the SMTP server"))},
		{"mail-from", firstDay(flags.Example("Hush <no-reply@example.com>", flags.Text(&s.MailFrom, "", "`address` that mail is sent from, such as \"Hush <no-reply@hush.example>\"")))},
	}
}

// Mails reports whether mail is set up.
func (s *mailSettings) Mails() bool { return s.SMTPHost != "" }

// check returns a usage error for settings that need each other.
func (s *mailSettings) check() error {
	switch {
	case s.Mails() && s.MailFrom == "":
		return command.Usage("--smtp-host needs --mail-from")
	case !s.Mails() && s.MailFrom != "":
		return command.Usage("--mail-from needs --smtp-host")
	case !s.Mails() && (s.SMTPUser != "" || s.SMTPPasswordFile != ""):
		return command.Usage("--smtp-user and --smtp-password-file need --smtp-host")
	case (s.SMTPUser == "") != (s.SMTPPasswordFile == ""):
		return command.Usage("--smtp-user and --smtp-password-file go together")
	}
	return nil
}

// CheckMail returns a usage error for settings of mail that need each other.
func (s *Settings) CheckMail() error { return s.mailSettings.check() }

func checkRelay(text string) error {
	if text == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(text)
	n, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil || host == "" || n == 0 {
		return errors.New("must be host:port, as in smtp.example.com:587")
	}
	return nil
}
