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
	"hush/cmd/hush/people/profile"
)

// Choice is which server a command calls: the flags --profile, --server,
// --protocol, --ca-file and --timeout, the variables HUSH_PROFILE, HUSH_SERVER,
// HUSH_PROTOCOL and HUSH_TOKEN, and the profiles.
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
type Choice struct {
	console *console.Console
	command *cobra.Command
	store   *profile.Store
	wishes

	caFile  string
	timeout time.Duration
	warned  map[string]bool // by the servers that were warned of
	line    progressLine
}

// flagGroup is the title of the flags of a Choice in help.
const flagGroup = "Server"

// AddFlags gives a command the flags of a Choice.
func AddFlags(c *cobra.Command, on *console.Console, environment []string) *Choice {
	x := AddProfile(c, on, environment)
	x.addFlag("server", command.VariableServer, flags.Text(&x.server, "", "base `URL` of the server, as in https://hush.example"))
	x.addFlag("protocol", command.VariableProtocol, flags.Text(&x.protocol, "", "`protocol` that the server speaks, hush, v2 or v1; only hush encrypts on this device"))
	x.addFlag("ca-file", "", flags.Text(&x.caFile, "", "PEM `file` with certificates to trust besides those of the system"))
	x.addFlag("timeout", "", flags.Wait(&x.timeout, "`time` that a call may take in all; 0s ends one that stands still"))
	_ = c.RegisterFlagCompletionFunc("protocol", cobra.FixedCompletions(protocolNames(), cobra.ShellCompDirectiveNoFileComp))
	return x
}

// AddProfile gives a command that calls no server the flag --profile alone.
func AddProfile(c *cobra.Command, on *console.Console, environment []string) *Choice {
	x := &Choice{console: on, command: c, store: profile.Open(environment, on), wishes: wishes{environment: environment}}
	command.MarkClient(c)
	x.addFlag("profile", command.VariableProfile, flags.Text(&x.profile, "", "`name` of the profile to use; see \"hush profile\""))
	_ = c.RegisterFlagCompletionFunc("profile", x.completeProfiles)
	return x
}

// addFlag adds a flag of the Choice. One without a variable has none.
func (x *Choice) addFlag(name, variable string, define flags.Define) {
	define(x.command.Flags(), name)
	f := x.command.Flags().Lookup(name)
	command.MarkSetting(f, flagGroup, variable)
	if variable != "" && variable != command.VariableProtocol { // see command.CheckClientVariables
		command.MarkNotEmpty(f)
	}
}

// completeProfiles completes the name of a profile.
func (x *Choice) completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return x.store.Complete(), cobra.ShellCompDirectiveNoFileComp
}

// Store returns the profiles of the user.
func (x *Choice) Store() *profile.Store { return x.store }

// Connect returns a client of the chosen server, with the credentials of its
// profile. Without any choice it asks on a terminal which server to use, once, and
// keeps the answer as a profile; elsewhere it returns a usage error that says how
// to choose. A v1 or v2 server is used only if the profile or --protocol says so,
// or after an explicit yes on a terminal, which the profile keeps.
func (x *Choice) Connect(ctx context.Context) (*client.Client, error) {
	target, err := x.Settled(ctx)
	if err != nil {
		return nil, err
	}
	return x.Client(ctx, target)
}

// Settled is Target with the protocol that the server speaks, where the user chose none
// and the server is not Hush: see Settle. Hush is asked once for what it tells every
// caller, and gets no token with that.
func (x *Choice) Settled(ctx context.Context) (Target, error) {
	target, err := x.Target(ctx)
	if err != nil || target.decided {
		return target, err
	}
	c, err := x.Client(ctx, Target{Server: target.Server, CAFile: target.CAFile})
	if err != nil {
		return Target{}, err
	}
	switch _, err = c.Policy(ctx); {
	case err != nil && ctx.Err() != nil:
		return Target{}, console.ErrInterrupted
	case client.KindOf(err) == client.KindNetwork || errors.Is(err, client.ErrScheme):
		return Target{}, Fail(err)
	case client.KindOf(err) != client.KindProtocol:
		return target, nil // the command's own calls tell of other errors
	}
	if target.Protocol, err = x.Settle(ctx, target.Server); err != nil {
		return Target{}, err
	}
	if target.TokenFrom == command.VariableToken {
		x.setVariableToken(&target, x.variable(command.VariableToken))
	}
	return target, nil
}

// ConnectTo returns a client of the server of a link, to open it. Against Hush it
// has no credentials, which opening does not need; against the v1 or v2 server of
// a profile it has those of the profile.
func (x *Choice) ConnectTo(ctx context.Context, link client.Link) (*client.Client, error) {
	profiles, err := x.store.Load()
	if err != nil {
		return nil, err
	}
	target, err := x.targetOf(ctx, profiles, link.Server, link.Foreign)
	if err == nil && target.Protocol != client.ProtocolHush {
		err = x.authenticate(ctx, profiles, &target)
	}
	if err != nil {
		return nil, err
	}
	return x.Client(ctx, target)
}

// ConnectToReceipt returns a client for the server of a receipt. Where the receipt
// is a bare key it is that of Connect. It has the credentials of a profile for the
// same server only.
func (x *Choice) ConnectToReceipt(ctx context.Context, receipt client.ReceiptLink) (*client.Client, error) {
	if receipt.Server == "" {
		return x.Connect(ctx)
	}
	profiles, err := x.store.Load()
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
	return x.Client(ctx, target)
}

// Client returns a client of a server. Its error is one of Fail. It warns of a server
// that is on another machine and has no TLS.
func (x *Choice) Client(ctx context.Context, target Target) (*client.Client, error) {
	http, err := x.HTTP(ctx, target.CAFile)
	if err != nil {
		return nil, err
	}
	x.warnOf(target.Server)
	c, err := client.New(target.Server, client.Options{
		Protocol: target.Protocol, Token: target.Token, Username: target.Username,
		HTTP: http, UserAgent: "hush/" + command.Version(x.command), Notice: x.notice, Progress: x.progress,
	})
	return c, Fail(err)
}

// warnOf says, once for each server, that http:// protects nothing.
func (x *Choice) warnOf(server string) {
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

// notice says why a call is repeated.
func (x *Choice) notice(err error, wait time.Duration) {
	x.progress(client.Progress{})
	if wait = rounded(wait); wait > 0 {
		x.console.Tellf("%v; trying again in %s", err, wait)
		return
	}
	x.console.Tellf("%v; trying again", err)
}
