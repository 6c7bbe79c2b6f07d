package main

import (
	"context"
	"errors"
	"net"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
)

// clientsPerTransport spreads clients over HTTP/2 connections: one for all
// would make the connection's own lock the thing that is measured, one each
// would not be how gRPC is used.
const clientsPerTransport = 32

// grpcClient calls through the generated client. Its requests are reused,
// since a client has one in flight.
type grpcClient struct {
	service   hushv1connect.SecretServiceClient
	transport *http.Transport
	share     *hushv1.ConcealSecretRequest
	open      *hushv1.RevealSecretRequest
	value     []byte
}

// newGRPCClients makes all clients of a run, since they share transports.
func newGRPCClients(cfg config) []client {
	clients := make([]client, cfg.clients)
	var transport *http.Transport
	for i := range clients {
		if i%clientsPerTransport == 0 {
			transport = newTransport()
		}
		clients[i] = &grpcClient{
			service: hushv1connect.NewSecretServiceClient(
				&http.Client{Transport: transport, Timeout: 2 * answerTime},
				"http://"+cfg.targetOf(i).addr,
				connect.WithGRPC(),
				connect.WithAcceptCompression("gzip", nil, nil),
			),
			transport: transport,
			share:     &hushv1.ConcealSecretRequest{Ttl: durationpb.New(cfg.ttl)},
			open:      &hushv1.RevealSecretRequest{},
		}
	}
	return clients
}

// newTransport speaks HTTP/2 without TLS and no other protocol.
func newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	dialer := &net.Dialer{Timeout: answerTime}
	return &http.Transport{
		Protocols:          &protocols,
		DialContext:        dialer.DialContext,
		DisableCompression: true,
	}
}

func (c *grpcClient) conceal(ctx context.Context, value []byte) (key, error) {
	c.share.Secret = string(value)
	res, err := c.service.ConcealSecret(ctx, c.share)
	if err != nil {
		return key{}, grpcFailure(err)
	}
	text := res.GetSecret().GetSecretKey()
	if len(text) != keySize {
		return key{}, errNoKey
	}
	return key([]byte(text)), nil
}

func (c *grpcClient) reveal(ctx context.Context, k key) ([]byte, error) {
	c.open.SecretKey = string(k[:])
	res, err := c.service.RevealSecret(ctx, c.open)
	if err != nil {
		return nil, grpcFailure(err)
	}
	c.value = append(c.value[:0], res.GetValue()...)
	return c.value, nil
}

// grpcFailure names err by its code, and a server that cannot be dialled as
// the other protocols do.
func grpcFailure(err error) error {
	var opErr *net.OpError
	if errors.As(err, &opErr) && opErr.Op == "dial" {
		return errors.Join(errDial, err)
	}
	return failure("gRPC " + connect.CodeOf(err).String())
}

func (c *grpcClient) close() { c.transport.CloseIdleConnections() }
