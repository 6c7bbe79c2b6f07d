// Package servertest is a kit for tests of the program at work: it runs "hush serve" in the
// process of the tests (Start), or builds the program once for a package and starts it
// (Build, StartProcess), waits until it serves, and stops it. Call runs any other command in
// this process, Seat runs one on a terminal, and Operator those of an administrator.
//
// The program is on bbolt, or in a run of the tests on PostgreSQL on a database of its own,
// unless its flags have InFolder. Each helper that starts it leaves the test to "make check",
// unless it is one of the few that "make test" has. What needs no program belongs to package
// routes/apitest.
//
// Each package that uses the kit has Main as its TestMain.
package servertest
