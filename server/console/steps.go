package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"sendonce/server/account"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/sequence"
	"sendonce/server/template"
)

// shownStep is a step as a person reads it.
type shownStep struct {
	sequence.Step
	Number       int
	TemplateName string
	Waiting      int // messages of it that wait for approval
}

// When says when it is due.
func (s shownStep) When() string {
	after := "after the step before it was sent"
	if s.Number == 1 {
		after = "after the enrolment"
	}
	if s.Delay.Count == 0 {
		return "At once " + after
	}
	return fmt.Sprintf("%s %s", delayText(s.Delay), after)
}

// delayText says how long a delay is.
func delayText(d sequence.Delay) string {
	days := map[sequence.Unit]string{sequence.Days: "day", sequence.BusinessDays: "working day"}[d.Unit]
	if d.Count != 1 {
		days += "s"
	}
	return fmt.Sprintf("%d %s", d.Count, days)
}

// shownSteps are steps with the names of their templates.
func (s *Console) shownSteps(v visit, steps []sequence.Step) ([]shownStep, error) {
	names := map[uuid.UUID]string{}
	shown := make([]shownStep, len(steps))
	for i, step := range steps {
		if _, known := names[step.Template]; !known {
			found, err := s.reads.TemplateRead(v.ctx(), v.who.Workspace, step.Template)
			if err != nil {
				return nil, err
			}
			names[step.Template] = found.Name
		}
		shown[i] = shownStep{Step: step, Number: i + 1, TemplateName: names[step.Template]}
	}
	return shown, nil
}

// typedStep is a step as it stands in the form, read or not.
type typedStep struct {
	ID                      string // "" of a new one
	Purpose, Template, Days string
	Unit                    string
	Number                  int
	IsFirst, IsLast         bool
	Focus                   string // which of its fields or buttons the keyboard is at, or ""
}

// IsBusiness reports whether its days are those on which the account works.
func (t typedStep) IsBusiness() bool { return t.Unit == string(sequence.BusinessDays) }

// stepsPage is the form of a sequence's steps.
type stepsPage struct {
	sequenceCard
	Templates []template.Template
	Typed     []typedStep
	IsDraft   bool   // something in it is not saved
	Says      string // why it was not saved, or ""
	Key       string
}

// IsFull reports whether it has as many steps as it may.
func (p stepsPage) IsFull() bool { return len(p.Typed) >= config.SequenceStepsMax }

func typedOf(steps []sequence.Step) []typedStep {
	typed := make([]typedStep, len(steps))
	for i, step := range steps {
		typed[i] = typedStep{
			ID: step.ID.String(), Purpose: step.Purpose, Template: step.Template.String(), Days: strconv.Itoa(step.Delay.Count), Unit: string(step.Delay.Unit),
		}
	}
	return typed
}

// newStep is the fields of a step that is added.
func newStep(isFirst bool) typedStep {
	one := typedStep{Days: "3", Unit: string(sequence.BusinessDays), Focus: "purpose"}
	if isFirst {
		one.Days = "0"
	}
	return one
}

