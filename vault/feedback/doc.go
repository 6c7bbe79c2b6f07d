// Package feedback receives messages from people and error reports from
// browsers for the operator, and removes links and addresses from them.
//
// It owns the buckets feedback and exception. The texts are sealed, and the
// oldest are deleted when the bucket is full. Handlers use it, and package
// vault shows colonels what is stored.
package feedback
