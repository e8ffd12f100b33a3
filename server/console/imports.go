package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/imports"
	"sendonce/server/problem"
)

type importsPage struct {
	Imports []imports.Import
	More    string // the address of the next page, or ""
	Key     string
}

func (s *Console) showImports(v visit) error {
	before, err := readAfter(v)
	if err != nil {
		return err
	}
	page := importsPage{Key: uuid.NewString()}
	if page.Imports, err = s.reads.ImportList(v.ctx(), v.who.Workspace, before, config.PageSizeDefault+1); err != nil {
		return err
	}
	if len(page.Imports) > config.PageSizeDefault {
		page.Imports = page.Imports[:config.PageSizeDefault]
		page.More = "/imports?after=" + page.Imports[len(page.Imports)-1].ID.String()
	}
	return s.show(v, "imports", "People from a file", page)
}

// stateTexts are the words for how far an import is.
var stateTexts = map[imports.State]string{
	imports.NeedsMapping: "waits to be told which column is an address", imports.Previewing: "is being looked at", imports.Previewed: "waits to be started",
	imports.Running: "is being taken in", imports.Done: "done", imports.Expired: "was never started, and is gone",
}

// StateText says how far an import is.
func (importsPage) StateText(i imports.Import) string { return stateTexts[i.State()] }

func (s *Console) uploadImport(v visit) error {
	header, err := v.FormFile("file")
	if err != nil {
		return fmt.Errorf("read the form: %w", orNoFile(err))
	}
	file, err := header.Open()
	if err != nil {
		return fmt.Errorf("open the uploaded file: %w", err)
	}
	defer file.Close()
	raw, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("read the uploaded file: %w", err)
	}
	sum := sha256.Sum256(raw)
	defer s.imports.Wake()
	answer, _, err := s.commands.Run(v.ctx(), v.who, once(v, header.Filename+"\n"+hex.EncodeToString(sum[:])), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		i, err := imports.Upload(v.ctx(), tx, v.who, header.Filename, raw)
		return command.Answer{Status: http.StatusSeeOther, Object: i.ID}, uuid.Nil, err
	})
	if err != nil {
		return err
	}
	return v.Redirect(http.StatusSeeOther, "/imports/"+answer.Object.String())
}

// orNoFile is the problem that there is none, unless it is that there is too much.
func orNoFile(err error) error {
	if strings.Contains(err.Error(), "too large") {
		return err
	}
	return problem.Field("file", "choose a file first")
}

// importPage is an import with a part of its rows.
type importPage struct {
	imports.Import
	Columns  []importColumn
	Choices  []string
	Counts   []importCount
	Outcomes []importCount
	Chosen   imports.Verdict // "" for all
	Items    []imports.Row
	More     string // the address of the next part, or ""
	Enrols   enrolChoices
	Key      string
}

// importColumn is a column with what stands in its first rows.
type importColumn struct {
	At       int
	Name, As string
	Samples  []string
}

// importCount is how many rows come to one thing.
type importCount struct {
	Verdict imports.Verdict // "" for what became of them
	Text    string
	Count   int
}

var verdictTexts = map[imports.Verdict]string{
	imports.IsNew: "New", imports.IsKnown: "Known already", imports.Contacted: "Written to already", imports.Owned: "A colleague's",
	imports.Unconfirmed: "A message may have reached them", imports.InFileTwice: "Twice in the file", imports.DoNotContact: "Must not be contacted", imports.Invalid: "Cannot be taken",
}

var outcomeTexts = map[imports.Outcome]string{
	imports.Made: "Made", imports.Filled: "Filled where something was empty", imports.Unchanged: "Unchanged", imports.LeftOut: "Left out",
}

// VerdictText is the word for what a row comes to.
func (importPage) VerdictText(v imports.Verdict) string { return verdictTexts[v] }

// OutcomeText is the word for what became of a row.
func (importPage) OutcomeText(o imports.Outcome) string { return outcomeTexts[o] }

// IsMoving reports whether the page is to be kept fresh.
func (p importPage) IsMoving() bool {
	return p.State() == imports.Previewing || p.State() == imports.Running
}

// MayMap and CanBegin report what a person may still do.
func (p importPage) MayMap() bool { return p.BegunAt == nil && p.ForgottenAt == nil }

