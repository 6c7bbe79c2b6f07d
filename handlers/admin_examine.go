package handlers

import (
	"context"
	"net/http"
	"time"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/doctor"
)

// examineTold is how often the operator is told how far an examination is.
const examineTold = 500 * time.Millisecond

// Examine examines a service's data, and changes nothing. It calls tell now and then
// with the number of rows read so far, and the bucket. It ends when ctx does.
type Examine func(ctx context.Context, tell func(bucket string, rows int64)) (*doctor.Findings, error)

// Examine streams how far an examination is, and then what it found. A reader that
// stops reading ends it.
func (s *AdminService) Examine(ctx context.Context, _ *adminv1.ExamineRequest, stream *connect.ServerStream[adminv1.ExamineResponse]) error {
	control, ok := ctx.Value(controlKey{}).(*http.ResponseController)
	if s.local.Examine == nil || !ok {
		return connect.NewError(connect.CodeUnimplemented, nil)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_ = control.SetReadDeadline(time.Time{}) // which would end the request
	send := func(part *adminv1.ExamineResponse) error {
		if err := control.SetWriteDeadline(time.Now().Add(s.patience)); err != nil {
			return err
		}
		return stream.Send(part)
	}
	began := time.Now()
	var told time.Time
	var unread error
	found, err := s.local.Examine(ctx, func(bucket string, rows int64) {
		if time.Since(told) < examineTold {
			return
		}
		told = time.Now()
		if unread = send(&adminv1.ExamineResponse{Bucket: bucket, Rows: rows}); unread != nil {
			cancel()
		}
	})
	switch {
	case unread != nil:
		return unread
	case err != nil:
		_ = control.SetWriteDeadline(time.Now().Add(s.patience))
		return shown(err)
	}
	return send(&adminv1.ExamineResponse{Rows: found.Rows, Examination: &adminv1.Examination{
		Time: stamp(began), Groups: each(found.Groups(), examinationGroupOf), Skipped: found.Skipped,
	}})
}

func examinationGroupOf(g doctor.Group) *adminv1.ExaminationGroup {
	return &adminv1.ExaminationGroup{
		Code: string(g.Code), Level: g.Level.String(), Text: g.Text, Action: g.Do, Bucket: g.Bucket, Count: g.Count,
		Places: each(g.Places, func(p doctor.Place) *adminv1.ExaminationPlace {
			return &adminv1.ExaminationPlace{Row: p.Row, Note: p.Note}
		}),
	}
}
