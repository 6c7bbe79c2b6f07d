// Package feedback takes what people and browsers tell the operator: feedback
// and reports of exceptions, out of which it takes links and addresses.
//
// It owns the buckets feedback and exception. What is sent is sealed, and the
// oldest makes room for the newest. Handlers use it, and package vault shows
// colonels what is kept.
package feedback
