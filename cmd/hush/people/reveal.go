package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// revealOptions are what lookAtSecret needs.
type revealOptions struct {
	console *console.Console
	client  *client.Client
	link    client.Link
	claims  *pending.Store
	// name is what messages call the secret; empty where there is only one.
	name string
	// passphraseFile is a file with the passphrase in its first line, "-" for
	// standard input, or empty to ask for it.
	passphraseFile string
	// answer names the answer to a request that the secret is, as pending.AnswerName does;
	// empty for a secret of its own.
	answer string
	// place is what the content is for, such as the path of a file. A later run for
	// the same place knows that an earlier one came so far.
	place string
	// laterRun is what gets the content again, as in "run it again"; empty for that.
	laterRun string
}

// revealer opens one secret for a command. It looks first, asks for the passphrase if
// there is one, keeps a claim on disk before anything is consumed, and acknowledges once
// the command says that the content is safe. Until then a later run gets the content
// again.
type revealer struct {
	revealOptions

	claim      *pending.Claim // nil without claims
	about      client.Secret
	passphrase client.Text
	asked      bool // for the passphrase, on a terminal
	// consumed: the secret is consumed, by an earlier run with the same claim if it is
	// not lapsed.
	consumed bool
	opened   bool      // the content came
	revealed bool      // the server was asked to
	waits    bool      // an error said that the content waits for a later run
	until    time.Time // the claim ends; zero while that is not known
}

// lookAtSecret describes the secret of a link and takes its claim. It consumes nothing. The
// caller ends it with acknowledge or release.
func lookAtSecret(ctx context.Context, options revealOptions) (*revealer, error) {
	s := &revealer{revealOptions: options}
	if options.client.Protocol() == client.ProtocolHush {
		claim, err := options.claims.Take(options.link)
		if err != nil {
			return nil, s.withName(err)
		}
		s.claim = claim
		if !claim.Found() {
			claim.OfAnswer(options.answer)
		}
	}
	about, err := options.client.Look(ctx, options.link)
	if s.claim != nil && s.claim.Found() && errors.Is(err, client.ErrGone) {
		s.consumed, err = true, nil
		about = client.Secret{Known: true, HasPassphrase: s.claim.HasPassphrase(), Encryption: options.link.Encryption}
	}
	if err != nil {
		s.release()
		return nil, s.withName(withExitCode(err))
	}
	s.about = about
	return s, nil
}

// isConsumed reports whether the secret opens for others no longer: an earlier run
// opened it with the claim, or the claim has lapsed.
func (s *revealer) isConsumed() bool { return s.consumed }

// wasSaved reports whether an earlier run had passed the content on, to anything.
func (s *revealer) wasSaved() bool { return s.consumed && s.claim.Saved() }

// wasSavedTo reports whether an earlier run had passed the content on to place.
func (s *revealer) wasSavedTo() bool { return s.consumed && s.claim.SavedTo(s.place) }

// encryption is who encrypted the secret.
func (s *revealer) encryption() client.Encryption { return s.about.Encryption }

// describe says on standard error what is about to be opened, and what is lost with
// a lost answer.
func (s *revealer) describe() {
	text := "the server sees it"
	if s.about.Encryption == client.EncryptionEndToEnd {
		text = "end-to-end encrypted"
	}
	if !s.about.Expires.IsZero() {
		text += ", expires " + s.about.Expires.UTC().Format("2006-01-02 15:04 UTC")
	}
	s.tellf("opening a secret of %s: %s", s.link.Server, text)
	switch {
	case s.consumed:
		s.tellf("an earlier run began to open it; asking for the content again")
	case s.claim == nil:
		s.tellf("a server that speaks %s hands out a secret once: if its answer is lost, so is the secret", s.client.Protocol())
	}
}

// hasPassphrase reports whether the secret has a passphrase, or may have one.
func (s *revealer) hasPassphrase() bool { return s.about.HasPassphrase || !s.about.Known }

// storeClaim writes the claim to disk, unless it is there and may be of use. Call it
// before open, and for all secrets before the first is opened. Where that fails it asks
// for a yes to a reveal that cannot be repeated, or only says so without a terminal:
// containers often have no such folder.
func (s *revealer) storeClaim(ctx context.Context) error {
	if s.claim == nil || s.consumed {
		return nil
	}
	reason := s.claim.Persist(s.about.HasPassphrase)
	if reason == nil {
		return nil
	}
	s.tellf("the claim on the secret is in memory only, so that a later run cannot ask for the content again: %v", reason)
	if !s.console.CanAsk() {
		return nil
	}
	yes, err := s.console.Confirm(ctx, s.prefix()+"Open it all the same?")
	if err == nil && !yes {
		err = &command.ExitError{Code: command.ExitFailure, Cause: errors.New("the secret was not opened, since the answer was not yes")}
	}
	return s.withName(err)
}

