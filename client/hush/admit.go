package hush

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hush/client"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/endtoend"
)

func refused(format string, args ...any) error {
	return &client.Error{Kind: client.KindRefused, Message: fmt.Sprintf(format, args...)}
}

func errPassphraseText() *client.Error {
	return &client.Error{Kind: client.KindUsage, Message: "the passphrase is not valid text"}
}

// checkFile refuses a file whose name cannot be encrypted with it.
func checkFile(r client.ShareRequest) error {
	if r.Content == nil || r.Encryption == client.EncryptionServer {
		return nil
	}
	if _, err := endtoend.SealedSize(headerOf(*r.Content)); err != nil {
		return errFileName()
	}
	return nil
}

func errFileName() error {
	return &client.Error{
		Kind:    client.KindUsage,
		Message: "the name of the file is too long, or has characters that the name of a shared file must not have: give it another name",
	}
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
		return refused("the server is under maintenance: %s", client.Plain(p.GetMaintenance()))
	case s.token.IsEmpty() && !p.GetAnonymousCreate():
		return &client.Error{Kind: client.KindUnauthorized, Message: "the server lets only its accounts share"}
	case !slices.Contains(p.GetEncryptions(), kind) && s.endToEnd:
		return &client.Error{Kind: client.KindRefused, Message: "the server does not allow end-to-end encryption", EndToEnd: true}
	case !slices.Contains(p.GetEncryptions(), kind):
		return refused("the server does not encrypt secrets: it allows end-to-end encryption only")
	}
	if len(s.request.Recipients) > 0 {
		if err := (client.Policy{Mail: p.GetMail()}).AdmitRecipients(); err != nil {
			return err
		}
	}
	if err := s.admitPassphrase(); err != nil {
		return err
	}
	return s.admitSize()
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
	if whole, err := endtoend.SealedSize(headerOf(*s.request.Content)); s.endToEnd && (err != nil || whole > sealed) {
		return refused("the content has %d bytes, and the server takes fewer", size)
	}
	return nil
}
