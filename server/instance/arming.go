package instance

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/problem"
	"sendonce/server/send"
)

// Report is what a person is shown before they arm a database.
type Report struct {
	State
	// Installs is how many may connect, in all workspaces: the database is one for all of them.
	Installs int
	// Unreported of them have not said what they remember since it holds fire.
	Unreported int
	// Ahead of them remember more than the history holds.
	Ahead   int
	History []Event // the newest first
}

// Event is one line of the history of arming: "begun", "disarmed" or "armed".
type Event struct {
	What         string
	At           time.Time
	Epoch        int64
	Code         Code   // why it was disarmed
	By           string // who armed it; "" for a person of another workspace
	Unreported   int    // installs that had not reported then
	AcceptUnseen bool
}

// Arming is a person's yes. Epoch is the one they were shown: what was disarmed anew since is another question.
type Arming struct {
	Epoch        int64
	AcceptUnseen bool
}

// ArmingStore is what arming needs of the database, in one transaction.
type ArmingStore interface {
	InstanceGet(ctx context.Context, workspace uuid.UUID) (Report, error)
	// InstanceArm arms it with an epoch above every one that was heard of, and wakes all servers. world_moved when somebody
	// was faster: the database looks once more, under its lock.
	InstanceArm(ctx context.Context, admin uuid.UUID, acceptUnseen bool) error
}

// Arm lets a database send again, in a person's name. The errors are problems: world_moved, or installs_unreported without
// the explicit yes. One that is armed is left as it is.
func Arm(ctx context.Context, store ArmingStore, who access.Principal, arming Arming) (Report, error) {
	if err := who.Require(access.Arm); err != nil {
		return Report{}, err
	}
	report, err := store.InstanceGet(ctx, who.Workspace)
	switch {
	case err != nil:
		return Report{}, err
	case report.Epoch != arming.Epoch:
		return Report{}, problem.New(problem.WorldMoved, "the epoch is %d now: look again at what is known", report.Epoch).With("epoch", report.Epoch)
	case report.ArmedAt != nil:
		return report, nil
	case report.Unreported > 0 && !arming.AcceptUnseen:
		return Report{}, problem.New(problem.InstallsUnreported, "%d of %d browsers have not said what they remember: "+
			"let them connect, revoke those that are gone, or say accept_unseen", report.Unreported, report.Installs).With("unreported", report.Unreported)
	}
	if err := store.InstanceArm(ctx, who.ID, arming.AcceptUnseen); err != nil {
		return Report{}, err
	}
	return store.InstanceGet(ctx, who.Workspace)
}

// IsAhead reports whether an install that remembers mark knows more than a history of that epoch whose highest event is
// newest.
func IsAhead(mark send.Mark, epoch, newest int64) bool {
	return mark.Epoch > epoch || mark.Epoch == epoch && mark.Event > newest
}
