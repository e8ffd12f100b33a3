package api

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/csv"
	"sendonce/server/imports"
	"sendonce/server/problem"
)

// importView is an uploaded file and how far it is.
type importView struct {
	ID          uuid.UUID               `json:"id"`
	State       imports.State           `json:"state"`
	Name        string                  `json:"name"`
	Encoding    csv.Encoding            `json:"encoding"`
	Delimiter   string                  `json:"delimiter"`
	HasHeader   bool                    `json:"has_header"`
	Columns     []columnView            `json:"columns"`
	Rows        int                     `json:"rows"`
	Judged      int                     `json:"judged"`
	Handled     int                     `json:"handled"`
	Verdicts    map[imports.Verdict]int `json:"verdicts"`
	Outcomes    map[imports.Outcome]int `json:"outcomes"`
	CreatedBy   string                  `json:"created_by"`
	CreatedAt   time.Time               `json:"created_at"`
	BegunAt     *time.Time              `json:"begun_at"`
	EndedAt     *time.Time              `json:"ended_at"`
	ForgottenAt *time.Time              `json:"forgotten_at"`
}

// columnView: As is what the column is; null is nothing.
type columnView struct {
	Name string  `json:"name"`
	As   *string `json:"as"`
}

func showImport(i imports.Import) importView {
	v := importView{
		ID: i.ID, State: i.State(), Name: i.FileName, Encoding: i.Encoding, Delimiter: string(i.Delimiter), HasHeader: i.HasHeader,
		Columns: []columnView{}, Rows: i.Rows, Judged: i.Judged(), Handled: i.Handled, Verdicts: i.Verdicts, Outcomes: i.Outcomes,
		CreatedBy: i.CreatedBy, CreatedAt: i.CreatedAt, BegunAt: i.BegunAt, EndedAt: i.EndedAt, ForgottenAt: i.ForgottenAt,
	}
	for at, name := range i.Header {
		v.Columns = append(v.Columns, columnView{name, orNull(i.Mapping[at])})
	}
	return v
}

// uploadImport takes the file as the whole body, or as the part "file" of a form.
func (a *API) uploadImport(c call) error {
	name, raw, err := readFile(c)
	if err != nil {
		return err
	}
	sum := sha256.New()
	sum.Write([]byte(name + "\x00"))
	sum.Write(raw)
	once, err := keyed(c, sum.Sum(nil))
	if err != nil {
		return err
	}
	defer a.imports.Wake()
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		i, err := imports.Upload(c.ctx(), tx, c.who, name, raw)
		return result{object: i.ID, view: showImport(i)}, err
	})
}

// readFile reads a file of bounded size, and its name.
func readFile(c call) (name string, raw []byte, err error) {
	request := c.Request()
	request.Body = http.MaxBytesReader(c.Response(), request.Body, config.ImportBytesMax)
	kind, _, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	switch kind {
	case "text/csv":
		raw, err = io.ReadAll(request.Body)
		return c.QueryParam("name"), raw, fileProblem(err)
	case echo.MIMEMultipartForm:
		form, err := request.MultipartReader()
		if err != nil {
			return "", nil, fileProblem(err)
		}
		part, err := form.NextPart()
		if err != nil || part.FormName() != "file" {
			return "", nil, errors.Join(problem.Field("file", "the form must have one part, named file"), tooLarge(err))
		}
		raw, err = io.ReadAll(part)
		return part.FileName(), raw, fileProblem(err)
	}
	return "", nil, problem.New(problem.UnsupportedMedia, "send Content-Type: text/csv, or multipart/form-data with a part named file")
}

// tooLarge is the error that says so, or nil.
func tooLarge(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return tooLarge
	}
	return nil
}

func fileProblem(err error) error {
	if err == nil || tooLarge(err) != nil {
		return err
	}
	return problem.Field("file", "the body broke off, or is no form")
}

type mappingRequest struct {
	Mapping []*string `json:"mapping"`
}

func (a *API) mapImport(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in mappingRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	mapping := make([]string, len(in.Mapping))
	for i, as := range in.Mapping {
		mapping[i] = orZero(as)
	}
	defer a.imports.Wake()
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		i, err := imports.Map(c.ctx(), tx, c.who, id, mapping)
		return result{object: id, view: showImport(i)}, err
	})
}

func (a *API) beginImport(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	defer a.imports.Wake()
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		i, err := imports.Begin(c.ctx(), tx, c.who, id)
		return result{object: id, view: showImport(i)}, err
	})
}

func (a *API) getImport(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	i, err := a.reads.ImportRead(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showImport(i))
}

// listedImportView is an import in a list: what its rows came to is in its own answer.
type listedImportView struct {
	ID        uuid.UUID     `json:"id"`
	State     imports.State `json:"state"`
	Name      string        `json:"name"`
	Rows      int           `json:"rows"`
	CreatedBy string        `json:"created_by"`
	CreatedAt time.Time     `json:"created_at"`
}

func (a *API) listImports(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	found, err := a.reads.ImportList(c.ctx(), c.who.Workspace, p.after, p.most+1)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(i imports.Import) uuid.UUID { return i.ID }, func(i imports.Import) listedImportView {
		return listedImportView{i.ID, i.State(), i.FileName, i.Rows, i.CreatedBy, i.CreatedAt}
	})
}

// importRowView: verdict is null until the row was looked at, outcome until it was carried out.
type importRowView struct {
	Row      int              `json:"row"`
	Cells    []string         `json:"cells"`
	Verdict  *imports.Verdict `json:"verdict"`
	Why      *string          `json:"why"`
	SameAs   *int             `json:"same_as"`
	PersonID *uuid.UUID       `json:"person_id"`
	Outcome  *imports.Outcome `json:"outcome"`
}

func showImportRow(r imports.Row) importRowView {
	return importRowView{r.Number, append([]string{}, r.Cells...), orNull(r.Verdict), orNull(r.Why), orNull(r.SameAs), orNull(r.Person), orNull(r.Outcome)}
}

// listImportRows takes ?verdict=.
func (a *API) listImportRows(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	verdict := imports.Verdict(c.QueryParam("verdict"))
	if verdict != "" && !slices.Contains(imports.Verdicts(), verdict) {
		return problem.Field("verdict", "it must be one of %v", imports.Verdicts())
	}
	p, err := readPage(c)
	if err != nil {
		return err
	}
	rows, err := a.reads.ImportRows(c.ctx(), c.who.Workspace, id, imports.Page{Verdict: verdict, After: numberIn(p.after), Most: p.most + 1})
	if err != nil {
		return err
	}
	return showPage(c, p, rows, func(r imports.Row) uuid.UUID { return cursorOf(r.Number) }, showImportRow)
}

// cursorOf is a row's number in the form of every other cursor.
func cursorOf(number int) (cursor uuid.UUID) {
	binary.BigEndian.PutUint32(cursor[len(cursor)-4:], uint32(number))
	return cursor
}

func numberIn(cursor uuid.UUID) int {
	return int(binary.BigEndian.Uint32(cursor[len(cursor)-4:]) & (1<<31 - 1))
}

// saveImportResults is what became of each row, as a file: its cells as they were, and what was made of it.
func (a *API) saveImportResults(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	i, err := a.reads.ImportRead(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="import-`+id.String()+`.csv"`)
	c.Response().WriteHeader(http.StatusOK)
	return imports.WriteResults(c.ctx(), a.reads, c.who.Workspace, i, c.Response())
}
