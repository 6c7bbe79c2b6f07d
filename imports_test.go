package hush_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const module = "hush"

// floors has each package of this module, and of the module of its tools, once, from the
// roof to the ground. A package may import what stands on a lower floor, and on an ordered
// floor what comes after it. Names are paths below the root; "x/..." is x and everything
// below it, and counts as one package. A package that no floor names is an error, and so
// is a name without a package.
//
// So a reader of a package needs to know only what is below it: what is under the vault
// works without a vault, and what is under the routes without the legacy versions.
var floors = []floor{
	{name: "tools", packages: tools},
	{name: "test kits", ordered: true, packages: kits},
	{name: "program", ordered: true, packages: []string{"cmd/hush", "cmd/hush/program"}},
	{name: "commands", packages: slices.Concat(operatorCommands, peopleCommands)},
	{name: "what people's commands keep on the disk", packages: peopleKeep},
	{name: "client", ordered: true, packages: clientPackages},
	{name: "server", ordered: true, packages: []string{"server", "server/datafolder", "server/settings", "server/process"}},
	{name: "command line", ordered: true, packages: []string{"cli/command", "cli/console", "cli/flags"}},
	{name: "routes", ordered: true, packages: routesPackages},
	{name: "handlers", ordered: true, packages: []string{"handlers", "handlers/chain"}},
	{name: "vault", ordered: true, packages: vaultPackages},
	{name: "around the vault", packages: aroundVault},
	{name: "stopped folders", packages: []string{"storage/bolt/offline"}},
	{name: "stores", packages: []string{"storage/bolt", "storage/blobfile", "storage/memory", "storage/postgres", "storage/spentlog"}},
	{name: "what stores are made of", ordered: true, packages: []string{"storage/sharefile", "storage/bolt/pages", "storage/disk", "storage"}},
	{name: "keys", ordered: true, packages: []string{"seal/request", "seal/endtoend", "seal/chunked", "seal"}},
	{name: "ground", packages: []string{"crash", "gen/...", "hosts", "locale"}},
}

// clientPackages is the order of the client: what its users choose from, the protocols,
// what both need, and what every user and every protocol speaks of.
var clientPackages = []string{"client/protocols", "client/hush", "client/onetime", "client/attempt", "client"}

// routesPackages is the order of the routes: what serves, what is served, and what both
// need.
var routesPackages = []string{
	"routes", "routes/pages", "routes/v1", "routes/v2", "routes/version", "routes/call", "routes/params", "routes/refusal",
}

// vaultPackages is the order of the vault; docs/architecture.md says what each is for.
var vaultPackages = []string{
	// The whole store at once.
	"vault/restoration", "vault", "vault/rootkey", "vault/transfer", "vault/doctor", "vault/tables",
	// Secrets.
	"vault/upload", "vault/request", "vault/secret", "vault/claim", "vault/answer", "vault/receipt", "vault/file", "vault/quota", "vault/passphrase",
	// Who has what, and who calls.
	"vault/domain", "vault/session", "vault/signup", "vault/password", "vault/account", "vault/ticket", "vault/feedback", "vault/credential", "vault/watch", "vault/challenge",
	// What secrets and accounts need.
	"vault/outbox", "vault/budget", "vault/place", "vault/shares", "vault/spent", "vault/guess", "vault/fair", "vault/email",
	// What every record needs.
	"vault/exam", "vault/audit", "vault/counter", "vault/sweep", "vault/cluster", "vault/keylist", "vault/rows", "vault/caller", "vault/refusal",
}

var (
	tools = []string{
		"tools/hush/load", "tools/hush/openapi", "tools/hush/postgres", "tools/hush/powerloss", "tools/hush/release",
		"tools/hush/testreport", "tools/hush/trip",
	}
	operatorCommands = []string{"cmd/hush/admin"}
	peopleCommands   = []string{"cmd/hush/people"}
	peopleKeep       = []string{"cmd/hush/people/pending", "cmd/hush/people/profile"}
	aroundVault      = []string{"backup", "server/certificates", "server/connections", "mail", "server/metrics", "openapi", "resolver", "web"}
	// kits are for tests. A kit may import whatever it serves, so the nevers are not about them.
	kits = []string{
		"server/booted", "server/kills", "server/proxies", "server/servertest", "client/clienttest", "routes/apitest",
		"vault/vaulttest", "vault/recordtest", "vault/faulttest", "storage/storagetest", "storage/bolt/bolttest", "storage/disktest", "storage/postgres/postgrestest",
		"server/certificates/acmetest", "resolver/resolvertest", "mail/mailtest", "client/otstest", "routes/routestest", "openapi/recorded", "testtier/docs", "testtier/property", "testtier",
	}
)

