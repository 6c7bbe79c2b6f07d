package chain

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	hushv1 "hush/gen/hush/v1"
)

// bareService is a service whose one method declares nothing.
func bareService(t *testing.T) protoreflect.ServiceDescriptor {
	t.Helper()
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("bare.proto"), Package: new("bare"), Syntax: new("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: new("Nothing")}},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: new("Service"),
			Method: []*descriptorpb.MethodDescriptorProto{{
				Name: new("Forgotten"), InputType: new(".bare.Nothing"), OutputType: new(".bare.Nothing"),
			}},
		}},
	}, nil)
	if err != nil {
		t.Fatalf("NewFile: got %v, want no error", err)
	}
	return file.Services().Get(0)
}

// textLog writes log lines into w.
func textLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// sentinelsOf lists the exported errors that a file declares.
func sentinelsOf(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("ParseFile(%s): got %v, want no error", path, err)
	}
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, name := range spec.Names {
				if name.IsExported() && strings.HasPrefix(name.Name, "Err") {
					names = append(names, name.Name)
				}
			}
		}
		return true
	})
	return names
}

// getStatus responds like GetStatus.
func getStatus(context.Context, *hushv1.GetStatusRequest) (*hushv1.GetStatusResponse, error) {
	return &hushv1.GetStatusResponse{Status: "nominal"}, nil
}

// chainOf returns a chain behind a gate.
func chainOf(g gate, log *slog.Logger) *Chain {
	return &Chain{policies: g.policies, validation: newValidation(), gate: g, recheck: recheck{policies: g.policies}, log: log, streams: newStreams(policies{})}
}

// admitted passes the gate of a method with a record and calls it.
func admitted[Req, Res any](ctx context.Context, rec *record, m Method[Req, Res], req *Req) (*Res, error) {
	ctx = withRecord(ctx, rec)
	if err := m.chain.Admit(ctx, http.Header{}, m.Procedure); err != nil {
		return nil, err
	}
	return m.Call(ctx, http.Header{}, req)
}
