package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
)

const (
	// backupChunk is how much of a backup is in one message.
	backupChunk = 256 << 10
	// streamPatience is how long a message may wait for its reader: while it waits,
	// the database cannot use its free pages.
	streamPatience = 30 * time.Second
	// backupTime is the maximum duration of a backup for the same reason.
	backupTime = time.Hour
)

var errBackupTime = errors.New("the backup took longer than an hour, in which the database cannot use its free pages again: write it to a faster place")

// Backup writes a backup of a service's data. It calls begun with the length of
// the database first.
type Backup func(ctx context.Context, to io.Writer, begun func(bytes int64)) error

// controlKey is the context key of the http.ResponseController of a request.
type controlKey struct{}

// controlled makes the deadlines of a request's connection known to its handler.
func controlled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), controlKey{}, http.NewResponseController(w))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Backup streams a backup. A reader that stops reading ends it.
func (s *AdminService) Backup(ctx context.Context, _ *adminv1.BackupRequest, stream *connect.ServerStream[adminv1.BackupResponse]) error {
	control, ok := ctx.Value(controlKey{}).(*http.ResponseController)
	if s.local.Backup == nil || !ok {
		return connect.NewError(connect.CodeUnimplemented, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, backupTime)
	defer cancel()
	_ = control.SetReadDeadline(time.Time{}) // which would end the request
	defer func() { _ = control.SetWriteDeadline(time.Now().Add(s.patience)) }()
	out := &backupStream{stream: stream, control: control, patience: s.patience}
	err := s.local.Backup(ctx, out, func(bytes int64) { out.next.DatabaseBytes = bytes })
	if err == nil {
		err = out.send()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errBackupTime
	}
	return shown(err)
}

// shown returns an error with its text, which the operator may read.
func shown(err error) error {
	if err != nil && connect.CodeOf(err) == connect.CodeUnknown {
		return connect.NewError(connect.CodeFailedPrecondition, err)
	}
	return err
}

// backupStream writes to a stream in messages of one size.
type backupStream struct {
	stream  *connect.ServerStream[adminv1.BackupResponse]
	control *http.ResponseController
	next    adminv1.BackupResponse

	patience time.Duration
}

// Write implements io.Writer.
func (b *backupStream) Write(data []byte) (int, error) {
	written := len(data)
	for len(data) > 0 {
		n := min(len(data), backupChunk-len(b.next.GetChunk()))
		b.next.Chunk, data = append(b.next.Chunk, data[:n]...), data[n:]
		if len(b.next.GetChunk()) < backupChunk {
			break
		}
		if err := b.send(); err != nil {
			return 0, err
		}
	}
	return written, nil
}

func (b *backupStream) send() error {
	if err := b.control.SetWriteDeadline(time.Now().Add(b.patience)); err != nil {
		return err
	}
	err := b.stream.Send(&b.next)
	b.next.Chunk, b.next.DatabaseBytes = b.next.GetChunk()[:0], 0
	return err
}
