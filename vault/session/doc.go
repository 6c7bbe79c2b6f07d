// Package session signs callers in and tells who they are: sessions for
// browsers and API tokens for programs.
//
// It owns no bucket: what it signs in with lies in packages account and
// credential. It alone makes a caller with a Credential. Handlers use it, and
// secret asks whether a caller's credential still holds.
package session
