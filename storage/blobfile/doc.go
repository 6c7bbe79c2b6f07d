// Package blobfile stores blobs in a folder, each in a file of its own, in which every
// part has its place.
//
// Promise: when Begin, Put or Delete returns nil, the change is on the disk. A blob that
// was begun has its room on the disk, where the file system can allocate. No call brings a
// deleted blob back. A full disk fails the calls that need more of it, and nothing else.
//
// Policy: the folder is one process's alone, which another lock than one of its own sees
// to. Only the owner may access the folder and its files. Files are opened for each call,
// and only Begin creates one. After a failed sync every call is refused; see disk.Fault.
// The next start need not write again what it reads: a part whose sync has failed was not
// acknowledged, and its sender sends it again.
package blobfile
