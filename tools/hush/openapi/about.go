package main

import (
	"strings"

	"hush/routes"
)

// text returns what a route does: the contract's comment on the RPC, and what is
// specific to the route.
func (l *legacy) text(r routes.Endpoint) string {
	text, whole := wholeTexts()[r.Operation]
	if !whole {
		text = l.comment(r.Operation)
	}
	if note := notes()[errorName(r.Version)+" "+r.Operation]; note != "" {
		text += "\n\n" + note
	}
	return text
}

// comment returns the contract's comment without its errors, which are those of
// RPCs.
func (l *legacy) comment(name string) string {
	var kept []string
	for _, paragraph := range l.contract.comments[name] {
		if !strings.HasPrefix(paragraph, "Errors: ") {
			kept = append(kept, paragraph)
		}
	}
	return strings.Join(kept, "\n\n")
}

// wholeTexts describes the routes where a parameter selects one of two RPCs.
func wholeTexts() map[string]string {
	return map[string]string{
		"GenerateSecret or ConcealSecret": "Conceals a secret, or generates one if `kind` is `generate`. The response has two keys: one reveals the secret, the other reads its receipt.",
		"RevealSecret or GetSecret":       "Reveals a secret if `continue` is true, and destroys it: of any number of concurrent callers exactly one gets it. Without `continue` the response describes the secret, and nothing is consumed.",
	}
}

// notes returns what a route does besides its RPC, by the name of its errors and
// operation.
func notes() map[string]string {
	return map[string]string{
		"V1 RevealSecret":      "A wrong passphrase gives the same response as an unknown secret.",
		"V1 ListMetadata":      "The list has at most 500 receipts.",
		"V2 ListMetadata":      "The list has at most 500 receipts.",
		"V2 BurnSecret":        "`continue` must be true.",
		"V2 GenerateApiToken":  "The token is named `default` and replaces the previous one.",
		"V2 UpdateDomainBrand": "A null unsets the field.",
		"V2 AltchaVerifySpam":  "All other parameters count as fields of the form.",
		"V2 GetIndex":          "`record` and `details` have the same content.",
	}
}
