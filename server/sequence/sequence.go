// Package sequence writes to many people one step after the other. It decides who is due for which step, proposes that as an ordinary
// message, and ends where somebody answered. It sends nothing: what it proposes waits for approval as any other message.
package sequence

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// State is how a sequence or an enrolment stands.
type State string

// The states.
const (
	Running State = "running"
	// Paused: a person said so, and nothing further is proposed.
	Paused State = "paused"
	// Held: an enrolment that cannot go on by itself; its reason says why.
	Held State = "held"
	// Finished: a sequence that takes nobody new and goes on for whom it has; an enrolment that has said all its steps.
	Finished State = "finished"
	// Stopped is for good.
	Stopped State = "stopped"
)

// SequenceStates and EnrolmentStates list every state of one.
func SequenceStates() []State { return []State{Running, Paused, Finished, Stopped} }

// EnrolmentStates lists every state of an enrolment.
func EnrolmentStates() []State { return []State{Running, Paused, Held, Finished, Stopped} }

// Sequence is what is written to many people. Steps are in their order.
type Sequence struct {
	ID        uuid.UUID
	Name      string
	State     State
	Version   int // grows with each change of the steps
	Steps     []Step
	CreatedBy string // the principal's name
	CreatedAt time.Time
	ChangedBy string
	ChangedAt time.Time
	Counts    map[State]int // of its enrolments
}

// Step is one message of a sequence. Its id stays when its place changes.
type Step struct {
	ID       uuid.UUID
	Purpose  string // what its messages are for; each step has its own
	Channel  string
	Template uuid.UUID
	Delay    Delay
}

// Store is one transaction on sequences, scoped by workspace. What is not there is problem.NotFound.
type Store interface {
	message.Store
	SequenceInsert(ctx context.Context, workspace, id, by uuid.UUID, name string) error
	// SequenceLock keeps everybody else from changing it.
	SequenceLock(ctx context.Context, workspace, id uuid.UUID) error
	SequenceGet(ctx context.Context, workspace, id uuid.UUID) (Sequence, error)
	// SequenceSet writes the state, and has its running enrolments looked at; those of a stopped one all.
	SequenceSet(ctx context.Context, id, by uuid.UUID, to State) error
	// SequenceCallBack revokes the approval of all that is of the sequence and has not begun.
	SequenceCallBack(ctx context.Context, id, by uuid.UUID) error
	// StepsEver is the ids and purposes of all steps that the sequence has or had, those that it has last.
	StepsEver(ctx context.Context, id uuid.UUID) ([]Step, error)
	// StepsSet makes these the steps: a known id keeps its row, the rest is taken out.
	StepsSet(ctx context.Context, workspace, id, by uuid.UUID, steps []Step) error
	// StepIs reports whether the workspace has, or had, the step.
	StepIs(ctx context.Context, workspace, id uuid.UUID) (bool, error)
	// TemplateIs reports whether the workspace has the template.
	TemplateIs(ctx context.Context, workspace, id uuid.UUID) (bool, error)

	// PeopleToEnrol locks people in the order that all use, whichever of their rows are named. Who is not there is left out.
	PeopleToEnrol(ctx context.Context, workspace uuid.UUID, people []uuid.UUID) error
	// EnrolmentOther is the enrolment of a locked person that keeps them from being enrolled: an open one, else the last one; uuid.Nil
	// when there is none. hasAnswered: they replied, or were written to by hand, since they were first in the sequence. The error is a
	// *problem.Problem about the field person_id when there is no such person.
	EnrolmentOther(ctx context.Context, workspace, sequence, person uuid.UUID) (id uuid.UUID, state State, hasAnswered bool, err error)
	// StepsHad is what the person has had of the sequence, or may have, by whatever enrolment; oldest first.
	StepsHad(ctx context.Context, sequence, person uuid.UUID) ([]Had, error)
	// PeopleOfImport lists, by row, whom the rows after that one of a carried out import are. problem.NotFound when there is no such import,
	// problem.ImportNotReady until it is done.
	PeopleOfImport(ctx context.Context, workspace, of uuid.UUID, after, most int) ([]Enrolling, error)
	// EnrolmentInsert is a *problem.Problem about the field account_id when the workspace has no such account on the channel.
	EnrolmentInsert(ctx context.Context, workspace uuid.UUID, n NewEnrolment) error
	// EnrolmentLock keeps everybody else from moving it.
	EnrolmentLock(ctx context.Context, workspace, id uuid.UUID) error
	EnrolmentGet(ctx context.Context, workspace, id uuid.UUID) (Enrolment, error)
	EnrolmentSet(ctx context.Context, id uuid.UUID, v Verdict) error
	// EnrolmentTake locks an enrolment that is to be looked at; false: another is at it, or was.
	EnrolmentTake(ctx context.Context, id uuid.UUID) (bool, error)
	EnrolmentFacts(ctx context.Context, id uuid.UUID) (Facts, error)
	// PersonHold locks the person, whichever of their rows is named.
	PersonHold(ctx context.Context, person uuid.UUID) error
	// StepSayLast has the message be that step of the enrolment, with the commit.
	StepSayLast(enrolment, step, message uuid.UUID)
}

