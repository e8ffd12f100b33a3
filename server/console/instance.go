package console

import (
	"strconv"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/instance"
	"sendonce/server/problem"
)

// instancePage is why the database holds fire, what is known, and the button that ends it. Key is made for this button.
type instancePage struct {
	instance.Report
	MayArm bool
	Key    string
}

// IsHolding reports whether nothing is sent.
func (p instancePage) IsHolding() bool { return p.ArmedAt == nil }

// Reported is how many browsers have said what they remember.
func (p instancePage) Reported() int { return p.Installs - p.Unreported }

func (s *Console) showInstance(v visit) error {
	page, err := s.instancePage(v)
	if err != nil {
		return err
	}
	return s.show(v, "instance", "Is this the database that sent before?", page)
}

func (s *Console) instancePage(v visit) (instancePage, error) {
	report, err := s.reads.InstanceGet(v.ctx(), v.who.Workspace)
	return instancePage{Report: report, MayArm: v.who.May(access.Arm), Key: uuid.NewString()}, err
}

// arm lets the database send again.
func (s *Console) arm(v visit) error {
	epoch, err := strconv.ParseInt(v.FormValue("epoch"), 10, 64)
	if err != nil {
		return problem.Field("epoch", "reload the page and decide on what it shows")
	}
	yes := instance.Arming{Epoch: epoch, AcceptUnseen: v.FormValue("accept_unseen") == "yes"}
	payload := v.FormValue("epoch") + " " + v.FormValue("accept_unseen")
	return s.run(v, payload, "/instance", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		report, err := instance.Arm(v.ctx(), tx, v.who, yes)
		return report.ID, uuid.Nil, err
	})
}
