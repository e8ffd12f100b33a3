package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// letter is one message of the demo.
type letter struct {
	to      standin.Person
	body    string
	message harness.Message
}

// play tells the story and counts what came of it. An error means that something was not as told.
func play(ctx context.Context, w *world, tell *teller) (result, error) {
	first := []*letter{
		{to: ada, body: "Hello Ada, thank you for your message."},
		{to: ben, body: "Hallo Jürgen,\n\nhast du am Dienstag Zeit?\nGrüße, Rita"},
	}
	hard := &letter{to: chloe, body: "Hello Chloé, shall we talk this week? 👋"}
	tell.act("Two messages, one into a conversation that exists and one first message")
	if err := w.deliver(ctx, tell, first); err != nil {
		return result{}, err
	}
	if err := w.deliverLate(ctx, tell, hard); err != nil {
		return result{}, err
	}
	inSequence, err := w.deliverSequence(ctx, tell)
	if err != nil {
		return result{}, err
	}
	return w.sum(ctx, tell, slices.Concat(first, []*letter{hard}, inSequence))
}

// propose proposes and approves a message over REST.
func (w *world) propose(ctx context.Context, tell *teller, l *letter) error {
	proposed, err := w.api.Propose(ctx, w.account, l.to.Slug, l.body)
	if err != nil {
		return err
	}
	if l.message, err = w.api.Approve(ctx, proposed); err != nil {
		return err
	}
	tell.line("To %s: proposed and approved over REST. The approval holds for exactly these bytes: %s…", l.to.Name, proposed.Digest[:digestShown])
	return nil
}

// deliver proposes messages together and follows each to its end; one account works on one of them at a time.
func (w *world) deliver(ctx context.Context, tell *teller, letters []*letter) error {
	for _, l := range letters {
		if err := w.propose(ctx, tell, l); err != nil {
			return err
		}
	}
	for _, l := range letters {
		if err := w.end(ctx, tell, l); err != nil {
			return err
		}
	}
	return nil
}

// end follows a letter until it is sent, and prints its receipt.
func (w *world) end(ctx context.Context, tell *teller, l *letter) error {
	if err := w.follow(ctx, tell, l, rule.Sent); err != nil {
		return err
	}
	return w.receipt(tell, l)
}

// deliverLate is the fault: LinkedIn takes the message, but its answer and its thread are held back past the deadline,
// while the browser sleeps as under a closed lid. Then the late confirmation comes.
func (w *world) deliverLate(ctx context.Context, tell *teller, l *letter) error {
	tell.act("A fault on purpose: accepted, and then silence past the deadline")
	recipient, err := w.site.Person(l.to.Slug)
	if err != nil {
		return err
	}
	gate := standin.NewGate()
	defer gate.Release()
	fault := standin.Fault{When: standin.AfterAccept, HoldAnswer: gate, HideFromThread: gate}
	if err := w.site.Fault(standin.FaultMatch{RecipientID: recipient.ID}, fault); err != nil {
		return err
	}
	if err := w.propose(ctx, tell, l); err != nil {
		return err
	}
	if err := w.follow(ctx, tell, l, rule.Started); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, messageWithin)
	defer cancel()
	if err := w.site.Wait(bounded, func(s standin.State) bool { return s.Accepted(recipient.ID) == 1 }); err != nil {
		return err
	}
	w.browser.Freeze()
	defer w.browser.Thaw()
	tell.line("LinkedIn has taken the message, but holds back its answer, and the thread does not show it.")
	tell.detail("The browser falls asleep, as under a closed lid. From here the server cannot know what happened.")
	tell.detail("A program that simply tried again now would send a second copy. Sendonce waits for the deadline, %s after the start.", windows["SENDONCE_DEADLINE"])
	if err := w.follow(ctx, tell, l, rule.Unconfirmed); err != nil {
		return err
	}
	tell.detail("What a person reads: %s", l.message.Last().Instruction)
	if l.message.Last().Instruction != rule.Instruction(rule.Unconfirmed, "linkedin") {
		return errors.New("the unconfirmed send does not carry its instruction")
	}
	gate.Release()
	w.browser.Thaw()
	tell.line("The lid opens, the answer arrives, and the thread shows the message. The extension looks once more.")
	if err := w.follow(ctx, tell, l, rule.Sent); err != nil {
		return err
	}
	tell.detail("The late confirmation has won over \"unconfirmed\". Nothing was sent a second time.")
	return w.receipt(tell, l)
}

// sum counts what the server says and what the ledger holds.
func (w *world) sum(ctx context.Context, tell *teller, letters []*letter) (result, error) {
	sum := result{Messages: len(letters), Ledger: len(w.site.Ledger()), Duplicates: w.site.Duplicates()}
	for _, l := range letters {
		read, err := w.api.Message(ctx, l.message.ID)
		if err != nil {
			return result{}, err
		}
		switch rule.Status(read.Status) {
		case rule.Sent:
			sum.Sent++
		case rule.Unconfirmed:
			sum.Unconfirmed++
		case rule.Failed:
			if read.Last().Reason == string(rule.Replied) {
				sum.Replied++
			}
		}
	}
	tell.act("The end")
	tell.line("%d messages: %d sent, %d kept back by a reply, %d to be looked at; %d copies in the ledger, %d duplicates.",
		sum.Messages, sum.Sent, sum.Replied, sum.Unconfirmed, sum.Ledger, sum.Duplicates)
	if sum.Duplicates != 0 {
		return sum, fmt.Errorf("the ledger holds %d duplicates", sum.Duplicates)
	}
	return sum, nil
}