// CanBegin reports whether a yes would do anything.
func (p importPage) CanBegin() bool { return p.State() == imports.Previewed && p.Taken() > 0 }

// CanEnrol reports whether its people may be enrolled.
func (p importPage) CanEnrol() bool { return p.State() == imports.Done }

// Taken is how many rows are not left out.
func (p importPage) Taken() int {
	return p.Rows - p.Verdicts[imports.InFileTwice] - p.Verdicts[imports.DoNotContact] - p.Verdicts[imports.Invalid]
}

// New is how many people would be made.
func (p importPage) New() int { return p.Verdicts[imports.IsNew] }

// samplesMost is how many rows stand beside the name of a column.
const samplesMost = 3

func (s *Console) showImport(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	page := importPage{Choices: imports.UsualColumns(), Chosen: imports.Verdict(v.QueryParam("verdict")), Key: uuid.NewString()}
	if page.Chosen != "" && !slices.Contains(imports.Verdicts(), page.Chosen) {
		return problem.Field("verdict", "choose one of the page's own")
	}
	if page.Import, err = s.reads.ImportRead(v.ctx(), v.who.Workspace, id); err != nil {
		return err
	}
	if err := s.fillImport(v, &page); err != nil {
		return err
	}
	for _, verdict := range imports.Verdicts() {
		if n := page.Verdicts[verdict]; n > 0 {
			page.Counts = append(page.Counts, importCount{verdict, verdictTexts[verdict], n})
		}
	}
	for _, outcome := range imports.Outcomes() {
		if n := page.Import.Outcomes[outcome]; n > 0 {
			page.Outcomes = append(page.Outcomes, importCount{"", outcomeTexts[outcome], n})
		}
	}
	if page.CanEnrol() {
		if page.Enrols, err = s.enrolChoices(v); err != nil {
			return err
		}
	}
	return s.show(v, "import", "People from a file", page)
}

// fillImport reads a part of the rows, and the first ones for the columns.
func (s *Console) fillImport(v visit, page *importPage) error {
	after, err := strconv.Atoi(v.QueryParam("after"))
	if text := v.QueryParam("after"); text != "" && (err != nil || after < 0) {
		return problem.New(problem.InvalidCursor, "begin again at the first page")
	}
	most := config.PageSizeDefault
	rows, err := s.reads.ImportRows(v.ctx(), v.who.Workspace, page.ID, imports.Page{Verdict: page.Chosen, After: after, Most: most + 1})
	if err != nil {
		return err
	}
	if len(rows) > most {
		rows = rows[:most]
		page.More = fmt.Sprintf("/imports/%s?%s", page.ID, url.Values{"verdict": {string(page.Chosen)}, "after": {strconv.Itoa(rows[most-1].Number)}}.Encode())
	}
	page.Items = rows
	first, err := s.reads.ImportRows(v.ctx(), v.who.Workspace, page.ID, imports.Page{Most: samplesMost})
	if err != nil {
		return err
	}
	for at, name := range page.Header {
		column := importColumn{At: at, Name: name, As: page.Mapping[at]}
		for _, row := range first {
			if at < len(row.Cells) && row.Cells[at] != "" {
				column.Samples = append(column.Samples, row.Cells[at])
			}
		}
		page.Columns = append(page.Columns, column)
	}
	return nil
}

func (s *Console) mapImport(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	form, err := v.FormParams()
	if err != nil {
		return problem.New(problem.InvalidField, "the form could not be read; reload the page")
	}
	mapping := make([]string, len(form["as"]))
	for at, as := range form["as"] {
		mapping[at] = strings.TrimSpace(as)
	}
	defer s.imports.Wake()
	return s.run(v, strings.Join(mapping, "\n"), "/imports/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := imports.Map(v.ctx(), tx, v.who, id, mapping)
		return id, uuid.Nil, err
	})
}

func (s *Console) beginImport(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	defer s.imports.Wake()
	return s.run(v, "", "/imports/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := imports.Begin(v.ctx(), tx, v.who, id)
		return id, uuid.Nil, err
	})
}

func (s *Console) saveImportResults(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	i, err := s.reads.ImportRead(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	h := v.Response().Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="import-`+id.String()+`.csv"`)
	v.Response().WriteHeader(http.StatusOK)
	return imports.WriteResults(v.ctx(), s.reads, v.who.Workspace, i, v.Response())
}
