package main

// extensionMutants break what the extension checks before and after it clicks.
func extensionMutants() []mutant { return nil }
