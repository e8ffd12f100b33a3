// The command part puts what it reads on standard input in place of a part of docs/proof.md, for the commands that are no Go:
//
//	part NAME COMMAND < content
//
// COMMAND is how the part is written anew, as its mark says.
package main

import (
	"fmt"
	"io"
	"os"

	"sendonce/house/proof"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: part NAME COMMAND < content")
		os.Exit(2)
	}
	content, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = proof.Part{Name: os.Args[1], Command: os.Args[2]}.Write(string(content))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "part:", err)
		os.Exit(1)
	}
}
