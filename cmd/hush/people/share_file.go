package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// fileShare is a file that is shared in parts.
type fileShare struct {
	*shareCommand

	server *client.Client
	files  client.Files
	file   *os.File
	id     pending.FileID
	kept   *pending.Upload
	record pending.UploadRecord
	// found reports whether an earlier run began it.
	found bool
}

// cancelTime bounds how long a command tries to cancel an upload.
const cancelTime = 10 * time.Second

// isInParts reports whether a file is shared in parts: it is too large for one message, or
// has a note, which nothing else has.
func (s *shareCommand) isInParts(from contentSource, policy client.Policy, byServer bool) bool {
	if from.file == nil || byServer || s.asText || policy.MaxFile <= 0 {
		return false
	}
	return s.note != "" || !policy.TakesWhole(s.fileName(from), from.size)
}

// fileName is the name of a file for the recipient.
func (s *shareCommand) fileName(from contentSource) string { return cmp.Or(s.name, from.name) }

// takeFile returns the share of a file in parts, which an earlier run may have begun; nil
// for another content.
func (s *shareCommand) takeFile(ctx context.Context, from contentSource, policy client.Policy, byServer bool, server *client.Client) (*fileShare, error) {
	if !s.isInParts(from, policy, byServer) {
		if s.note != "" {
			return nil, &client.Error{Kind: client.KindUnsupported, Message: "--note: a note is shown with a file that is sent in parts, and " + server.Server() + " takes none; nothing was sent"}
		}
		return nil, nil
	}
	if from.size > policy.MaxFile {
		return nil, &client.Error{Kind: client.KindRefused, Message: fmt.Sprintf(
			"the file has %s, and %s takes files of at most %d, and other contents of at most %d; nothing was sent",
			console.Count(from.size, "bytes"), server.Server(), policy.MaxFile, policy.MaxContent)}
	}
	files, err := server.Files()
	if err != nil {
		return nil, err
	}
	f := &fileShare{shareCommand: s, server: server, files: files, file: from.file}
	if f.id, err = pending.FileIDOf(from.file, from.path); err != nil {
		return nil, err
	}
	if f.kept, err = pending.NewStore(s.environment, time.Now).TakeUpload(f.id, server.Server()); err != nil {
		return nil, err
	}
	if f.record, f.found = f.kept.Found(); f.found {
		err = f.comeBack(ctx)
	}
	if err != nil {
		f.kept.Release()
		return nil, err
	}
	return f, nil
}

// options are the flags that an upload is begun with. A later run goes on only with the
// same ones.
func (f *fileShare) options() string {
	passphrase := ""
	switch {
	case f.passphrasePrompt:
		passphrase = "prompt"
	case f.generatePassphrase:
		passphrase = "generated"
	case f.passphraseFile != "":
		passphrase = "file"
	}
	return strings.Join([]string{f.ttl.String(), f.domain, f.label, f.note, f.name, passphrase}, "\x00")
}

// comeBack decides whether the upload that an earlier run began goes on.
func (f *fileShare) comeBack(ctx context.Context) error {
	if f.anew {
		if err := f.cancel(ctx, f.record.Upload); err != nil {
			return err
		}
		f.forget()
		return nil
	}
	about, err := f.server.Look(ctx, f.record.Upload.Link())
	switch {
	case errors.Is(err, client.ErrGone):
		f.console.Tellf("the upload that an earlier run began is over; the file is shared anew")
		f.forget()
		return nil
	case err != nil:
		return err
	case about.File == nil:
		return &client.Error{Kind: client.KindAltered, Message: "the server says something else of the upload than it was begun with"}
	case f.record.Options != f.options():
		return command.Usage("an earlier run began to share this file with other flags, and %d %% of it has arrived: run it with those to go on, or add --anew to burn that and share the file anew", about.File.ArrivedPercent())
	case f.record.File.Size != f.id.Size:
		return command.Usage("the file has another size than when an earlier run began to share it: add --anew to burn that and share the file anew")
	}
	f.console.Tellf("going on with the upload that an earlier run began: %d %% of it has arrived", about.File.ArrivedPercent())
	return nil
}

// forget removes what is kept, and begins anew.
func (f *fileShare) forget() {
	f.kept.Remove()
	f.found = false
	if kept, err := pending.NewStore(f.environment, time.Now).TakeUpload(f.id, f.server.Server()); err == nil {
		f.kept = kept
	}
}

