// Package backup is the format of a backup: one file with all rows of a database
// at one moment, and the shares that were live after it. It is a stream, for one
// reader or writer that keeps little of it in memory.
//
//	magic "hushbkup" │ version 4 │ header │ rows │ slots │ trailer
//
// Numbers are big-endian. After the magic and the version, each part begins with
// a letter:
//
//	H │ length 4 │ header in JSON
//	B │ length 2 │ name of the bucket of the rows that follow
//	R │ length of the key 2 │ length of the value 4 │ key │ value
//	S │ number 8 │ generation 8 │ share 32
//	T │ buckets 8 │ rows 8 │ shares 8 │ slots 8 │ highest generation 8 │ SHA-256 32
//
// Buckets stand in the order of their names, rows in that of their keys, and
// slots in that of their numbers. The hash covers everything before it; nothing
// follows it.
//
// A backup holds what its reader can do harm with. It is encrypted to recipients
// with age, or stays plain where other means protect it. The root key is not in
// it, and it opens no secret without one.
package backup
