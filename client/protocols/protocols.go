// Package protocols makes a client of a server, in the protocol that the caller chose,
// and finds out which one a server speaks. A client never falls back to another
// protocol: whether what Detect found is good enough is for people to decide.
package protocols

import (
	"hush/client"
	"hush/client/hush"
	"hush/client/onetime"
)

// New returns a client of the server at a base URL, as in https://hush.example. It
// sends nothing. It returns a usage error for another URL than that of an HTTP server,
// and for one with a user, a query or a fragment.
func New(server string, options client.Options) (*client.Client, error) {
	base, err := client.ParseServer(server)
	if err != nil {
		return nil, err
	}
	switch options.Protocol {
	case client.ProtocolHush:
		return client.New(base, options.Protocol, hush.New(base, options)), nil
	case client.ProtocolV2:
		return client.New(base, options.Protocol, onetime.NewV2(base, options)), nil
	case client.ProtocolV1:
		return client.New(base, options.Protocol, onetime.NewV1(base, options)), nil
	default:
		return nil, &client.Error{Kind: client.KindUsage, Message: options.Protocol.String() + " is unknown"}
	}
}
