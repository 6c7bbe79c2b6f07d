package people

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
	"hush/client/protocols"
	"hush/cmd/hush/people/profile"
)

// connector decides which server a command calls and as whom, and makes the client for
// it. It goes by the flags --profile, --server, --protocol, --ca-file and --timeout, the
// variables HUSH_PROFILE, HUSH_SERVER, HUSH_PROTOCOL and HUSH_TOKEN, and the profiles.
//
// A flag counts before a variable, and a variable before the current profile. A
// token goes to one server only: that of a profile to the server of that profile,
// and HUSH_TOKEN to the server of HUSH_SERVER or HUSH_PROFILE. If neither is set,
// HUSH_TOKEN goes to the server of the profile in use if that has no token of its
// own, and to the one that the user names when asked. A flag or a link never chooses
// who gets HUSH_TOKEN.
//
// A server is taken for Hush unless a profile, --protocol or HUSH_PROTOCOL says
// otherwise. One of which nothing says what it speaks is asked first, without a token:
// if it is not Hush, it is used after an explicit yes only.
type connector struct {
	console  *console.Console
	command  *cobra.Command
	profiles *profile.Store
	serverOptions

	caFile  string
	timeout time.Duration
	warned  map[string]bool // by the servers that were warned of
	line    progressLine
}

// serverFlagGroup is the title of the flags of a connector in help.
const serverFlagGroup = "Server"

// addServerFlags gives a command the flags of a connector.
func addServerFlags(c *cobra.Command, on *console.Console, environment []string) *connector {
	x := addProfileFlag(c, on, environment)
	x.addFlag("server", command.VariableServer, flags.Text(&x.server, "", "base `URL` of the server, as in https://hush.example"))
	x.addFlag("protocol", command.VariableProtocol, flags.Text(&x.protocol, "", "`protocol` that the server speaks, hush, v2 or v1; only hush encrypts on this device"))
	x.addFlag("ca-file", "", flags.Text(&x.caFile, "", "PEM `file` with certificates to trust besides those of the system"))
	x.addFlag("timeout", "", flags.Wait(&x.timeout, "`time` that a call may take in all; 0s ends one that stands still"))
	_ = c.RegisterFlagCompletionFunc("protocol", cobra.FixedCompletions(protocolNames(), cobra.ShellCompDirectiveNoFileComp))
	return x
}

// addProfileFlag gives a command that calls no server the flag --profile alone.
func addProfileFlag(c *cobra.Command, on *console.Console, environment []string) *connector {
	x := &connector{console: on, command: c, profiles: profile.Open(environment, on), serverOptions: serverOptions{environment: environment}}
	command.MarkClient(c)
	x.addFlag("profile", command.VariableProfile, flags.Text(&x.profile, "", "`name` of the profile to use; see \"hush profile\""))
	_ = c.RegisterFlagCompletionFunc("profile", x.completeProfiles)
	return x
}

// addFlag adds a flag of the connector. One without a variable has none.
func (x *connector) addFlag(name, variable string, define flags.Define) {
	define(x.command.Flags(), name)
	f := x.command.Flags().Lookup(name)
	command.MarkSetting(f, serverFlagGroup, variable)
	if name != "server" && name != "profile" {
		command.MarkDetail(f)
	}
	if variable != "" && variable != command.VariableProtocol { // see command.CheckClientVariables
		command.MarkNotEmpty(f)
	}
}

// completeProfiles completes the name of a profile.
func (x *connector) completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return x.profiles.Complete(), cobra.ShellCompDirectiveNoFileComp
}

// connect returns a client of the chosen server, with the credentials of its
// profile. Without any choice it asks on a terminal which server to use, once, and
// keeps the answer as a profile; elsewhere it returns a usage error that says how
// to choose. A v1 or v2 server is used only if the profile or --protocol says so,
// or after an explicit yes on a terminal, which the profile keeps.
func (x *connector) connect(ctx context.Context) (*client.Client, error) {
	target, err := x.settledTarget(ctx)
	if err != nil {
		return nil, err
	}
	return x.newClient(ctx, target)
}

