package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/server/datafolder"
	"hush/storage/bolt"
	"hush/vault/doctor"
)

// examineData examines a data folder, by the service that holds it or by itself. It
// waits a little less than a second for a service that is just starting or stopping.
func (d examination) examineData(ctx context.Context, found *doctor.Findings, now time.Time) error {
	for deadline := time.Now().Add(serviceWait); ; {
		client, done, running := datafolder.Service(ctx, d.settings.Data)
		if running {
			defer done()
			return d.examineServed(ctx, client, found)
		}
		done()
		err := d.examineFolder(ctx, found, now)
		if !errors.Is(err, datafolder.ErrInUse) || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(serviceRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// examineServed examines the files of a folder that is in use, and lets the service
// examine the rest.
func (d examination) examineServed(ctx context.Context, client *http.Client, found *doctor.Findings) error {
	last, err := d.ask(ctx, adminv1connect.NewAdminServiceClient(client, datafolder.ServiceURL))
	if err != nil {
		return err
	}
	examined := last.GetExamination()
	found.Rows = last.GetRows()
	for _, g := range examined.GetGroups() {
		found.AddGroup(groupOfService(g))
	}
	found.Skipped = append(found.Skipped, examined.GetSkipped()...)
	entries, err := os.ReadDir(d.settings.Data)
	if err != nil {
		return err
	}
	files := folderFiles{folder: d.settings.Data, served: true, found: found}
	if err := files.examine(entries, bolt.FolderWarnings(d.settings.Data)); err != nil {
		return err
	}
	files.rootKey(ctx, datafolder.RootKeyPath(d.settings), d.settings.RootKeyFile != "")
	return nil
}

// ask lets the service examine its data, and returns the last part of its response.
func (d examination) ask(ctx context.Context, admin adminv1connect.AdminServiceClient) (*adminv1.ExamineResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := admin.Examine(ctx, &adminv1.ExamineRequest{})
	if err != nil {
		return nil, examineError(err)
	}
	defer stream.Close()
	line := d.Progress()
	defer line.End()
	for stream.Receive() {
		part := stream.Msg()
		if part.GetExamination() != nil {
			return part, nil
		}
		line.Show(func() string { return fmt.Sprintf("reading rows: %d, now in %q", part.GetRows(), part.GetBucket()) })
	}
	if err := stream.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, examineError(err)
	}
	return nil, errors.New("the service ended the examination, perhaps because it stops; see its log")
}

// examineError reduces a refusal to its message.
func examineError(err error) error {
	return refusal(err, connect.CodeUnimplemented, "the service is of an older release, which examines nothing while it runs: restart it with this release, or stop it and run the command again")
}

// groupOfService reads what the service found. The words are those of its release.
func groupOfService(g *adminv1.ExaminationGroup) doctor.Group {
	group := doctor.Group{
		Info:   doctor.Info{Code: doctor.Code(g.GetCode()), Level: doctor.LevelOf(g.GetLevel()), Text: g.GetText(), Do: g.GetAction()},
		Bucket: g.GetBucket(), Count: g.GetCount(), Places: []doctor.Place{},
	}
	for _, p := range g.GetPlaces() {
		group.Places = append(group.Places, doctor.Place{Row: p.GetRow(), Note: p.GetNote()})
	}
	return group
}
