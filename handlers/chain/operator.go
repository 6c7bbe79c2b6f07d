package chain

import (
	"log/slog"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"

	adminv1 "hush/gen/hush/admin/v1"
)

// OperatorOptions returns the options of a service on the operator's socket.
// Its messages are validated and its errors mapped like those of the public
// port. It has no gate and authenticates no caller, so it must never be part of
// the public tree.
func OperatorOptions(log *slog.Logger) []connect.HandlerOption {
	services := adminv1.File_hush_admin_v1_admin_service_proto.Services()
	reads := readsOf([]protoreflect.ServiceDescriptor{services.ByName("AdminService")})
	return []connect.HandlerOption{
		connect.WithInterceptors(mapErrors(log), newValidation()),
		connect.WithCodec(protoCodec{reads: reads}),
		connect.WithCodec(jsonCodec{name: "json"}),
	}
}
