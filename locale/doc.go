// Package locale holds every text that the service shows to people outside its
// web client, in every language, and chooses the language.
//
// English is the language of all else: where another one is unknown, English
// stands in. The catalogues are checked when they are read, so a text that is
// missing or that names other values than English stops the start.
package locale