func (s *Console) showSteps(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	found, err := s.reads.SequenceRead(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	page := stepsPage{sequenceCard: sequenceCard{found}, Typed: typedOf(found.Steps)}
	if len(page.Typed) == 0 {
		page.Typed = []typedStep{newStep(true)}
	}
	return s.showForm(v, http.StatusOK, page)
}

// showForm shows the steps as they were typed.
func (s *Console) showForm(v visit, status int, page stepsPage) error {
	var err error
	if page.Templates, err = s.reads.TemplateList(v.ctx(), v.who.Workspace, uuid.Nil, config.PageSizeMax); err != nil {
		return err
	}
	for _, step := range page.Steps { // one that came later is chosen all the same
		if slices.ContainsFunc(page.Templates, func(one template.Template) bool { return one.ID == step.Template }) {
			continue
		}
		found, err := s.reads.TemplateRead(v.ctx(), v.who.Workspace, step.Template)
		if err != nil {
			return err
		}
		page.Templates = append(page.Templates, found)
	}
	for i := range page.Typed {
		one := &page.Typed[i]
		one.Number, one.IsFirst, one.IsLast = i+1, i == 0, i == len(page.Typed)-1
	}
	page.Key = uuid.NewString()
	return s.showAs(v, status, "steps", "Steps of "+page.Name, page)
}

// readTyped reads the form's rows as they are.
func readTyped(form url.Values) []typedStep {
	most := min(len(form["purpose"]), config.SequenceStepsMax+1)
	typed := make([]typedStep, most)
	at := func(field string, i int) string {
		if i < len(form[field]) {
			return form[field][i]
		}
		return ""
	}
	for i := range typed {
		typed[i] = typedStep{ID: at("step", i), Purpose: at("purpose", i), Template: at("template", i), Days: at("days", i), Unit: at("unit", i)}
	}
	return typed
}

// arrange does what a button of the form says with what was typed: nothing of it is saved. It returns nil for the button that saves.
func arrange(typed []typedStep, do string) []typedStep {
	what, number, _ := strings.Cut(do, " ")
	at, err := strconv.Atoi(number)
	isThere := err == nil && at >= 1 && at <= len(typed)
	switch {
	case what == "add" && len(typed) < config.SequenceStepsMax:
		return append(typed, newStep(len(typed) == 0))
	case what == "out" && isThere:
		return slices.Delete(typed, at-1, at)
	case what == "up" && isThere && at > 1:
		typed[at-1], typed[at-2] = typed[at-2], typed[at-1]
		typed[at-2].Focus = what
		return typed
	case what == "down" && isThere && at < len(typed):
		typed[at-1], typed[at] = typed[at], typed[at-1]
		typed[at].Focus = what
		return typed
	case what == "save":
		return nil
	}
	return typed
}

// stepsOf reads what was typed.
func stepsOf(typed []typedStep) ([]sequence.Step, error) {
	steps := make([]sequence.Step, len(typed))
	for i, one := range typed {
		field := func(name string) string { return fmt.Sprintf("steps.%d.%s", i, name) }
		step := sequence.Step{Purpose: one.Purpose, Channel: account.LinkedIn, Delay: sequence.Delay{Unit: sequence.Unit(one.Unit)}}
		var err error
		if one.ID != "" {
			if step.ID, err = uuid.Parse(one.ID); err != nil {
				return nil, problem.Field(field("id"), "reload the page and change what it shows")
			}
		}
		if step.Template, err = uuid.Parse(one.Template); err != nil {
			return nil, problem.Field(field("template_id"), "choose a template")
		}
		if step.Delay.Count, err = strconv.Atoi(strings.TrimSpace(one.Days)); err != nil {
			return nil, problem.Field(field("delay.count"), "it must be a whole number of days")
		}
		steps[i] = step
	}
	return steps, nil
}

// changeSteps is the form of the steps. Its buttons that add, move and take out only change the form; what is refused stays in it.
func (s *Console) changeSteps(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	form, err := v.FormParams()
	if err != nil {
		return problem.New(problem.InvalidField, "the form could not be read; reload the page")
	}
	version, err := strconv.Atoi(form.Get("version"))
	if err != nil || version < 1 {
		return problem.Field("version", "reload the page and change what it shows")
	}
	typed := readTyped(form)
	if arranged := arrange(slices.Clone(typed), form.Get("do")); arranged != nil {
		return s.showTyped(v, id, http.StatusOK, version, arranged, nil)
	}
	payload, err := json.Marshal([]any{version, typed})
	if err != nil {
		return err
	}
	steps, err := stepsOf(typed)
	if err == nil {
		err = s.saveSteps(v, id, string(payload), version, steps)
	}
	if p := problem.As(err); p != nil && (p.Code == problem.VersionNotCurrent || p.Code == problem.InvalidField) {
		return s.showTyped(v, id, p.Code.HTTPStatus(), version, typed, p)
	}
	return err
}

func (s *Console) saveSteps(v visit, id uuid.UUID, payload string, version int, steps []sequence.Step) error {
	defer s.enrolling.Wake()
	return s.run(v, payload, "/sequences/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := sequence.SetSteps(v.ctx(), tx, v.who, id, version, steps)
		return id, uuid.Nil, err
	})
}

