package routes

import (
	"context"
	"slices"

	"hush/routes/refusal"
)

// either lets one parameter choose the RPC.
func either(choose func(*request) (bool, error), yes, no action) action {
	a := action{
		operation: yes.operation + " or " + no.operation, ready: yes.ready,
		procedures: slices.Concat(yes.procedures, no.procedures),
	}
	if a.ready == nil {
		a.ready = no.ready
	}
	a.run = func(ctx context.Context, req *request) (any, error) {
		chosen, err := choose(req)
		switch {
		case err != nil:
			return nil, err
		case chosen:
			return yes.run(ctx, req)
		default:
			return no.run(ctx, req)
		}
	}
	return a
}

// missing answers what is not there in words of its own: it is no secret.
func missing(a action, text string) action {
	return reworded(a, refusal.ClassUnknown, refusal.Error{Class: refusal.ClassMissing, Text: text})
}

// wrongPassword answers a wrong password in the words that clients know for it.
func wrongPassword(a action, text string) action {
	return reworded(a, refusal.ClassCredentials, refusal.Error{Class: refusal.ClassCredentials, Text: text})
}

// duplicate answers a name that the caller has already in the words that clients
// know for it.
func duplicate(a action, text string) action {
	return reworded(a, refusal.ClassDuplicate, refusal.Error{Class: refusal.ClassDuplicate, Text: text})
}

// reworded answers one class of refusals as another refusal.
func reworded(a action, from refusal.Class, to refusal.Error) action {
	run := a.run
	a.run = func(ctx context.Context, req *request) (any, error) {
		answer, err := run(ctx, req)
		if err == nil {
			return answer, nil
		}
		refused := refusal.Read(err)
		if refused.Class == from {
			return nil, &to
		}
		return nil, refused
	}
	return a
}
