package call

import (
	"google.golang.org/protobuf/proto"

	"hush/handlers/chain"
	"hush/routes/params"
)

// Input is what a route takes: parameters, each described once, and the message that they
// become.
type Input[Req any] struct {
	fields  []params.Field
	decoder Decoder[Req]
	err     error // why parameters cannot become such a message
}

// message is what a request of an RPC is.
type message[Req any] interface {
	*Req
	proto.Message
}

// Fill returns an input whose message begin makes from the path and the header; what
// parameters become is then put into it, in the order of their descriptions.
func Fill[Req any, M message[Req]](begin Decoder[Req], fields ...params.Field) Input[Req] {
	filler, err := params.NewFiller(M(new(Req)).ProtoReflect().Descriptor(), fields)
	decode := func(req *Request) (*Req, error) {
		into, err := begin(req)
		if err != nil {
			return nil, err
		}
		if err := filler.Fill(req.Params, M(into).ProtoReflect()); err != nil {
			return nil, err
		}
		return into, nil
	}
	return Input[Req]{fields: fields, decoder: decode, err: err}
}

// Checked returns an input whose message check refuses or completes.
func (in Input[Req]) Checked(check func(req *Request, into *Req) error) Input[Req] {
	decode := in.decoder
	in.decoder = func(req *Request) (*Req, error) {
		into, err := decode(req)
		if err != nil {
			return nil, err
		}
		if err := check(req, into); err != nil {
			return nil, err
		}
		return into, nil
	}
	return in
}

// Decode makes the message of a request. Its error is a *refusal.Error.
func (in Input[Req]) Decode(req *Request) (*Req, error) { return in.decoder(req) }

// RPCWith combines a service's method, behind the chain, with its input and the encoder of
// its response.
func RPCWith[Req, Res any](c *chain.Chain, serve chain.Service[Req, Res], in Input[Req], encode Encoder[Res]) Action {
	a := RPC(c, serve, in.decoder, encode)
	a.Fields = in.fields
	if a.Ready == nil {
		a.Ready = in.err
	}
	return a
}
