package call

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/routes/params"
	"hush/routes/refusal"
)

// Decoder builds an RPC's message from a request. Its error is a
// *refusal.Error.
type Decoder[Req any] func(*Request) (*Req, error)

// Encoder builds the response of a route from the result of an RPC.
type Encoder[Res any] func(*Request, *Res) any

// Action is what a route does: it calls one RPC, or chooses between two.
type Action struct {
	// Operation is the RPC's name.
	Operation string
	// Procedures are the RPCs that Run may call; none for an action without one.
	Procedures []string
	// Access declares who may run the action; see chain.Hides.
	Access hushv1.Access
	// Fields are the parameters that Run reads.
	Fields []params.Field
	// Ready is why the action cannot be served, or nil.
	Ready error
	// Run calls the RPC.
	Run func(ctx context.Context, req *Request) (any, error)
}

// RPC combines a service's method, behind the chain, with the codecs of its request and
// response. It reads no parameters; see RPCWith.
func RPC[Req, Res any](c *chain.Chain, serve chain.Service[Req, Res], decode Decoder[Req], encode Encoder[Res]) Action {
	m := chain.Bind(c, serve)
	a := Action{
		Operation: operation[Req](), Procedures: []string{m.Procedure}, Access: m.Access,
	}
	if m.Access == hushv1.Access_ACCESS_UNSPECIFIED {
		a.Ready = fmt.Errorf("no RPC that takes a %T", new(Req))
	}
	a.Run = func(ctx context.Context, req *Request) (any, error) {
		message, err := decode(req)
		if err != nil {
			return nil, err
		}
		res, err := m.Call(ctx, req.Header, message)
		if err != nil {
			return nil, err
		}
		return encode(req, res), nil
	}
	return a
}

// operation returns the RPC's name from the type of its request, so that tables
// can be printed without a running service.
func operation[Req any]() string {
	message, ok := any(new(Req)).(proto.Message)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(string(message.ProtoReflect().Descriptor().Name()), "Request")
}

// Choice selects one of two actions by a parameter.
type Choice struct {
	// Fields are the parameters that Yes reads.
	Fields []params.Field
	// Yes reports whether a request chooses the first of the two.
	Yes func(*Request) (bool, error)
}

// Either lets a parameter choose the RPC. The caller must be allowed to call
// both, because the parameter is only read after the gate. The fields of no come
// before those that only yes has.
func Either(choose Choice, yes, no Action) Action {
	a := Action{
		Operation: yes.Operation + " or " + no.Operation, Ready: yes.Ready,
		Procedures: slices.Concat(yes.Procedures, no.Procedures),
		Access:     max(yes.Access, no.Access), Fields: slices.Concat(choose.Fields, common(no.Fields, yes.Fields)),
	}
	if a.Ready == nil {
		a.Ready = no.Ready
	}
	a.Run = func(ctx context.Context, req *Request) (any, error) {
		chosen, err := choose.Yes(req)
		switch {
		case err != nil:
			return nil, err
		case chosen:
			return yes.Run(ctx, req)
		default:
			return no.Run(ctx, req)
		}
	}
	return a
}

// Reworded returns an action that replaces the refusals of class from with to.
func Reworded(a Action, from refusal.Class, to refusal.Error) Action {
	run := a.Run
	a.Run = func(ctx context.Context, req *Request) (any, error) {
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

// Nothing decodes messages without fields.
func Nothing[Req any](*Request) (*Req, error) {
	return new(Req), nil
}

// Continues returns a choice by the parameter continue, which must be true:
// what it guards cannot be undone. The text describes it in documents.
func Continues(about string) Choice {
	field := params.Field{Name: "continue", Form: params.FormFlag, About: about}
	return Choice{[]params.Field{field}, func(req *Request) (bool, error) {
		sure, err := req.Params.Text(field.Name)
		return sure == "true", err
	}}
}

// common returns the fields of two actions, one of which runs. A field is
// required if both require it.
func common(one, other []params.Field) []params.Field {
	var all []params.Field
	for _, field := range slices.Concat(one, other) {
		same := func(f params.Field) bool { return f.Name == field.Name }
		if slices.ContainsFunc(all, same) {
			continue
		}
		required := func(f params.Field) bool { return same(f) && f.Required }
		field.Required = slices.ContainsFunc(one, required) && slices.ContainsFunc(other, required)
		all = append(all, field)
	}
	return all
}
