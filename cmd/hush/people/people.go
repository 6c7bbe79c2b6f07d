// Package people has the commands of those who share and open secrets, and of those
// who choose a server and an account for that: a constructor for each, and beside it
// the files whose names begin with that of the command. What several commands need is
// in connect*.go (which server is called, and as whom), argument.go (LINK and RECEIPT),
// reveal*.go (how a secret is opened) and exit_code.go (how an error ends the program).
//
// The commands run where no server is, and know it by package client alone. What they
// keep on the disk is in packages of its own: profile has servers and tokens, pending
// has claims.
//
// Contents, passphrases, tokens and receipts are never arguments. What others wrote,
// such as labels and addresses, is shown so that a terminal does not obey it. The key
// of a receipt is printed in one place alone: the JSON of "hush list", for programs
// that go on with it.
package people
