// Package upload takes the contents of files, part by part, from their senders.
//
// An upload begins with its secret, so its link exists before the first part does. Its token,
// 32 random bytes of the sender, authorises all that follows; the key in the link never does.
// An upload ends when its sender finishes it, cancels it, or is silent for six hours, and
// with its secret.
//
// It owns no bucket: packages secret and file do.
package upload

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/file"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/watch"
)

// Options are the dependencies of New; all are required.
type Options struct {
	Log     *slog.Logger
	Clock   *cluster.Clock
	Files   *file.Files
	Secrets *secret.Secrets
	Burns   *secret.Burns
	Watches *watch.Watches
}

// Uploads takes contents. It is safe for concurrent use.
type Uploads struct {
	log     *slog.Logger
	age     func() time.Duration // of this process
	files   *file.Files
	secrets *secret.Secrets
	burns   *secret.Burns
	watches *watch.Watches
}

// New returns the uploads of a store.
func New(o Options) *Uploads {
	return &Uploads{log: o.Log, age: o.Clock.Stopwatch(), files: o.Files, secrets: o.Secrets, burns: o.Burns, watches: o.Watches}
}

// Token is an upload token.
type Token = [file.TokenSize]byte

// TokenOf returns the upload token that a caller sent, or an InvalidError.
func TokenOf(sent caller.Text) (Token, error) {
	if len(sent) != file.TokenSize {
		return Token{}, &refusal.InvalidError{Field: "upload_token", Text: "must have 32 bytes"}
	}
	return Token([]byte(sent)), nil
}

// Begin conceals a file whose content comes later; see secret.Secrets.ConcealFile.
func (up *Uploads) Begin(ctx context.Context, c caller.Caller, f secret.File, terms secret.Terms) (secret.Concealed, error) {
	return up.secrets.ConcealFile(ctx, c, f, terms)
}

// PutPart stores a part of the file of a link's key; see file.Files.PutPart.
func (up *Uploads) PutPart(ctx context.Context, key string, token Token, number uint32, content []byte) error {
	row, err := up.secrets.FileOf(ctx, key)
	if err != nil {
		return err
	}
	return up.files.PutPart(ctx, row, token, number, content)
}

// Get returns which parts of a file have arrived, or ErrNotFound or ErrUploadToken.
func (up *Uploads) Get(ctx context.Context, key string, token Token) (file.Arrived, error) {
	row, err := up.secrets.FileOf(ctx, key)
	if err != nil {
		return file.Arrived{}, err
	}
	return up.files.Arrived(ctx, row, token)
}

// Restart forgets what has arrived of a file; see secret.Secrets.RestartFile. It returns how
// far the file has come then.
func (up *Uploads) Restart(ctx context.Context, key string, token Token, proofHash caller.Text) (file.Progress, error) {
	if len(proofHash) != 32 {
		return file.Progress{}, &refusal.InvalidError{Field: "proof_hash", Text: "must have 32 bytes"}
	}
	if err := up.secrets.RestartFile(ctx, key, token, proofHash); err != nil {
		return file.Progress{}, err
	}
	arrived, err := up.Get(ctx, key, token)
	return arrived.Progress, err
}

// Finish makes a file whole; see file.Files.Finish. Those who watch its receipt see it.
func (up *Uploads) Finish(ctx context.Context, key string, token Token) error {
	row, err := up.secrets.FileOf(ctx, key)
	if err != nil {
		return err
	}
	err = up.files.Finish(ctx, row, token, func(tx *rows.Tx, now time.Time) error { return audit.Write(tx, now, audit.Arrive, row) })
	if err == nil {
		up.watches.Tell(row)
	}
	return err
}

// Cancel burns a file that arrives; see secret.Burns.BurnFile.
func (up *Uploads) Cancel(ctx context.Context, c caller.Caller, key string, token Token) error {
	return up.burns.BurnFile(ctx, c, key, token)
}

const (
	// endEvery is how often uploads are ended that have stopped.
	endEvery = time.Minute
	// returnTime is how long senders have after a start to go on.
	returnTime = 30 * time.Minute
)

// EndStopped ends the uploads that have stopped, and returns how many there were. After a
// start it leaves senders time: while the service was down, none could send.
func (up *Uploads) EndStopped(ctx context.Context) (int, error) {
	if up.age() < returnTime {
		return 0, nil
	}
	return up.burns.BurnIdle(ctx)
}

// EndUntil ends uploads that have stopped, until ctx ends.
func (up *Uploads) EndUntil(ctx context.Context) {
	tick := time.NewTicker(endEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := up.EndStopped(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			up.log.Error("ending uploads that have stopped", "cause", err)
		}
	}
}
