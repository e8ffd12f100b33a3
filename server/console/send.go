package console

import (
	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/send"
)

func (s *Console) retry(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.run(v, "", "/", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		next, err := message.Retry(v.ctx(), tx, v.who, id)
		return next.Send, next.Account, err
	})
}

func (s *Console) settle(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	answer := v.FormValue("outcome")
	if answer != send.AnswerDelivered && answer != send.AnswerNotDelivered {
		return problem.Field("outcome", "press one of the two buttons")
	}
	said := send.Resolution{
		Delivered: answer == send.AnswerDelivered, Note: v.FormValue("note"), AcceptUnseen: v.FormValue("accept_unseen") == "yes",
	}
	return s.run(v, answer+"\n"+said.Note, "/", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		of, err := message.Settle(v.ctx(), tx, v.who, id, said)
		return of, uuid.Nil, err
	})
}

func (s *Console) checkAgain(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.run(v, "", "/", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		return message.CheckAgain(v.ctx(), tx, v.who, id)
	})
}
