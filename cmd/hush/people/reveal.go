package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// Options are what Look needs.
type Options struct {
	Console *console.Console
	Client  *client.Client
	Link    client.Link
	Claims  *pending.Store
	// Name is what messages call the secret; empty where there is only one.
	Name string
	// PassphraseFile is a file with the passphrase in its first line, "-" for
	// standard input, or empty to ask for it.
	PassphraseFile string
	// Place is what the content is for, such as the path of a file. A later run for
	// the same place knows that an earlier one came so far.
	Place string
}

// Secret is a secret that is being opened for a command: look first, ask for the
// passphrase if there is one, keep a claim on disk before anything is consumed, and
// acknowledge once the command says that the content is safe. Until then a later run
// gets the content again.
type Secret struct {
	Options

	claim      *pending.Claim // nil without claims
	about      client.Secret
	passphrase client.Text
	asked      bool // for the passphrase, on a terminal
	// gone: the secret is consumed, by an earlier run with the same claim if it is
	// not lapsed.
	gone     bool
	opened   bool
	revealed bool      // the server was asked to
	until    time.Time // the claim ends; zero while that is not known
}

// Look describes the secret of a link and takes its claim. It consumes nothing. The
// caller ends it with Acknowledge or Release.
func Look(ctx context.Context, options Options) (*Secret, error) {
	s := &Secret{Options: options}
	if options.Client.Protocol() == client.ProtocolHush {
		claim, err := options.Claims.Take(options.Link)
		if err != nil {
			return nil, s.named(err)
		}
		s.claim = claim
	}
	about, err := options.Client.Look(ctx, options.Link)
	if s.claim != nil && s.claim.Found() && errors.Is(err, client.ErrGone) {
		s.gone, err = true, nil
		about = client.Secret{Known: true, HasPassphrase: s.claim.HasPassphrase(), Encryption: options.Link.Encryption}
	}
	if err != nil {
		s.Release()
		return nil, s.named(Fail(err))
	}
	s.about = about
	return s, nil
}

// IsConsumed reports whether the secret opens for others no longer: an earlier run
// opened it with the claim, or the claim has lapsed.
func (s *Secret) IsConsumed() bool { return s.gone }

// WasSaved reports whether an earlier run had passed the content on, to anything.
func (s *Secret) WasSaved() bool { return s.gone && s.claim.Saved() }

// WasSavedTo reports whether an earlier run had passed the content on to Place.
func (s *Secret) WasSavedTo() bool { return s.gone && s.claim.SavedTo(s.Place) }

// Encryption is who encrypted the secret.
func (s *Secret) Encryption() client.Encryption { return s.about.Encryption }

// Describe says on standard error what is about to be opened, and what is lost with
// a lost answer.
func (s *Secret) Describe() {
	text := "the server sees it"
	if s.about.Encryption == client.EncryptionEndToEnd {
		text = "end-to-end encrypted"
	}
	if !s.about.Expires.IsZero() {
		text += ", expires " + s.about.Expires.UTC().Format("2006-01-02 15:04 UTC")
	}
	s.tellf("opening a secret of %s: %s", s.Link.Server, text)
	switch {
	case s.gone:
		s.tellf("an earlier run began to open it; asking for the content again")
	case s.claim == nil:
		s.tellf("a server that speaks %s hands out a secret once: if its answer is lost, so is the secret", s.Client.Protocol())
	}
}

// HasPassphrase reports whether the secret has a passphrase, or may have one.
func (s *Secret) HasPassphrase() bool { return s.about.HasPassphrase || !s.about.Known }

// KeepClaim writes the claim to disk, unless it is there and may be of use. Call it
// before Open, and for all secrets before the first is opened. Where that fails it asks
// for a yes to a reveal that cannot be repeated, or only says so without a terminal:
// containers often have no such folder.
func (s *Secret) KeepClaim(ctx context.Context) error {
	if s.claim == nil || s.gone {
		return nil
	}
	reason := s.claim.Keep(s.about.HasPassphrase)
	if reason == nil {
		return nil
	}
	s.tellf("the claim on the secret is in memory only, so that a later run cannot ask for the content again: %v", reason)
	if !s.Console.CanAsk() {
		return nil
	}
	yes, err := s.Console.Confirm(ctx, s.prefix()+"Open it all the same?")
	if err == nil && !yes {
		err = &command.ExitError{Code: command.ExitFailure, Cause: errors.New("the secret was not opened, since the answer was not yes")}
	}
	return s.named(err)
}

