package v2

import (
	"encoding/base64"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
)

// imageName is the name of one of a domain's images in paths and messages.
type imageName struct {
	name, title string
	kind        hushv1.ImageKind
}

func imageNames() [2]imageName {
	return [2]imageName{
		{"logo", "Logo", hushv1.ImageKind_IMAGE_KIND_LOGO},
		{"icon", "Icon", hushv1.ImageKind_IMAGE_KIND_ICON},
	}
}

func (i imageName) decodeGet(req *call.Request) (*hushv1.GetDomainLogoRequest, error) {
	return &hushv1.GetDomainLogoRequest{Domain: req.Key, Kind: i.kind}, nil
}

func (i imageName) decodeDelete(req *call.Request) (*hushv1.DeleteDomainLogoRequest, error) {
	return &hushv1.DeleteDomainLogoRequest{Domain: req.Key, Kind: i.kind}, nil
}

// updateInput takes the file under the names that clients of different ages use. It ignores
// the file's own name and type.
func (i imageName) updateInput() call.Input[hushv1.UpdateDomainLogoRequest] {
	begin := func(req *call.Request) (*hushv1.UpdateDomainLogoRequest, error) {
		return &hushv1.UpdateDomainLogoRequest{Domain: req.Key, Kind: i.kind}, nil
	}
	takes := call.Fill(begin,
		params.Field{Name: "logo", Form: params.FormFile, Becomes: "content", About: "The image: PNG, JPEG or GIF."},
		params.Field{Name: "image", Form: params.FormFile, Becomes: "content", About: "Another name for `logo`."},
		params.Field{Name: "icon", Form: params.FormFile, Becomes: "content", About: "Another name for `logo`."})
	return takes.Checked(func(_ *call.Request, message *hushv1.UpdateDomainLogoRequest) error {
		if len(message.GetContent()) == 0 {
			return refusal.Invalid("%s file is required", i.title)
		}
		return nil
	})
}

// imageRecord is an image with its bytes in base64.
type imageRecord struct {
	Encoded     string  `json:"encoded"`
	Filename    string  `json:"filename"`
	ContentType string  `json:"content_type"`
	Width       int32   `json:"width"`
	Height      int32   `json:"height"`
	Ratio       float64 `json:"ratio"`
	Bytes       int64   `json:"bytes"`
}

func newImageRecord(i *hushv1.Image) imageRecord {
	record := imageRecord{
		Encoded:  base64.StdEncoding.EncodeToString(i.GetContent()),
		Filename: i.GetFilename(), ContentType: i.GetContentType(),
		Width: i.GetWidth(), Height: i.GetHeight(), Bytes: i.GetSize(),
	}
	if i.GetHeight() > 0 {
		record.Ratio = float64(i.GetWidth()) / float64(i.GetHeight())
	}
	return record
}

func encodeGetImage(req *call.Request, res *hushv1.GetDomainLogoResponse) any {
	return newEnvelope(req, newImageRecord(res.GetImage()), struct{}{})
}

// domainAndImage is the domain for clients of one age and the image for those
// of another.
type domainAndImage struct {
	domainRecord
	imageRecord
}

func (i imageName) updated(req *call.Request, res *hushv1.UpdateDomainLogoResponse) any {
	record := domainAndImage{newDomainRecord(res.GetDomain()), newImageRecord(res.GetImage())}
	showLogo(&record.Brand, i, res.GetImage())
	return newEnvelope(req, record, clusterDetails{Message: i.title + " updated successfully for " + record.DisplayDomain})
}

// showLogo puts a logo into the brand, where old clients look for it.
func showLogo(b *brandRecord, name imageName, image *hushv1.Image) {
	if name.kind != hushv1.ImageKind_IMAGE_KIND_LOGO {
		return
	}
	b.ImageEncoded = base64.StdEncoding.EncodeToString(image.GetContent())
	b.ImageFilename, b.ImageContentType = image.GetFilename(), image.GetContentType()
}

func (i imageName) deleted(req *call.Request, res *hushv1.DeleteDomainLogoResponse) any {
	record := newDomainRecord(res.GetDomain())
	return newEnvelope(req, record, clusterDetails{Message: i.title + " removed successfully for " + record.DisplayDomain})
}
