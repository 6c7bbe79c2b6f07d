package people

import (
	"context"
	"errors"
	"regexp"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// shortIDPattern is the form of the ID of a receipt in a list.
var shortIDPattern = regexp.MustCompile(`^[0-9A-Za-z_-]{8}$`)

// find returns the keys of the receipts that the arguments name, and a client of
// their server.
func (s receiptCommand) find(ctx context.Context, args []string) (*client.Client, []client.Text, error) {
	if len(args) == 1 && shortIDPattern.MatchString(args[0]) {
		return s.findShort(ctx, args[0])
	}
	link, err := s.connector.readReceipt(ctx, args)
	if err != nil {
		return nil, nil, err
	}
	server, err := s.connector.connectToReceipt(ctx, link)
	return server, link.Keys, err
}

// findShort finds the receipt with an ID in the account's list.
func (s receiptCommand) findShort(ctx context.Context, id string) (*client.Client, []client.Text, error) {
	server, err := s.connector.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	var found []client.Text
	sealed := 0
	for r, err := range server.Receipts(ctx) {
		if err != nil {
			return nil, nil, withExitCode(err)
		}
		sealed += r.Sealed
		if r.ShortID == id && r.Sealed == 0 {
			found = append(found, r.Key)
		}
	}
	switch {
	case len(found) == 1:
		return server, found, nil
	case len(found) > 1:
		return nil, nil, command.Usage("%s begin with %s: pass the whole receipt with - or @FILE", console.Count(len(found), "receipts"), id)
	}
	s.tellSealed(sealed)
	return nil, nil, &command.ExitError{Code: command.ExitGone, Cause: errors.New("the list of the account has no receipt " + id)}
}

// tellSealed says how many receipts of a list cannot be read.
func (s receiptCommand) tellSealed(n int) {
	if n > 0 {
		s.Tellf("%s cannot be read with this token: older than the token, or than a new password", console.Count(n, "receipts"))
	}
}
