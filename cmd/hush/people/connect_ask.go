package people

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hush/cli/command"
	"hush/client"
	"hush/client/protocols"
	"hush/cmd/hush/people/profile"
)

// askFirstServer asks which server to use, and keeps the answer as a profile. It is the
// first use: later commands find the profile.
func (x *connector) askFirstServer(ctx context.Context) (serverTarget, error) {
	if !x.console.CanAsk() {
		return serverTarget{}, command.Usage("no server is chosen: run \"hush login\", or set %s", command.VariableServer)
	}
	answer, err := x.askServer(ctx)
	if err != nil {
		return serverTarget{}, err
	}
	target := serverTarget{server: answer}
	err = x.setProtocol(&target, &profile.Profiles{})
	if err == nil && !target.decided {
		target.protocol, err = x.detectProtocol(ctx, answer)
	}
	if err != nil {
		return serverTarget{}, err
	}
	one := profile.Profile{Name: profile.Default, Server: target.server, Protocol: target.protocol}
	if one.CAFile, err = x.absoluteCAFile(); err != nil {
		return serverTarget{}, err
	}
	if _, err := x.profiles.Put(ctx, one, client.Text{}); err != nil {
		return serverTarget{}, err
	}
	x.console.Tellf("%s is the profile %s now; \"hush login\" stores an API token for it", target.server, one.Name)
	target.profile, target.caFile, target.decided = one.Name, one.CAFile, true
	return target, nil
}

// askServer asks which server to use, and returns its base URL.
func (x *connector) askServer(ctx context.Context) (string, error) {
	answer, err := x.console.Ask(ctx, "Which server, as in https://hush.example: ")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(answer) == "" {
		return "", command.Usage("no server is chosen")
	}
	base, err := client.ParseServer(answer)
	if err != nil {
		return "", withExitCode(err)
	}
	return base.String(), nil
}

// detectProtocol returns the protocol to use with a server that no profile has: the one
// that it speaks. If that is not Hush, it asks for an explicit yes, and returns a
// usage error where it cannot ask.
func (x *connector) detectProtocol(ctx context.Context, server string) (client.Protocol, error) {
	return x.detectAndConfirm(ctx, server, "It sees the text and the passphrase of every secret. If its answer to opening one is lost on the way, so is the secret.")
}

// detectLinkProtocol is detectProtocol for the link of a secret.
func (x *connector) detectLinkProtocol(ctx context.Context, server string) (client.Protocol, error) {
	return x.detectAndConfirm(ctx, server, "It sees the text and the passphrase. If its answer is lost on the way, so is the secret.")
}

func (x *connector) detectAndConfirm(ctx context.Context, server, consequence string) (client.Protocol, error) {
	http, err := x.newHTTPClient(ctx, "")
	if err != nil {
		return 0, err
	}
	found, err := protocols.Detect(ctx, server, http)
	if errors.Is(err, client.ErrUnsupported) {
		return 0, &command.ExitError{Code: command.ExitUsage, Cause: fmt.Errorf("%s: %w; is the address right, with the path if the server is below one?", server, err)}
	}
	if err != nil || found.Protocol == client.ProtocolHush {
		return found.Protocol, withExitCode(err)
	}
	return found.Protocol, x.confirmProtocol(ctx, server, found.Protocol, consequence)
}

// confirmProtocol asks for the yes to a server that is not Hush.
func (x *connector) confirmProtocol(ctx context.Context, server string, protocol client.Protocol, consequence string) error {
	finding := fmt.Sprintf("%s is not Hush: it speaks the Onetime Secret interface %s", server, protocol)
	if !x.console.CanAsk() {
		return command.Usage("%s, and sees every text; add --protocol %s to use it nevertheless", finding, protocol)
	}
	x.console.Tellf("%s. %s", finding, consequence)
	yes, err := x.console.Confirm(ctx, "Use it?")
	if err == nil && !yes {
		err = &command.ExitError{Code: command.ExitFailure, Cause: fmt.Errorf("%s is not used, since the answer was not yes", server)}
	}
	return err
}
