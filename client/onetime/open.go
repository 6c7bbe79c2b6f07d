package onetime

import (
	"context"
	"unicode/utf8"

	"hush/client"
)

// checkOpen refuses what cannot be opened, before anything is sent.
func (c *caller) checkOpen(link client.Link) error {
	if link.Encryption == client.EncryptionEndToEnd {
		return c.unsupported("cannot open end-to-end encrypted secrets")
	}
	if !client.IsKey(link.Key.Expose()) {
		return wrongKey()
	}
	return nil
}

// reveal sends a query that reveals, over a connection of its own: one that was idle
// may be closed at the other end, which looks like a lost answer.
func (c *caller) reveal(ctx context.Context, q query) (*reply, *failure) {
	c.http.CloseIdleConnections()
	return c.call(ctx, q)
}

// opened returns a content. Bytes of an answer that are not UTF-8 were replaced when
// it was decoded, so that it is not all that was shared.
func opened(text string, r *reply, isTruncated *jsonBool) client.Opened {
	return client.Opened{Content: client.Content{Bytes: []byte(text)}, Incomplete: isTrue(isTruncated) || !utf8.Valid(r.body)}
}

// lostContentError is the error for a reveal whose answer did not come. It does not say
// whether the server was reached, since that cannot be known.
func lostContentError(cause *client.Error) *client.Error {
	return &client.Error{Kind: client.KindLost, Message: "the answer was lost: if the server had opened the secret, its content is lost too", Cause: cause}
}
