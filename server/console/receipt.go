package console

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"sendonce/server/message"
	"sendonce/server/receipt"
	"sendonce/server/rule"
)

// receiptPage is a receipt as a person reads it, from top to bottom.
type receiptPage struct{ receipt.Receipt }

// To is the recipient as a person calls them.
func (p receiptPage) To() string {
	if p.Message.Person.Name != nil {
		return *p.Message.Person.Name
	}
	for _, identity := range p.Message.Person.Identities {
		return identity.Value
	}
	return p.Message.Person.ID.String()
}

// Ended is the short name of where the message stands.
func (p receiptPage) Ended() string {
	if p.Message.Status != nil {
		return p.Message.Status.Label()
	}
	return string(p.Message.Authority)
}

// LeftOutAny reports whether something is missing from its lists.
func (p receiptPage) LeftOutAny() bool { return p.LeftOut != receipt.LeftOut{} }

// Line is what an entry of the history says, in the words of the message's own page.
func (p receiptPage) Line(e receipt.Event) message.Event {
	return message.Event{
		What: e.What, By: of(e.By), Version: of(e.Version), From: of(e.From), To: of(e.To), Code: of(e.Code), Reason: of(e.Reason),
	}
}

// Waits is why a send waits from an entry of the history on, or "".
func (p receiptPage) Waits(e receipt.Event) string { return rule.Refusal(of(e.WaitingFor)).Text() }

func of[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func (s *Console) receiptOf(v visit) (uuid.UUID, receipt.Receipt, error) {
	id, err := pathID(v)
	if err != nil {
		return id, receipt.Receipt{}, err
	}
	r, err := s.receipts.Get(v.ctx(), v.who.Workspace, id)
	return id, r, err
}

func (s *Console) showReceipt(v visit) error {
	_, r, err := s.receiptOf(v)
	if err != nil {
		return err
	}
	page := receiptPage{r}
	return s.show(v, "receipt", "Receipt of the message to "+page.To(), page)
}

// saveReceipt is the signed document itself, as a file to keep or to hand over.
func (s *Console) saveReceipt(v visit) error {
	id, r, err := s.receiptOf(v)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	v.Response().Header().Set("Content-Disposition", `attachment; filename="receipt-`+id.String()+`.json"`)
	return v.Blob(http.StatusOK, "application/json", append(raw, '\n'))
}
