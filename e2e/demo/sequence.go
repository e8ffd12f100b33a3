package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/imports"
	"sendonce/server/rule"
	"sendonce/server/sequence"
)

// The steps of the demo's sequence. The second is due at once, so that nobody waits for days.
var (
	question = harness.Step{Purpose: "question", Text: "Hello {{first_name}}, may I ask you something?"}
	reminder = harness.Step{Purpose: "reminder", Text: "{{first_name}}, did you see my question?"}
)

// comesTo says what a row of a list comes to, where the row itself does not say why.
var comesTo = map[imports.Verdict]string{
	imports.IsNew:     "somebody new",
	imports.Contacted: "known, and written to before; nothing that is known is overwritten",
}

// deliverSequence imports a list, writes to those in it in two steps, and has one of them reply in between.
func (w *world) deliverSequence(ctx context.Context, tell *teller) ([]*letter, error) {
	tell.act("A list of people, and a sequence of two steps")
	list, err := w.importList(ctx, tell)
	if err != nil {
		return nil, err
	}
	id, err := w.api.Sequence(ctx, "Engineers", question, reminder)
	if err != nil {
		return nil, err
	}
	tell.line("A sequence is made: a question, and a reminder to whoever has not answered. Each step has a template.")
	if err := w.enrol(ctx, tell, id, list); err != nil {
		return nil, err
	}
	first, err := w.approveStep(ctx, tell, id)
	if err != nil {
		return nil, err
	}
	for _, l := range first {
		if err := w.end(ctx, tell, l); err != nil {
			return nil, err
		}
	}
	second, err := w.remind(ctx, tell, id)
	return append(first, second...), err
}

// importList uploads a list with somebody who is known, somebody new, somebody who must not be written to, and an address that is none.
func (w *world) importList(ctx context.Context, tell *teller) (id string, err error) {
	if err := w.api.SuppressPerson(ctx, luis.Slug, "asked for it on the phone"); err != nil {
		return "", err
	}
	tell.line("%s has asked not to be written to, and that is noted.", luis.Name)
	file := "LinkedIn URL,First name,Last name\n"
	for _, person := range []standin.Person{ada, noa, luis} {
		first, last, _ := strings.Cut(person.Name, " ")
		file += fmt.Sprintf("%s/in/%s/,%s,%s\n", harness.LinkedIn, url.PathEscape(person.Slug), first, last)
	}
	shown, err := w.api.Upload(ctx, "engineers.csv", file+"ask her for it,Mia,Modelo\n")
	if err != nil {
		return "", err
	}
	rows, err := w.api.ImportRows(ctx, shown.ID)
	if err != nil {
		return "", err
	}
	tell.line("A list of %d is uploaded as CSV. Before anything changes, it is shown what each row would come to:", len(rows))
	for _, row := range rows {
		why := row.Why
		if why == "" {
			why = comesTo[imports.Verdict(row.Verdict)]
		}
		tell.detail("  row %d, %s: %s: %s", row.Row, strings.Join(row.Cells[1:], " "), row.Verdict, why)
	}
	done, err := w.api.CarryOut(ctx, shown.ID)
	if err != nil {
		return "", err
	}
	tell.line("Rita says yes, and exactly that happens: %s.", counts(done.Outcomes))
	return shown.ID, nil
}

// counts says how many came to what, such as "2 left_out, 1 made".
func counts(of map[string]int) string {
	var said []string
	for what, count := range of {
		if count > 0 {
			said = append(said, fmt.Sprintf("%d %s", count, strings.ReplaceAll(what, "_", " ")))
		}
	}
	slices.Sort(said)
	return strings.Join(said, ", ")
}

func (w *world) enrol(ctx context.Context, tell *teller, id, list string) error {
	all, err := w.api.EnrolImport(ctx, id, w.account, list)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Refused != nil {
			return fmt.Errorf("row %d is not enrolled: %w", one.Row, one.Refused)
		}
	}
	tell.line("The %d people of the list who may be written to are in it now. It proposes; it approves nothing.", len(all))
	return nil
}