// hasPassphrase reports whether the flags say that the file has a passphrase.
func (f *fileShare) hasPassphrase() bool {
	return f.passphrasePrompt || f.generatePassphrase || f.passphraseFile != ""
}

// share shares the file, and returns once all of it has arrived.
func (f *fileShare) share(ctx context.Context, request client.ShareRequest) error {
	defer f.kept.Release()
	shared, err := f.begin(ctx, request)
	if err != nil {
		return err
	}
	all := []sharedSecret{{Shared: shared}}
	if err := f.tell(ctx, all, request); err != nil {
		return errors.Join(err, f.abandon(ctx))
	}
	if err := f.upload(ctx); err != nil {
		return f.uploadError(ctx, err)
	}
	f.kept.Remove()
	f.console.Tellf("all of the file has arrived at the server: the link opens it")
	if f.thenWatch {
		return f.watch(ctx, f.server, all)
	}
	return nil
}

// begin gets the link: a new one, or that of the earlier run.
func (f *fileShare) begin(ctx context.Context, request client.ShareRequest) (client.Shared, error) {
	if f.found {
		receipt, err := client.ParseReceiptLink(f.record.Receipt.Expose())
		if err != nil {
			return client.Shared{}, err
		}
		if file, err := createLinkFile("receipt-file", f.receiptFile); err == nil && file != nil { // it was removed since
			if err := errors.Join(file.write(f.record.Receipt.Expose()), file.file.Close()); err != nil {
				return client.Shared{}, fmt.Errorf("--receipt-file: %w", err)
			}
		}
		return client.Shared{
			Link: f.record.Upload.Link(), ReceiptLink: receipt,
			Receipt: client.Receipt{Key: receipt.Keys[0], ShortID: client.ShortID(receipt.Keys[0].Expose()), Expires: f.record.Expires, File: &client.File{}},
		}, nil
	}
	receiptFile, err := createLinkFile("receipt-file", f.receiptFile)
	if err != nil {
		return client.Shared{}, err
	}
	upload, shared, err := f.files.BeginFile(ctx, client.FileRequest{
		FileName: request.Content.FileName, Size: f.id.Size, Note: f.note, TTL: f.ttl, Passphrase: request.Passphrase, Domain: f.domain, Label: f.label,
	})
	if err != nil {
		if failed := receiptFile.remove(); failed != nil {
			f.console.Fail(failed)
		}
		return client.Shared{}, f.shareError(ctx, nil, []string{""}, err)
	}
	f.record = pending.UploadRecord{
		Upload: upload, File: f.id, Options: f.options(), Receipt: client.Hide(shared.ReceiptLink.Expose()), Expires: shared.Receipt.Expires,
	}
	if err := f.kept.Keep(f.record); err != nil {
		f.console.Tellf("the upload is kept in memory only, so that a later run cannot go on with it: %v", err)
	}
	if receiptFile != nil {
		receiptFile.err = errors.Join(receiptFile.write(shared.ReceiptLink.Expose()), receiptFile.file.Close())
		if receiptFile.err != nil {
			return client.Shared{}, fmt.Errorf("--receipt-file: %w", errors.Join(receiptFile.err, os.Remove(f.receiptFile), f.abandon(ctx)))
		}
	}
	return shared, nil
}

// tell prints the link and says where the receipt is, before the first part is sent.
func (f *fileShare) tell(ctx context.Context, all []sharedSecret, request client.ShareRequest) error {
	if err := f.printLink(all[0], request, f.server); err != nil {
		return err
	}
	if f.receiptFile != "" {
		f.console.Tellf("the receipt is in %s", f.receiptFile)
	} else if !f.asJSON {
		if err := f.console.TryTellf("receipt: %s", all[0].ReceiptLink.Expose()); err != nil {
			return err
		}
	}
	return f.copyAndDraw(ctx, all)
}

