// Package mailtest gives tests a real SMTP server in their own process: it
// speaks over TCP on a loopback port, with STARTTLS, TLS from the first byte
// and AUTH, and keeps what it was sent.
//
// A test can make it misbehave: it refuses recipients or content with any code,
// answers slowly, or stops answering at a command. Its refusals repeat the
// client's words, like those of real servers, so that a test can check whether
// an address leaks into an error or a log.
package mailtest
