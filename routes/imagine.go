package routes

import (
	"net/http"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/refusal"
)

// file is what the image is called where anybody may see it.
func (i imageName) file() string { return i.name + ".png" }

func (i imageName) decodePublic(req *call.Request) (*hushv1.GetPublicImageRequest, error) {
	return &hushv1.GetPublicImageRequest{DomainId: req.Key, Kind: i.kind}, nil
}

func publicImage(_ *call.Request, res *hushv1.GetPublicImageResponse) any { return res.GetImage() }

// answerImage shows a domain's image. It is the one answer that may be kept:
// every page on the domain shows it, it is the same for everybody, and it tells
// nothing of any secret. A new image shows after five minutes at the latest.
// Pages on the domain and on the service's own host both show it, so it is for
// other origins, too.
func answerImage(t *tree, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error) {
	image, _ := result.(*hushv1.Image)
	if refused != nil {
		t.pageFailed(w, req, refused)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Content-Disposition", `inline; filename="`+image.GetFilename()+`"`)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Referrer-Policy", noReferrer)
	writeBytes(w, http.StatusOK, "image/png", image.GetContent())
}
