package main

import (
	"net/http"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// errorSchemas returns the schemas of errors.
func errorSchemas() *yaml.Node {
	text := func(about string) *yaml.Node { return object("type", "string", "description", about) }
	return object(
		"connect.error", object("type", "object", "required", []string{"code"},
			"description", "The error of an RPC.",
			"properties", object(
				"code", object("type", "string", "enum", connectCodes()),
				"message", text("The reason, in English."),
				"details", object("type", "array", "items", ref("schemas", "connect.detail")),
			)),
		"connect.detail", object("type", "object", "required", []string{"type", "value"},
			"description", "Details for programs: hush.v1.Refusal, google.rpc.RetryInfo if waiting helps, or the buf.validate.Violations of the request.",
			"properties", object(
				"type", text("The full name of the message."),
				"value", object("type", "string", "contentEncoding", "base64", "description", "The message in binary."),
				"debug", object("description", "The message as JSON.", "anyOf",
					list(ref("schemas", "hush.v1.Refusal"), object("type", "object"))),
			)),
		"V1Error", object("type", "object", "required", []string{"message"},
			"properties", object(
				"message", text("The reason, in English."),
				"secret_key", text("The key of the request, if the secret is unknown."),
			)),
		"V2Error", object("type", "object", "required", []string{"message"},
			"properties", object(
				"success", object("type", "boolean", "const", false),
				"message", text("The reason; common messages are in the caller's language."),
				"error", text("The same as `message`."),
				"shrimp", text("The session's CSRF token; random for callers without a session."),
				"secret_key", text("The key of the request, if the secret is unknown."),
			)),
	)
}

func connectCodes() []string {
	return []string{
		"canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists", "permission_denied",
		"resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented", "internal", "unavailable",
		"data_loss", "unauthenticated",
	}
}

// refusal is an error status of a version.
type refusal struct {
	status int
	when   string
	retry  bool // Retry-After says when to come back
	body   bool // only where there is a body
}

func v1Refusals() []refusal {
	return []refusal{
		{404, "An unknown key, or any other error; `X-OTS-Intended-Status` has the actual status.", true, false},
		{413, "The body or a text is too long.", false, true},
		{429, "A rate limit is used up, or too many passphrases were wrong.", true, false},
	}
}

func v2Refusals() []refusal {
	return []refusal{
		{400, "The body cannot be parsed.", false, true},
		{403, "The credential is invalid or missing or lacks the scope, the shrimp is wrong, the request comes from another site's page, or the operator does not allow it.", false, false},
		{404, "The key, domain or image is unknown.", false, false},
		{413, "The body or a text is too long.", false, true},
		{415, "The body has an unsupported content encoding.", false, true},
		{422, "A value is invalid, the passphrase or password is wrong, or a challenge is not solved.", false, false},
		{429, "A rate limit is used up, or too many passphrases were wrong.", true, false},
		{503, "The storage is full, maintenance is on, or the service cannot keep its promises at the moment.", true, false},
	}
}

func refusalsOf(version string) []refusal {
	if version == "v1" {
		return v1Refusals()
	}
	return v2Refusals()
}

// errorName is the name of the refusals of a version: v3 shares those of v2.
func errorName(version string) string {
	if version == "v1" {
		return "V1"
	}
	return "V2"
}

func responses() *yaml.Node {
	all := object("ConnectError", object(
		"description", "An error. The code determines the status: 400 for invalid_argument, failed_precondition and out_of_range, "+
			"401 for unauthenticated, 403 for permission_denied, 404 for not_found, 409 for already_exists and aborted, "+
			"429 for resource_exhausted, 501 for unimplemented, 503 for unavailable, 504 for deadline_exceeded, 500 for internal. "+
			"unimplemented has another status where the procedure does not exist for the caller (404), the method is not POST (405), or the Content-Type is not one of the service's, or a GET lacks a parameter (415).",
		"headers", object("Retry-After", ref("headers", "RetryAfter")),
		"content", object("application/json", object("schema", ref("schemas", "connect.error"))),
	))
	for _, version := range []string{"v1", "v2"} {
		for _, r := range refusalsOf(version) {
			headers := object()
			if version == "v1" {
				set(headers, "X-OTS-Intended-Status", ref("headers", "IntendedStatus"))
			}
			if r.retry {
				set(headers, "Retry-After", ref("headers", "RetryAfter"))
			}
			response := object("description", r.when)
			if len(headers.Content) > 0 {
				set(response, "headers", headers)
			}
			set(response, "content", object("application/json", object("schema", ref("schemas", errorName(version)+"Error"))))
			set(all, errorName(version)+"Error"+strconv.Itoa(r.status), response)
		}
	}
	return all
}

func sharedHeaders() *yaml.Node {
	return object(
		"RetryAfter", object("description", "Seconds to wait before the next try. Without meaning once the 100 tries of a secret are used up.",
			"schema", object("type", "integer", "minimum", 0)),
		"IntendedStatus", object("description", "The actual status of the error.",
			"schema", object("type", "integer")),
		"AllowOrigin", object("description", "Pages of any origin may read the response.",
			"schema", object("type", "string", "const", "*")),
	)
}

func sharedParameters() *yaml.Node {
	return object(
		"ConnectProtocolVersion", object("name", "Connect-Protocol-Version", "in", "header",
			"description", "The version of the Connect protocol; optional.",
			"schema", object("type", "string", "const", "1")),
		"ConnectTimeout", object("name", "Connect-Timeout-Ms", "in", "header",
			"description", "The timeout of the call, in milliseconds.",
			"schema", object("type", "integer", "minimum", 0)),
		"Key", object("name", "key", "in", "path", "required", true,
			"description", "The key: 31 characters 0-9 and a-z. A malformed key is an unknown key.",
			"schema", object("type", "string", "maxLength", 256)),
		"Domain", object("name", "domain", "in", "path", "required", true,
			"description", "The domain's name or id.",
			"schema", object("type", "string", "maxLength", 512)),
	)
}

// answersOf returns the responses of a route: success, and the errors of its
// version.
func answersOf(version, httpMethod string, good *yaml.Node) *yaml.Node {
	all := object("200", good)
	for _, r := range refusalsOf(version) {
		if !r.body || httpMethod != http.MethodGet {
			set(all, strconv.Itoa(r.status), ref("responses", errorName(version)+"Error"+strconv.Itoa(r.status)))
		}
	}
	return all
}
