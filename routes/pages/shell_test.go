package pages

import (
	"bytes"
	"net/url"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/call"
)

// Shells are rendered for their first visitors, who must get one.
func TestEveryShellRenders(t *testing.T) {
	words, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	api, err := handlers.Described()
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []*hushv1.GetPolicyResponse{
		{},
		{AnonymousCreate: true, AnonymousTtl: 604800, DefaultTtl: 86400, PassphraseMin: 8},
	} {
		site, err := New(&call.Env{Links: call.NewLinks(new(url.URL)), Catalogue: words, Policy: policy}, api)
		if err != nil {
			t.Fatal(err)
		}
		forms := 0
		for name, shell := range site.client.shells {
			a, err := shell()
			if err != nil || len(a.plain()) == 0 {
				t.Errorf("shell %q in %q: got error %v, want a page", name.view, name.locale, err)
				continue
			}
			if bytes.Contains(a.plain(), []byte("<textarea")) {
				forms++
			}
		}
		if got, want := len(site.client.shells), 5*len(locale.Supported()); got < want {
			t.Errorf("got %d shells, want at least %d", got, want)
		}
		if policy.GetAnonymousCreate() && forms < len(locale.Supported()) {
			t.Errorf("got %d shells with a form to share, want one in each language", forms)
		}
	}
}

func TestShell(t *testing.T) {
	for _, test := range []struct{ html, want string }{
		{"<!doctype html>\n<html lang=\"en\" dir=\"ltr\"><head>h</head><body>a<!--noscript-->b</body></html>", "<!doctype html>\n<html lang=\"pt-BR\" dir=\"ltr\"><head>hPREVIEW</head><body>aTEXTb</body></html>"},
		{"<html></head><body>a</body></html>", `<html lang="pt-BR" dir="ltr">PREVIEW</head><body>aTEXT</body></html>`},
		{"<html dir=\"rtl\" lang=\"ar\"\n></head><body lang=\"en\"></body>", "<html lang=\"pt-BR\" dir=\"ltr\"\n>PREVIEW</head><body lang=\"en\">TEXT</body>"},
		{"<html></head><body></body></body>", `<html lang="pt-BR" dir="ltr">PREVIEW</head><body></body>TEXT</body>`},
	} {
		s, err := newShell(test.html)
		if err != nil {
			t.Errorf("newShell(%q): got error %v", test.html, err)
			continue
		}
		if diff := cmp.Diff(test.want, string(s.with("pt-BR", locale.Locale("pt_BR").Direction(), []byte("PREVIEW"), []byte("TEXT")))); diff != "" {
			t.Errorf("newShell(%q): got difference\n%s", test.html, diff)
		}
	}
	for _, html := range []string{"", "<body></body>", "<html", "<html></html>", "<html></head></html>", "<html><body></body></html>"} {
		if _, err := newShell(html); err == nil {
			t.Errorf("newShell(%q): got no error, want one", html)
		}
	}
}

func TestStyleSheets(t *testing.T) {
	const html = `<link rel="icon" href="/icon.svg"><link rel="stylesheet" crossorigin href="/assets/a.css">
<link href="/assets/b.css" rel="stylesheet"><link rel="manifest" href="/m">`
	if got, want := styleSheets(html), []string{"/assets/a.css", "/assets/b.css"}; !slices.Equal(got, want) {
		t.Errorf("styleSheets(): got %q, want %q", got, want)
	}
}

func TestLinkKey(t *testing.T) {
	const testSecretKey = "secretkey0000000000000000000000"
	for segment, want := range map[string]string{
		testSecretKey: testSecretKey, testSecretKey + ".": testSecretKey, testSecretKey + ").": testSecretKey, testSecretKey + "=": testSecretKey,
		testSecretKey + "&utm_source=x": testSecretKey, testSecretKey + " has it": testSecretKey, "<" + testSecretKey + ">": testSecretKey,
		testSecretKey + "\u3002": testSecretKey, "\u201c" + testSecretKey + "\u201d": testSecretKey, "": "", "...": "", "A": "", "\xff": "",
		testSecretKey + "x": testSecretKey + "x",
	} {
		if got := linkKey(segment); got != want {
			t.Errorf("linkKey(%q): got %q, want %q", segment, got, want)
		}
	}
}

func TestStarts(t *testing.T) {
	build := fstest.MapFS{startsFile: {Data: []byte(`{
		"reload": {"en": "Reload", "de": "Neu laden"},
		"pages": {
			"about": {"heads": {"en": {"title": "About {name}", "lead": "{name} opens once."}, "de": {"title": "Über {name}"}}},
			"signin": {"short": true, "heads": {"en": {"title": "Sign in"}}}
		}
	}`)}}
	known, err := readStarts(build)
	if err != nil {
		t.Fatal(err)
	}
	words, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, logo string
		locale     locale.Locale
		want       start
	}{
		{"about", "/imagine/logo.png", "en", start{Name: "about", Language: "en", Logo: "/imagine/logo.png", Title: "About <Otters>", Lead: "<Otters> opens once.", Reload: "Reload"}},
		{"about", "https://other.example/logo.png", "de", start{Name: "about", Language: "de", Title: "Über <Otters>", Reload: "Neu laden"}},
		{"about", "//other.example/logo.png", "pt_BR", start{Name: "about", Language: "pt-BR"}},
		{"signin", "", "en", start{Name: "signin", Short: true, Language: "en", Title: "Sign in", Reload: "Reload"}},
		{"unheard", "", "en", start{Name: "unheard", Language: "en", Reload: "Reload"}},
	} {
		policy := &hushv1.GetPolicyResponse{InstanceName: "<Otters>", LogoUrl: test.logo}
		req := &call.Request{Env: &call.Env{Catalogue: words, Policy: policy}, Visitor: chain.Visitor{Locale: test.locale}}
		got := *known.of(req, test.name)
		if got.Late == "" || got.Advice == "" {
			t.Errorf("of(%q, %s): got %+v, want words for a page that is late", test.name, test.locale, got)
		}
		got.Late, got.Advice = "", ""
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("of(%q, %s): got difference\n%s", test.name, test.locale, diff)
		}
	}
	if none, err := readStarts(fstest.MapFS{}); err != nil || none.Pages != nil {
		t.Errorf("readStarts() of a build without them: got %v and error %v, want none", none, err)
	}
	if _, err := readStarts(fstest.MapFS{startsFile: {Data: []byte("{")}}); err == nil {
		t.Error("readStarts() of broken JSON: got no error, want one")
	}
}
