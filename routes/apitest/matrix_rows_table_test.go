package apitest_test

import (
	"slices"
	"strings"
	"testing"

	"hush/routes/apitest"
)

// rowsOfV1, rowsOfV2 and rowsOfV3 say which RPC each row of the older API stands for,
// written by hand. Rows below {name} are there once for each name that clients
// use.
const (
	rowsOfV1 = `
GET  /status            SystemService/GetStatus
GET  /authcheck         SessionService/Authcheck
POST /share             SecretService/ConcealSecret
POST /generate          SecretService/GenerateSecret
POST /create            SecretService/ConcealSecret
POST /secret/{key}      SecretService/RevealSecret
GET  /{name}/recent     MetadataService/ListMetadata
POST /{name}/recent     MetadataService/ListMetadata
GET  /{name}/{key}      MetadataService/GetMetadata
POST /{name}/{key}      MetadataService/GetMetadata
POST /{name}/{key}/burn SecretService/BurnSecret
`
	rowsOfV2 = `
GET  /status                      SystemService/GetStatus anyone
GET  /version                     SystemService/GetVersion anyone
GET  /supported-locales           SystemService/GetSupportedLocales anyone
POST /validate-shrimp             SystemService/ValidateShrimp anyone
GET  /authcheck                   SessionService/Authcheck
GET  /colonel                     ColonelService/GetIndex
GET  /account                     AccountService/GetAccount
POST /account/destroy             AccountService/DestroyAccount
POST /account/change-password     AccountService/ChangeAccountPassword
POST /account/update-locale       AccountService/UpdateLocale
POST /account/apitoken            AccountService/GenerateApiToken
GET  {domains}                    DomainService/ListDomains
POST {domains}/add                DomainService/AddDomain
GET  {domains}/{domain}           DomainService/GetDomain
POST {domains}/{domain}/remove    DomainService/RemoveDomain
POST {domains}/{domain}/verify    DomainService/VerifyDomain
GET  {domains}/{domain}/brand     DomainService/GetDomainBrand
PUT  {domains}/{domain}/brand     DomainService/UpdateDomainBrand
GET  {domains}/{domain}/logo      DomainService/GetDomainLogo
POST {domains}/{domain}/logo      DomainService/UpdateDomainLogo
DELETE {domains}/{domain}/logo    DomainService/DeleteDomainLogo
GET  {domains}/{domain}/icon      DomainService/GetDomainLogo
POST {domains}/{domain}/icon      DomainService/UpdateDomainLogo
DELETE {domains}/{domain}/icon    DomainService/DeleteDomainLogo
GET  /altcha/challenge            ChallengeService/AltchaChallenge anyone
POST /altcha/verify               ChallengeService/AltchaVerify
POST /altcha/verify-spam          ChallengeService/AltchaVerifySpam
POST /feedback                    IntakeService/ReceiveFeedback
POST /exception                   IntakeService/ReceiveException
GET  /{name}/recent               MetadataService/ListMetadata
POST {guest}/secret/conceal       SecretService/ConcealSecret open
POST {guest}/secret/generate      SecretService/GenerateSecret open
POST {guest}/secret/status        SecretService/ListSecretStatus
GET  {guest}/secret/{key}         SecretService/GetSecret
POST {guest}/secret/{key}         SecretService/RevealSecret
POST {guest}/secret/{key}/reveal  SecretService/RevealSecret
GET  {guest}/secret/{key}/status  SecretService/GetSecretStatus
GET  {guest}/{name}/{key}         MetadataService/GetMetadata
PATCH {guest}/{name}/{key}        MetadataService/UpdateMetadata
POST {guest}/{name}/{key}/burn    SecretService/BurnSecret
OPTIONS {guest}/secret/conceal    preflight
OPTIONS {guest}/secret/generate   preflight
`
	rowsOfV3 = `
GET  /status                      SystemService/GetStatus anyone
GET  /version                     SystemService/GetVersion anyone
GET  /supported-locales           SystemService/GetSupportedLocales anyone
POST /feedback                    IntakeService/ReceiveFeedback
GET  /receipt/recent              MetadataService/ListMetadata
POST /guest/receipts              MetadataService/BatchGetMetadata
POST {guest}/secret/conceal       SecretService/ConcealSecret open
POST {guest}/secret/generate      SecretService/GenerateSecret open
POST {guest}/secret/status        SecretService/ListSecretStatus
GET  {guest}/secret/{key}         SecretService/GetSecret
POST {guest}/secret/{key}/reveal  SecretService/RevealSecret
GET  {guest}/secret/{key}/status  SecretService/GetSecretStatus
GET  {guest}/receipt/{key}        MetadataService/GetMetadata
PATCH {guest}/receipt/{key}       MetadataService/UpdateMetadata
POST {guest}/receipt/{key}/burn   SecretService/BurnSecret
OPTIONS {guest}/secret/conceal    preflight
OPTIONS {guest}/secret/generate   preflight
`
)

// declaredRow is a row of the older API and the RPC that it has to behave like.
type declaredRow struct {
	method, path, procedure string
	// open rows are for pages of other sites, too.
	open bool
	// anyone rows take a credential that is not good for none.
	anyone bool
}

func (r declaredRow) name() string { return r.method + " " + r.path }

// version is v1, v2 or v3.
func (r declaredRow) version() string { return r.path[len("/api/"):len("/api/v1")] }

// declaredRows spells all rows out.
func declaredRows() []declaredRow {
	var rows []declaredRow
	for prefix, table := range map[string]string{"/api/v1": rowsOfV1, "/api/v2": rowsOfV2, "/api/v3": rowsOfV3} {
		for line := range strings.Lines(strings.TrimSpace(table)) {
			fields := strings.Fields(line)
			procedure := "/hush.v1." + fields[2]
			if fields[2] == "preflight" {
				procedure = fields[2]
			}
			for _, path := range spelledOut(fields[1]) {
				rows = append(rows, declaredRow{fields[0], prefix + path, procedure, slices.Contains(fields, "open"), slices.Contains(fields, "anyone")})
			}
		}
	}
	return rows
}

// spelledOut puts every name in the place of the words in braces that stand for
// several.
func spelledOut(path string) []string {
	paths := []string{path}
	for word, names := range map[string][]string{
		"/{name}":   {"/private", "/metadata", "/receipt"},
		"{domains}": {"/account/domains", "/domains"},
		"{guest}":   {"", "/guest"},
	} {
		var next []string
		for _, path := range paths {
			if !strings.Contains(path, word) {
				next = append(next, path)
				continue
			}
			for _, name := range names {
				next = append(next, strings.ReplaceAll(path, word, name))
			}
		}
		paths = next
	}
	return paths
}

// address returns the row's path with parameters that match nothing.
func (r declaredRow) address() string {
	return strings.NewReplacer("{key}", unknownKey, "{domain}", "nothing.nobody-team.com").Replace(r.path)
}

// body is a request that the row's decoder takes, and that changes nothing that
// a later cell needs.
func (r declaredRow) body(t testing.TB) string {
	t.Helper()
	if r.method == "GET" {
		return ""
	}
	return apitest.RowBody(t, r.procedure[strings.LastIndexByte(r.procedure, '/')+1:])
}
