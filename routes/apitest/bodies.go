package apitest

import (
	"strings"
	"testing"
)

// Key is well-formed, and opens nothing.
const Key = "0000000000000000000000000000000"

// RowBody returns a body that the decoder of a row takes, by the row's operation, and with
// which the RPC changes nothing that a later call needs. It fails the test for an
// operation of which it knows nothing.
func RowBody(t testing.TB, operation string) string {
	t.Helper()
	switch operation {
	case "ConcealSecret":
		return `{"secret":"x"}`
	case "RevealSecret", "BurnSecret", "RevealSecret or GetSecret", "BurnSecret or GetMetadata":
		return `{"continue":"true"}`
	case "BatchGetMetadata":
		return `{"identifiers":["` + Key + `"]}`
	case "ListSecretStatus":
		return `{"keys":["` + Key + `"]}`
	case "DestroyAccount":
		// What is too long is refused behind all guards, and counts as no try of a password.
		return `{"confirmation":"` + strings.Repeat("x", 1025) + `"}`
	case "ChangeAccountPassword":
		return `{"currentp":"x","newp":"short","newp2":"short"}`
	case "UpdateLocale":
		return `{"locale":"en"}`
	case "AddDomain":
		return `{"domain":"no domain"}`
	case "UpdateDomainBrand":
		return `{"brand":{"description":"x"}}`
	case "UpdateDomainLogo":
		return `{"logo":"x"}`
	case "AltchaVerify", "AltchaVerifySpam":
		return `{"authenticity_payload":"x"}`
	case "ReceiveFeedback":
		return `{"msg":"x"}`
	case "ReceiveException":
		return `{"message":"x"}`
	case "ValidateShrimp", "UpdateMetadata":
		return `{"memo":"x"}`
	case "GenerateSecret", "GenerateSecret or ConcealSecret", "GetMetadata", "ListMetadata", "GenerateApiToken",
		"VerifyDomain", "RemoveDomain", "DeleteDomainLogo", "preflight":
		return `{}` // all is in the path, or has a default
	default:
		t.Fatalf("RowBody(%s): got an operation without a body, want a line for it", operation)
		return ""
	}
}
