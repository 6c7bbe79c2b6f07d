package chain

import (
	"fmt"
	"log/slog"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// OperatorOptions returns the options of a service on the operator's socket.
// Its messages are validated and its errors mapped like those of the public
// port. It has no gate and authenticates no caller, so it must never be part of
// the public tree. OperatorOptions fails if the service's field limits are
// invalid.
func OperatorOptions(log *slog.Logger, service protoreflect.ServiceDescriptor) ([]connect.HandlerOption, error) {
	validation, err := newValidation([]protoreflect.ServiceDescriptor{service})
	if err != nil {
		return nil, fmt.Errorf("compiling field limits: %w", err)
	}
	return []connect.HandlerOption{
		connect.WithInterceptors(mapErrors(log), validation),
		connect.WithCodec(jsonCodec{name: "json"}),
	}, nil
}
