package main

import (
	"context"
	"crypto/ed25519"
	"flag"
	"fmt"
	"io"
	"os"

	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/receipt"
)

// receipts is what is done with signed receipts beside the server. It asks no database and no network.
func receipts(_ context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "key":
			return receiptKey(args[1:], out)
		case "verify":
			return verifyReceipt(args[1:], out)
		}
	}
	return receiptUsage()
}

func receiptUsage() error {
	fmt.Fprintln(os.Stderr, "say: sendonce receipt key [--new]")
	fmt.Fprintln(os.Stderr, "     sendonce receipt verify [--key KEY|FILE] RECEIPT.json")
	return errUsage
}

// receiptKey prints the public keys of the data folder, one a line with its name, the one that signs last. With --new it
// makes one more.
func receiptKey(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("receipt key", flag.ContinueOnError)
	add := flags.Bool("new", false, "make a key that signs from the server's next start on; the earlier ones stay published")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		return receiptUsage()
	}
	settings, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}
	read := auth.ReadReceiptKeys
	if *add {
		read = auth.AddReceiptKey
	}
	keys, err := read(settings.Data)
	if err != nil {
		return err
	}
	for _, key := range receipt.Published(keys) {
		fmt.Fprintln(out, key.KeyID, key.PublicKey)
	}
	return nil
}

// verifyReceipt says what a receipt says, or what is wrong with it. Without --key it trusts the keys of its own data folder.
func verifyReceipt(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("receipt verify", flag.ContinueOnError)
	given := flags.String("key", "", "the public key, or a file with keys as `sendonce receipt key` or GET /v1/receipt-keys give them; without it, those of the data folder")
	if flags.Parse(args) != nil || flags.NArg() != 1 {
		return receiptUsage()
	}
	keys, err := trustedKeys(*given)
	if err != nil {
		return err
	}
	raw, err := readBounded(flags.Arg(0), config.ReceiptBytesMax)
	if err != nil {
		return err
	}
	r, err := receipt.Verify(raw, keys)
	if err != nil {
		return fmt.Errorf("%s does not hold: %w", flags.Arg(0), err)
	}
	fmt.Fprintln(out, "The signature is good.")
	fmt.Fprint(out, r.Summary())
	return nil
}

func trustedKeys(given string) ([]ed25519.PublicKey, error) {
	if given == "" {
		settings, err := config.Load(os.LookupEnv)
		if err != nil {
			return nil, err
		}
		own, err := auth.ReadReceiptKeys(settings.Data)
		if err != nil {
			return nil, fmt.Errorf("without --key a receipt is held against this server's own keys: %w", err)
		}
		var keys []ed25519.PublicKey
		for _, key := range own {
			keys = append(keys, key.Public().(ed25519.PublicKey))
		}
		return keys, nil
	}
	if _, err := os.Stat(given); err != nil {
		return receipt.ParseKeys(given) // no file: the key itself
	}
	raw, err := readBounded(given, config.ReceiptKeysBytesMax)
	if err != nil {
		return nil, err
	}
	return receipt.ParseKeys(string(raw))
}

// readBounded reads a file of at most most bytes.
func readBounded(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > most {
		return nil, fmt.Errorf("%s is longer than %d bytes, the most that it may have", path, most)
	}
	return raw, nil
}
