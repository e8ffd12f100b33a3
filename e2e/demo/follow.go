package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sendonce/server/rule"
)

// meanings say what each status means for someone who has never seen them.
var meanings = map[rule.Status]string{
	rule.Queued:      "approved, and waiting for its turn",
	rule.Leased:      "handed to the browser, which has touched nothing yet",
	rule.Started:     "the start is written down for good; only now does the browser open LinkedIn",
	rule.Unconfirmed: "nobody said how it ended, so it needs a person's look, and no machine sends it again",
	rule.Sent:        "the message was found in the conversation: that is the evidence",
	rule.Failed:      "it did not go out, and that is sure",
}

// follow prints every status that a message passes through until it has the wanted one; any other end is an error.
func (w *world) follow(ctx context.Context, tell *teller, l *letter, wanted rule.Status) error {
	ctx, cancel := context.WithTimeout(ctx, messageWithin)
	defer cancel()
	for {
		read, err := w.api.Message(ctx, l.message.ID)
		if err != nil {
			return err
		}
		status, known := rule.Status(read.Status), l.message.Status
		l.message = read
		if read.Status != known {
			tell.line("To %s: %s: %s.", l.to.Name, status, meanings[status])
		}
		if status == wanted {
			return nil
		}
		if status == rule.Failed || meanings[status] == "" {
			return fmt.Errorf("the message to %s became %s (%s %s)", l.to.Name, status, read.Last().Code, read.Last().Reason)
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return fmt.Errorf("the message to %s is still %s: %w", l.to.Name, status, ctx.Err())
		}
	}
}

// receipt prints the whole story of one message, and holds it against the ledger.
func (w *world) receipt(tell *teller, l *letter) error {
	recipient, err := w.site.Person(l.to.Slug)
	if err != nil {
		return err
	}
	if copies := w.site.State().To(recipient.ID, l.body).Copies; len(copies) != 1 {
		return fmt.Errorf("the ledger holds %d copies for %s with the bytes that were approved", len(copies), l.to.Name)
	}
	last := l.message.Last()
	tell.detail("Receipt of message %s to %s", l.message.ID, l.to.Name)
	tell.detail("  approved   version %d, %s…", l.message.Version, l.message.Digest[:digestShown])
	tell.detail("  history    %s", strings.Join(steps(l), ", "))
	tell.detail("  evidence   %s", rule.CodeText(last.Code, last.Reason))
	tell.detail("  ledger     1 copy, byte for byte what was approved")
	return nil
}

// steps are the statuses that the message passed through, with their times.
func steps(l *letter) []string {
	var passed []string
	for _, event := range l.message.History {
		if event.To != "" && event.To != event.From {
			passed = append(passed, fmt.Sprintf("%s %s", event.To, event.At.Local().Format("15:04:05.0")))
		}
	}
	return passed
}