// upload sends what has not arrived yet, and finishes.
func (f *fileShare) upload(ctx context.Context) error {
	if f.record.Restarting || !f.record.File.IsSame(f.id) {
		f.console.Tellf("the file may have changed since that run, so that all of it is sent anew; the link stays")
		if err := f.restart(ctx); err != nil {
			return err
		}
	}
	err := f.send(ctx)
	if errors.Is(err, client.ErrRestart) {
		f.console.Tellf("%v", err)
		if err = f.restart(ctx); err == nil {
			err = f.send(ctx)
		}
	}
	if err != nil {
		return err
	}
	if now, err := pending.FileIDOf(f.file, f.id.Path); err != nil || !now.IsSame(f.id) {
		return errors.Join(errFileChanged, err)
	}
	return f.finish(ctx)
}

// errFileChanged says that the file is not what was sent.
var errFileChanged = errors.New("the file changed while it was sent, so that the recipient would get a mixture")

// send sends all parts that have not arrived.
func (f *fileShare) send(ctx context.Context) error {
	spool, err := f.kept.Spool()
	if err != nil && f.kept.IsKept() {
		f.console.Tellf("there is no room for the parts on their way, so that a later run would send all of the file anew: %v", err)
	}
	return f.files.SendFile(ctx, f.record.Upload, f.file, spool)
}

// restart makes the upload begin anew, under the same link: with another salt, since
// nothing may be encrypted twice under one.
func (f *fileShare) restart(ctx context.Context) error {
	f.record.Upload, f.record.File, f.record.Restarting = f.record.Upload.Restarted(), f.id, true
	keep := func() error {
		if !f.kept.IsKept() {
			return nil
		}
		return f.kept.Keep(f.record)
	}
	if err := keep(); err != nil {
		return err
	}
	if err := f.files.RestartFile(ctx, f.record.Upload); err != nil {
		return err
	}
	f.record.Restarting = false
	return keep()
}

// finish makes the file openable. If the answer of an earlier call was lost, it may have
// been opened meanwhile.
func (f *fileShare) finish(ctx context.Context) error {
	err := f.files.FinishFile(ctx, f.record.Upload)
	if !errors.Is(err, client.ErrGone) {
		return err
	}
	receipt, parsed := client.ParseReceiptLink(f.record.Receipt.Expose())
	if parsed != nil {
		return err
	}
	if r, failed := f.server.Receipt(ctx, receipt.Keys[0]); failed == nil && r.State == client.StateOpened {
		return nil
	}
	return err
}

// uploadError returns the error for a file that has not arrived, and cancels what no later
// run shall go on with.
func (f *fileShare) uploadError(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), console.ErrGivenUp):
		return f.withCancelled(ctx, errors.New("interrupted"))
	case errors.Is(err, errFileChanged), client.KindOf(err) == client.KindUsage:
		return f.withCancelled(ctx, err)
	case errors.Is(err, client.ErrGone), errors.Is(err, client.ErrAltered):
		f.kept.Remove()
		return withExitCode(err)
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	}
	if !f.kept.IsKept() {
		return f.withCancelled(ctx, err)
	}
	return rewriteError(withExitCode(err), func(err error) error {
		return fmt.Errorf("%w; what has arrived waits at the server for some hours: run the same again to go on, with the same link", err)
	})
}

// withCancelled cancels the upload, and adds to an error that this was done.
func (f *fileShare) withCancelled(ctx context.Context, err error) error {
	text := "the upload was cancelled, and the link opens nothing"
	if failed := f.abandon(ctx); failed != nil {
		text = fmt.Sprintf("the server could not be told to cancel the upload, which ends by itself after some hours, and the link opens nothing: %v", failed)
	}
	return rewriteError(withExitCode(exceptUsage(err)), func(err error) error { return fmt.Errorf("%w; %s", err, text) })
}

// exceptUsage makes an error of the library for wrong use one without a kind: the user used
// nothing wrongly.
func exceptUsage(err error) error {
	if client.KindOf(err) == client.KindUsage {
		return errors.New(err.Error())
	}
	return err
}

// abandon cancels the upload, and removes what is kept of it.
func (f *fileShare) abandon(ctx context.Context) error {
	err := f.cancel(ctx, f.record.Upload)
	f.kept.Remove()
	return err
}

// cancel burns a file whose upload is not finished.
func (f *fileShare) cancel(ctx context.Context, upload client.Upload) error {
	within, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	if err := f.files.CancelFile(within, upload); err != nil && !errors.Is(err, client.ErrGone) {
		return err
	}
	return nil
}
