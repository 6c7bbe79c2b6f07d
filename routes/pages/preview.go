package pages

import "hush/routes/call"

// previewPath is the image of all previews.
const previewPath = "/preview.png"

// preview is what a program shows of a link before anyone opens it. It depends on the
// kind of the page alone, so it discloses nothing about a key. Programs load the image
// from another host, so its URL is a whole one: on the service's own host.
type preview struct{ Instance, Title, Text, Image, ImageText string }

func previewOf(req *call.Request, says noscriptPage) preview {
	p := preview{
		Instance: instanceName(req), Title: req.Text("preview.title"), Text: req.Text("preview.text"),
		Image: req.Links.Base() + previewPath, ImageText: req.Text("preview.image"),
	}
	if says.ofSecret {
		p.Title, p.Text = req.Text("preview.secret.title"), req.Text("preview.secret.text")
	}
	if says.ofRequest {
		p.Title, p.Text = req.Text("preview.request.title"), req.Text("preview.request.text")
	}
	return p
}
