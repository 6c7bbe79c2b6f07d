package handlers

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/vault/vaulttest"
)

// A reader that stops reading ends the backup, which holds back what the database
// could use again.
func TestBackupEndsWithoutReader(t *testing.T) {
	t.Parallel()
	kit := vaulttest.New(t, vaulttest.Options{Manual: true})
	data, ended := make([]byte, backupChunk), make(chan error, 1)
	_, _ = rand.Read(data) // zeros would be compressed to nothing
	endless := func(_ context.Context, to io.Writer, begun func(int64)) error {
		begun(1)
		for {
			if _, err := to.Write(data); err != nil {
				ended <- err
				return err
			}
		}
	}
	_, handler := newAdmin(kit.Vault, &url.URL{}, slog.New(slog.DiscardHandler), Local{Backup: endless}, 100*time.Millisecond)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	stream, err := adminv1connect.NewAdminServiceClient(server.Client(), server.URL).Backup(t.Context(), &adminv1.BackupRequest{})
	vaulttest.Want(t, "Backup()", err, nil)
	t.Cleanup(func() { _ = stream.Close() })
	if err := <-ended; err == nil {
		t.Error("backup without a reader: got nil, want an error")
	}
	for stream.Receive() { // what was on its way
		continue
	}
	if stream.Err() == nil {
		t.Error("stream of a backup that was cut short: got nil, want an error")
	}
}
