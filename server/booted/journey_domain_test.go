package booted_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"hush/routes/apitest"
)

func (j *traveller) addDomain() {
	got := j.page(http.MethodPost, "/domains/add", "domain="+travellerDomain).OK(j.t, "add a domain")
	got.Says(j.t, "add a domain", travellerDomain, "record", "display_domain")
	got.Says(j.t, "add a domain", "pending", "record", "status")
	early := j.curl(http.MethodPost, "/api/v1/share", url.Values{"secret": {"x"}, "share_domain": {travellerDomain}}.Encode())
	if early.Status == http.StatusOK {
		j.t.Errorf("share on a domain that is not verified: got %d %s, want a refusal", early.Status, early.Body)
	}
}

// verifyDomain looks before and after the records are set.
func (j *traveller) verifyDomain() {
	t, path := j.t, "/domains/"+travellerDomain+"/verify"
	got := j.page(http.MethodPost, path, "").OK(t, "verify")
	got.Says(t, "verify without records", "false", "record", "verified")
	for i, kind := range []string{"txt", "address"} {
		got.Says(t, "verify without records", kind, "record", "checks", i, "kind")
		got.Says(t, "verify without records", "false", "record", "checks", i, "passed")
	}
	j.dns.SetTXT(got.At(t, "record", "txt_validation_host")+"."+got.At(t, "record", "base_domain"), got.At(t, "record", "txt_validation_value"))
	j.dns.SetA(travellerDomain, got.At(t, "record", "checks", 1, "expected", 0))
	got = j.page(http.MethodPost, path, "").OK(t, "verify")
	got.Says(t, "verify", "true", "record", "verified")
	got.Says(t, "verify", "true", "record", "resolving")
	got.Says(t, "verify", "verified", "record", "status")
}

func (j *traveller) brandDomain() {
	path := "/domains/" + travellerDomain + "/brand"
	got := j.page(http.MethodPut, path, `{"brand":{"primary_color":"#2f6f4f","description":"Of the otters","instructions_reveal":"Call us first"}}`)
	got.OK(j.t, "brand").Says(j.t, "brand", "#2f6f4f", "record", "brand", "primary_color")
	j.page(http.MethodGet, path, "").OK(j.t, "brand").Says(j.t, "brand", "Of the otters", "record", "brand", "description")
}

// openDomain lets visitors share on the domain by calling the API, and on its
// pages alone.
func (j *traveller) openDomain() {
	t, site := j.t, "http://"+travellerDomain
	fromPage := http.Header{"Origin": {site}}
	may := func(header http.Header) string {
		policy := apitest.Send(t, j.client, http.MethodPost, site+"/hush.v1.SystemService/GetPolicy", header, "{}").OK(t, "GetPolicy")
		shared := apitest.Send(t, j.client, http.MethodPost, site+"/api/v1/share", header, "secret=x")
		allowed := strings.Contains(policy.Body, `"anonymousCreate":true`)
		if allowed != (shared.Status == http.StatusOK) {
			t.Errorf("share on the domain: got %d %s, want as the policy says: %s", shared.Status, shared.Body, policy.Body)
		}
		if !allowed && !strings.Contains(shared.Body, "Public sharing disabled for domain: "+travellerDomain) {
			t.Errorf("share on the domain: got %s, want why not", shared.Body)
		}
		return map[bool]string{true: "may", false: "may not"}[allowed]
	}
	for _, leave := range []struct{ brand, page, script string }{
		{`{}`, "may not", "may not"},
		{`{"allow_public_homepage":true}`, "may", "may not"},
		{`{"allow_public_homepage":false,"allow_public_api":true}`, "may not", "may"},
		{`{"allow_public_api":false}`, "may not", "may not"},
	} {
		j.page(http.MethodPut, "/domains/"+travellerDomain+"/brand", `{"brand":`+leave.brand+`}`).OK(t, "brand")
		if page, script := may(fromPage), may(nil); page != leave.page || script != leave.script {
			t.Errorf("with %s: got that pages %s and scripts %s share, want %s and %s", leave.brand, page, script, leave.page, leave.script)
		}
	}
}

// uploadLogo uploads an image like a form, and fetches it like any visitor.
func (j *traveller) uploadLogo() {
	t := j.t
	picture := image.NewRGBA(image.Rect(0, 0, 8, 4))
	picture.Set(3, 2, color.RGBA{R: 200, A: 255})
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("logo", "otters.png")
	if err == nil {
		err = png.Encode(part, picture)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatalf("making a form: got %v, want nil", err)
	}
	header := j.session.Page(j.server.URL)
	header.Set("Content-Type", form.FormDataContentType())
	path := j.server.URL + "/api/v2/domains/" + travellerDomain + "/logo"
	got := apitest.Send(t, j.client, http.MethodPost, path, header, body.String()).OK(t, "upload")
	got.Says(t, "upload", "8", "record", "width")
	seen := apitest.Send(t, j.client, http.MethodGet, j.server.URL+"/imagine/"+got.At(t, "record", "domainid")+"/logo.png", nil, "").OK(t, "logo")
	shown, err := png.Decode(strings.NewReader(seen.Body))
	if err != nil || shown.Bounds().Dx() != 8 || shown.Bounds().Dy() != 4 {
		t.Errorf("logo: got %v, want a picture of 8 by 4", err)
	}
	stored := j.page(http.MethodGet, "/domains/"+travellerDomain+"/logo", "").OK(t, "logo").At(t, "record", "encoded")
	if stored != base64.StdEncoding.EncodeToString([]byte(seen.Body)) {
		t.Error("logo of version 2: got other bytes than anybody sees, want the same")
	}
}

// shareOnDomain shares a secret whose link leads to the domain and opens it
// there.
func (j *traveller) shareOnDomain() {
	t := j.t
	form := url.Values{"secret": {"of the otters"}, "share_domain": {travellerDomain}, "recipient": {travellerFriend}}
	kept := j.page(http.MethodPost, "/secret/conceal", form.Encode()).OK(t, "share on the domain")
	kept.Says(t, "share on the domain", travellerDomain, "record", "share_domain")
	link := kept.At(t, "record", "metadata", "share_url")
	key := kept.At(t, "record", "secret", "key")
	if want := "http://" + travellerDomain + "/secret/" + key; link != want {
		t.Errorf("share on the domain: got the link %s, want %s", link, want)
	}
	if mailed := j.nextMail(travellerFriend, key).Link(t); mailed != "http://"+travellerDomain+"/s#"+key {
		t.Errorf("mail: got the link %s, want it on the domain with its key behind the #", mailed)
	}
	apitest.Send(t, j.client, http.MethodGet, link, nil, "").OK(t, "the link's page")
	opened := apitest.Send(t, j.client, http.MethodPost, "http://"+travellerDomain+"/api/v2/secret/"+key+"/reveal", nil, "continue=true")
	opened.OK(t, "reveal").Says(t, "reveal on the domain", "of the otters", "record", "secret_value")
	j.nextMail(travellerAddress, key[:6])
	receipt := j.page(http.MethodGet, "/private/"+kept.At(t, "record", "metadata", "key"), "").OK(t, "receipt")
	receipt.Says(t, "receipt", "received", "record", "state")
	receipt.Says(t, "receipt", travellerDomain, "record", "share_domain")
}
