package pages

import "hush/routes/call"

// homePage is for the pages that need a script: it leads to the one that shares
// without. Each shows a start of its own.
func homePage(start string) noscriptPage {
	return noscriptPage{name: "home " + start, start: start, view: func(req *call.Request) *view {
		return &view{
			Title: req.Text("page.home.title"),
			Text:  []passage{{Text: req.Text("page.home.explanation")}, {Text: req.Text("page.script")}},
			Next:  &anchor{URL: sharePath, Text: req.Text("page.share.title")},
		}
	}}
}

// openCommand opens a link of either kind. It asks for the link, which would otherwise
// stay in the shell's history.
const openCommand = "hush open"

// fragmentPage is for links whose key is in the fragment, which browsers do not
// send. It explains how to put the key into the path.
func fragmentPage(from, to, start string) noscriptPage {
	ofSecret := start == startOpen
	return noscriptPage{name: "fragment " + from, start: start, view: func(req *call.Request) *view {
		v := &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.fragment.explanation")},
			{Text: req.Text("page.fragment.advice", "from", from, "to", to)},
		}}
		if ofSecret {
			v.Text = append(v.Text, passage{Text: req.Text("page.fragment.others", "to", to), Command: openCommand})
		}
		return v
	}, ofSecret: ofSecret}
}

// endToEndPage is for links of end-to-end encrypted secrets. Only a script can
// decrypt them, so it has no form, and nothing to put into the path.
func endToEndPage() noscriptPage {
	return noscriptPage{name: "end-to-end", start: startOpen, view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.end_to_end.explanation")},
			{Text: req.Text("page.end_to_end.advice"), Command: openCommand},
		}}
	}, ofSecret: true}
}

// answerPage is for the link of a request. Only a script can show what is asked for, and
// encrypt the answer.
func answerPage() noscriptPage {
	return noscriptPage{name: "answer", start: "answer", view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.answer.explanation")},
			{Text: req.Text("page.answer.advice"), Command: "hush answer"},
		}}
	}, ofRequest: true}
}

// collectPage is for the link that the requester keeps. Only a script can decrypt the
// answers.
func collectPage() noscriptPage {
	return noscriptPage{name: "collect", start: "collect", view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.fragment.title"), Text: []passage{
			{Text: req.Text("page.collect.explanation")},
			{Text: req.Text("page.collect.advice"), Command: "hush collect"},
		}}
	}}
}

// escapedPage is for links that reached the server whole.
func escapedPage() noscriptPage {
	return noscriptPage{name: "escaped", start: startOpen, view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.escaped.title"), Text: []passage{
			{Text: req.Text("page.escaped.explanation")},
			{Text: req.Text("page.escaped.advice")},
		}}
	}, ofSecret: true}
}

func unknownPage() noscriptPage {
	return noscriptPage{name: "unknown", start: "unknown", view: func(req *call.Request) *view {
		return &view{Title: req.Text("page.unknown.title"), Text: []passage{{Text: req.Text("page.unknown.explanation")}}}
	}}
}
