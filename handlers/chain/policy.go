package chain

import (
	"fmt"
	"maps"
	"regexp"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	hushv1 "hush/gen/hush/v1"
	testnamev1 "hush/gen/testname/v1"
	"hush/vault/caller"
)

// policy is what a method declares about its callers.
type policy struct {
	method protoreflect.MethodDescriptor
	access hushv1.Access
	limit  hushv1.Limit
	scope  caller.Scopes // that a token must have
	// forgeable methods do nothing on behalf of a session.
	forgeable bool
	// anyOrigin methods may be called from pages of any origin.
	anyOrigin bool
}

// policies holds the policy of every procedure. A procedure without one is
// refused.
type policies map[string]policy

// Services returns every service of the public port except health and reflection, in
// the order of the contract.
func Services() []protoreflect.ServiceDescriptor {
	var list []protoreflect.ServiceDescriptor
	for _, file := range []protoreflect.FileDescriptor{
		hushv1.File_hush_v1_secret_service_proto,
		hushv1.File_hush_v1_metadata_service_proto,
		hushv1.File_hush_v1_file_service_proto,
		hushv1.File_hush_v1_request_service_proto,
		hushv1.File_hush_v1_account_service_proto,
		hushv1.File_hush_v1_session_service_proto,
		hushv1.File_hush_v1_domain_service_proto,
		hushv1.File_hush_v1_challenge_service_proto,
		hushv1.File_hush_v1_intake_service_proto,
		hushv1.File_hush_v1_system_service_proto,
		hushv1.File_hush_v1_colonel_service_proto,
		testnamev1.File_testname_v1_testname_proto,
	} {
		for i := range file.Services().Len() {
			list = append(list, file.Services().Get(i))
		}
	}
	return list
}

// readPolicies reads the options of every method of the services. It fails if
// one declares no access, no limit or no scope.
func readPolicies(services []protoreflect.ServiceDescriptor) (policies, error) {
	read := policies{}
	for _, service := range services {
		for i := range service.Methods().Len() {
			method := service.Methods().Get(i)
			p, err := readPolicy(method)
			if err != nil {
				return nil, err
			}
			read[procedureOf(method)] = p
		}
	}
	return read, nil
}

func readPolicy(method protoreflect.MethodDescriptor) (policy, error) {
	options := method.Options()
	p := policy{method: method}
	p.access, _ = proto.GetExtension(options, hushv1.E_Access).(hushv1.Access)
	p.limit, _ = proto.GetExtension(options, hushv1.E_Limit).(hushv1.Limit)
	scope, _ := proto.GetExtension(options, hushv1.E_Scope).(hushv1.Scope)
	p.scope = scopeOf(scope)
	p.forgeable, _ = proto.GetExtension(options, hushv1.E_Forgeable).(bool)
	p.anyOrigin, _ = proto.GetExtension(options, hushv1.E_AnyOrigin).(bool)
	if p.access == hushv1.Access_ACCESS_UNSPECIFIED || p.limit == hushv1.Limit_LIMIT_UNSPECIFIED || scope == hushv1.Scope_SCOPE_UNSPECIFIED {
		return p, fmt.Errorf("%s declares no access, no limit or no scope", method.FullName())
	}
	return p, nil
}

// isPart reports whether a method sends or fetches a part of a file.
func (p policy) isPart() bool { return p.limit == hushv1.Limit_LIMIT_PART }

// scopeOf returns the token scope that a method requires.
func scopeOf(scope hushv1.Scope) caller.Scopes {
	switch scope {
	case hushv1.Scope_SCOPE_ANY:
		return 0
	case hushv1.Scope_SCOPE_CONCEAL:
		return caller.ScopeConceal
	case hushv1.Scope_SCOPE_REVEAL:
		return caller.ScopeReveal
	case hushv1.Scope_SCOPE_METADATA:
		return caller.ScopeMetadata
	case hushv1.Scope_SCOPE_REQUEST:
		return caller.ScopeRequest
	default:
		return caller.ScopeAccount
	}
}

// readingVerbs begin the names of methods that create and change nothing.
var readingVerbs = regexp.MustCompile(`^((Get|List|BatchGet|Find|Watch|Export|Validate)[A-Z]|Authcheck$)`)

// isRead reports whether a method creates and changes nothing, but for noting that
// someone looked: by its option, or by the verb of its name. A verb that is not
// known here changes something.
func isRead(method protoreflect.MethodDescriptor) bool {
	options, _ := method.Options().(*descriptorpb.MethodOptions)
	return options.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS ||
		readingVerbs.MatchString(string(method.Name()))
}

// kinds are kinds of messages by name.
type kinds map[protoreflect.FullName]bool

// readsOf returns the requests of the services' methods that only read. None of
// them is a request of another method, too.
func readsOf(services []protoreflect.ServiceDescriptor) kinds {
	reads, changes := kinds{}, kinds{}
	for _, service := range services {
		for i := range service.Methods().Len() {
			method := service.Methods().Get(i)
			if isRead(method) {
				reads[method.Input().FullName()] = true
			} else {
				changes[method.Input().FullName()] = true
			}
		}
	}
	maps.DeleteFunc(reads, func(name protoreflect.FullName, _ bool) bool { return changes[name] })
	return reads
}

// taking returns the procedure that takes a request, or "" if none does.
func (p policies) taking(request protoreflect.FullName) string {
	for procedure, of := range p {
		if of.method.Input().FullName() == request {
			return procedure
		}
	}
	return ""
}

// accessOf returns the access of a whole service: ACCESS_COLONEL if all of its
// procedures have that, otherwise ACCESS_PUBLIC.
func (p policies) accessOf(procedures []string) hushv1.Access {
	for _, procedure := range procedures {
		if p[procedure].access != hushv1.Access_ACCESS_COLONEL {
			return hushv1.Access_ACCESS_PUBLIC
		}
	}
	if len(procedures) == 0 {
		return hushv1.Access_ACCESS_PUBLIC
	}
	return hushv1.Access_ACCESS_COLONEL
}

// proceduresOf returns the procedures of a service.
func proceduresOf(service protoreflect.ServiceDescriptor) []string {
	var list []string
	for i := range service.Methods().Len() {
		list = append(list, procedureOf(service.Methods().Get(i)))
	}
	return list
}

// procedureOf returns the name of a method in RPC protocols.
func procedureOf(method protoreflect.MethodDescriptor) string {
	return "/" + string(method.Parent().FullName()) + "/" + string(method.Name())
}
