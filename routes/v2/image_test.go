package v2

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/params"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

func TestImage(t *testing.T) {
	req := routestest.Request()
	logo, icon := imageNames()[0], imageNames()[1]
	image := &hushv1.Image{
		Content: []byte("\x89PNG/+\x00"), ContentType: "image/png", Filename: "logo.png", Width: 300, Height: 200, Size: 7,
	}
	const shown = `"encoded":"` + testBase64 + `","filename":"logo.png","content_type":"image/png","width":300,"height":200,"ratio":1.5,"bytes":7`
	const inBrand = `,"image_encoded":"` + testBase64 + `","image_filename":"logo.png","image_content_type":"image/png"`
	said := func(text string) string {
		return `"details":{` + noCluster + `,"msg":"` + text + ` for secrets.example.com"}}`
	}
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"encodeGetImage", encodeGetImage(req, &hushv1.GetDomainLogoResponse{Image: image}), answerStart + `"record":{` + shown + `},"details":{}}`},
		{"logo.updated", logo.updated(req, &hushv1.UpdateDomainLogoResponse{Domain: testDomain(), Image: image}),
			answerStart + `"record":{` + testDomainStart + `"brand":{` + testBrand + inBrand + `},` + testTimes + `,` + shown + `},` +
				said("Logo updated successfully")},
		{"icon.updated", icon.updated(req, &hushv1.UpdateDomainLogoResponse{Domain: testDomain(), Image: image}),
			answerStart + `"record":{` + testDomainStart + `"brand":{` + testBrand + `},` + testTimes + `,` + shown + `},` +
				said("Icon updated successfully")},
		{"logo.deleted", logo.deleted(req, &hushv1.DeleteDomainLogoResponse{Domain: testDomain()}),
			answerStart + `"record":` + testClaim + `,` + said("Logo removed successfully")},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
	if got := newImageRecord(&hushv1.Image{Width: 3}).Ratio; got != 0 {
		t.Errorf("newImageRecord(no height): got ratio %v, want 0", got)
	}
}

func TestDecodeImage(t *testing.T) {
	logo, icon := imageNames()[0], imageNames()[1]
	shown, err := routestest.Decoded(t, icon.decodeGet, "")
	routestest.WantMessage(t, "decodeGet", shown, &hushv1.GetDomainLogoRequest{Domain: routestest.SecretKey, Kind: hushv1.ImageKind_IMAGE_KIND_ICON}, err)
	gone, err := routestest.Decoded(t, logo.decodeDelete, "")
	routestest.WantMessage(t, "decodeDelete", gone, &hushv1.DeleteDomainLogoRequest{Domain: routestest.SecretKey, Kind: hushv1.ImageKind_IMAGE_KIND_LOGO}, err)
	for _, image := range imageNames() {
		req := routestest.Request()
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"x.svg\"\r\n\r\n\xff\x00\r\n\x89\r\n--b--"))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		var err error
		if req.Params, err = (params.Names{}).Read(r, params.MaxBody); err != nil {
			t.Fatalf("Read(image): got error %v", err)
		}
		got, err := image.updateInput().Decode(req)
		routestest.WantMessage(t, "updateInput("+image.name+")", got, &hushv1.UpdateDomainLogoRequest{
			Domain: routestest.SecretKey, Kind: image.kind, Content: []byte("\xff\x00\r\n\x89"),
		}, err)
		_, err = image.updateInput().Decode(routestest.Request())
		routestest.WantRefusal(t, "updateInput(nothing)", err, refusal.ClassInvalid, image.title+" file is required")
	}
}
