package pages

import "hush/routes/call"

// homePage is for the pages that need a script: it leads to the one that shares
// without.
func homePage() noscriptPage {
	return noscriptPage{name: "home", view: func(req *call.Request) *view {
		return &view{
			Title: req.Text("page.home.title"),
			Text:  []passage{{Text: req.Text("page.home.explanation")}, {Text: req.Text("page.script")}},
			Next:  &anchor{URL: sharePath, Text: req.Text("page.share.title")},
		}
	}}
}

// fragmentPage is for links whose key is in the fragment, which browsers do not
// send. It explains how to put the key into the path.
func fragmentPage(from, to string) noscriptPage {
	return noscriptPage{name: "fragment " + from, view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.fragment.explanation")},
			{Text: req.Text("page.fragment.advice", "from", from, "to", to)},
		}}
	}, ofSecret: from == "/s#"}
}

// endToEndPage is for links of end-to-end encrypted secrets. Only a script can
// decrypt them, so it has no form, and nothing to put into the path.
func endToEndPage() noscriptPage {
	return noscriptPage{name: "end-to-end", view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.end_to_end.explanation")},
			{Text: req.Text("page.end_to_end.advice")},
		}}
	}, ofSecret: true}
}

// escapedPage is for links that reached the server whole.
func escapedPage() noscriptPage {
	return noscriptPage{name: "escaped", view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.escaped.title"), Text: []passage{
			{Text: req.Text("page.escaped.explanation")},
			{Text: req.Text("page.escaped.advice")},
		}}
	}, ofSecret: true}
}

func unknownPage() noscriptPage {
	return noscriptPage{name: "unknown", view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.unknown.title"), Text: []passage{{Text: req.Text("page.unknown.explanation")}}}
	}}
}