// settledTarget is target with the protocol that the server speaks, where the user chose none
// and the server is not Hush: see detectProtocol. Hush is asked once for what it tells every
// caller, and gets no token with that.
func (x *connector) settledTarget(ctx context.Context) (serverTarget, error) {
	target, err := x.target(ctx)
	if err != nil || target.decided {
		return target, err
	}
	c, err := x.newClient(ctx, serverTarget{server: target.server, caFile: target.caFile})
	if err != nil {
		return serverTarget{}, err
	}
	switch _, err = c.Policy(ctx); {
	case err != nil && ctx.Err() != nil:
		return serverTarget{}, console.ErrInterrupted
	case client.KindOf(err) == client.KindNetwork || errors.Is(err, client.ErrScheme):
		return serverTarget{}, withExitCode(err)
	case client.KindOf(err) != client.KindProtocol:
		return target, nil // the command's own calls tell of other errors
	}
	if target.protocol, err = x.detectProtocol(ctx, target.server); err != nil {
		return serverTarget{}, err
	}
	if target.tokenFrom == command.VariableToken {
		x.setVariableToken(&target, x.variable(command.VariableToken))
	}
	return target, nil
}

// connectToLink returns a client of the server of a link, to open it. Against Hush it
// has no credentials, which opening does not need; against the v1 or v2 server of
// a profile it has those of the profile.
func (x *connector) connectToLink(ctx context.Context, link client.Link) (*client.Client, error) {
	profiles, err := x.profiles.Load()
	if err != nil {
		return nil, err
	}
	target, err := x.targetOf(ctx, profiles, link.Server, link.Foreign)
	if err == nil && target.protocol != client.ProtocolHush {
		err = x.authenticate(ctx, profiles, &target)
	}
	if err != nil {
		return nil, err
	}
	return x.newClient(ctx, target)
}

// connectToReceipt returns a client for the server of a receipt. Where the receipt
// is a bare key it is that of connect. It has the credentials of a profile for the
// same server only.
func (x *connector) connectToReceipt(ctx context.Context, receipt client.ReceiptLink) (*client.Client, error) {
	if receipt.Server == "" {
		return x.connect(ctx)
	}
	profiles, err := x.profiles.Load()
	if err != nil {
		return nil, err
	}
	target, err := x.targetOf(ctx, profiles, receipt.Server, receipt.Foreign)
	if err == nil {
		err = x.authenticate(ctx, profiles, &target)
	}
	if err != nil {
		return nil, err
	}
	return x.newClient(ctx, target)
}

// newClient returns a client of a server. Its error is one of withExitCode. It warns of a server
// that is on another machine and has no TLS.
func (x *connector) newClient(ctx context.Context, target serverTarget) (*client.Client, error) {
	http, err := x.newHTTPClient(ctx, target.caFile)
	if err != nil {
		return nil, err
	}
	x.warnWithoutTLS(target.server)
	c, err := protocols.New(target.server, client.Options{
		Protocol: target.protocol, Token: target.token, Username: target.username,
		HTTP: http, UserAgent: "hush/" + command.Version(x.command), Notice: x.tellRetry, Progress: x.showProgress,
	})
	return c, withExitCode(err)
}

// warnWithoutTLS says, once for each server, that http:// protects nothing.
func (x *connector) warnWithoutTLS(server string) {
	base, err := client.ParseServer(server)
	if err != nil || base.Scheme != "http" || client.IsThisMachine(base.Hostname()) || x.warned[server] {
		return
	}
	if x.warned == nil {
		x.warned = map[string]bool{}
	}
	x.warned[server] = true
	x.console.Tellf("%s has no https: everyone on the way to it can read and change tokens, receipts and what the server encrypts", server)
}

// tellRetry says why a call is repeated.
func (x *connector) tellRetry(err error, wait time.Duration) {
	x.showProgress(client.Progress{})
	if wait = roundedPause(wait); wait > 0 {
		x.console.Tellf("%v; trying again in %s", err, wait)
		return
	}
	x.console.Tellf("%v; trying again", err)
}
