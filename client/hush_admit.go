package client

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	hushv1 "hush/gen/hush/v1"
	"hush/seal"
	"hush/seal/endtoend"
)

// The limits of a request, as the contract has them.
const (
	passphraseRunes = 128
	passphraseBytes = 512
	labelRunes      = 500
	labelBytes      = 2000
	groupSize       = 16
	generateLength  = 20
)

func usage(format string, args ...any) error {
	return &Error{Kind: KindUsage, Message: fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) error {
	return &Error{Kind: KindRefused, Message: fmt.Sprintf(format, args...)}
}

// checkShare refuses a request that no server accepts, and writes its domain as
// servers do.
func checkShare(r *ShareRequest) error {
	r.Domain = normalDomain(r.Domain)
	switch {
	case (r.Content == nil) == (r.Generate == nil):
		return usage("share either a content or a generated text")
	case r.Encryption < EncryptionDefault || r.Encryption > EncryptionEndToEnd:
		return usage("the kind of encryption is unknown")
	case r.Content != nil && !r.Content.IsFile && len(r.Content.Bytes) == 0:
		return usage("there is nothing to share")
	case r.TTL < 0:
		return usage("the lifetime must be longer than nothing")
	case len(r.Recipients) > 0 && r.Encryption != EncryptionServer:
		return usage("a server can mail only links that it knows: recipients need encryption by the server")
	case !utf8.ValidString(r.Label) || utf8.RuneCountInString(r.Label) > labelRunes || len(r.Label) > labelBytes:
		return usage("a label has at most %d characters", labelRunes)
	case len(r.Group) != 0 && len(r.Group) != groupSize:
		return usage("a group has %d bytes", groupSize)
	}
	if err := checkPassphrase(r.Passphrase); err != nil {
		return err
	}
	if r.Generate != nil {
		return r.Generate.check()
	}
	return r.checkContent()
}

// checkPassphrase holds a passphrase against its limits, which are those of normal
// form C for both kinds.
func checkPassphrase(passphrase Text) error {
	text := passphrase.Expose()
	if !utf8.ValidString(text) {
		return usage("the passphrase is not valid text")
	}
	if text = norm.NFC.String(text); utf8.RuneCountInString(text) > passphraseRunes || len(text) > passphraseBytes {
		return usage("a passphrase has at most %d characters", passphraseRunes)
	}
	return nil
}

func (r *ShareRequest) checkContent() error {
	if r.Encryption == EncryptionServer {
		if !utf8.Valid(r.Content.Bytes) || len(r.Content.Bytes) == 0 {
			return usage("a server encrypts text only, and this is not text in UTF-8")
		}
		return nil
	}
	if _, err := endtoend.SealedSize((&sharing{request: *r}).header()); err != nil {
		return usage("the name of the file is too long, or has characters that the name of a shared file must not have: give it another name")
	}
	return nil
}

// withDefaults returns the choice with its default values.
func (g Generate) withDefaults() Generate {
	if g.Length == 0 {
		g.Length = generateLength
	}
	if !g.Lower && !g.Upper && !g.Digits && !g.Symbols {
		g.Lower, g.Upper, g.Digits = true, true, true
	}
	return g
}

func (g Generate) check() error {
	if length := g.withDefaults().Length; length < seal.GenerateLengthMin || length > seal.GenerateLengthMax {
		return usage("a generated text has %d to %d characters", seal.GenerateLengthMin, seal.GenerateLengthMax)
	}
	return nil
}

// admit refuses what the operator does not allow, before anything of the secret is
// sent.
func (s *sharing) admit() error {
	p, kind := s.policy, hushv1.Encryption_ENCRYPTION_END_TO_END
	if !s.endToEnd {
		kind = hushv1.Encryption_ENCRYPTION_SERVER
	}
	switch {
	case p.GetMaintenance() != "":
		return refused("the server is under maintenance: %s", plain(p.GetMaintenance()))
	case s.token.IsEmpty() && !p.GetAnonymousCreate():
		return &Error{Kind: KindUnauthorized, Message: "the server lets only its accounts share"}
	case !slices.Contains(p.GetEncryptions(), kind) && s.endToEnd:
		return &Error{Kind: KindRefused, Message: "the server does not allow end-to-end encryption", EndToEnd: true}
	case !slices.Contains(p.GetEncryptions(), kind):
		return refused("the server does not encrypt secrets: it allows end-to-end encryption only")
	}
	if len(s.request.Recipients) > 0 {
		if err := (Policy{Mail: p.GetMail()}).AdmitRecipients(); err != nil {
			return err
		}
	}
	if err := s.admitPassphrase(); err != nil {
		return err
	}
	return s.admitSize()
}

// AdmitRecipients returns an ErrRefused if the server sends no mail.
func (p Policy) AdmitRecipients() error {
	if !p.Mail {
		return refused("the server sends no mail: leave out the recipients, and pass the link on yourself")
	}
	return nil
}

func (s *sharing) admitPassphrase() error {
	length := utf8.RuneCountInString(norm.NFC.String(s.request.Passphrase.Expose()))
	switch least := int(s.policy.GetPassphraseMin()); {
	case length == 0 && s.policy.GetPassphraseRequired():
		return refused("the server requires a passphrase for each secret")
	case length > 0 && length < least:
		return refused("the server requires passphrases of at least %d characters", least)
	}
	return nil
}

func (s *sharing) admitSize() error {
	if s.request.Content == nil {
		return nil
	}
	most, sealed := s.policy.GetAnonymousSecret(), s.policy.GetAnonymousSealed()
	if !s.token.IsEmpty() {
		most, sealed = s.policy.GetAccountSecret(), s.policy.GetAccountSealed()
	}
	size := int64(len(s.request.Content.Bytes))
	if size > most {
		return refused("the content has %d bytes, and the server takes at most %d", size, most)
	}
	if whole, err := endtoend.SealedSize(s.header()); s.endToEnd && (err != nil || whole > sealed) {
		return refused("the content has %d bytes, and the server takes fewer", size)
	}
	return nil
}