// nevers are the imports that a floor would allow and that must not be. "..." is every
// package.
var nevers = []never{
	{
		from: []string{"vault/...", "storage/...", "seal", "seal/chunked"},
		to:   []string{"gen/...", "seal/endtoend", "seal/request"},
		why:  "what is decided and what is stored must not change with the wire format",
	},
	{
		from: []string{"storage/..."}, to: []string{"seal/..."},
		why: "a store keeps bytes that are sealed already, and never holds a key",
	},
	{
		from: []string{"storage/blobfile", "storage/memory", "storage/postgres", "storage/spentlog"}, to: []string{"storage/bolt/...", "storage/sharefile"},
		why: "each store can be read, changed and removed without another",
	},
	{
		from: []string{"vault/..."}, to: slices.Concat(aroundVault, []string{"locale"}),
		why: "the vault decides; what speaks to people, networks and machines is handed to it as an interface",
	},
	{
		from: []string{"routes/..."}, to: []string{"vault/...", "storage/...", "seal/..."},
		why: "a legacy route calls an RPC through handlers and chain, so that there is no second door with rules of its own",
	},
	{
		from: []string{"routes/pages", "routes/v1"}, to: []string{"routes/v1", "routes/v2"},
		why: "the pages and each version can be read, changed and removed without the others",
	},
	{
		from: []string{"handlers/..."}, to: []string{"storage/...", "seal/..."},
		why: "a service translates; the rules about records and keys are the vault's",
	},
	{
		from: []string{"handlers/chain"},
		to:   []string{"vault", "vault/secret", "vault/receipt", "vault/claim", "vault/shares", "vault/outbox", "vault/feedback", "vault/rootkey"},
		why:  "the chain decides who may call, for all services alike, and knows none of them",
	},
	{
		from: []string{"..."}, except: []string{"server"}, to: []string{"server/metrics"},
		why: "each layer reports to an interface of its own, and the server alone joins them to metrics",
	},
	{
		from: []string{"..."}, except: []string{"server", "server/settings"}, to: []string{"mail"},
		why: "a mail leaves through the outbox, which keeps it until it is sent",
	},
	{
		from: []string{"..."}, except: []string{"cmd/hush/program", "cmd/hush/admin", "tools/hush/trip"}, to: []string{"server"},
		why: "the program starts the service, and \"hush admin config check\" asks it what it would refuse; any other command calls it",
	},
	{
		from: []string{"cmd/hush", "cmd/hush/program"}, to: []string{"vault/...", "storage/..."},
		why: "the program only puts its commands together; server/datafolder opens folders and stores",
	},
	{
		from: slices.Concat(peopleCommands, peopleKeep),
		to:   []string{"server/...", "routes/...", "handlers/...", "vault/...", "storage/..."},
		why:  "people's commands run where no server is, and know it by the client alone",
	},
	{
		from: []string{"client/hush"}, to: []string{"client/onetime"},
		why: "each protocol can be read, changed and removed without the other",
	},
	{
		from: []string{"..."}, except: slices.Concat(peopleCommands, peopleKeep, clientPackages), to: clientPackages,
		why: "the operator's commands work on the folder or its socket; only people call a server by its address",
	},
	{
		from: []string{"..."}, except: []string{"tools/hush/openapi", "tools/hush/postgres"}, to: kits,
		why: "a test kit has short cuts that must not reach a program",
	},
	{
		from: []string{"tools/hush/load"}, to: []string{"routes/...", "handlers/...", "vault/...", "storage/..."},
		why: "the load tool measures a server from outside, as any client meets it",
	},
	{
		from: []string{"tools/hush/powerloss"}, to: []string{"routes/...", "handlers/...", "gen/..."},
		why: "the tool looks at what the vault left on a disk, with no other layer to suspect",
	},
}

