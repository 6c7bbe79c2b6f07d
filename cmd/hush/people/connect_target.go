package people

import (
	"context"
	"fmt"
	"strings"

	"hush/cli/command"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// Target is a server that a command calls, and as whom.
type Target struct {
	Server   string
	Protocol client.Protocol
	Username string
	Token    client.Text
	// Profile is the name of the profile of the server; empty for none.
	Profile string
	// TokenFrom says where the token comes from: "keyring", "file", "HUSH_TOKEN", or
	// empty for none.
	TokenFrom string
	// CAFile is the file of certificates that the profile has; empty for none.
	CAFile string
	// decided reports whether the user chose the protocol, by a profile, a flag or a
	// variable. Otherwise it is Hush.
	decided bool
}

// protocolNames are the words that --protocol takes.
func protocolNames() []string {
	return []string{client.ProtocolHush.String(), client.ProtocolV2.String(), client.ProtocolV1.String()}
}

// Target returns the server that the command calls where no link names another.
func (x *Choice) Target(ctx context.Context) (Target, error) {
	profiles, err := x.store.Load()
	if err != nil {
		return Target{}, err
	}
	chosen, err := x.chosen(profiles)
	if err != nil {
		return Target{}, err
	}
	if chosen.server == "" {
		return x.firstTarget(ctx, profiles)
	}
	target, err := x.describe(profiles, chosen)
	if err == nil {
		err = x.authenticate(ctx, profiles, &target)
	}
	if err != nil || x.variable(command.VariableToken) == "" || target.TokenFrom == command.VariableToken {
		return target, err
	}
	why := unsent(&x.wishes, target.Server)
	if target.TokenFrom == "" {
		return Target{}, command.Usage("%s, and there is no other token for it: unset %s to go on without an account", why, command.VariableToken)
	}
	x.console.Tellf("%s", why)
	return target, nil
}

// unsent says why a server does not get HUSH_TOKEN.
func unsent(w *wishes, server string) string {
	if nameServer(w) {
		return fmt.Sprintf("%s is for another server, and is not sent to %s", command.VariableToken, server)
	}
	return fmt.Sprintf("%s is not sent to %s: %s or %s must say that it is for this server",
		command.VariableToken, server, command.VariableServer, command.VariableProfile)
}

// UsesTokenVariable reports whether commands without flags send HUSH_TOKEN to the
// server of a profile.
func UsesTokenVariable(x *Choice, one profile.Profile) bool {
	profiles, err := x.store.Load()
	unflagged := wishes{environment: x.environment}
	return err == nil && x.variable(command.VariableToken) != "" && unflagged.tokenFits(profiles, one.Server)
}

// firstTarget returns the server that the user names when asked, which gets
// HUSH_TOKEN: no flag and no profile names another.
func (x *Choice) firstTarget(ctx context.Context, profiles *profile.Profiles) (Target, error) {
	if len(profiles.All) > 0 {
		return Target{}, command.Usage("no profile is in use; there are: %s: choose one with \"hush profile use NAME\", or with --profile", strings.Join(profiles.Names(), ", "))
	}
	target, err := x.askServer(ctx)
	if token := x.variable(command.VariableToken); err == nil && token != "" {
		x.setVariableToken(&target, token)
	}
	return target, err
}

// targetOf returns the server of a link, without credentials. Links that only Hush
// has are never taken for those of another protocol; for others a server that no
// profile has is asked what it speaks.
func (x *Choice) targetOf(ctx context.Context, profiles *profile.Profiles, server string, foreign bool) (Target, error) {
	byFlags, err := lookUpServer(profiles, "--server", x.server, "--profile", x.profile)
	if err != nil {
		return Target{}, err
	}
	if byFlags.server != "" && !profile.SameServer(byFlags.server, server) {
		return Target{}, command.Usage("the link is of %s, and not of %s: leave out --server and --profile", server, byFlags.server)
	}
	target, err := x.describe(profiles, namedServer{server: server, profile: byFlags.profile})
	switch {
	case err != nil:
	case !foreign:
		target.Protocol = client.ProtocolHush
	case !target.decided:
		target.Protocol, err = x.settleLink(ctx, server)
	}
	return target, err
}

// authenticate adds the token for the server: HUSH_TOKEN if it is for that server,
// else that of its profile.
func (x *Choice) authenticate(ctx context.Context, profiles *profile.Profiles, target *Target) error {
	if token := x.variable(command.VariableToken); token != "" && x.tokenFits(profiles, target.Server) {
		x.setVariableToken(target, token)
		return nil
	}
	one, ok := profiles.Find(target.Profile)
	if !ok || one.Token == profile.PlaceNone {
		return nil
	}
	token, err := x.store.Token(ctx, one)
	if err != nil {
		return err
	}
	target.Token, target.TokenFrom = token, string(one.Token)
	return nil
}

// ChosenProfile returns the profile that the flags, the variables or the user chose.
func (x *Choice) ChosenProfile() (profile.Profile, error) {
	profiles, err := x.store.Load()
	if err != nil {
		return profile.Profile{}, err
	}
	chosen, err := x.chosen(profiles)
	if err != nil {
		return profile.Profile{}, err
	}
	one, err := x.profileOf(profiles, chosen)
	if err == nil && one == nil {
		err = command.Usage("no profile is in use: name one with --profile")
	}
	if err != nil {
		return profile.Profile{}, err
	}
	return *one, nil
}