// NoteTemporary notes a temporary file before it has anything of the content, and
// NoteWhole when it has all of it and which file that is for, so that a later run can
// finish what this one is cut off from. They do nothing without a claim on disk.
func (s *Secret) NoteTemporary(file string) error {
	if s.claim == nil {
		return nil
	}
	return s.claim.NoteTemporary(file)
}

// NoteWhole is described at NoteTemporary.
func (s *Secret) NoteWhole(file, to string) error {
	if s.claim == nil {
		return nil
	}
	return s.claim.NoteWhole(file, to)
}

// KnowsTemporary reports whether an earlier run noted a temporary file.
func (s *Secret) KnowsTemporary(file string) bool {
	return s.claim != nil && s.claim.HasTemporary(file)
}

// Open reveals the secret, after KeepClaim. If its passphrase is wrong and was asked
// for, it asks again, as long as tries are left. The Content is the caller's. An error
// says what can still be done.
func (s *Secret) Open(ctx context.Context) (client.Opened, error) {
	for {
		s.revealed = true
		if !s.gone {
			s.until = time.Now().Add(client.ClaimTime)
		}
		opened, err := s.Client.Open(ctx, s.Link, s.passphrase, s.claimSent())
		if err == nil {
			s.note(opened)
			return opened, nil
		}
		if told, ok := errors.AsType[*client.Error](err); ok && !s.gone && told.Until.After(s.until) {
			s.until = told.Until // it was extended while the content arrived
		}
		if !s.mayAskAgain(err) {
			return client.Opened{}, s.failed(ctx, err)
		}
		if err := s.ask(ctx); err != nil {
			return client.Opened{}, err
		}
	}
}

// claimSent returns the claim to send.
func (s *Secret) claimSent() client.Claim {
	if s.claim == nil {
		return client.Claim{}
	}
	return s.claim.Claim()
}

// note notes how long the server keeps the content.
func (s *Secret) note(opened client.Opened) {
	s.opened = true
	if opened.Incomplete {
		s.tellf("the server returned less than its sender shared, and has no more of it")
	}
	s.until = time.Now().Add(opened.ClaimLeft)
	if s.claim != nil && !opened.Claimed {
		s.remove()
		s.claim = nil
	}
}

// CanRepeat reports whether a later run can get the content again.
func (s *Secret) CanRepeat() bool {
	return s.claim != nil && s.claim.IsKept() && s.Left() > 0
}

// Left returns how long a later run can get the content again.
func (s *Secret) Left() time.Duration {
	return max(0, time.Until(s.until)).Truncate(time.Second)
}

// Keep adds to an error what a later run can do about it, for a content that was
// revealed and did not reach its place. If none can get the content again, it says
// that the content is lost.
func (s *Secret) Keep(err error) error {
	err = WithoutPromise(err)
	if s.CanRepeat() {
		return s.named(fmt.Errorf("%w; nothing is lost: run it again within %s", err, s.Left()))
	}
	return s.named(Fail(&client.Error{Kind: client.KindLost, Message: "the content is lost", Cause: err}))
}

// Acknowledge makes the server destroy the content, which is safe now, and removes
// the claim. Without an answer it says so: the content is there all the same. The
// sender waits for it, so that ctx should last after an interrupt.
func (s *Secret) Acknowledge(ctx context.Context) {
	if s.claim == nil {
		return
	}
	s.claim.MarkSaved(s.Place)
	s.claim.DropTemporaries()
	ctx, cancel := context.WithTimeout(ctx, acknowledgeTime)
	defer cancel()
	if err := s.Client.Acknowledge(ctx, s.Link, s.claim.Claim()); err != nil {
		s.tellf("the server does not know that the secret arrived, and may tell its sender so: %v", err)
		s.claim.Release()
		return
	}
	s.claim.Remove()
}

// acknowledgeTime bounds how long a command waits when all else is done.
const acknowledgeTime = 30 * time.Second

// Release ends the work without an acknowledgement. If the server was asked for the
// content and the claim was kept, a later run finds it.
func (s *Secret) Release() {
	switch {
	case s.claim == nil:
	case s.revealed || s.claim.Found():
		s.claim.Release()
	default:
		s.remove()
	}
}

func (s *Secret) tellf(format string, args ...any) {
	s.Console.Tellf("%s%s", s.prefix(), fmt.Sprintf(format, args...))
}

// prefix names the secret where there are several.
func (s *Secret) prefix() string {
	if s.Name == "" {
		return ""
	}
	return s.Name + ": "
}
