package pages

import "hush/routes/call"

// homePage explains the service, and how to use it from a command line.
func homePage() noscriptPage {
	return noscriptPage{"home", func(req *call.Request) *view {
		if req.OnlyEndToEnd {
			return &view{Title: req.Text("page.home.title"), Text: []passage{
				{Text: req.Text("page.home.explanation")}, {Text: req.Text("page.home.end_to_end")},
			}}
		}
		base := req.Links.Base()
		keys := req.Text("page.home.keys", "secret", "secret_key", "link", base+"/s#KEY", "receipt", "metadata_key")
		return &view{Title: req.Text("page.home.title"), Text: []passage{
			{Text: req.Text("page.home.explanation")},
			{Text: req.Text("page.script")},
			{req.Text("page.home.share"), "curl --data-urlencode secret@FILE " + base + "/api/v1/share"},
			{Text: keys},
		}}
	}}
}

// fragmentPage is for links whose key is in the fragment, which browsers do not
// send. It explains how to put the key into the path.
func fragmentPage(from, to string) noscriptPage {
	return noscriptPage{"fragment " + from, func(req *call.Request) *view {
		return &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.fragment.explanation")},
			{Text: req.Text("page.fragment.advice", "from", from, "to", to)},
		}}
	}}
}

// endToEndPage is for links of end-to-end encrypted secrets. Only a script can
// decrypt them, so it has no form, and nothing to put into the path.
func endToEndPage() noscriptPage {
	return noscriptPage{"end-to-end", func(req *call.Request) *view {
		return &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.end_to_end.explanation")},
			{Text: req.Text("page.end_to_end.advice")},
		}}
	}}
}

// escapedPage is for links that reached the server whole.
func escapedPage() noscriptPage {
	return noscriptPage{"escaped", func(req *call.Request) *view {
		return &view{Title: req.Text("page.escaped.title"), Text: []passage{
			{Text: req.Text("page.escaped.explanation")},
			{Text: req.Text("page.escaped.advice")},
		}}
	}}
}

func unknownPage() noscriptPage {
	return noscriptPage{"unknown", func(req *call.Request) *view {
		return &view{Title: req.Text("page.unknown.title"), Text: []passage{{Text: req.Text("page.unknown.explanation")}}}
	}}
}
