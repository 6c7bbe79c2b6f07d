package people

import (
	"net/url"
	"strings"

	"hush/client"
)

// elsewhere returns what to say of a link that does not lead where the sender would
// expect; empty for none. The server says where its links lead. It may be reached by
// another name than its links have, but it may also lie, or be changed on the way:
// the host of a link gets all of it in the browser of its reader.
func elsewhere(link, server, domain string) string {
	to, toErr := url.Parse(link)
	from, fromErr := url.Parse(server)
	if toErr != nil || fromErr != nil { // both were checked
		return ""
	}
	asked := strings.TrimSuffix(strings.TrimSpace(domain), ".")
	isExpected := strings.EqualFold(to.Hostname(), from.Hostname()) || asked != "" && strings.EqualFold(to.Hostname(), asked)
	switch {
	case !isExpected:
		return "the link leads to " + to.Host + ", although the server is " + from.Host + ": pass it on only if you trust both"
	case to.Scheme == "http" && from.Scheme == "https":
		return "the link begins with http://, although the server has https://: everyone on the way can read and change the page behind it"
	default:
		return ""
	}
}

// tellElsewhere says, once, that links do not lead where the sender would expect.
func (s *share) tellElsewhere(one made, server *client.Client) {
	if text := elsewhere(one.Link.Server, server.Server(), s.domain); text != "" && s.isFirst(one) {
		s.on.Tellf("%s", text)
	}
}
