package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"hush/client"
	"hush/client/protocols"
)

// A text is encrypted on this device and shared for a day. Only the link opens it.
func ExampleClient_Share() {
	server := startExample()
	defer server.end()
	c, err := protocols.New(server.URL, client.Options{})
	if err != nil {
		slog.Error("no client", "cause", err)
		return
	}
	shared, err := c.Share(context.Background(), client.ShareRequest{
		Content: &client.Content{Bytes: []byte("DATABASE_URL=postgres://app@db/app")},
		TTL:     24 * time.Hour,
	})
	if err != nil {
		slog.Error("not shared", "cause", err)
		return
	}
	fmt.Println("the link prints as", shared.Link.Key, "and has", len(shared.Link.Expose())-len(shared.Link.Server), "characters behind its server")
	fmt.Println("it is for", shared.Receipt.TTL, "and", shared.Receipt.Encryption, "encrypted")
	// Output:
	// the link prints as [redacted] and has 77 characters behind its server
	// it is for 24h0m0s and end-to-end encrypted
}

// A secret is opened with a claim, which survives a lost connection, and is
// acknowledged once its content is safe.
func ExampleClient_Open() {
	ctx := context.Background()
	server := startExample()
	defer server.end()
	link, err := client.ParseLink(server.linkOf("DATABASE_URL=postgres://app@db/app"))
	if err != nil {
		slog.Error("no link", "cause", err)
		return
	}
	c, err := protocols.New(link.Server, client.Options{})
	if err != nil {
		slog.Error("no client", "cause", err)
		return
	}
	claim := client.NewClaim()
	opened, err := c.Open(ctx, link, client.Text{}, claim)
	if err != nil {
		slog.Error("not opened", "cause", err)
		return
	}
	fmt.Printf("%s\n", opened.Content.Bytes)
	if err := c.Acknowledge(ctx, link, claim); err != nil {
		slog.Error("not acknowledged", "cause", err)
	}
	_, err = c.Look(ctx, link)
	fmt.Println("gone:", errors.Is(err, client.ErrGone))
	// Output:
	// DATABASE_URL=postgres://app@db/app
	// gone: true
}

// A receipt is followed until nothing of it can change.
func ExampleClient_Watch() {
	ctx := context.Background()
	server := startExample()
	defer server.end()
	c, err := protocols.New(server.URL, client.Options{})
	if err != nil {
		slog.Error("no client", "cause", err)
		return
	}
	shared, err := c.Share(ctx, client.ShareRequest{Generate: &client.Generate{Length: 16}})
	if err != nil {
		slog.Error("not shared", "cause", err)
		return
	}
	for receipt, err := range c.Watch(ctx, shared.Receipt.Key) {
		if err != nil {
			slog.Error("not followed", "cause", err)
			return
		}
		fmt.Println(receipt.State)
		if receipt.State == client.StateWaiting {
			if _, err := c.Burn(ctx, shared.Receipt.Key, client.Text{}); err != nil {
				slog.Error("not burned", "cause", err)
				return
			}
		}
	}
	// Output:
	// waiting
	// burned
}
