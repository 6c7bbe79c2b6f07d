package v2

import (
	"strings"

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

// brandFields returns the fields of a brand as parameters.
func brandFields() []params.Field {
	var all []params.Field
	add := func(form params.Form, names ...string) {
		for _, name := range names {
			all = append(all, params.Field{Name: "brand[" + name + "]", Form: form, Becomes: "brand." + name, Nullable: true})
		}
	}
	add(params.FormText, "primary_color", "colour", "font_family", "corner_style", "instructions_pre_reveal",
		"instructions_reveal", "instructions_post_reveal", "description", "locale")
	add(params.FormFlag, "button_text_light", "allow_public_homepage", "allow_public_api")
	return all
}

// updateBrandInput takes a change. A field that is not named stays, null unsets it, and
// unknown names are ignored.
func updateBrandInput() call.Input[hushv1.UpdateDomainBrandRequest] {
	fields := brandFields()
	begin := func(req *call.Request) (*hushv1.UpdateDomainBrandRequest, error) {
		if !req.Params.IsObject("brand") {
			return nil, refusal.Invalid("Please provide brand settings")
		}
		return &hushv1.UpdateDomainBrandRequest{Domain: req.Key, Brand: new(hushv1.Brand)}, nil
	}
	return call.Fill(begin, fields...).Checked(func(req *call.Request, message *hushv1.UpdateDomainBrandRequest) error {
		for _, field := range fields {
			given, err := req.Params.Optional(field.Name)
			if err != nil {
				return err
			}
			if given == nil && req.Params.IsNull(field.Name) {
				message.Unset = append(message.Unset, strings.TrimPrefix(field.Becomes, "brand."))
			}
		}
		return nil
	})
}