// noteTemporary notes a temporary file before it has anything of the content, and
// noteWhole when it has all of it and which file that is for, so that a later run can
// finish what this one is cut off from. They do nothing without a claim on disk.
func (s *revealer) noteTemporary(file string) error {
	if s.claim == nil {
		return nil
	}
	return s.claim.NoteTemporary(file)
}

// noteWhole is described at noteTemporary.
func (s *revealer) noteWhole(file, to string) error {
	if s.claim == nil {
		return nil
	}
	return s.claim.NoteWhole(file, to)
}

// knowsTemporary reports whether an earlier run noted a temporary file, with a claim on this
// secret or on another one that it goes on with.
func (s *revealer) knowsTemporary(file string) bool {
	return s.claim != nil && s.claim.HasTemporary(file) || s.claims.KeepsTemporary(file)
}

// open reveals the secret, after storeClaim. If its passphrase is wrong and was asked
// for, it asks again, as long as tries are left. The Content is the caller's. An error
// says what can still be done.
func (s *revealer) open(ctx context.Context) (client.Opened, error) {
	for {
		s.revealed = true
		if !s.consumed {
			s.until = time.Now().Add(client.ClaimTime)
		}
		opened, err := s.client.Open(ctx, s.link, s.passphrase, s.claimToSend())
		if err == nil {
			s.noteOpened(opened)
			return opened, nil
		}
		if failed, ok := errors.AsType[*client.Error](err); ok && !s.consumed && failed.Until.After(s.until) {
			s.until = failed.Until // it was extended while the content arrived
		}
		if !s.mayAskAgain(err) {
			return client.Opened{}, s.openError(ctx, err)
		}
		if err := s.askPassphrase(ctx); err != nil {
			return client.Opened{}, err
		}
	}
}

// claimToSend returns the claim to send.
func (s *revealer) claimToSend() client.Claim {
	if s.claim == nil {
		return client.Claim{}
	}
	return s.claim.Claim()
}

// noteOpened notes how long the server keeps the content.
func (s *revealer) noteOpened(opened client.Opened) {
	s.opened = true
	if opened.Incomplete {
		s.tellf("the server returned less than its sender shared, and has no more of it")
	}
	s.until = time.Now().Add(opened.ClaimLeft)
	if s.claim != nil && !opened.Claimed {
		s.removeClaim()
		s.claim = nil
	}
}

// canRepeat reports whether a later run can get the content again.
func (s *revealer) canRepeat() bool {
	return s.claim != nil && s.claim.IsPersisted() && s.timeLeft() > 0
}

// timeLeft returns how long a later run can get the content again.
func (s *revealer) timeLeft() time.Duration {
	return max(0, time.Until(s.until)).Truncate(time.Second)
}

// again says which later run gets the content again, and until when. It notes that it was
// said.
func (s *revealer) again() string {
	s.waits = true
	return fmt.Sprintf("%s within %s", cmp.Or(s.laterRun, "run it again"), s.timeLeft())
}

// notDelivered adds to an error what a later run can do about it, for a content that was
// revealed and did not reach its place. If none can get the content again, it says
// that the content is lost.
func (s *revealer) notDelivered(err error) error {
	err = withoutPromise(err)
	if s.canRepeat() {
		return s.withName(fmt.Errorf("%w; nothing is lost: %s", err, s.again()))
	}
	return s.withName(withExitCode(&client.Error{Kind: client.KindLost, Message: "the content is lost", Cause: err}))
}

// acknowledge makes the server destroy the content, which is safe now, and removes
// the claim. Without an answer it says so: the content is there all the same. The
// sender waits for it, so that ctx should last after an interrupt.
func (s *revealer) acknowledge(ctx context.Context) {
	if s.claim == nil {
		return
	}
	s.claim.MarkSaved(s.place)
	s.claim.DropTemporaries()
	ctx, cancel := context.WithTimeout(ctx, acknowledgeTime)
	defer cancel()
	if err := s.client.Acknowledge(ctx, s.link, s.claim.Claim()); err != nil {
		s.tellf("the server does not know that the secret arrived, and may tell its sender so: %v", err)
		s.claim.Release()
		return
	}
	s.claim.Remove()
}

// acknowledgeTime bounds how long a command waits when all else is done.
const acknowledgeTime = 30 * time.Second

// release ends the work without an acknowledgement. If the server was asked for the
// content and the claim was kept, a later run finds it.
func (s *revealer) release() {
	switch {
	case s.claim == nil:
	case s.revealed || s.claim.Found():
		s.claim.Release()
	default:
		s.removeClaim()
	}
}

func (s *revealer) tellf(format string, args ...any) {
	s.console.Tellf("%s%s", s.prefix(), fmt.Sprintf(format, args...))
}

// prefix names the secret where there are several.
func (s *revealer) prefix() string {
	if s.name == "" {
		return ""
	}
	return s.name + ": "
}
