package sequence

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/template"
)

// Tx is the transaction of one look.
type Tx interface {
	Store
	template.Store
}

// taskOf is the task that all messages of a sequence share: none of them goes out beside another, and each names the one before. The query
// EnrolmentFacts has it as well.
func taskOf(sequence uuid.UUID) string { return "sequence " + sequence.String() }

// Look looks at one enrolment and does what is to be done: the message, its step and the enrolment's next state are one transaction.
// account is the one that may have work now, or uuid.Nil. took is false when another server is at it, or was.
func Look(ctx context.Context, tx Tx, id uuid.UUID) (account uuid.UUID, took bool, err error) {
	took, err = tx.EnrolmentTake(ctx, id)
	if err != nil || !took {
		return uuid.Nil, false, err
	}
	f, err := tx.EnrolmentFacts(ctx, id)
	if err != nil {
		return uuid.Nil, false, err
	}
	v := decide(f)
	if v.Says != nil {
		if f, v, err = again(ctx, tx, f); err != nil {
			return uuid.Nil, false, err
		}
	} else if err := f.settle(ctx, tx, v); err != nil {
		return uuid.Nil, false, err
	}
	if v.Says != nil {
		if v, account, err = say(ctx, tx, f, v); err != nil {
			return uuid.Nil, false, err
		}
	}
	return account, true, tx.EnrolmentSet(ctx, id, v)
}

// again decides once more while nobody else may begin anything for the person. What it finds other than a step to say is left for the
// next look, because messages are locked before people.
func again(ctx context.Context, tx Tx, f Facts) (Facts, Verdict, error) {
	if err := tx.PersonHold(ctx, f.Enrolment.Person); err != nil {
		return f, Verdict{}, err
	}
	f, err := tx.EnrolmentFacts(ctx, f.Enrolment.ID)
	if err != nil {
		return f, Verdict{}, err
	}
	v := decide(f)
	if v.Says == nil {
		v = Verdict{State: Running, Reason: f.Enrolment.Reason, Message: f.Enrolment.Message, DueAt: f.Enrolment.DueAt, LookAt: f.Now}
	}
	return f, v, nil
}

// settle takes back or calls off what would go out beside the verdict.
func (f Facts) settle(ctx context.Context, tx Tx, v Verdict) error {
	if v.Undoes != uuid.Nil {
		return message.CallOff(ctx, tx, f.Enrolment.Workspace, f.Enrolment.By.ID, v.Undoes)
	}
	to := v.State
	if v.Reason == SequencePaused {
		to = Paused
	}
	return f.callBack(ctx, tx, f.Enrolment.By.ID, to)
}

// say proposes the step that is due.
func say(ctx context.Context, tx Tx, f Facts, v Verdict) (Verdict, uuid.UUID, error) {
	m, err := propose(ctx, tx, f, v)
	p := problem.As(err)
	if p != nil && p.Code == problem.FollowLatest && f.Enrolment.Reason == Resumed {
		// Something else was said to them for the same purpose, and a person says to go on.
		v.Follows = &message.Follows{Send: p.More["send_id"].(uuid.UUID), Why: f.why(v.Says)}
		m, err = propose(ctx, tx, f, v)
		p = problem.As(err)
	}
	if p != nil {
		return f.refused(p), uuid.Nil, nil
	}
	if err != nil {
		return Verdict{}, uuid.Nil, err
	}
	tx.StepSayLast(f.Enrolment.ID, v.Says.ID, m.ID)
	account := uuid.Nil
	if m.Latest() != nil { // a policy has approved it
		account = f.Enrolment.Account
	}
	return f.waits(Had{Message: m.ID, Authority: m.Authority}.holds(), m.ID), account, nil
}

// propose proposes it in the name of who enrolled the person. Where it is refused, nothing was written.
func propose(ctx context.Context, tx Tx, f Facts, v Verdict) (message.Message, error) {
	e := f.Enrolment
	return message.Propose(ctx, tx, e.By, message.Proposal{
		Account: e.Account, LinkedIn: f.Profile, Purpose: v.Says.Purpose, Task: taskOf(e.Sequence), Follows: v.Follows,
		NoPolicy: v.IsLate, Writer: template.Writer{Store: tx, Template: v.Says.Template},
	})
}

// endByThemselves are the refusals that another message, or time, puts an end to.
var endByThemselves = []problem.Code{problem.NotEnded, problem.NeedsALook, problem.IntentWaits, problem.Busy}

// refused is what becomes of an enrolment whose step may not be proposed: it waits for what ends by itself or by another message, and is
// held where a person must decide.
func (f Facts) refused(p *problem.Problem) Verdict {
	v := Verdict{State: Held, Reason: Reason(p.Code), Detail: cut(p.Detail), LookAt: f.Now}
	if slices.Contains(endByThemselves, p.Code) {
		v.State, v.LookAt = Running, f.Now.Add(config.EnrolmentTryAgain)
	}
	return v
}

// cut keeps as much of a sentence as the database does.
func cut(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), config.EnrolmentDetailRunesMax)])
}
