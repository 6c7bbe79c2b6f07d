package people

import (
	"strings"

	"hush/cli/command"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// serverOptions are what the flags and the variables of a command say.
type serverOptions struct {
	environment               []string
	profile, server, protocol string
}

// namedServer is a server that a pair of flags or variables names.
type namedServer struct {
	server  string
	profile *profile.Profile
}

// chosen returns the server of the flags, else that of the variables, else that of
// the current profile.
func (w *serverOptions) chosen(profiles *profile.Profiles) (namedServer, error) {
	byFlags, err := lookUpServer(profiles, "--server", w.server, "--profile", w.profile)
	if err != nil || byFlags.server != "" {
		return byFlags, err
	}
	byVariables, err := w.byVariables(profiles)
	if err != nil || byVariables.server != "" {
		return byVariables, err
	}
	if current, ok := profiles.Find(profiles.Current); ok {
		return namedServer{server: current.Server, profile: &current}, nil
	}
	return namedServer{}, nil
}

// byVariables returns the server that HUSH_SERVER or HUSH_PROFILE names.
func (w *serverOptions) byVariables(profiles *profile.Profiles) (namedServer, error) {
	return lookUpServer(profiles, command.VariableServer, w.variable(command.VariableServer), command.VariableProfile, w.variable(command.VariableProfile))
}

// lookUpServer returns the server that two texts name, a base URL and the name of a
// profile, either of which may be empty. Together they must name the same.
func lookUpServer(profiles *profile.Profiles, serverFrom, server, profileFrom, name string) (namedServer, error) {
	var found namedServer
	if server != "" {
		base, err := client.ParseServer(server)
		if err != nil {
			return namedServer{}, command.Usage("%s: %v", serverFrom, err)
		}
		found.server = base.String()
	}
	if name != "" {
		one, err := profiles.Get(name)
		if err != nil {
			return namedServer{}, err
		}
		if found.server != "" && !profile.SameServer(found.server, one.Server) {
			return namedServer{}, command.Usage("%s is %s, and the profile %s of %s is for %s: choose one of them", serverFrom, found.server, name, profileFrom, one.Server)
		}
		found = namedServer{server: one.Server, profile: &one}
	}
	return found, nil
}

// describe adds the profile of a server and the protocol that it speaks.
func (w *serverOptions) describe(profiles *profile.Profiles, chosen namedServer) (serverTarget, error) {
	target := serverTarget{server: chosen.server}
	one, err := w.profileOf(profiles, chosen)
	if err != nil {
		return serverTarget{}, err
	}
	if one != nil {
		target.profile, target.protocol, target.username, target.caFile, target.decided = one.Name, one.Protocol, one.Username, one.CAFile, true
	}
	return target, w.setProtocol(&target, profiles)
}

// profileOf returns the profile of a server; nil for none. If several are for it,
// the one of the flags or variables counts, and then the current one.
func (w *serverOptions) profileOf(profiles *profile.Profiles, chosen namedServer) (*profile.Profile, error) {
	if chosen.profile != nil {
		return chosen.profile, nil
	}
	found := profiles.OfServer(chosen.server)
	if byVariable, ok := profiles.Find(w.variable(command.VariableProfile)); ok && profile.SameServer(byVariable.Server, chosen.server) {
		return &byVariable, nil
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) == 1 || found[0].Name == profiles.Current:
		return &found[0], nil
	}
	names := make([]string, len(found))
	for i, one := range found {
		names[i] = one.Name
	}
	return nil, command.Usage("the profiles %s are for %s: choose one with --profile", strings.Join(names, " and "), chosen.server)
}

// setProtocol sets the protocol of the flag, or of the variable unless the variables
// name another server.
func (w *serverOptions) setProtocol(target *serverTarget, profiles *profile.Profiles) error {
	text, from := w.protocol, "--protocol"
	if text == "" && w.variablesFit(profiles, target.server) {
		text, from = w.variable(command.VariableProtocol), command.VariableProtocol
	}
	if text == "" {
		return nil
	}
	protocol, ok := client.ParseProtocol(text)
	if !ok {
		return command.Usage("%s must be one of %s", from, strings.Join(protocolNames(), ", "))
	}
	target.protocol, target.decided = protocol, true
	return nil
}

// variablesFit reports whether the variables name a server or none at all. Flags may
// have overruled them, so that it is no mistake here if they name no profile.
func (w *serverOptions) variablesFit(profiles *profile.Profiles, server string) bool {
	byVariables, err := w.byVariables(profiles)
	return err == nil && (byVariables.server == "" || profile.SameServer(byVariables.server, server))
}

// setVariableToken sets the token of HUSH_TOKEN. For v1 and v2 it may stand behind the
// address of its account, as in you@example.com:TOKEN, since they need both.
func (w *serverOptions) setVariableToken(target *serverTarget, token string) {
	address, rest, ok := strings.Cut(token, ":")
	if ok && target.protocol != client.ProtocolHush && strings.Contains(address, "@") {
		target.username, token = address, rest
	}
	target.token, target.tokenFrom = client.Hide(token), command.VariableToken
}

// tokenFits reports whether HUSH_TOKEN is for a server: the one that the variables
// name, or, if they name none and no flag names one, that of the profile in use
// unless it has a token of its own.
func (w *serverOptions) tokenFits(profiles *profile.Profiles, server string) bool {
	if variablesNameServer(w) {
		owner, err := w.byVariables(profiles)
		return err == nil && profile.SameServer(owner.server, server)
	}
	current, ok := profiles.Find(profiles.Current)
	byFlag := w.server != "" || w.profile != ""
	return ok && !byFlag && current.Token == profile.PlaceNone && profile.SameServer(current.Server, server)
}

// variablesNameServer reports whether HUSH_SERVER or HUSH_PROFILE is set.
func variablesNameServer(w *serverOptions) bool {
	return w.variable(command.VariableServer) != "" || w.variable(command.VariableProfile) != ""
}

// variable returns the value of a variable; empty if it is not set.
func (w *serverOptions) variable(name string) (value string) {
	for _, entry := range w.environment {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = strings.TrimSpace(text)
		}
	}
	return value
}

// givenServer is what the flags of a command say, or the variables where no flag names a
// server or a profile. Each may be empty.
type givenServer struct {
	server, profile string
	// protocol is nil if it is not given.
	protocol *client.Protocol
}

// given returns what the flags and variables say, for a command that makes a
// profile of it: neither need be known yet.
func (w *serverOptions) given() (givenServer, error) {
	g := givenServer{server: w.server, profile: w.profile}
	byFlags := g.server != "" || g.profile != ""
	if !byFlags {
		g.server, g.profile = w.variable(command.VariableServer), w.variable(command.VariableProfile)
	}
	if g.server != "" {
		base, err := client.ParseServer(g.server)
		if err != nil {
			return givenServer{}, withExitCode(err)
		}
		g.server = base.String()
	}
	text := w.protocol
	if text == "" && !byFlags {
		text = w.variable(command.VariableProtocol)
	}
	if protocol, ok := client.ParseProtocol(text); ok {
		g.protocol = &protocol
	} else if text != "" {
		return givenServer{}, command.Usage("the protocol must be one of %s", strings.Join(protocolNames(), ", "))
	}
	return g, nil
}
