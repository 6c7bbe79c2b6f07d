package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"runtime"
	"testing"
	"time"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/vault/doctor"
	"hush/vault/vaulttest"
)

// examining returns a client of a service that examines by a function.
func examining(t *testing.T, examine Examine) adminv1connect.AdminServiceClient {
	t.Helper()
	kit := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, handler := newAdmin(kit.Vault, &url.URL{}, slog.New(slog.DiscardHandler), Local{Examine: examine}, time.Minute)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return adminv1connect.NewAdminServiceClient(server.Client(), server.URL)
}

// An operator who leaves ends the examination, which holds back what the database could
// use again.
func TestExaminationEndsWithItsReader(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	client := examining(t, func(ctx context.Context, tell func(string, int64)) (*doctor.Findings, error) {
		for ctx.Err() == nil {
			tell("secret", 4096)
			runtime.Gosched()
		}
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	ctx, leave := context.WithCancel(t.Context())
	stream, err := client.Examine(ctx, &adminv1.ExamineRequest{})
	vaulttest.Want(t, "Examine()", err, nil)
	if !stream.Receive() || stream.Msg().GetBucket() != "secret" || stream.Msg().GetRows() != 4096 || stream.Msg().GetExamination() != nil {
		t.Errorf("first part: got %v and %v, want how far it is", stream.Msg(), stream.Err())
	}
	leave()
	_ = stream.Close()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("examination without a reader: got %v, want %v", err, context.Canceled)
	}
}

// The last part has what was found, in the words of this release.
func TestExaminationIsTold(t *testing.T) {
	t.Parallel()
	client := examining(t, func(context.Context, func(string, int64)) (*doctor.Findings, error) {
		found := doctor.NewFindings()
		found.Rows = 7
		found.Note(doctor.CodeBucket, "more")
		found.Skipped = []string{"the pages"}
		return found, nil
	})
	stream, err := client.Examine(t.Context(), &adminv1.ExamineRequest{})
	vaulttest.Want(t, "Examine()", err, nil)
	defer stream.Close()
	if !stream.Receive() || stream.Msg().GetRows() != 7 {
		t.Fatalf("last part: got %v and %v, want 7 rows", stream.Msg(), stream.Err())
	}
	got := stream.Msg().GetExamination()
	if len(got.GetGroups()) != 1 || len(got.GetSkipped()) != 1 || got.GetTime() == nil {
		t.Fatalf("examination: got %v, want a group and a sentence", got)
	}
	group := got.GetGroups()[0]
	if group.GetCode() != "bucket-unknown" || group.GetLevel() != "warning" || group.GetText() == "" || group.GetAction() == "" ||
		group.GetCount() != 1 || group.GetPlaces()[0].GetNote() != "more" {
		t.Errorf("group: got %v, want the unknown bucket", group)
	}
}

// A refusal says why; a service without data of its own examines nothing.
func TestExaminationRefused(t *testing.T) {
	t.Parallel()
	for want, examine := range map[connect.Code]Examine{
		connect.CodeUnimplemented: nil,
		connect.CodeFailedPrecondition: func(context.Context, func(string, int64)) (*doctor.Findings, error) {
			return nil, errors.New("another one")
		},
	} {
		stream, err := examining(t, examine).Examine(t.Context(), &adminv1.ExamineRequest{})
		vaulttest.Want(t, "Examine()", err, nil)
		if stream.Receive() || connect.CodeOf(stream.Err()) != want {
			t.Errorf("Examine(refused): got %v, want %v", stream.Err(), want)
		}
		_ = stream.Close()
	}
}