// Reader reads outside a command, each time from one snapshot.
type Reader interface {
	SequenceRead(ctx context.Context, workspace, id uuid.UUID) (Sequence, error)
	// SequenceList lists sequences whose ids follow after, by id.
	SequenceList(ctx context.Context, workspace, after uuid.UUID, most int) ([]Sequence, error)
	EnrolmentRead(ctx context.Context, workspace, id uuid.UUID) (Enrolment, error)
	// EnrolmentList lists enrolments whose ids follow the page's After, by id.
	EnrolmentList(ctx context.Context, workspace uuid.UUID, page Page) ([]Enrolment, error)
	// StepsWaiting counts the messages that wait for approval by step, those of steps that were taken out too.
	StepsWaiting(ctx context.Context, workspace, sequence uuid.UUID) (map[uuid.UUID]int, error)
	// PeopleCalled is what each of these is called by people, by id: a name, else an address, else "".
	PeopleCalled(ctx context.Context, workspace uuid.UUID, people []uuid.UUID) (map[uuid.UUID]string, error)
}

// Page asks for enrolments. Zero values let everything through.
type Page struct {
	Sequence, Person uuid.UUID
	State            State
	After            uuid.UUID
	Most             int
}

// Create makes a sequence without steps.
func Create(ctx context.Context, store Store, who access.Principal, name string) (Sequence, error) {
	if err := who.Require(access.Compose); err != nil {
		return Sequence{}, err
	}
	name, err := message.CanonicalLine("name", name, config.SequenceNameRunesMax)
	if err == nil && message.Fold(name) == "" {
		err = problem.Field("name", "it is empty; call the sequence what people look for, like \"Engineers, spring\"")
	}
	if err != nil {
		return Sequence{}, err
	}
	id := uuid.Must(uuid.NewV7())
	if err := store.SequenceInsert(ctx, who.Workspace, id, who.ID, name); err != nil {
		return Sequence{}, err
	}
	return store.SequenceGet(ctx, who.Workspace, id)
}

// SetSteps makes these the steps, in this order. A step with a known id is that step, wherever it stands. One without an id is the step that
// has, or had, its purpose, so that nobody hears it twice; else it is new. One that is not named is taken out, and stays what messages say
// that it was. version is the one that was read; 0 is whichever is current.
func SetSteps(ctx context.Context, store Store, who access.Principal, id uuid.UUID, version int, steps []Step) (Sequence, error) {
	if err := who.Require(access.Compose); err != nil {
		return Sequence{}, err
	}
	if err := store.SequenceLock(ctx, who.Workspace, id); err != nil {
		return Sequence{}, err
	}
	was, err := store.SequenceGet(ctx, who.Workspace, id)
	if err != nil {
		return Sequence{}, err
	}
	if was.State == Stopped {
		return Sequence{}, over(was)
	}
	if version != 0 && version != was.Version {
		return Sequence{}, problem.New(problem.VersionNotCurrent, "the current version is %d; read it and change that one", was.Version).
			With("current_version", was.Version)
	}
	ever, err := store.StepsEver(ctx, id)
	if err != nil {
		return Sequence{}, err
	}
	if steps, err = readSteps(steps, ever); err != nil {
		return Sequence{}, err
	}
	for i, step := range steps {
		known, err := store.TemplateIs(ctx, who.Workspace, step.Template)
		if err != nil {
			return Sequence{}, err
		}
		if !known {
			return Sequence{}, problem.Field(stepField(i, "template_id"), "there is no such template; GET /v1/templates lists them")
		}
	}
	if err := store.StepsSet(ctx, who.Workspace, id, who.ID, steps); err != nil {
		return Sequence{}, err
	}
	return store.SequenceGet(ctx, who.Workspace, id)
}

