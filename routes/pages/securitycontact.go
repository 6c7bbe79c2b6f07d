package pages

import (
	"net/http"
	"strings"
	"time"

	"hush/handlers/chain"
)

// securityPath is where RFC 9116 has programs look for the contact.
const securityPath = "/.well-known/security.txt"

// contactHolds is for how long readers may rely on an answer. It is made anew for each
// request, from the settings in effect.
const contactHolds = 30 * 24 * time.Hour

// securityContact says where to report a weakness of this service, if the operator
// named a place.
func (site *Site) securityContact(w http.ResponseWriter, r *http.Request) {
	chain.Route(r, securityPath)
	req := site.env.Request(r)
	contact := req.Policy.GetSecurityContact()
	if contact == "" {
		writeText(w, http.StatusNotFound, "The operator of this service named no contact for reports of weaknesses.\n")
		return
	}
	base := req.Links.Base()
	writeText(w, http.StatusOK, strings.Join([]string{
		"Contact: " + contact,
		"Expires: " + req.Now.UTC().Add(contactHolds).Format(time.RFC3339),
		"Canonical: " + base + securityPath,
		"Policy: " + base + "/security",
		"",
	}, "\n"))
}
