package chain

import (
	"fmt"
	"log/slog"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// OperatorOptions are those of a service on the operator's socket. Its messages
// are validated and its errors are mapped like those of the public port, and it
// has no gate: it authenticates no caller. A service with them must never be part
// of the public tree. It fails if the service's field limits are broken.
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
