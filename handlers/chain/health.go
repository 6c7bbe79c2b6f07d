package chain

import (
	"context"
	"errors"
	"slices"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
)

// serviceUnknown is the status of an unknown service in a watch. The protocol
// defines it, but grpchealth has no name for it.
const serviceUnknown grpchealth.Status = 3

// health implements grpc.health.v1.Health: a service serves until the server
// stops, and not while the store cannot be reached. Watches learn only that the
// server stops.
type health struct {
	services []string
	stopping context.Context //nolint:containedctx // the server's life, not a call's
	ready    func() error
}

// Check returns the health of a service, or of the whole server for an empty
// name. It returns CodeNotFound for an unknown service, except to a watch.
func (h health) Check(ctx context.Context, req *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	switch {
	case req.Service != "" && !slices.Contains(h.services, req.Service):
		if ctx.Value(streamKey{}) == nil {
			return nil, connect.NewError(connect.CodeNotFound, errors.New("unknown service"))
		}
		return &grpchealth.CheckResponse{Status: serviceUnknown}, nil
	case !h.serves():
		return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
	default:
		return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
	}
}

// serves reports whether calls are answered at present.
func (h health) serves() bool { return !h.stopped() && h.ready() == nil }

// stopped reports whether the server is stopping.
func (h health) stopped() bool {
	select {
	case <-h.stopping.Done():
		return true
	default:
		return false
	}
}

// Watch implements grpchealth.Watcher.
func (h health) Watch(_ context.Context, _ *grpchealth.CheckRequest, onChange func()) (stop func(), err error) {
	unregister := context.AfterFunc(h.stopping, onChange)
	return func() { unregister() }, nil
}
