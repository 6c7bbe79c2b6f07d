// Package receipt is the sender's side of the program after a secret was shared:
// "hush receipt" shows what became of it and follows it, "hush burn" destroys it
// unread, and "hush list" has the secrets of an account.
//
// What others wrote, such as labels and addresses, is shown so that a terminal does
// not obey it. The key of a receipt is printed in one place alone: the JSON of
// "hush list", for programs that go on with it.
package receipt