// showTyped shows the form with what was typed into it, and why it was not saved. Where somebody else was faster, it says what
// theirs is, and the next save puts what was typed in its place.
func (s *Console) showTyped(v visit, id uuid.UUID, status, version int, typed []typedStep, why *problem.Problem) error {
	found, err := s.reads.SequenceRead(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	page := stepsPage{sequenceCard: sequenceCard{found}, Typed: typed, IsDraft: true}
	switch {
	case why == nil && version == found.Version:
	case why != nil && why.Code == problem.InvalidField:
		page.Says = stepRefusal(why)
		page.Version = version // a change of somebody else is told when this one is right
	default:
		page.Says = fmt.Sprintf("%s changed the steps meanwhile. What you typed stands below and is not saved. Theirs: %s. Saving puts yours in their place.",
			found.ChangedBy, stepsText(found.Steps))
		page.Typed = asNew(typed, found.Steps)
	}
	return s.showForm(v, status, page)
}

// stepsText names steps in one line.
func stepsText(steps []sequence.Step) string {
	if len(steps) == 0 {
		return "no step"
	}
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = fmt.Sprintf("%d. %s (%s)", i+1, step.Purpose, delayText(step.Delay))
	}
	return strings.Join(names, ", ")
}

// asNew has a step that somebody took out meanwhile be a new one.
func asNew(typed []typedStep, known []sequence.Step) []typedStep {
	for i := range typed {
		if !slices.ContainsFunc(known, func(step sequence.Step) bool { return step.ID.String() == typed[i].ID }) {
			typed[i].ID = ""
		}
	}
	return typed
}

// stepRefusal says which step and field of the form a refusal is about.
func stepRefusal(p *problem.Problem) string {
	parts := strings.SplitN(p.Field, ".", 3) // steps.0.purpose
	if len(parts) < 3 {
		return "It is not saved. Of the steps: " + p.Detail + "."
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		return "It is not saved. " + p.Detail + "."
	}
	field := map[string]string{
		"purpose": "what it is for", "template_id": "the template", "delay.count": "the days", "delay.unit": "the days", "channel": "the channel",
	}[parts[2]]
	if field == "" {
		field = "which it is"
	}
	return fmt.Sprintf("It is not saved. Step %d, %s: %s.", number+1, field, p.Detail)
}

// stepPreview is what each step would say to one person.
type stepPreview struct {
	To    personCard
	Steps []shownPreview
}

type shownPreview struct {
	Step shownStep
	Said template.Preview
}

type sequencePreviewPage struct {
	sequenceCard
	Asked    string
	People   []stepPreview
	IsNobody bool // nobody was found
}

// previewSequence shows what the steps say to whom ?q= finds. Nothing is proposed by it.
func (s *Console) previewSequence(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	found, err := s.reads.SequenceRead(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	page := sequencePreviewPage{sequenceCard: sequenceCard{found}, Asked: v.QueryParam("q")}
	if page.Asked != "" {
		if page.People, err = s.stepPreviews(v, found.Steps, page.Asked); err != nil {
			return err
		}
		page.IsNobody = len(page.People) == 0
	}
	return s.show(v, "sequence_preview", "What "+page.Name+" says", page)
}

func (s *Console) stepPreviews(v visit, steps []sequence.Step, typed string) ([]stepPreview, error) {
	shown, err := s.shownSteps(v, steps)
	if err != nil {
		return nil, err
	}
	asked := people.Page{Most: previewsMost}
	if asked.Who, asked.Name, err = lookedFor(typed); err != nil {
		return nil, err
	}
	found, err := s.reads.PeopleList(v.ctx(), v.who.Workspace, asked)
	if err != nil {
		return nil, err
	}
	previews := make([]stepPreview, len(found))
	for i, one := range found {
		previews[i].To = personCard{Person: one}
		for _, step := range shown {
			said, err := s.reads.TemplatePreview(v.ctx(), v.who.Workspace, step.Template, one.ID)
			if err != nil {
				return nil, err
			}
			previews[i].Steps = append(previews[i].Steps, shownPreview{step, said})
		}
	}
	return previews, nil
}
