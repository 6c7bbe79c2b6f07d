// Package locale has the service's texts for people outside its web client, in
// every language, and chooses the language.
//
// English is the fallback for an unknown language. The catalogues are checked
// when they are read: a missing text, or one that names other values than
// English, prevents the start.
package locale
