package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
)

// brandRecord is the branding of a domain's pages. Unset fields are left out. The
// image's bytes are part of it only in the response to their upload.
type brandRecord struct {
	PrimaryColor           *string `json:"primary_color,omitempty"`
	Colour                 *string `json:"colour,omitempty"`
	FontFamily             *string `json:"font_family,omitempty"`
	CornerStyle            *string `json:"corner_style,omitempty"`
	ButtonTextLight        *bool   `json:"button_text_light,omitempty"`
	InstructionsPreReveal  *string `json:"instructions_pre_reveal,omitempty"`
	InstructionsReveal     *string `json:"instructions_reveal,omitempty"`
	InstructionsPostReveal *string `json:"instructions_post_reveal,omitempty"`
	Description            *string `json:"description,omitempty"`
	Locale                 *string `json:"locale,omitempty"`
	AllowPublicHomepage    *bool   `json:"allow_public_homepage,omitempty"`
	AllowPublicAPI         *bool   `json:"allow_public_api,omitempty"`
	ImageEncoded           string  `json:"image_encoded,omitempty"`
	ImageFilename          string  `json:"image_filename,omitempty"`
	ImageContentType       string  `json:"image_content_type,omitempty"`
}

func newBrandRecord(d *hushv1.Domain) brandRecord {
	b := d.GetBrand()
	if b == nil {
		b = new(hushv1.Brand)
	}
	return brandRecord{
		PrimaryColor: b.PrimaryColor, Colour: b.Colour, FontFamily: b.FontFamily, CornerStyle: b.CornerStyle,
		ButtonTextLight: b.ButtonTextLight, InstructionsPreReveal: b.InstructionsPreReveal,
		InstructionsReveal: b.InstructionsReveal, InstructionsPostReveal: b.InstructionsPostReveal,
		Description: b.Description, Locale: b.Locale,
		AllowPublicHomepage: b.AllowPublicHomepage, AllowPublicAPI: b.AllowPublicApi,
		ImageFilename: d.GetLogo().GetFilename(), ImageContentType: d.GetLogo().GetContentType(),
	}
}

// brandText and brandFlag are fields of a brand with the names of their
// parameters.
type brandText struct {
	name string
	at   **string
}

type brandFlag struct {
	name string
	at   **bool
}

func brandTexts(b *hushv1.Brand) []brandText {
	return []brandText{
		{"primary_color", &b.PrimaryColor}, {"colour", &b.Colour}, {"font_family", &b.FontFamily},
		{"corner_style", &b.CornerStyle}, {"instructions_pre_reveal", &b.InstructionsPreReveal},
		{"instructions_reveal", &b.InstructionsReveal}, {"instructions_post_reveal", &b.InstructionsPostReveal},
		{"description", &b.Description}, {"locale", &b.Locale},
	}
}

func brandFlags(b *hushv1.Brand) []brandFlag {
	return []brandFlag{
		{"button_text_light", &b.ButtonTextLight}, {"allow_public_homepage", &b.AllowPublicHomepage},
		{"allow_public_api", &b.AllowPublicApi},
	}
}

// brandFields returns the fields of a brand as parameters.
func brandFields() []params.Field {
	var fields []params.Field
	brand := new(hushv1.Brand)
	for _, text := range brandTexts(brand) {
		fields = append(fields, params.Optional(params.FormText, "brand["+text.name+"]")...)
	}
	for _, flag := range brandFlags(brand) {
		fields = append(fields, params.Optional(params.FormFlag, "brand["+flag.name+"]")...)
	}
	return fields
}

// decodeUpdateBrand decodes a change. A field that is not named stays, null
// unsets it, and unknown names are ignored.
func decodeUpdateBrand(req *call.Request) (*hushv1.UpdateDomainBrandRequest, error) {
	if !req.Params.IsObject("brand") {
		return nil, refusal.Invalid("Please provide brand settings")
	}
	brand := new(hushv1.Brand)
	var unset []string
	for _, field := range brandTexts(brand) {
		text, null, err := brandField(req, field.name)
		if err != nil {
			return nil, err
		}
		if *field.at = text; null {
			unset = append(unset, field.name)
		}
	}
	for _, field := range brandFlags(brand) {
		text, null, err := brandField(req, field.name)
		if err != nil {
			return nil, err
		}
		if null {
			unset = append(unset, field.name)
		}
		if text != nil {
			on, err := req.Params.Flag("brand[" + field.name + "]")
			if err != nil {
				return nil, err
			}
			*field.at = &on
		}
	}
	return &hushv1.UpdateDomainBrandRequest{Domain: req.Key, Brand: brand, Unset: unset}, nil
}

// brandField returns the value of a brand's field, or nil without one, and
// reports whether it was given as null.
func brandField(req *call.Request, name string) (text *string, null bool, err error) {
	name = "brand[" + name + "]"
	text, err = req.Params.Optional(name)
	return text, text == nil && req.Params.IsNull(name), err
}
