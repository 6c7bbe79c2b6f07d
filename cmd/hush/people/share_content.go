package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

const (
	// maxContentOfUnknown bounds a content for a server that does not say its limit.
	maxContentOfUnknown = 64 << 20
	// maxContentCounted bounds how much of a content that is too long is read to say its
	// size.
	maxContentCounted = 1 << 30
)

// contentReader reads the content of a command that encrypts one.
type contentReader struct {
	console *console.Console
	// call is the command as people call it, and use what it does with a content, as in
	// "there is nothing to share".
	call, use string

	name   string
	asText bool
}

// howToPipe ends the errors for secrets that are arguments.
func (r *contentReader) howToPipe() string {
	return `a secret is never an argument: other users of this machine see arguments, and the shell keeps them. Pipe it, as in "printf %s \"$SECRET\" | ` + r.call + `", or run "` + r.call + `" and type it`
}

// contentSource is where the content comes from.
type contentSource struct {
	from io.Reader // nil for a prompt
	// name is the base name of a file, and size its bytes; empty and zero for a
	// stream.
	name string
	size int64
	// file and path are a regular file; nil and empty for others.
	file *os.File
	path string
	done func()
}

// openSource opens what the arguments name. The errors do not repeat an argument
// that may be a secret.
func (r *contentReader) openSource(ctx context.Context, args []string) (contentSource, error) {
	if len(args) == 0 || args[0] == "-" {
		if r.console.InIsTerminal() {
			return contentSource{done: func() {}}, nil
		}
		return contentSource{from: r.console.In, done: func() {}}, nil
	}
	// A pipe with a name opens once it has a writer.
	file, err := console.Interruptible(ctx, func() (*os.File, error) { return os.Open(args[0]) })
	if errors.Is(err, console.ErrInterrupted) {
		return contentSource{}, err
	}
	if errors.Is(err, fs.ErrPermission) {
		return contentSource{}, fmt.Errorf("you may not read the file %s", console.Visible(args[0]))
	}
	if err != nil {
		return contentSource{}, command.Usage("FILE cannot be opened: %v; %s", errors.Unwrap(err), r.howToPipe()) // without the path
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = command.Usage("FILE is a folder: %s an archive of it, as in \"tar cz FOLDER | %s --name folder.tar.gz\"", r.use, r.call)
	}
	if err != nil {
		return contentSource{}, errors.Join(err, file.Close())
	}
	opened := contentSource{from: file, done: func() { _ = file.Close() }}
	if info.Mode().IsRegular() { // the name of a pipe says nothing
		opened.name, opened.size = filepath.Base(args[0]), info.Size()
		opened.file, opened.path = file, args[0]
	}
	return opened, nil
}

// readContent reads the content and decides whether it is a text or a file.
func (r *contentReader) readContent(ctx context.Context, from contentSource, limit int64, server *client.Client) (*client.Content, error) {
	bytes, err := r.readContentBytes(ctx, from, limit, server)
	if err != nil {
		return nil, err
	}
	if len(bytes) == 0 && (from.name == "" || r.asText) {
		return nil, fmt.Errorf("there is nothing to %s: %s", r.use, from.emptiness())
	}
	content := &client.Content{Bytes: bytes, FileName: from.name}
	if r.name != "" {
		content.FileName = r.name
	}
	if r.asText {
		content.FileName = ""
	}
	content.IsFile = content.FileName != "" || !utf8.Valid(bytes)
	if r.asText && content.IsFile {
		return nil, command.Usage("--text: the content is not a text in UTF-8")
	}
	return content, nil
}

func (from contentSource) emptiness() string {
	switch {
	case from.from == nil:
		return "nothing was typed"
	case from.name != "":
		return "the file is empty"
	default:
		return "standard input is empty"
	}
}

// readContentBytes reads up to limit bytes. A content that is longer is refused before
// anything is sent.
func (r *contentReader) readContentBytes(ctx context.Context, from contentSource, limit int64, server *client.Client) ([]byte, error) {
	if limit <= 0 {
		limit = maxContentOfUnknown
	}
	if from.size > limit {
		return nil, contentTooLong(console.Count(from.size, "bytes"), limit, server)
	}
	if from.from == nil {
		typed, err := r.console.AskText(ctx, "Type or paste the secret, which is not shown. Ctrl-D ends it, Ctrl-C gives up.")
		if err == nil && int64(len(typed)) > limit {
			err = contentTooLong(console.Count(len(typed), "bytes"), limit, server)
		}
		return typed, err
	}
	read, err := console.Interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(from.from, limit+1)) })
	if err != nil || int64(len(read)) <= limit {
		return read, err
	}
	more, err := console.Interruptible(ctx, func() (int64, error) { return io.Copy(io.Discard, io.LimitReader(from.from, maxContentCounted)) })
	if err != nil {
		return nil, err
	}
	size := console.Count(limit+1+more, "bytes")
	if more == maxContentCounted {
		size = "more than " + size
	}
	return nil, contentTooLong(size, limit, server)
}

// contentTooLong is the error for a content that the server does not take.
func contentTooLong(size string, limit int64, server *client.Client) error {
	return &client.Error{
		Kind:    client.KindRefused,
		Message: fmt.Sprintf("the content has %s, and %s takes at most %d; nothing was sent", size, server.Server(), limit),
	}
}

// withFileHint adds to the error for a content that is too long that a file may be longer.
func (s *shareCommand) withFileHint(err error, byServer bool, policy client.Policy) error {
	failed, ok := errors.AsType[*client.Error](err)
	if !ok || failed.Kind != client.KindRefused || byServer || policy.MaxFile <= policy.MaxContent {
		return err
	}
	hint := fmt.Sprintf("; a file may have %d bytes: save it as one, and share that", policy.MaxFile)
	if s.asText {
		hint = fmt.Sprintf("; without --text the file may have %d bytes", policy.MaxFile)
	}
	return &client.Error{Kind: client.KindRefused, Message: failed.Message + hint}
}

// makeText makes a content a text: the server encrypts nothing else.
func (s *shareCommand) makeText(content *client.Content) error {
	if len(content.Bytes) == 0 {
		return &client.Error{Kind: client.KindUnsupported, Message: "a server that encrypts takes no empty text, and the file is empty; nothing was sent"}
	}
	if !utf8.Valid(content.Bytes) {
		return &client.Error{Kind: client.KindUnsupported, Message: "a server that encrypts takes a text in UTF-8 only, and the content is none; nothing was sent"}
	}
	if s.name != "" {
		return command.Usage("--name: a secret that the server encrypts is a text without a name")
	}
	if content.FileName != "" {
		s.console.Tellf("the name of the file is left out: a secret that the server encrypts is a text")
	}
	content.IsFile, content.FileName = false, ""
	return nil
}
