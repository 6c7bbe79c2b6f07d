package handlers

import (
	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"hush/gen/hush/v1/hushv1connect"
	"hush/gen/testname/v1/testnamev1connect"
)

// assemble builds every service once and hands it out twice: bound to the
// chain for callers in this process, and mounted with the same chain for
// callers over the wire.
func (c chain) assemble(opts Options) (Callable, []Mount) {
	secrets := &SecretService{vault: opts.Vault}
	metadata := &MetadataService{vault: opts.Vault}
	sessions := &SessionService{}
	system := &SystemService{version: opts.Version}
	places := &TestName{vault: opts.Vault}
	callable := Callable{
		ConcealSecret:    bind(c, hushv1connect.SecretServiceConcealSecretProcedure, secrets.ConcealSecret),
		GenerateSecret:   bind(c, hushv1connect.SecretServiceGenerateSecretProcedure, secrets.GenerateSecret),
		GetSecret:        bind(c, hushv1connect.SecretServiceGetSecretProcedure, secrets.GetSecret),
		RevealSecret:     bind(c, hushv1connect.SecretServiceRevealSecretProcedure, secrets.RevealSecret),
		BurnSecret:       bind(c, hushv1connect.SecretServiceBurnSecretProcedure, secrets.BurnSecret),
		GetSecretStatus:  bind(c, hushv1connect.SecretServiceGetSecretStatusProcedure, secrets.GetSecretStatus),
		ListSecretStatus: bind(c, hushv1connect.SecretServiceListSecretStatusProcedure, secrets.ListSecretStatus),

		GetMetadata:    bind(c, hushv1connect.MetadataServiceGetMetadataProcedure, metadata.GetMetadata),
		ListMetadata:   bind(c, hushv1connect.MetadataServiceListMetadataProcedure, metadata.ListMetadata),
		UpdateMetadata: bind(c, hushv1connect.MetadataServiceUpdateMetadataProcedure, metadata.UpdateMetadata),

		Authcheck: bind(c, hushv1connect.SessionServiceAuthcheckProcedure, sessions.Authcheck),

		GetStatus:           bind(c, hushv1connect.SystemServiceGetStatusProcedure, system.GetStatus),
		GetVersion:          bind(c, hushv1connect.SystemServiceGetVersionProcedure, system.GetVersion),
		GetSupportedLocales: bind(c, hushv1connect.SystemServiceGetSupportedLocalesProcedure, system.GetSupportedLocales),
		ValidateShrimp:      bind(c, hushv1connect.SystemServiceValidateShrimpProcedure, system.ValidateShrimp),

		Lookup: bind(c, testnamev1connect.TestNameLookupProcedure, places.Lookup),
	}
	options := connect.WithHandlerOptions(c.options()...)
	var mounts []Mount
	mount := func(m Mount) { mounts = append(mounts, m) }
	mount(c.mounted(hushv1connect.NewSecretServiceHandler(secrets, options)))
	mount(c.mounted(hushv1connect.NewMetadataServiceHandler(metadata, options)))
	mount(c.mounted(hushv1connect.NewSessionServiceHandler(sessions, options)))
	mount(c.mounted(hushv1connect.NewSystemServiceHandler(system, options)))
	mount(c.mounted(testnamev1connect.NewTestNameHandler(places, options)))
	return callable, append(mounts, besides()...)
}

// besides are the services that are everybody's: health and reflection. They
// know nothing of secrets and have no access option.
func besides() []Mount {
	var names []string
	for _, service := range services() {
		names = append(names, string(service.FullName()))
	}
	limit := connect.WithReadMaxBytes(messageLimit)
	reflector := grpcreflect.NewStaticReflector(names...)
	var mounts []Mount
	add := func(m Mount) { mounts = append(mounts, m) }
	add(plain(grpchealth.NewHandler(grpchealth.NewStaticChecker(names...), limit)))
	add(plain(grpcreflect.NewHandlerV1(reflector, limit)))
	add(plain(grpcreflect.NewHandlerV1Alpha(reflector, limit)))
	return mounts
}
