package chain

import (
	"log/slog"

	"connectrpc.com/connect"
)

// OperatorOptions returns the options of a service on the operator's socket.
// Its messages are validated and its errors mapped like those of the public
// port. It has no gate and authenticates no caller, so it must never be part of
// the public tree.
func OperatorOptions(log *slog.Logger) []connect.HandlerOption {
	return []connect.HandlerOption{
		connect.WithInterceptors(mapErrors(log), newValidation()),
		connect.WithCodec(jsonCodec{name: "json"}),
	}
}