// approveStep waits until a step is proposed to everybody, shows its texts, and approves exactly these.
func (w *world) approveStep(ctx context.Context, tell *teller, id string) ([]*letter, error) {
	bounded, cancel := context.WithTimeout(ctx, messageWithin)
	defer cancel()
	waiting, err := w.api.AwaitEnrolments(bounded, id, func(all []harness.Enrolment) bool {
		return !slices.ContainsFunc(all, func(e harness.Enrolment) bool { return e.Reason != string(sequence.ForApproval) })
	})
	if err != nil {
		return nil, err
	}
	batch, err := w.api.PreviewBatch(ctx, id)
	if err != nil {
		return nil, err
	}
	tell.line("The next step waits for approval. These are the whole texts, as they would go out:")
	var letters []*letter
	for _, item := range batch.Items {
		at := slices.IndexFunc(waiting, func(e harness.Enrolment) bool { return e.MessageID == item.MessageID })
		if at < 0 {
			return nil, fmt.Errorf("the batch shows message %s, for which no enrolment waits", item.MessageID)
		}
		to := people[slices.IndexFunc(people, func(p standin.Person) bool { return p.Name == waiting[at].PersonName })]
		letters = append(letters, &letter{to: to, body: item.Body, message: harness.Message{ID: item.MessageID}})
		tell.detail("  to %s: %s", to.Name, item.Body)
	}
	done, err := w.api.ApproveBatch(ctx, batch.ID)
	if err != nil {
		return nil, err
	}
	if done.Made != len(waiting) {
		return nil, fmt.Errorf("%d of %d messages of the step were approved", done.Made, len(waiting))
	}
	tell.line("Rita has read them and approves the %d as a batch.", done.Made)
	return letters, nil
}

// remind has the second step approved, and Ada reply before the browser comes to her conversation.
func (w *world) remind(ctx context.Context, tell *teller, id string) ([]*letter, error) {
	onTheWay := standin.NewGate()
	defer onTheWay.Release()
	w.site.HoldPages("/messaging/", onTheWay)
	letters, err := w.approveStep(ctx, tell, id)
	if err != nil {
		return nil, err
	}
	isAda := func(l *letter) bool { return l.to == ada }
	replier := letters[slices.IndexFunc(letters, isAda)]
	others := slices.DeleteFunc(slices.Clone(letters), isAda)
	if _, err := w.site.Say(w.thread, standin.Message{From: ada.Slug, Text: "Yes, ask me."}); err != nil {
		return nil, err
	}
	onTheWay.Release()
	tell.line("%s replies on LinkedIn, after the approval and before the browser has come to her.", replier.to.Name)
	if err := w.follow(ctx, tell, replier, rule.Failed); err != nil {
		return nil, err
	}
	tell.detail("The browser reads the conversation before it types. %s", rule.CodeText(replier.message.Last().Code, replier.message.Last().Reason))
	for _, l := range others {
		if err := w.end(ctx, tell, l); err != nil {
			return nil, err
		}
	}
	return letters, w.tellEnds(ctx, tell, id)
}

// tellEnds says how the sequence ended for each who was in it.
func (w *world) tellEnds(ctx context.Context, tell *teller, id string) error {
	bounded, cancel := context.WithTimeout(ctx, messageWithin)
	defer cancel()
	all, err := w.api.AwaitEnrolments(bounded, id, func(all []harness.Enrolment) bool {
		return !slices.ContainsFunc(all, func(e harness.Enrolment) bool {
			return e.State != string(sequence.Stopped) && e.State != string(sequence.Finished)
		})
	})
	if err != nil {
		return err
	}
	for _, one := range all {
		tell.line("The sequence is %s for %s. %s", one.State, one.PersonName, one.Text)
	}
	return nil
}