// forbidden are examples of imports, each refused by a floor or a never.
var forbidden = []struct{ from, to string }{
	{"vault", "gen/hush/v1"},
	{"vault", "handlers"},
	{"storage", "vault"},
	{"storage", "storage/bolt"},
	{"storage/sharefile", "storage/bolt"},
	{"storage/bolt", "storage/bolt/offline"},
	{"storage/disk", "storage/sharefile"},
	{"storage/bolt", "vault"},
	{"storage/bolt", "storage/postgres"},
	{"storage/postgres", "storage/bolt/pages"},
	{"storage/spentlog", "storage/sharefile"},
	{"storage/blobfile", "storage/bolt"},
	{"storage/blobfile", "storage/sharefile"},
	{"storage/bolt", "seal"},
	{"routes", "vault"},
	{"routes", "storage"},
	{"handlers", "storage"},
	{"handlers", "routes"},
	{"handlers/chain", "handlers"},
	{"handlers/chain", "vault"},
	{"handlers", "vault/vaulttest"},
	{"vault", "locale"},
	{"vault", "mail"},
	{"vault", "resolver"},
	{"locale", "vault"},
	{"mail", "vault"},
	{"server/metrics", "vault"},
	{"handlers/chain", "server/metrics"},
	{"storage/bolt", "server/metrics"},
	{"mail", "mail/mailtest"},
	{"server/certificates", "server/certificates/acmetest"},
	{"server", "server/certificates/acmetest"},
	{"resolver", "vault"},
	{"resolver", "resolver/resolvertest"},
	{"routes", "mail"},
	{"routes/v1", "routes/v2"},
	{"routes/v2", "routes/v1"},
	{"routes/version", "routes/v1"},
	{"routes/pages", "routes/v2"},
	{"routes", "routes/routestest"},
	{"handlers", "mail"},
	{"server", "mail/mailtest"},
	{"server", "cmd/hush/admin"},
	{"cmd/hush/people", "server"},
	{"server/settings", "server/datafolder"},
	{"cli/command", "cmd/hush/admin"},
	{"cmd/hush/people", "vault/secret"},
	{"cmd/hush/admin", "client"},
	{"seal", "storage"},
	{"gen/hush/v1", "vault"},
	{"cmd/hush", "tools/hush/load"},
	{"cmd/hush", "openapi/recorded"},
	{"cmd/hush", "client/otstest"},
	{"client", "client/otstest"},
	{"cmd/hush", "tools/hush/powerloss"},
	{"tools/hush/load", "testtier"},
	{"tools/hush/load", "handlers"},
	{"tools/hush/powerloss", "handlers"},
	{"client", "client/hush"},
	{"client/attempt", "client/onetime"},
	{"client/hush", "client/onetime"},
	{"client/hush", "client/clienttest"},
	{"cmd/hush", "vault/vaulttest"},
	{"cmd/hush", "vault"},
	{"vault", "cmd/hush"},
	{"vault", "server/certificates"},
	{"server/certificates", "vault"},
	{"vault/secret", "vault/doctor"},
	{"vault/receipt", "vault/secret"},
}

func TestImportsGoDown(t *testing.T) {
	readFolders(t)
	packages := modulePackages(t)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		for _, violation := range violations(name, packages[name].Imports) {
			t.Error(violation)
		}
	}
}

func TestFloorsAreThoseOfTheModule(t *testing.T) {
	readFolders(t)
	names := slices.Sorted(maps.Keys(modulePackages(t)))
	for _, fault := range append(misplaced(names), idlePatterns(nevers, names)...) {
		t.Error(fault)
	}
}

// The checks must be able to fail.
func TestForbiddenImportsAreNamed(t *testing.T) {
	for _, edge := range forbidden {
		want := edge.from + " must not import " + edge.to + ": "
		got := violations(edge.from, []string{"fmt", module + "/" + edge.to})
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("violations(%s): got %q, want one that begins with %q", edge.from, got, want)
		}
	}
	for _, rule := range nevers {
		bites := false
		for _, edge := range forbidden {
			bites = bites || refusedByFloor(edge.from, edge.to) == "" && rule.refuses(edge.from, edge.to)
		}
		if !bites {
			t.Errorf("never %q: got no example that the floors allow, want one, or the rule is not needed", rule.why)
		}
	}
}

