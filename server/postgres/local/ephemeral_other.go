//go:build !linux

package local

// ephemeralKind knows only Linux, where containers run.
func ephemeralKind(string) (string, error) { return "", nil }
