// Package booted has no code but its tests, which are of the running service: what it needs to
// start, its listeners, certificates and sandbox, what it logs, measures and leaves on the
// disk, floods of bad clients, and whole journeys of users.
package booted
