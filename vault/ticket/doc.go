// Package ticket keeps the right to do one thing once, which a mailed link or an invite
// carries. It owns the bucket ticket.
//
// The record of an account names the tickets that it holds, of each kind the last one.
// Package account, above, has what concerns both; what tickets are mailed for is the
// business of package signup.
package ticket
