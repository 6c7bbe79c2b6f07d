package pages

import (
	"net/http"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
)

// imagePages returns the public images of a domain.
func imagePages(api *handlers.API) []dynamicPage {
	return []dynamicPage{
		imagePage(api, "/imagine/{domain}/logo.png", imageKind(hushv1.ImageKind_IMAGE_KIND_LOGO)),
		imagePage(api, "/imagine/{domain}/icon.png", imageKind(hushv1.ImageKind_IMAGE_KIND_ICON)),
	}
}

func imagePage(api *handlers.API, path string, kind imageKind) dynamicPage {
	return dynamicPage{
		method: http.MethodGet, path: path,
		action: call.RPC(api.Chain, api.Domains.GetPublicImage, kind.decode, publicImage), answer: answerImage,
	}
}

// imageKind decodes requests for one kind of image.
type imageKind hushv1.ImageKind

func (k imageKind) decode(req *call.Request) (*hushv1.GetPublicImageRequest, error) {
	return &hushv1.GetPublicImageRequest{DomainId: req.Key, Kind: hushv1.ImageKind(k)}, nil
}

func publicImage(_ *call.Request, res *hushv1.GetPublicImageResponse) any { return res.GetImage() }

// answerImage sends a domain's image. It is the only response that may be
// cached: every page on the domain shows it, it is the same for every visitor,
// and it reveals nothing of any secret. A new image shows after five minutes at
// the latest. Pages on the domain and on the service's own host both show it,
// so other origins may load it.
func answerImage(site *Site, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error) {
	image, _ := result.(*hushv1.Image)
	if refused != nil {
		site.pageFailed(w, req, refused)
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
