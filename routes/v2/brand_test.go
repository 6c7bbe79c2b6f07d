package v2

import (
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

func TestUpdateBrandInput(t *testing.T) {
	for body, want := range map[string]*hushv1.UpdateDomainBrandRequest{
		`{"brand":{}}`: {Brand: &hushv1.Brand{}},
		`{"brand":{"primary_color":"#fff","button_text_light":true,"allow_public_api":"false","description":"","unknown":{"a":[1]}}}`: {
			Brand: &hushv1.Brand{
				PrimaryColor: new("#fff"), ButtonTextLight: new(true), AllowPublicApi: new(false), Description: new(""),
			},
		},
		`{"brand":{"locale":null,"font_family":"serif","allow_public_homepage":null,"primary_color":null}}`: {
			Brand: &hushv1.Brand{FontFamily: new("serif")},
			Unset: []string{"primary_color", "locale", "allow_public_homepage"},
		},
		"brand[corner_style]=pill&brand[colour]=%23123456&brand[instructions_reveal]=a%0Ab&domain=other": {
			Brand: &hushv1.Brand{CornerStyle: new("pill"), Colour: new("#123456"), InstructionsReveal: new("a\nb")},
		},
	} {
		want.Domain = routestest.SecretKey
		got, err := routestest.Decoded(t, updateBrandInput().Decode, body)
		routestest.WantMessage(t, "updateBrandInput("+body+")", got, want, err)
	}
	for body, want := range map[string]string{
		"":                            "Please provide brand settings",
		"brand=a":                     "Please provide brand settings",
		`{"brand":null}`:              "Please provide brand settings",
		`{"brand":["a"]}`:             "Please provide brand settings",
		`{"brand":{"locale":["en"]}}`: "brand[locale] must be a single value",
		`{"brand":{"button_text_light":"maybe"}}`: "brand[button_text_light] must be true or false",
	} {
		_, err := routestest.Decoded(t, updateBrandInput().Decode, body)
		routestest.WantRefusal(t, "updateBrandInput("+body+")", err, refusal.ClassInvalid, want)
	}
}
