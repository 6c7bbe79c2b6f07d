package chain

import (
	"buf.build/go/protovalidate"
	"connectrpc.com/connect"
	"connectrpc.com/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// newValidation compiles the field limits of every request of the services, so
// that the first call is as fast as later ones and an invalid rule prevents the
// start. It stops at the first limit that a message exceeds: a message with a
// million violations must not cause a response with a million.
func newValidation(services []protoreflect.ServiceDescriptor) (connect.Interceptor, error) {
	var requests []proto.Message
	for _, service := range services {
		for i := range service.Methods().Len() {
			requests = append(requests, dynamicpb.NewMessage(service.Methods().Get(i).Input()))
		}
	}
	validator, err := protovalidate.New(protovalidate.WithFailFast(), protovalidate.WithMessages(requests...))
	if err != nil {
		return nil, err
	}
	return validate.NewInterceptor(validate.WithValidator(validator)), nil
}
