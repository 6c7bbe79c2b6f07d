package main

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
)

func (j *traveller) addDomain() {
	got := j.page(http.MethodPost, "/domains/add", "domain="+travellerDomain).ok(j.t, "add a domain")
	got.says(j.t, "add a domain", travellerDomain, "record", "display_domain")
	got.says(j.t, "add a domain", "pending", "record", "status")
	early := j.curl(http.MethodPost, "/api/v1/share", url.Values{"secret": {"x"}, "share_domain": {travellerDomain}}.Encode())
	if early.status == http.StatusOK {
		j.t.Errorf("share on a domain that is not verified: got %d %s, want a refusal", early.status, early.body)
	}
}

// verifyDomain looks before and after the records are set.
func (j *traveller) verifyDomain() {
	t, path := j.t, "/domains/"+travellerDomain+"/verify"
	got := j.page(http.MethodPost, path, "").ok(t, "verify")
	got.says(t, "verify without records", "false", "record", "verified")
	for i, kind := range []string{"txt", "address"} {
		got.says(t, "verify without records", kind, "record", "checks", i, "kind")
		got.says(t, "verify without records", "false", "record", "checks", i, "passed")
	}
	j.dns.SetTXT(got.at(t, "record", "txt_validation_host")+"."+got.at(t, "record", "base_domain"), got.at(t, "record", "txt_validation_value"))
	j.dns.SetA(travellerDomain, got.at(t, "record", "checks", 1, "expected", 0))
	got = j.page(http.MethodPost, path, "").ok(t, "verify")
	got.says(t, "verify", "true", "record", "verified")
	got.says(t, "verify", "true", "record", "resolving")
	got.says(t, "verify", "verified", "record", "status")
}

func (j *traveller) brandDomain() {
	path := "/domains/" + travellerDomain + "/brand"
	got := j.page(http.MethodPut, path, `{"brand":{"primary_color":"#2f6f4f","description":"Of the otters","instructions_reveal":"Call us first"}}`)
	got.ok(j.t, "brand").says(j.t, "brand", "#2f6f4f", "record", "brand", "primary_color")
	j.page(http.MethodGet, path, "").ok(j.t, "brand").says(j.t, "brand", "Of the otters", "record", "brand", "description")
}

// openDomain lets visitors share on the domain by calling the API, and on its
// pages alone.
func (j *traveller) openDomain() {
	t, site := j.t, "http://"+travellerDomain
	fromPage := http.Header{"Origin": {site}}
	may := func(header http.Header) string {
		policy := sendAs(t, j.client, http.MethodPost, site+"/hush.v1.SystemService/GetPolicy", header, "{}").ok(t, "GetPolicy")
		shared := sendAs(t, j.client, http.MethodPost, site+"/api/v1/share", header, "secret=x")
		allowed := strings.Contains(policy.body, `"anonymousCreate":true`)
		if allowed != (shared.status == http.StatusOK) {
			t.Errorf("share on the domain: got %d %s, want as the policy says: %s", shared.status, shared.body, policy.body)
		}
		if !allowed && !strings.Contains(shared.body, "Public sharing disabled for domain: "+travellerDomain) {
			t.Errorf("share on the domain: got %s, want why not", shared.body)
		}
		return map[bool]string{true: "may", false: "may not"}[allowed]
	}
	for _, leave := range []struct{ brand, page, script string }{
		{`{}`, "may not", "may not"},
		{`{"allow_public_homepage":true}`, "may", "may not"},
		{`{"allow_public_homepage":false,"allow_public_api":true}`, "may not", "may"},
		{`{"allow_public_api":false}`, "may not", "may not"},
	} {
		j.page(http.MethodPut, "/domains/"+travellerDomain+"/brand", `{"brand":`+leave.brand+`}`).ok(t, "brand")
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
	header := j.session.page(j.server.url)
	header.Set("Content-Type", form.FormDataContentType())
	path := j.server.url + "/api/v2/domains/" + travellerDomain + "/logo"
	got := sendAs(t, j.client, http.MethodPost, path, header, body.String()).ok(t, "upload")
	got.says(t, "upload", "8", "record", "width")
	seen := sendAs(t, j.client, http.MethodGet, j.server.url+"/imagine/"+got.at(t, "record", "domainid")+"/logo.png", nil, "").ok(t, "logo")
	shown, err := png.Decode(strings.NewReader(seen.body))
	if err != nil || shown.Bounds().Dx() != 8 || shown.Bounds().Dy() != 4 {
		t.Errorf("logo: got %v, want a picture of 8 by 4", err)
	}
	stored := j.page(http.MethodGet, "/domains/"+travellerDomain+"/logo", "").ok(t, "logo").at(t, "record", "encoded")
	if stored != base64.StdEncoding.EncodeToString([]byte(seen.body)) {
		t.Error("logo of version 2: got other bytes than anybody sees, want the same")
	}
}

// shareOnDomain shares a secret whose link leads to the domain and opens it
// there.
func (j *traveller) shareOnDomain() {
	t := j.t
	form := url.Values{"secret": {"of the otters"}, "share_domain": {travellerDomain}, "recipient": {travellerFriend}}
	kept := j.page(http.MethodPost, "/secret/conceal", form.Encode()).ok(t, "share on the domain")
	kept.says(t, "share on the domain", travellerDomain, "record", "share_domain")
	link := kept.at(t, "record", "metadata", "share_url")
	key := kept.at(t, "record", "secret", "key")
	if want := "http://" + travellerDomain + "/secret/" + key; link != want {
		t.Errorf("share on the domain: got the link %s, want %s", link, want)
	}
	if mailed := j.nextMail(travellerFriend, key).Link(t); mailed != "http://"+travellerDomain+"/s#"+key {
		t.Errorf("mail: got the link %s, want it on the domain with its key behind the #", mailed)
	}
	sendAs(t, j.client, http.MethodGet, link, nil, "").ok(t, "the link's page")
	opened := sendAs(t, j.client, http.MethodPost, "http://"+travellerDomain+"/api/v2/secret/"+key+"/reveal", nil, "continue=true")
	opened.ok(t, "reveal").says(t, "reveal on the domain", "of the otters", "record", "secret_value")
	j.nextMail(travellerAddress, key[:6])
	receipt := j.page(http.MethodGet, "/private/"+kept.at(t, "record", "metadata", "key"), "").ok(t, "receipt")
	receipt.says(t, "receipt", "received", "record", "state")
	receipt.says(t, "receipt", travellerDomain, "record", "share_domain")
}