func TestUnknownPackagesAreNamed(t *testing.T) {
	known := []string{"vault", "gen/hush/v1"}
	for _, unknown := range []string{"utils", "vault/internal", "generated", "server/http"} {
		if got := misplaced([]string{unknown}); !slices.Contains(got, unknown+" stands on no floor") {
			t.Errorf("misplaced(%s): got %q, want it refused as unknown", unknown, got)
		}
		if got := violations("cmd/hush", []string{module + "/" + unknown}); len(got) != 1 {
			t.Errorf("violations(cmd/hush): got %q for an import of %s, want one", got, unknown)
		}
		rules := []never{{from: known, to: []string{"gen/...", unknown + "/..."}, except: []string{unknown}}}
		got, want := idlePatterns(rules, known), []string{
			"a never names " + unknown + "/...: got no such package, want one",
			"a never names " + unknown + ": got no such package, want one",
		}
		if !slices.Equal(got, want) {
			t.Errorf("idlePatterns: got %q, want %q", got, want)
		}
	}
	gone := misplaced(known)
	for _, want := range []string{"floor routes names routes/pages: got 0 packages, want 1 or more", "floor keys names seal: got 0 packages, want 1 or more"} {
		if !slices.Contains(gone, want) {
			t.Errorf("misplaced(%q): got %q, want %q among them", known, gone, want)
		}
	}
}

// floor is a floor of packages.
type floor struct {
	name     string
	packages []string
	ordered  bool // otherwise packages of this floor do not import each other
}

// never is a rule about imports.
type never struct {
	from, to []string
	except   []string // of from
	why      string
}

func (n never) refuses(from, to string) bool {
	return matchesAny(n.from, from) && !matchesAny(n.except, from) && matchesAny(n.to, to) && !matchesAny(kits, from)
}

// violations names what is wrong with the imports of one package, each with its reason.
func violations(from string, imports []string) (found []string) {
	for _, imported := range imports {
		to, ours := strings.CutPrefix(imported, module+"/")
		if !ours {
			continue
		}
		why := refusedByFloor(from, to)
		for _, rule := range nevers {
			if why == "" && rule.refuses(from, to) {
				why = rule.why
			}
		}
		if why != "" {
			found = append(found, fmt.Sprintf("%s must not import %s: %s", from, to, why))
		}
	}
	return found
}

// refusedByFloor returns why the floors do not let from import to, or "".
func refusedByFloor(from, to string) string {
	for _, name := range []string{from, to} {
		if n := len(roomsOf(name)); n != 1 {
			return fmt.Sprintf("%s stands in %d places, want 1", name, n)
		}
	}
	a, b := roomsOf(from)[0], roomsOf(to)[0]
	on := floors[a.floor]
	switch {
	case a.floor < b.floor, a == b, a.floor == b.floor && on.ordered && a.place < b.place:
		return ""
	case a.floor > b.floor:
		return fmt.Sprintf("the floor %q is above the floor %q", floors[b.floor].name, on.name)
	case on.ordered:
		return fmt.Sprintf("it comes first on the floor %q", on.name)
	default:
		return fmt.Sprintf("packages of the floor %q do not import each other", on.name)
	}
}

// room is where a package stands.
type room struct{ floor, place int }

func roomsOf(name string) (rooms []room) {
	for i, f := range floors {
		for j, pattern := range f.packages {
			if matches(pattern, name) {
				rooms = append(rooms, room{i, j})
			}
		}
	}
	return rooms
}

// misplaced names the packages that do not stand in one room, and the rooms without a
// package.
func misplaced(packages []string) (found []string) {
	for _, name := range packages {
		switch n := len(roomsOf(name)); {
		case n == 0:
			found = append(found, name+" stands on no floor")
		case n > 1:
			found = append(found, fmt.Sprintf("%s stands in %d places, want 1", name, n))
		}
	}
	for _, f := range floors {
		for _, pattern := range f.packages {
			if !matchesOne(pattern, packages) {
				found = append(found, fmt.Sprintf("floor %s names %s: got 0 packages, want 1 or more", f.name, pattern))
			}
		}
	}
	return found
}

// idlePatterns names the patterns in rules that match no package.
func idlePatterns(rules []never, packages []string) (found []string) {
	for _, rule := range rules {
		for _, pattern := range slices.Concat(rule.from, rule.to, rule.except) {
			if !matchesOne(pattern, packages) {
				found = append(found, fmt.Sprintf("a never names %s: got no such package, want one", pattern))
			}
		}
	}
	return found
}

func matchesOne(pattern string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) })
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, name) })
}

func matches(pattern, name string) bool {
	below, tree := strings.CutSuffix(pattern, "/...")
	return pattern == "..." || name == below || tree && strings.HasPrefix(name, below+"/")
}
