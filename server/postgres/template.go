package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/db"
	"sendonce/server/template"
)

var (
	_ template.Store  = transaction{}
	_ template.Reader = (*Store)(nil)
)

// TemplateInsert implements template.Store.
func (tx transaction) TemplateInsert(ctx context.Context, workspace, id, by uuid.UUID, c template.Content) error {
	variables, err := json.Marshal(c.Variables)
	if err != nil {
		return fmt.Errorf("write the variables: %w", err)
	}
	err = tx.q.TemplateInsert(ctx, db.TemplateInsertParams{
		ID: id, WorkspaceID: workspace, Name: c.Name, Subject: c.Subject, Body: c.Body, Variables: variables, CreatedBy: by,
	})
	if err != nil {
		return fmt.Errorf("make the template: %w", err)
	}
	return nil
}

// TemplateLock implements template.Store.
func (tx transaction) TemplateLock(ctx context.Context, workspace, id uuid.UUID) error {
	if _, err := tx.q.TemplateLock(ctx, workspace, id); err != nil {
		return notFound(err, "template", id)
	}
	return nil
}

// TemplateNext implements template.Store.
func (tx transaction) TemplateNext(ctx context.Context, id, by uuid.UUID, version int, c template.Content) error {
	variables, err := json.Marshal(c.Variables)
	if err != nil {
		return fmt.Errorf("write the variables: %w", err)
	}
	err = tx.q.TemplateNext(ctx, db.TemplateNextParams{
		ID: id, Version: int32(version), Name: c.Name, Subject: c.Subject, Body: c.Body, Variables: variables, CreatedBy: by,
	})
	if err != nil {
		return fmt.Errorf("write the next version of the template: %w", err)
	}
	return nil
}

// TemplateGet implements template.Store.
func (tx transaction) TemplateGet(ctx context.Context, workspace, id uuid.UUID) (template.Template, error) {
	list, err := tx.templates(ctx, workspace, &id, nil, 1)
	if err == nil && len(list) == 0 {
		err = notFound(pgx.ErrNoRows, "template", id)
	}
	if err != nil {
		return template.Template{}, err
	}
	return list[0], nil
}

func (tx transaction) templates(ctx context.Context, workspace uuid.UUID, id, after *uuid.UUID, most int) ([]template.Template, error) {
	rows, err := tx.q.TemplatePage(ctx, workspace, id, after, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list templates: %w", err)
	}
	list := make([]template.Template, len(rows))
	for i, row := range rows {
		list[i] = template.Template{
			ID: row.ID, Version: int(row.Version), CreatedAt: row.CreatedAt, ChangedBy: row.ChangedBy, ChangedAt: row.ChangedAt,
			Content: template.Content{Name: row.Name, Subject: row.Subject, Body: row.Body},
		}
		if err := json.Unmarshal(row.Variables, &list[i].Variables); err != nil {
			return nil, fmt.Errorf("read the variables of template %s: %w", row.ID, err)
		}
	}
	return list, nil
}

// Known implements template.Store.
func (tx transaction) Known(ctx context.Context, workspace, person uuid.UUID) (map[string]string, error) {
	row, err := tx.q.PersonKnown(ctx, workspace, person)
	if err != nil {
		return nil, notFound(err, "person", person)
	}
	fields, err := fieldsOf(row.Fields)
	if err != nil {
		return nil, err
	}
	known := map[string]string{"name": row.Name, "company": row.Company}
	maps.Copy(known, fields)
	return known, nil
}

// TemplateRead implements template.Reader.
func (s *Store) TemplateRead(ctx context.Context, workspace, id uuid.UUID) (template.Template, error) {
	return transaction{q: s.queries(), conn: s.pool}.TemplateGet(ctx, workspace, id)
}

// TemplateList implements template.Reader.
func (s *Store) TemplateList(ctx context.Context, workspace, after uuid.UUID, most int) ([]template.Template, error) {
	return transaction{q: s.queries(), conn: s.pool}.templates(ctx, workspace, nil, nullable(after), most)
}

// TemplatePreview implements template.Reader.
func (s *Store) TemplatePreview(ctx context.Context, workspace, id, person uuid.UUID) (p template.Preview, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		found, err := tx.TemplateGet(ctx, workspace, id)
		if err != nil {
			return err
		}
		known, err := tx.Known(ctx, workspace, person)
		if err != nil {
			return err
		}
		p = template.NewPreview(found, person, known)
		return nil
	})
	return p, err
}
