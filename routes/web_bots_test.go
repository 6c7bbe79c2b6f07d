package routes_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hush/handlers"
	"hush/routes"
	"hush/testtier"
	"hush/vault/vaulttest"
)

// crawlers returns names of programs that open links before, or instead of,
// people.
func crawlers() []string {
	return []string{
		"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Slack-ImgProxy (+https://api.slack.com/robots)",
		"Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", "TelegramBot (like TwitterBot)", "WhatsApp/2.23.20.0", "Twitterbot/1.0",
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
		"Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5", "Mozilla/5.0 (compatible; MSTeams-UrlPreview; Microsoft-Skype)",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
		"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
		"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", "Mozilla/5.0 (compatible; Applebot/0.1; +http://www.apple.com/go/applebot)",
		"GPTBot/1.2", "ClaudeBot/1.0", "CCBot/2.0 (https://commoncrawl.org/faq/)", "Google-Safety", "Mozilla/5.0 (via ggpht.com GoogleImageProxy)",
		"Mozilla/5.0 BarracudaCentral", "Proofpoint URL Defense", "Mimecast", "Microsoft Office/16.0 (Microsoft Outlook 16.0; SafeLinks)", "Symantec ClickTime",
		"Viber/20.0", "Signal-Desktop/7.0", "Iframely/1.3.1 (+https://iframely.com/docs/about)", "Embedly/0.2; +http://support.embed.ly/", "curl/8.5.0",
	}
}

// knock is one way of opening a link unintentionally.
type knock struct {
	method, name, value string
}

func knocks() []knock {
	return []knock{
		{"GET", "", ""}, {"HEAD", "", ""}, {"OPTIONS", "", ""}, {"OPTIONS", "Access-Control-Request-Method", "POST"},
		{"GET", "Range", "bytes=0-"}, {"GET", "Range", "bytes=0-0,-1"}, {"HEAD", "Range", "bytes=0-1023"},
		{"GET", "Purpose", "prefetch"}, {"GET", "Sec-Purpose", "prefetch"}, {"GET", "Sec-Purpose", "prefetch;prerender"}, {"GET", "X-Moz", "prefetch"},
		{"GET", "Sec-Fetch-Dest", "speculationrules"}, {"GET", "X-HTTP-Method-Override", "POST"}, {"GET", "If-None-Match", "*"},
		{"GET", "Referer", "https://mail.example/"},
	}
}

// linkForms returns what becomes of links on their way. S is the secret key and
// R the receipt's.
func linkForms() []string {
	return []string{
		"/s", "/s/", "/s?k=S", "/s%23S", "/s%2523S", "/e%23S", "/r", "/secret/S", "/secret/S?utm_source=mail&utm_campaign=x", "/secret/S?continue=true", "/secret/S?continue=true&_method=POST&passphrase=x",
		"/secret/S.", "/secret/S)", "/secret/S=", "/secret/S%20", "/secret/S/", "/secret/S/reveal", "/secret/%73ecret", "/private/R", "/private/R?continue=true", "/private/R.",
		"/private/R/burn", "/private/R/burn?continue=true", "/metadata/R", "/receipt/R", "/receipt/R?fbclid=x", "/secret/R", "/private/S",
	}
}

// Mail gateways, chats, search engines and prefetching browsers open every link
// that they see, in every way except by pressing its button. However often they
// do, the secret is still there, and its receipt was not viewed.
func TestBotsConsumeNothing(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, "https://hush.example", vaulttest.Options{}, func(made *handlers.Options, _ *routes.Options) { made.RateLimits = false })
	server := httptest.NewServer(s.h)
	defer server.Close()
	k := s.share(t, "secret=the+value")
	fill := strings.NewReplacer("S", k.SecretKey, "R", k.MetadataKey)
	sent, all := 0, crawlers()
	for _, form := range linkForms() {
		for _, as := range knocks() {
			names := all
			if !testtier.IsFull() { // the crawlers take turns
				names = all[sent%len(all):][:1]
			}
			for _, crawler := range names {
				sent++
				knockOn(t, server, as, server.URL+fill.Replace(form), crawler)
			}
		}
	}
	if want := len(linkForms()) * len(knocks()); sent < want || sent < 10_000 && testtier.IsFull() {
		t.Errorf("requests: got %d, want %d at least, and 10,000 by all crawlers", sent, want)
	}
	wantNew(t, s, k)
}

func knockOn(t *testing.T, server *httptest.Server, as knock, address, crawler string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), as.method, address, http.NoBody)
	if err != nil {
		t.Fatalf("%s %s: got error %v", as.method, address, err)
	}
	req.Header.Set("User-Agent", crawler)
	if as.name != "" {
		req.Header.Set(as.name, as.value)
	}
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatalf("%s %s: got error %v", as.method, address, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || strings.Contains(string(body), "the value") || res.StatusCode >= 500 {
		t.Errorf("%s %s: got %d, %v and %s, want neither the secret nor a fault", as.method, address, res.StatusCode, err, body)
	}
}

// The API, too, reveals nothing to clients that only look.
func TestBotsConsumeNothingOfTheAPI(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, "https://hush.example", vaulttest.Options{}, func(made *handlers.Options, _ *routes.Options) { made.RateLimits = false })
	k := s.share(t, "secret=the+value")
	fill := strings.NewReplacer("SECRET", k.SecretKey, "RECEIPT", k.MetadataKey)
	for _, path := range []string{
		"/api/v1/secret/SECRET", "/api/v2/secret/SECRET", "/api/v2/secret/SECRET/reveal", "/api/v2/guest/secret/SECRET", "/api/v1/private/RECEIPT/burn", "/api/v2/receipt/RECEIPT/burn",
	} {
		for _, query := range []string{"", "?continue=true", "?continue=true&_method=POST"} {
			for _, as := range knocks() {
				w := s.send(as.method, fill.Replace(path+query), "", "User-Agent", crawlers()[0], as.name, as.value)
				if strings.Contains(w.Body.String(), "the value") {
					t.Errorf("%s %s: got the secret", as.method, path)
				}
			}
		}
	}
	wantNew(t, s, k)
}
