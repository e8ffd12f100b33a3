package api_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/sequence"
)

// atOnce runs all of these at one moment, each so many times.
func atOnce(times int, all ...func()) {
	var running sync.WaitGroup
	for range times {
		for _, do := range all {
			running.Go(do)
		}
	}
	running.Wait()
}

// servers are workers of so many servers on the database.
func (s *sequencing) servers(many int) (workers []*sequence.Worker) {
	s.t.Helper()
	for range many {
		s.restart()
		workers = append(workers, s.worker)
	}
	return workers
}

func (s *sequencing) working(worker *sequence.Worker) func() {
	return func() {
		if err := worker.WorkOnce(s.t.Context()); err != nil {
			s.t.Error(err)
		}
	}
}

// twice counts the steps that some person, under whatever id, has more than one message for that may go out or did.
func (s *sequencing) twice() int {
	return s.count(`SELECT count(*) FROM (SELECT FROM steps_had h JOIN same_people w ON w.person_id = h.person_id
		JOIN messages m ON m.id = h.message_id WHERE m.authority <> 'withdrawn' GROUP BY w.one_id, h.step_id HAVING count(*) > 1) v`)
}

// Goal: the people of two files, which name some of them in another writing, are enrolled from both at one moment: each once, and each is
// written to once, while two servers look.
func TestTwoImportsEnrolEachOnce(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	const people = 12
	one, two := "linkedin,first_name\n", "first_name;linkedin\n"
	for i := range people {
		one += fmt.Sprintf("/in/someone-%d,Ada\n", i)
		two += fmt.Sprintf("Ada;https://de.linkedin.com/in/Someone-%d/?utm=1\n", people-1-i)
	}
	files := []answer{s.imported(one), s.imported(two)}
	var all []func()
	for _, file := range files {
		all = append(all, func() {
			a, err := s.server.try(t.Context(), "POST", "/v1/sequences/"+s.id.String()+"/enrolments", fmt.Sprintf(`{"account_id":%q,"import_id":%q}`, s.account, file.text("id")))
			if err != nil || a.Status != 200 || a.text("items.11.person_id") == "" {
				t.Errorf("enrol: %d %s %v", a.Status, a.Body, err)
			}
		})
	}
	for _, worker := range s.servers(2) {
		all = append(all, s.working(worker))
	}
	atOnce(3, all...)
	s.work(0)
	if enrolled, said, twice := s.count("SELECT count(*) FROM enrolments"), s.count("SELECT count(*) FROM step_messages"), s.twice(); enrolled != people || said != people || twice != 0 {
		t.Errorf("%d enrolments, %d messages, %d steps twice; want %d, %[4]d, 0", enrolled, said, twice, people)
	}
}

// Goal: whatever comes first of a merge and the steps of the two, on two servers: nobody has one step twice, and one enrolment goes on.
func TestAMergeBesideTheWorkers(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	workers := s.servers(2)
	for i := range 8 {
		one, two := s.someone(fmt.Sprintf("ada-%d", i)), s.someone(fmt.Sprintf("ada-too-%d", i))
		first, second := s.enrol(one), s.enrol(two)
		shown := s.preview(one.String(), two.String())
		merged := false
		all := []func(){s.working(workers[0]), s.working(workers[1]), func() { merged = s.merge(shown).Status == 200 }}
		atOnce(1, all[i%len(all):]...)
		atOnce(1, all[:i%len(all)]...)
		s.advance(aMinute)
		atOnce(2, s.working(workers[0]), s.working(workers[1]))
		wantMerged(t, s, merged, first, second)
	}
	if twice := s.twice(); twice != 0 {
		t.Errorf("%d steps are there twice", twice)
	}
}

// wantMerged holds that of two enrolments the older one goes on, if their people are one, and else both.
func wantMerged(t *testing.T, s *sequencing, merged bool, first, second uuid.UUID) {
	t.Helper()
	want := map[uuid.UUID]sequence.State{first: sequence.Running, second: sequence.Running}
	if merged {
		want[second] = sequence.Stopped
	}
	for id, state := range want {
		e, err := s.store.EnrolmentRead(t.Context(), s.principal("recruiter").Workspace, id)
		if err != nil || e.State != state {
			t.Errorf("merged %t: it is %s: %s (%v), want %s", merged, e.State, e.Reason, err, state)
		}
	}
}
