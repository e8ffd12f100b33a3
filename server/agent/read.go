package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

type oneMessage struct {
	MessageID string `json:"message_id"`
}

// story is a message with what happened to it.
type story struct {
	answer
	Approver string   `json:"approved_by,omitempty"`
	Sends    []sent   `json:"sends"`
	History  []string `json:"history"`
}

type sent struct {
	SendID    string     `json:"send_id"`
	Status    string     `json:"status"`
	Code      string     `json:"code,omitempty"`
	Text      string     `json:"text"`
	StartedAt *time.Time `json:"started_at,omitempty"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}

// words hold everything: many programs show a model the words alone.
func (s story) words() string {
	lines := []string{s.answer.words(), "", "For: " + s.Purpose, "Text:", s.Body, ""}
	for _, one := range s.Sends {
		lines = append(lines, join("Send", one.SendID, "is", one.Status, one.Code)+": "+one.Text)
	}
	return strings.Join(append(lines, s.History...), "\n")
}

func (t *tools) read(ctx context.Context, in oneMessage) (story, error) {
	m, err := t.api.Message(ctx, in.MessageID)
	if err != nil {
		return story{}, err
	}
	s := story{answer: t.answerOf(m), Sends: []sent{}, History: []string{}}
	if m.HistoryLeftOut > 0 {
		s.History = append(s.History, fmt.Sprintf("%d older lines are left out.", m.HistoryLeftOut))
	}
	if m.Approval != nil {
		s.Approver = m.Approval.Approver
	}
	for _, one := range m.Sends {
		s.Sends = append(s.Sends, sent{one.ID, one.Status, one.Code, one.Text, one.StartedAt, one.EndedAt})
	}
	for _, e := range m.History {
		s.History = append(s.History, join(shown(e.At), e.What, e.To, e.Code, e.Reason, by(e.By)))
	}
	return s, nil
}

func by(whom string) string {
	if whom == "" {
		return ""
	}
	return "by " + whom
}

// receipt is a message's receipt as the server signed it.
type receipt struct {
	State   string         `json:"state"`
	Receipt map[string]any `json:"receipt"`

	told string
	raw  string
}

func (r receipt) words() string {
	return join(r.State+":", r.told, "This is the signed receipt, to keep and to hand on as it is; `sendonce receipt verify` says whether it holds.") + "\n\n" + r.raw
}

func (t *tools) readReceipt(ctx context.Context, in oneMessage) (receipt, error) {
	raw, err := t.api.Receipt(ctx, in.MessageID)
	if err != nil {
		return receipt{}, err
	}
	r := receipt{raw: string(raw)}
	var m struct {
		Message struct {
			Status      string `json:"status"`
			Text        string `json:"text"`
			Instruction string `json:"instruction"`
		} `json:"message"`
	}
	for _, into := range []any{&r.Receipt, &m} {
		if err := json.Unmarshal(raw, into); err != nil {
			return receipt{}, fmt.Errorf("read the receipt: %w", err)
		}
	}
	r.State, r.told = stateOf(m.Message.Status), join(m.Message.Text, m.Message.Instruction)
	return r, nil
}

type paged struct {
	Cursor string `json:"cursor"`
}

// unconfirmed is a page of messages that need a look.
type unconfirmed struct {
	Messages []answer `json:"messages"`
	Next     string   `json:"next_cursor,omitempty"`
}

func (u unconfirmed) words() string {
	if len(u.Messages) == 0 {
		return "Nothing is unconfirmed."
	}
	lines := []string{}
	for _, one := range u.Messages {
		lines = append(lines, one.words())
	}
	return strings.Join(append(lines, andMore(u.Next)...), "\n")
}

// andMore is the last line of a page that is not the last.
func andMore(cursor string) []string {
	if cursor == "" {
		return nil
	}
	return []string{"There are more: call this again with the cursor " + cursor}
}

func (t *tools) listUnconfirmed(ctx context.Context, in paged) (unconfirmed, error) {
	page, err := t.api.Unconfirmed(ctx, in.Cursor)
	out := unconfirmed{Messages: []answer{}, Next: page.Next}
	for _, m := range page.Items {
		out.Messages = append(out.Messages, t.answerOf(m))
	}
	return out, err
}
