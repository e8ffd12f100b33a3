package api_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/postgres"
	"sendonce/server/sequence"
)

// sequencing is a server with one sequence: "first contact" at once, and "reminder" three days after it was sent.
type sequencing struct {
	*server
	runner *command.Runner
	worker *sequence.Worker
	id     uuid.UUID
	steps  []sequence.Step
}

func newSequencing(t *testing.T) *sequencing {
	t.Helper()
	s := &sequencing{server: newServer(t)}
	s.addInstall()
	s.restart()
	first, second := uuid.MustParse(s.template("Hello {{first_name}}").text("id")), uuid.MustParse(s.template("Hello again {{first_name}}").text("id"))
	s.must(func(tx command.Tx) error {
		made, err := sequence.Create(t.Context(), tx, s.principal("recruiter"), "Engineers")
		s.id = made.ID
		return err
	})
	s.set(
		sequence.Step{Purpose: "first contact", Channel: "linkedin", Template: first, Delay: sequence.Delay{Unit: sequence.Days}},
		sequence.Step{Purpose: "reminder", Channel: "linkedin", Template: second, Delay: sequence.Delay{Count: 3, Unit: sequence.Days}},
	)
	return s
}

// restart begins a new server's worker on the database: nothing is left of the one before.
func (s *sequencing) restart() {
	s.t.Helper()
	store, err := postgres.Open(s.t.Context(), s.database.ServerURL)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(store.Close)
	s.runner = command.NewRunner(store, &s.woken)
	s.worker = sequence.NewWorker(store, s.runner.EnrolmentLook, slog.New(slog.DiscardHandler))
}

func (s *sequencing) do(do func(command.Tx) error) error {
	_, _, err := s.runner.Run(s.t.Context(), s.principal("recruiter"), nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		return command.Answer{}, uuid.Nil, do(tx)
	})
	return err
}

func (s *sequencing) must(do func(command.Tx) error) {
	s.t.Helper()
	if err := s.do(do); err != nil {
		s.t.Fatal(err)
	}
}

// set makes these the steps.
func (s *sequencing) set(steps ...sequence.Step) {
	s.t.Helper()
	s.must(func(tx command.Tx) error {
		changed, err := sequence.SetSteps(s.t.Context(), tx, s.principal("recruiter"), s.id, 0, steps)
		s.steps = changed.Steps
		return err
	})
}

// someone is a person of whom a first name is known.
func (s *sequencing) someone(slug string) uuid.UUID {
	s.t.Helper()
	person := s.to(slug, "reason "+uuid.NewString(), "Good day").personOf()
	s.know(person, `{"first_name":"Ada"}`)
	return uuid.MustParse(person)
}

func (s *sequencing) try(person uuid.UUID) (e sequence.Enrolment, err error) {
	err = s.do(func(tx command.Tx) (err error) {
		e, err = sequence.Enrol(s.t.Context(), tx, s.principal("recruiter"), s.id, person, uuid.MustParse(s.account))
		return err
	})
	return e, err
}

func (s *sequencing) enrol(person uuid.UUID) uuid.UUID {
	s.t.Helper()
	e, err := s.try(person)
	if err != nil {
		s.t.Fatal(err)
	}
	return e.ID
}

func (s *sequencing) moved(enrolment uuid.UUID, to sequence.State) {
	s.t.Helper()
	s.must(func(tx command.Tx) error {
		_, err := sequence.MoveEnrolment(s.t.Context(), tx, s.principal("recruiter"), enrolment, to)
		return err
	})
}

func (s *sequencing) sequenceMoved(to sequence.State) {
	s.t.Helper()
	s.must(func(tx command.Tx) error {
		_, err := sequence.Move(s.t.Context(), tx, s.principal("recruiter"), s.id, to)
		return err
	})
}

// work looks at all that is due after so long.
func (s *sequencing) work(after time.Duration) {
	s.t.Helper()
	s.advance(after)
	if err := s.worker.WorkOnce(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// want holds how an enrolment stands, and how many messages of the sequence there are; it returns the one that the enrolment names.
func (s *sequencing) want(enrolment uuid.UUID, state sequence.State, reason sequence.Reason, messages int) answer {
	s.t.Helper()
	e, err := s.store.EnrolmentRead(s.t.Context(), s.principal("recruiter").Workspace, enrolment)
	if err != nil {
		s.t.Fatal(err)
	}
	if n := s.count("SELECT count(*) FROM step_messages"); e.State != state || e.Reason != reason || n != messages {
		s.t.Fatalf("the enrolment is %s: %s (%s), with %d messages; want %s: %s with %d", e.State, e.Reason, e.Detail, n, state, reason, messages)
	}
	if e.History[len(e.History)-1].Reason != reason {
		s.t.Errorf("its history ends with %+v", e.History[len(e.History)-1])
	}
	if e.Message == uuid.Nil {
		return answer{t: s.t, Body: "{}"}
	}
	return s.ask("GET", "/v1/messages/"+e.Message.String(), "")
}

// sendStep approves a message and has it sent.
func (s *sequencing) sendStep(m answer) (send string) {
	s.t.Helper()
	send = s.approve(m).text("sends.0.id")
	s.move(send, lease, start, confirm, sent)
	return send
}

// stepsOf is steps of one template, each due so many days after the one before it.
func stepsOf(template string, days int) string {
	const step = `{"purpose":%q,"channel":"linkedin","template_id":%q,"delay":{"count":%d,"unit":"days"}}`
	return fmt.Sprintf(`{"version":2,"steps":[`+step+","+step+"]}", "first contact", template, 0, "reminder", template, days)
}

// sequence makes one of two steps.
func (s *server) sequence() (id string) {
	s.t.Helper()
	id = s.ask("POST", "/v1/sequences", `{"name":"Engineers"}`).text("id")
	if a := s.ask("PUT", "/v1/sequences/"+id+"/steps", strings.Replace(stepsOf(s.template("Hello").text("id"), 3), `"version":2,`, "", 1)); a.Status != 200 {
		s.t.Fatalf("steps: %d %s", a.Status, a.Body)
	}
	return id
}

func (s *server) ofSequence(what string) request {
	path := "/v1/sequences/" + s.sequence()
	return bare(path+what, path)
}

func (s *server) enrolmentOf(sequence, person string) string {
	return fmt.Sprintf(`{"sequence_id":%q,"person_id":%q,"account_id":%q}`, sequence, person, s.account)
}

func (s *server) ofEnrolment(slug, what string) request {
	s.t.Helper()
	a := s.ask("POST", "/v1/enrolments", s.enrolmentOf(s.sequence(), s.proposeTo(slug).personOf()))
	if a.Status != 201 {
		s.t.Fatalf("enrol: %d %s", a.Status, a.Body)
	}
	path := "/v1/enrolments/" + a.text("id")
	return bare(path+what, path)
}
