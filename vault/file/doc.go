// Package file keeps what is known of files besides their secrets: the contents, part by
// part, and how far an upload and a download have come.
//
// A file is a secret whose stored content is a key: the at-rest key F, under which every
// part of the file is encrypted. So the secret, the claim that it is opened with, and the
// upload are small records, each of which has F wrapped under a share of its own. Whatever
// ends one of them overwrites 32 bytes; once no wrap is left, nothing opens the parts any
// more, wherever a disk has kept them, and the blob is removed behind it.
//
// A part is written to the blob and synced before its row is stored, and its row before
// the call returns. A blob without a record is removed at the start, a record without its
// blob is damage that an examination reports.
package file
