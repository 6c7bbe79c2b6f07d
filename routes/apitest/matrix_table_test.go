package apitest_test

import (
	"encoding/base64"
	"strings"

	"hush/routes/apitest"
)

// declared is what the matrix expects of an RPC, written by hand: the options
// of the descriptors are what is being tested.
type declared struct {
	access string // public, account or colonel
	scope  string // any, or what a token needs
	// forgeable RPCs need no token against forged requests.
	forgeable bool
	// body is a request that passes validation and changes nothing that a later
	// cell needs.
	body string
}

const (
	unknownKey   = apitest.Key
	unknownClaim = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
	noDomain     = `{"domain":"nothing.nobody-team.com"}`
	emptyObject  = `{}`
)

// declaredRPCs has a line for every RPC of the public port.
func declaredRPCs() map[string]declared {
	// What is longer than its field is refused behind all guards, and before
	// anything is hashed.
	tooLong := strings.Repeat("x", 1025)
	const secretKey, metadataKey = `{"secret_key":"` + unknownKey + `"}`, `{"metadata_key":"` + unknownKey + `"}`
	const collectLink = `{"collect_key":"` + unknownKey + `","collect_proof":"` + unknownClaim + `"`
	zeros := func(size int) string { return base64.StdEncoding.EncodeToString(make([]byte, size)) }
	createRequest := `{"card":"` + zeros(400) + `","link_proof_hash":"` + unknownClaim + `","collect_proof_hash":"` + unknownClaim +
		`","link_box":"` + zeros(104) + `","ttl":"3600s","answers":1}`
	answerRequest := `{"request_key":"` + unknownKey + `","link_proof":"` + unknownClaim + `","number":"` + zeros(16) + `","sealed_link":"` + zeros(1648) +
		`","sealed":{"content":"` + zeros(328) + `","link_proof_hash":"` + unknownClaim + `","proof_hash":"` + unknownClaim + `"}}`
	const upload = `{"secret_key":"` + unknownKey + `","upload_token":"` + unknownClaim + `"`
	beginFile := `{"size":"328","link_proof_hash":"` + unknownClaim + `","proof_hash":"` + unknownClaim + `","upload_token":"` + unknownClaim + `"}`
	const noImage = `{"domain":"nothing.nobody-team.com","kind":"IMAGE_KIND_LOGO"}`
	return map[string]declared{
		"/hush.v1.SecretService/ConcealSecret":     {"public", "conceal", false, `{"secret":"x"}`},
		"/hush.v1.SecretService/GenerateSecret":    {"public", "conceal", false, emptyObject},
		"/hush.v1.SecretService/GetSecret":         {"public", "reveal", true, secretKey},
		"/hush.v1.SecretService/RevealSecret":      {"public", "reveal", false, secretKey},
		"/hush.v1.SecretService/AcknowledgeReveal": {"public", "reveal", false, `{"secret_key":"` + unknownKey + `","claim":"` + unknownClaim + `"}`},
		"/hush.v1.SecretService/BurnSecret":        {"public", "metadata", false, metadataKey},
		"/hush.v1.SecretService/GetSecretStatus":   {"public", "reveal", false, secretKey},
		"/hush.v1.SecretService/ListSecretStatus":  {"public", "reveal", false, `{"secret_keys":["` + unknownKey + `"]}`},

		"/hush.v1.FileService/BeginFile":     {"public", "conceal", false, beginFile},
		"/hush.v1.FileService/PutPart":       {"public", "conceal", false, upload + `,"content":"AAAA"}`},
		"/hush.v1.FileService/GetUpload":     {"public", "conceal", false, upload + `}`},
		"/hush.v1.FileService/RestartUpload": {"public", "conceal", false, upload + `,"proof_hash":"` + unknownClaim + `"}`},
		"/hush.v1.FileService/FinishFile":    {"public", "conceal", false, upload + `}`},
		"/hush.v1.FileService/CancelUpload":  {"public", "conceal", false, upload + `}`},
		"/hush.v1.FileService/GetPart":       {"public", "reveal", false, `{"secret_key":"` + unknownKey + `","claim":"` + unknownClaim + `"}`},

		"/hush.v1.RequestService/CreateRequest":   {"public", "request", false, createRequest},
		"/hush.v1.RequestService/GetRequest":      {"public", "any", false, `{"request_key":"` + unknownKey + `","link_proof":"` + unknownClaim + `"}`},
		"/hush.v1.RequestService/AnswerRequest":   {"public", "any", false, answerRequest},
		"/hush.v1.RequestService/GetCollection":   {"public", "any", false, collectLink + `}`},
		"/hush.v1.RequestService/WatchCollection": {"public", "any", false, collectLink + `}`},
		"/hush.v1.RequestService/BurnAnswer":      {"public", "any", false, collectLink + `,"number":"AQEBAQEBAQEBAQEBAQEBAQ=="}`},
		"/hush.v1.RequestService/CloseRequest":    {"public", "request", false, collectLink + `}`},
		"/hush.v1.RequestService/ListRequests":    {"account", "request", false, emptyObject},

		"/hush.v1.MetadataService/GetMetadata":      {"public", "metadata", false, metadataKey},
		"/hush.v1.MetadataService/BatchGetMetadata": {"public", "metadata", false, `{"metadata_keys":["` + unknownKey + `"]}`},
		"/hush.v1.MetadataService/ListMetadata":     {"account", "metadata", false, emptyObject},
		"/hush.v1.MetadataService/UpdateMetadata":   {"public", "metadata", false, metadataKey},
		"/hush.v1.MetadataService/WatchMetadata":    {"public", "metadata", false, metadataKey},

		"/hush.v1.AccountService/CreateAccount":         {"public", "account", false, `{"address":"new@nobody-team.com","password":"` + apitest.Password + `"}`},
		"/hush.v1.AccountService/VerifyAccount":         {"public", "account", true, `{"token":"x","password":"` + apitest.Password + `"}`},
		"/hush.v1.AccountService/ResendVerification":    {"public", "account", true, `{"address":"new@nobody-team.com"}`},
		"/hush.v1.AccountService/GetAccount":            {"account", "account", false, emptyObject},
		"/hush.v1.AccountService/DestroyAccount":        {"account", "account", false, emptyObject},
		"/hush.v1.AccountService/ChangeAccountPassword": {"account", "account", false, `{"current_password":"x","new_password":"short"}`},
		"/hush.v1.AccountService/RequestPasswordReset":  {"public", "account", true, `{"address":"new@nobody-team.com"}`},
		"/hush.v1.AccountService/ResetPassword":         {"public", "account", true, `{"token":"x","new_password":"` + apitest.Password + `"}`},
		"/hush.v1.AccountService/RequestAddressChange":  {"account", "account", false, `{"new_address":"no address"}`},
		"/hush.v1.AccountService/ConfirmAddressChange":  {"account", "account", true, `{"token":"x"}`},
		"/hush.v1.AccountService/UpdateLocale":          {"account", "account", false, `{"locale":"en"}`},
		"/hush.v1.AccountService/UpdateNotifications":   {"account", "account", false, `{"notifications":{}}`},
		"/hush.v1.AccountService/CreateInvite":          {"colonel", "account", false, emptyObject},
		"/hush.v1.AccountService/ListInvites":           {"colonel", "account", false, emptyObject},
		"/hush.v1.AccountService/RevokeInvite":          {"colonel", "account", false, emptyObject},
		"/hush.v1.AccountService/GenerateApiToken":      {"account", "account", false, `{"name":"main","scopes":["TOKEN_SCOPE_ACCOUNT"]}`},
		"/hush.v1.AccountService/ListApiTokens":         {"account", "account", false, emptyObject},
		"/hush.v1.AccountService/RevokeApiToken":        {"account", "account", false, `{"token_id":"0000000000000000"}`},
		"/hush.v1.AccountService/ExportAccount":         {"account", "account", false, emptyObject},
		"/hush.v1.AccountService/BurnAllSecrets":        {"account", "account", false, emptyObject},

		"/hush.v1.SessionService/CreateSession":  {"public", "account", false, `{"address":"new@nobody-team.com","password":"` + tooLong + `"}`},
		"/hush.v1.SessionService/DestroySession": {"account", "account", false, emptyObject},
		"/hush.v1.SessionService/ListSessions":   {"account", "account", false, emptyObject},
		"/hush.v1.SessionService/RevokeSessions": {"account", "account", false, `{"session_ids":["0000000000000000"]}`},
		"/hush.v1.SessionService/Authcheck":      {"account", "any", true, emptyObject},

		"/hush.v1.DomainService/AddDomain":         {"account", "account", false, `{"domain":"no domain"}`},
		"/hush.v1.DomainService/RemoveDomain":      {"account", "account", false, noDomain},
		"/hush.v1.DomainService/GetDomain":         {"account", "account", false, noDomain},
		"/hush.v1.DomainService/ListDomains":       {"account", "account", false, emptyObject},
		"/hush.v1.DomainService/VerifyDomain":      {"account", "account", false, noDomain},
		"/hush.v1.DomainService/UpdateDomainBrand": {"account", "account", false, `{"domain":"nothing.nobody-team.com","brand":{}}`},
		"/hush.v1.DomainService/GetDomainBrand":    {"account", "account", false, noDomain},
		"/hush.v1.DomainService/UpdateDomainLogo":  {"account", "account", false, `{"domain":"nothing.nobody-team.com","kind":"IMAGE_KIND_LOGO","content":"AAAA"}`},
		"/hush.v1.DomainService/GetDomainLogo":     {"account", "account", false, noImage},
		"/hush.v1.DomainService/DeleteDomainLogo":  {"account", "account", false, noImage},
		"/hush.v1.DomainService/GetPublicBrand":    {"public", "any", true, noDomain},
		"/hush.v1.DomainService/GetPublicImage":    {"public", "any", true, `{"domain_id":"00000000000000000000","kind":"IMAGE_KIND_LOGO"}`},

		"/hush.v1.ChallengeService/AltchaChallenge":  {"public", "any", true, emptyObject},
		"/hush.v1.ChallengeService/AltchaVerify":     {"public", "any", true, `{"authenticity_payload":"x"}`},
		"/hush.v1.ChallengeService/AltchaVerifySpam": {"public", "any", true, `{"authenticity_payload":"x"}`},

		"/hush.v1.IntakeService/ReceiveFeedback":  {"public", "any", false, `{"message":"x"}`},
		"/hush.v1.IntakeService/ReceiveException": {"public", "any", false, `{"message":"x"}`},

		"/hush.v1.SystemService/GetStatus":           {"public", "any", true, emptyObject},
		"/hush.v1.SystemService/GetVersion":          {"public", "any", true, emptyObject},
		"/hush.v1.SystemService/GetSupportedLocales": {"public", "any", true, emptyObject},
		"/hush.v1.SystemService/GetPolicy":           {"public", "any", true, emptyObject},
		"/hush.v1.SystemService/ValidateShrimp":      {"public", "any", true, `{"shrimp":"x"}`},

		"/hush.v1.ColonelService/GetIndex":                {"colonel", "account", false, emptyObject},
		"/hush.v1.ColonelService/ListExceptions":          {"colonel", "account", false, emptyObject},
		"/hush.v1.ColonelService/BurnReportedSecret":      {"colonel", "account", false, `{"link":"x"}`},
		"/hush.v1.ColonelService/WithdrawReportedRequest": {"colonel", "account", false, `{"request_key":"x"}`},
		"/hush.v1.ColonelService/FindAccount":             {"colonel", "account", false, `{"account":"x"}`},
		"/hush.v1.ColonelService/SetAccountRole":          {"colonel", "account", false, `{"account":"x","role":"ROLE_CUSTOMER"}`},
		"/hush.v1.ColonelService/DisableAccount":          {"colonel", "account", false, `{"account":"x"}`},
		"/hush.v1.ColonelService/ResetAccountPassword":    {"colonel", "account", false, `{"account":"x"}`},
		"/hush.v1.ColonelService/DestroyOtherAccount":     {"colonel", "account", false, `{"account":"x"}`},

		"/testname.v1.TestName/Lookup": {"public", "any", true, `{"name":"Berlin"}`},
	}
}
