// Package command is one change that a program or a person asks for: one transaction, one actor, and at most once per
// Idempotency-Key. The first result is kept in the command's own transaction, so a server that dies in between leaves
// neither; a refusal keeps nothing, so a corrected request may use the same key.
package command

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/bulk"
	"sendonce/server/imports"
	"sendonce/server/incident"
	"sendonce/server/install"
	"sendonce/server/instance"
	"sendonce/server/message"
	"sendonce/server/pace"
	"sendonce/server/pause"
	"sendonce/server/person"
	"sendonce/server/send"
	"sendonce/server/sequence"
	"sendonce/server/template"
)

// Tx is the one transaction of a command.
type Tx interface {
	message.Store
	account.Store
	send.RetryStore
	send.ResolutionStore
	send.CheckAgainStore
	bulk.Store
	instance.ArmingStore
	incident.Store
	pause.Store
	pace.Store
	person.Store
	template.Store
	imports.Store
	sequence.Store
	install.CommandStore
}

// Once names a command under its key. Route is the method and the full path.
type Once struct {
	Route   string
	Key     string
	Payload []byte // a hash of what was asked for
}

// Answer is what the caller is told. Object is what the command was about, or uuid.Nil.
type Answer struct {
	Status int
	Body   []byte
	Object uuid.UUID
	// IsForgotten says that the first answer was kept long enough: there is no Body, show what Object is now.
	IsForgotten bool
}

// Store runs the transaction.
type Store interface {
	// Command runs do in one transaction in the principal's name. With a key it first looks for the key's answer, waiting
	// a bounded time for another request with the same key: a *problem.Problem of code key_reused or still_running, or
	// the first answer with replayed true.
	Command(ctx context.Context, who access.Principal, once *Once, do func(Tx) (Answer, error)) (answer Answer, replayed bool, err error)
	// AnswerLate keeps the body of an answer that was not known when its command was committed, and returns the one that is
	// kept: another request with the same key may have been faster.
	AnswerLate(ctx context.Context, who access.Principal, once Once, body []byte) ([]byte, error)
	// AnswersForget forgets up to most answers that are older than kept, or than their workspace's policy keeps texts, and returns how
	// many it forgot.
	AnswersForget(ctx context.Context, kept time.Duration, most int) (int, error)
	// PauseSettle takes back what a committed pause found handed out, and counts what had begun.
	PauseSettle(ctx context.Context, scope pause.Scope) (pause.Settled, error)
	// SuppressionSettle calls off what waits to go to whom a committed suppression is about, and counts what had begun.
	SuppressionSettle(ctx context.Context, suppression uuid.UUID) (person.Settled, error)
	SuppressionRead(ctx context.Context, workspace, id uuid.UUID) (person.Suppression, error)
	// ContentExpire empties up to most texts that their workspaces' policies keep no longer, and returns how many it was.
	ContentExpire(ctx context.Context, most int) (int, error)
	// WaitingForget forgets up to most facts that were kept for longer and are about no message that is known, and returns how many.
	WaitingForget(ctx context.Context, kept time.Duration, most int) (int, error)
	// ImportsForget empties up to most rows of files that were uploaded longer ago than kept, and returns how many it was.
	ImportsForget(ctx context.Context, kept time.Duration, most int) (int, error)
}

// Waker is told after a commit that an account, or any account, may have work, and that an install was paused or resumed. It
// never blocks.
type Waker interface {
	Wake(account uuid.UUID)
	WakeAll()
	InstallChanged(install uuid.UUID)
}

// Runner runs commands.
type Runner struct {
	store Store
	waker Waker
}

// NewRunner panics on a missing part.
func NewRunner(store Store, waker Waker) *Runner {
	if store == nil || waker == nil {
		panic("command.NewRunner: a part is missing")
	}
	return &Runner{store: store, waker: waker}
}

// Run runs one command. do returns the account that may have work afterwards, or uuid.Nil; it may be called again when
// the database had to give up the first try. once is nil when the caller gave no key.
func (r *Runner) Run(ctx context.Context, who access.Principal, once *Once, do func(Tx) (Answer, uuid.UUID, error)) (Answer, bool, error) {
	var wake uuid.UUID
	answer, replayed, err := r.store.Command(ctx, who, once, func(tx Tx) (answer Answer, err error) {
		answer, wake, err = do(tx)
		return answer, err
	})
	if err != nil {
		return Answer{}, false, fmt.Errorf("run the command: %w", err)
	}
	if !replayed && wake != uuid.Nil {
		r.waker.Wake(wake)
	}
	return answer, replayed, nil
}

// ImportStep looks at some rows of an import, or carries some out, in one transaction and in the name of whom it says.
func (r *Runner) ImportStep(ctx context.Context, open imports.Open, twins *imports.Twins) (more bool, err error) {
	_, _, err = r.Run(ctx, open.By, nil, func(tx Tx) (Answer, uuid.UUID, error) {
		var err error
		more, err = imports.Step(ctx, tx, open, twins)
		return Answer{}, uuid.Nil, err
	})
	return more, err
}

// BulkOne does one row of a "retry all" or an "approve all" in one transaction, in the name of who began it. took is false when
// another server was faster.
func (r *Runner) BulkOne(ctx context.Context, run bulk.Open, id uuid.UUID) (took bool, err error) {
	_, _, err = r.Run(ctx, run.By, nil, func(tx Tx) (answer Answer, wake uuid.UUID, err error) {
		wake, took, err = bulk.One(ctx, tx, run, id)
		return Answer{}, wake, err
	})
	return took, err
}

// EnrolmentLook looks at one enrolment in one transaction, in the name of who enrolled the person. took is false when another server was
// faster.
func (r *Runner) EnrolmentLook(ctx context.Context, of sequence.Open) (took bool, err error) {
	_, _, err = r.Run(ctx, of.By, nil, func(tx Tx) (answer Answer, wake uuid.UUID, err error) {
		wake, took, err = sequence.Look(ctx, tx, of.ID)
		return Answer{}, wake, err
	})
	return took, err
}
