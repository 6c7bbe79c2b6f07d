package admin

import (
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
)

// A role may not be in effect: an account without a confirmed address stays a customer,
// and one that the service's own settings name stays a colonel.
func TestRoleText(t *testing.T) {
	t.Parallel()
	const customer, colonel = hushv1.Role_ROLE_CUSTOMER, hushv1.Role_ROLE_COLONEL
	for _, c := range []struct {
		has, given hushv1.Role
		want       string
	}{
		{customer, customer, "ada@example.net is a customer now"},
		{colonel, colonel, "ada@example.net is a colonel now"},
		{customer, colonel, "ada@example.net stays a customer until its address is confirmed"},
		{colonel, customer, "ada@example.net stays a colonel"},
	} {
		if got := roleText(&hushv1.Account{Role: c.has}, "ada@example.net", c.given); !strings.HasPrefix(got, c.want) {
			t.Errorf("roleText(%s, given %s): got %q, want %q", c.has, c.given, got, c.want)
		}
	}
}
