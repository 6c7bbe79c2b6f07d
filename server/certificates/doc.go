// Package certificates gives a TLS server its certificates: those of files, which
// it reads again when they change, or those that it obtains and renews over ACME
// (RFC 8555).
//
// ACME is done by CertMagic, which keeps and renews certificates, and by acmez,
// its client. What is left to this package: which names may have a certificate,
// how often the ACME server is asked, where private keys are stored, and who
// answers challenges. CertMagic's own issuer is not used, because it opens ports
// itself when none of ours answers, asks on the terminal, turns to a second
// server, and logs addresses.
//
// Nothing in the log contains the address of a client.
package certificates
