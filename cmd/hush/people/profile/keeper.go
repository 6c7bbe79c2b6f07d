package profile

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"

	"hush/client"
)

// tokenKeeper keeps tokens by the name of a profile and the base URL of its server.
// keep replaces a token. get returns the empty Text where there is none. forget
// succeeds where there is none.
type tokenKeeper interface {
	get(ctx context.Context, name, server string) (client.Text, error)
	keep(ctx context.Context, name, server string, token client.Text) error
	forget(ctx context.Context, name, server string) error
}

// service is the name of the program in the keyring.
const service = "hush"

// keyringTime is how long the keyring may take: on a system where it is only half
// there, it never answers.
const keyringTime = 3 * time.Second

var (
	errNoKeyring   = errors.New("this system has no keyring")
	errSlowKeyring = fmt.Errorf("it does not answer within %s, and may be locked", keyringTime)
)

// systemKeyring is the tokenKeeper of the system's keyring.
type systemKeyring struct{ absent bool }

// newSystemKeyring returns the keyring of an environment. Without a session bus there is
// none: the library would start one, and what it keeps would end with it.
func newSystemKeyring(environment []string) *systemKeyring {
	return &systemKeyring{absent: runtime.GOOS != "darwin" && lookup(environment, "DBUS_SESSION_BUS_ADDRESS") == ""}
}

func (k *systemKeyring) get(ctx context.Context, name, server string) (token client.Text, err error) {
	found, err := k.call(ctx, func() (string, error) { return keyring.Get(service, keyOf(name, server)) })
	return client.Hide(found), err
}

func (k *systemKeyring) keep(ctx context.Context, name, server string, token client.Text) error {
	_, err := k.call(ctx, func() (string, error) {
		return "", keyring.Set(service, keyOf(name, server), token.Expose())
	})
	return err
}

func (k *systemKeyring) forget(ctx context.Context, name, server string) error {
	_, err := k.call(ctx, func() (string, error) { return "", keyring.Delete(service, keyOf(name, server)) })
	return err
}

// keyOf is the name of a token in the keyring. The server is part of it, so that
// the token is not found for another.
func keyOf(name, server string) string { return name + " " + server }

// call calls the keyring and waits for it, but not for long. The library takes no
// context: what it began goes on until the program ends.
func (k *systemKeyring) call(ctx context.Context, do func() (string, error)) (string, error) {
	if k.absent {
		return "", errNoKeyring
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := do()
		done <- result{text, err}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, keyringTime, errSlowKeyring)
	defer cancel()
	select {
	case r := <-done:
		if errors.Is(r.err, keyring.ErrNotFound) {
			return "", nil
		}
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
