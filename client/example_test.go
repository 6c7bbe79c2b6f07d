package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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

// A file that is too large for one message is shared in parts, and fetched to a file that
// counts only once all of it was checked.
func ExampleClient_ShareFile() {
	ctx := context.Background()
	server := startExample()
	defer server.end()
	c, err := protocols.New(server.URL, client.Options{})
	if err != nil {
		slog.Error("no client", "cause", err)
		return
	}
	const size = 1 << 20
	backup := strings.NewReader(strings.Repeat("x", size)) // or an *os.File
	request := client.FileRequest{FileName: "backup.tar", Size: size, Note: "The backup of Friday."}
	shared, err := c.ShareFile(ctx, request, backup, func(begun client.Shared) error {
		fmt.Println("the link is there before the file:", begun.Receipt.File.ArrivedPercent(), "% have arrived")
		return nil
	})
	if err != nil {
		slog.Error("not shared", "cause", err)
		return
	}
	looked, err := c.Look(ctx, shared.Link)
	if err != nil {
		slog.Error("not found", "cause", err)
		return
	}
	fmt.Println(looked.Preview.FileName, looked.Preview.Size, looked.Preview.Note)
	files, err := c.Files()
	if err != nil {
		slog.Error("no files", "cause", err)
		return
	}
	claim, to := client.NewClaim(), &newFile{}
	if err := files.FetchFile(ctx, shared.Link, client.Text{}, claim, to); err != nil {
		slog.Error("not fetched", "cause", err)
		return
	}
	fmt.Println("all", to.Len(), "bytes are here")
	if err := c.Acknowledge(ctx, shared.Link, claim); err != nil {
		slog.Error("not acknowledged", "cause", err)
	}
	// Output:
	// the link is there before the file: 0 % have arrived
	// backup.tar 1048576 The backup of Friday.
	// all 1048576 bytes are here
}

// newFile is a client.FileSink that begins with nothing. A program that goes on after it was
// killed returns from Begin how many bytes it has.
type newFile struct{ strings.Builder }

func (*newFile) Begin(client.FileContent) (have int64, err error) { return 0, nil }
