package message

import (
	"context"

	"github.com/google/uuid"
)

// Origin is the template that a text was written from, in its version. It is remembered, and binds nothing: the text is the message's.
type Origin struct {
	Template uuid.UUID
	Version  int
}

// Writer writes the texts of a proposal once it is known whom it is to. They are canonical.
type Writer interface {
	Write(ctx context.Context, workspace, person uuid.UUID) (Written, error)
}

// Written is the texts of one message.
type Written struct {
	Subject, Body string // Subject may be ""
	From          Origin
}

// write has the writer, if there is one, say what the version says. It is done once: the bytes are the version.
func (v *Version) write(ctx context.Context, w Writer, workspace, person uuid.UUID) error {
	if w == nil {
		return nil
	}
	written, err := w.Write(ctx, workspace, person)
	if err != nil {
		return err
	}
	v.Content.Subject, v.Content.Body, v.From = orNil(written.Subject), written.Body, &written.From
	return nil
}
