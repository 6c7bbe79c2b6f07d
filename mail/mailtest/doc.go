// Package mailtest gives tests a real SMTP server in their own process: it
// speaks over TCP on a loopback port of its own, with STARTTLS, TLS from the
// first byte and AUTH, and keeps what it was sent.
//
// It is as unpleasant as a test asks: it refuses recipients or content with any
// code, answers slowly, or stops answering at a command. Its refusals repeat
// what the client said, as those of real servers do, so that a test sees
// whether an address finds its way from there into an error or a log.
package mailtest
