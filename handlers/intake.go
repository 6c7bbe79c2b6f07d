package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/feedback"
)

// IntakeService is hush.v1.IntakeService.
type IntakeService struct {
	inbox *feedback.Inbox
}

// ReceiveFeedback stores a message for the colonels.
func (s *IntakeService) ReceiveFeedback(ctx context.Context, req *hushv1.ReceiveFeedbackRequest) (*hushv1.ReceiveFeedbackResponse, error) {
	err := s.inbox.ReceiveFeedback(ctx, chain.CallerFrom(ctx), feedback.NewFeedback{
		Message: req.GetMessage(), TimeZone: req.GetTimeZone(), Version: req.GetVersion(),
		Challenge: req.GetAuthenticityPayload(),
	})
	if err != nil {
		return nil, err
	}
	return &hushv1.ReceiveFeedbackResponse{}, nil
}

// ReceiveException stores a report for the colonels.
func (s *IntakeService) ReceiveException(ctx context.Context, req *hushv1.ReceiveExceptionRequest) (*hushv1.ReceiveExceptionResponse, error) {
	kept, err := s.inbox.ReceiveException(ctx, chain.CallerFrom(ctx), feedback.Exception{
		Message: req.GetMessage(), Type: req.GetType(), Stack: req.GetStack(), URL: req.GetUrl(),
		Line: int(req.GetLine()), Column: int(req.GetColumn()), UserAgent: req.GetUserAgent(),
		Environment: req.GetEnvironment(), Release: req.GetRelease(),
	})
	if err != nil {
		return nil, err
	}
	return &hushv1.ReceiveExceptionResponse{Exception: exceptionOf(kept)}, nil
}

func feedbackOf(f feedback.Feedback) *hushv1.Feedback {
	return &hushv1.Feedback{Message: f.Message, CreateTime: stamp(f.Created), Sender: f.Sender}
}

func exceptionOf(e feedback.Exception) *hushv1.Exception {
	return &hushv1.Exception{
		ExceptionId: e.ID, Message: e.Message, Type: e.Type, Stack: e.Stack, Url: e.URL,
		Line: int32(e.Line), Column: int32(e.Column), UserAgent: e.UserAgent,
		Environment: e.Environment, Release: e.Release, User: e.User, CreateTime: stamp(e.Created),
	}
}
