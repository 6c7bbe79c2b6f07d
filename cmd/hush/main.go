// Command hush runs the service, what an administrator needs beside it, and the commands of
// those who share and open secrets. Package program has all of it.
package main

import "hush/cmd/hush/program"

func main() { program.Main() }