func stepField(i int, name string) string { return fmt.Sprintf("steps.%d.%s", i, name) }

// channel is the one that steps may have as yet.
const channel = "linkedin"

// readSteps makes steps canonical. Those that come without an id get it: of several known ones for a purpose that of the last.
func readSteps(raw, known []Step) ([]Step, error) {
	if len(raw) == 0 {
		return nil, problem.Field("steps", "name at least one: without any, all who are in the sequence would have had all; finish or stop it to end it")
	}
	if len(raw) > config.SequenceStepsMax {
		return nil, problem.Field("steps", "there are %d; %d is the most", len(raw), config.SequenceStepsMax)
	}
	left, isFor := map[uuid.UUID]bool{}, map[string]uuid.UUID{}
	for _, step := range known {
		left[step.ID], isFor[message.Fold(step.Purpose)] = true, step.ID
	}
	named := map[uuid.UUID]bool{}
	for _, step := range raw {
		named[step.ID] = true
	}
	purposes := map[string]bool{}
	steps := make([]Step, len(raw))
	for i, step := range raw {
		var err error
		if step.Purpose, err = message.CanonicalLine(stepField(i, "purpose"), step.Purpose, config.PurposeRunesMax); err != nil {
			return nil, err
		}
		key := message.Fold(step.Purpose)
		switch {
		case key == "":
			return nil, problem.Field(stepField(i, "purpose"), "it is empty; say what the step is for, like \"first contact\"")
		case purposes[key]:
			return nil, problem.Field(stepField(i, "purpose"), "another step has it; each step has a purpose of its own")
		case step.Channel != channel:
			return nil, problem.Field(stepField(i, "channel"), "only %s has a sender so far", channel)
		case step.ID != uuid.Nil && !left[step.ID]:
			return nil, problem.Field(stepField(i, "id"), "the sequence has no such step beside those above; leave the id out of a new one")
		}
		if err := step.Delay.check(stepField(i, "delay")); err != nil {
			return nil, err
		}
		purposes[key] = true
		if is := isFor[key]; step.ID == uuid.Nil && !named[is] {
			step.ID = is
		}
		if step.ID == uuid.Nil {
			step.ID = uuid.Must(uuid.NewV7())
		}
		delete(left, step.ID)
		steps[i] = step
	}
	return steps, nil
}

// Move sets the state of a sequence. Moving it to where it is changes nothing.
func Move(ctx context.Context, store Store, who access.Principal, id uuid.UUID, to State) (Sequence, error) {
	if err := who.Require(access.Decide); err != nil {
		return Sequence{}, err
	}
	if err := store.SequenceLock(ctx, who.Workspace, id); err != nil {
		return Sequence{}, err
	}
	was, err := store.SequenceGet(ctx, who.Workspace, id)
	if err != nil || was.State == to {
		return was, err
	}
	if was.State == Stopped {
		return Sequence{}, over(was)
	}
	if err := store.SequenceSet(ctx, id, who.ID, to); err != nil {
		return Sequence{}, err
	}
	if to == Paused || to == Stopped { // at once: the looks at its enrolments may take their time
		if err := store.SequenceCallBack(ctx, id, who.ID); err != nil {
			return Sequence{}, err
		}
	}
	return store.SequenceGet(ctx, who.Workspace, id)
}

func over(s Sequence) *problem.Problem {
	remedy := "resume it first"
	if s.State == Stopped {
		remedy = "that is for good; make another"
	}
	return problem.New(problem.SequenceOver, "the sequence is %s: %s", s.State, remedy)
}
