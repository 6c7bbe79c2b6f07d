// Package proxies has no code but its tests, which serve behind each proxy that the documents
// set up, over each protocol.
package proxies
