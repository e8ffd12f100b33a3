package sim

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"sendonce/server/problem"
	"sendonce/server/rule"
)

// act is one of the things that people do.
func (p *people) act() {
	hasty := p.w.mood.hasty
	p.w.chooseOne(append(p.stepChoices(), []choice{
		{12, p.propose},
		{4, p.approve},
		{1, p.edit},
		{1, p.withdraw},
		{1, p.close},
		{3 * hasty, p.retry},
		{hasty, p.retryAll},
		{4 * hasty, p.resolve},
		{2, p.lookAgain},
		{2 * hasty, p.clear},
		{1, p.pause},
		{3, p.resume},
		{2, p.reply},
		{1, p.writeByHand},
		{1, p.stopInPopup},
		{3, p.pauseInPopup},
		{2, p.lookIntoPopup},
		{2, p.hand},
		{1, p.suppress},
		{8, p.lift},
		{1, p.merge},
		{3, p.w.provider.call},
	}...))
}

// any is one of the messages, often one that is in flight.
func (p *people) any() *message {
	if len(p.messages) == 0 {
		return nil
	}
	if flying := p.with(rule.Leased, rule.Started); len(flying) > 0 && p.w.chance(inFlightShare) {
		return flying[p.w.rng.IntN(len(flying))]
	}
	return p.messages[p.w.rng.IntN(len(p.messages))]
}

// with are the messages of which a send has one of the statuses.
func (p *people) with(statuses ...rule.Status) []*message {
	var ids []string
	p.w.must(p.w.owner.QueryRow(p.w.ctx, "SELECT coalesce(array_agg(message_id::text), '{}') FROM sends WHERE status = ANY ($1)", statuses).Scan(&ids))
	return slices.DeleteFunc(slices.Clone(p.messages), func(m *message) bool { return !slices.Contains(ids, m.id) })
}

// cross is something that happens while a lease or a start is on its way.
func (p *people) cross(e *event) {
	p.w.chooseOne([]choice{
		{3, p.withdraw},
		{3, p.edit},
		{1, p.pause},
		{1, p.pauseInstall},
		{1, p.pauseWorkspace},
		{2, p.writeByHand},
		{2, p.reply},
		{1, p.suppress},
		{1, p.merge},
		{4, func() {
			e.at = time.Now().Add(p.w.between(time.Second, crossedMax))
			p.w.tell("%s: %s takes its time", e.queue, e.what)
		}},
		{2, func() {
			again := p.w.later(p.w.between(0, crossedMax), e.queue+" again", e.what+" once more", e.do)
			again.browser, again.tab = e.browser, e.tab
		}},
	})
}

// propose asks for a message: now and then one with a text that was already asked for, half of them for the same purpose.
func (p *people) propose() {
	w := p.w
	if len(p.messages) >= messagesMax {
		return
	}
	p.texts++
	m := &message{
		member: w.site.members[w.rng.IntN(len(w.site.members))], person: w.site.persons[w.rng.IntN(w.mood.persons)],
		body: fmt.Sprintf("Hello, this is text %d.", p.texts), purpose: fmt.Sprintf("reason %d", p.texts), approved: map[string]bool{},
	}
	if other := p.any(); other != nil && w.chance(w.mood.sameText) {
		m.body, m.person = other.body, other.person
		if w.chance(byHandShare) {
			m.body = byTheWay
		}
		if p.texts%2 == 0 {
			m.purpose = other.purpose
		}
	}
	if w.chance(windowShare) {
		m.window = w.between(windowMin, windowMax)
	}
	var made shownMessage
	got := p.proposeIt(m, nil, &made)
	if got.status == http.StatusConflict {
		w.note("a proposal was refused: " + got.problem.Code)
		if got.problem.Code == string(problem.FollowLatest) {
			got = p.proposeIt(m, map[string]string{"send": got.problem.SendID, "why": "a new decision"}, &made)
		}
	}
	if got.ok() {
		if p.marked[m.person].id != "" {
			p.w.breach("a message to %s was proposed, who must not be contacted", m.person.slug)
		}
		m.id, m.version, m.digest = made.ID, made.Version, made.Digest
		p.messages = append(p.messages, m)
		if w.chance(0.9) {
			p.approveIt(m)
		}
	}
}

func (p *people) proposeIt(m *message, follows map[string]string, made *shownMessage) reply {
	asked := map[string]any{
		"account_id": p.accounts[m.member], "person": map[string]string{"linkedin": origin + "/in/" + m.person.slug}, "body": m.body,
		"purpose": m.purpose, "follows": follows,
	}
	if m.window > 0 {
		asked["send_before"] = time.Now().Add(p.w.ahead + m.window).UTC().Format(time.RFC3339)
	}
	return p.ask("POST", "/v1/messages", asked, made)
}

func (p *people) approve() {
	if m := p.any(); m != nil {
		p.approveIt(m)
	}
}

func (p *people) approveIt(m *message) {
	repeat := p.w.chance(0.3)
	body := map[string]any{"version": m.version, "digest": m.digest, "repeat_approved": repeat}
	// Said before it is known: an approval that was made and whose answer was lost counts as well.
	was, since, repeated := m.approved[m.body], m.since, m.repeat
	m.approved[m.body], m.since, m.repeat = true, time.Now(), m.repeat || repeat
	got := p.ask("POST", "/v1/messages/"+m.id+"/approval", body, nil)
	p.mustNot(got, m.id, "was approved beside an earlier message, and nobody was asked", unasked)
	if earlier := got.problem.Earlier; len(earlier) > 0 && p.w.chance(secondMessageShare) {
		var named []string
		for _, one := range earlier {
			named = append(named, one.MessageID)
		}
		body["yes_to"], m.repeat = named, m.repeat || got.problem.Code == string(problem.RepeatNeedsYes)
		got = p.ask("POST", "/v1/messages/"+m.id+"/approval", body, nil)
	}
	if p.marked[m.person].id != "" {
		p.mustNot(got, m.id, "was approved, to somebody who must not be contacted", justApproved)
	}
	if got.status >= http.StatusBadRequest {
		p.w.note("an approval was refused: " + got.problem.Code)
		m.approved[m.body], m.since, m.repeat = was, since, repeated
	}
}

func (p *people) edit() {
	m := p.any()
	if m == nil {
		return
	}
	p.texts++
	body := fmt.Sprintf("Hello, this is text %d.", p.texts)
	var made shownMessage
	if p.ask("PATCH", "/v1/messages/"+m.id, map[string]any{"body": body}, &made).ok() {
		m.body, m.version, m.digest = body, made.Version, made.Digest
	}
}

func (p *people) withdraw() {
	if m := p.any(); m != nil {
		got := p.ask("POST", "/v1/messages/"+m.id+"/withdrawal", map[string]any{}, nil)
		p.mustNot(got, m.id, "is withdrawn, and still to come", stillToCome)
	}
}

func (p *people) close() {
	if m := p.any(); m != nil {
		got := p.ask("POST", "/v1/messages/"+m.id+"/closing", map[string]any{"why": "the place is taken"}, nil)
		p.mustNot(got, m.id, "is closed, and still to come", stillToCome)
		p.mustNot(got, m.id, "is closed while it is being sent", underWay)
	}
}

// read is a message as the API shows it now.
func (p *people) read(m *message) (shown shownMessage, ok bool) {
	s := p.w.aliveServer()
	if s == nil {
		return shown, false
	}
	ok = s.ask(p.token, "", "GET", "/v1/messages/"+m.id, nil, &shown).ok() && len(shown.Sends) > 0
	for _, send := range shown.Sends {
		if slices.Contains(paceRefusals, rule.Refusal(send.WaitingFor)) {
			p.w.note(paceHeld + send.WaitingFor)
		}
	}
	return shown, ok
}

func (p *people) retry() {
	m := p.any()
	if m == nil {
		return
	}
	shown, ok := p.read(m)
	if !ok {
		return
	}
	at := p.w.rng.IntN(len(shown.Sends))
	code := p.retryIt(shown.Sends[at])
	switch unconfirmed := shown.Sends[at].Status == rule.Unconfirmed; {
	case code == "":
	case at < len(shown.Sends)-1 && code != string(problem.AlreadyRetried), at == len(shown.Sends)-1 && unconfirmed && code != string(problem.NeedsALook):
		p.w.breach("the retry of send %s, which is %s and number %d of %d, was refused as %s", shown.Sends[at].ID, shown.Sends[at].Status, at+1, len(shown.Sends), code)
	}
}

// retryIt is the code of the refusal, or "".
func (p *people) retryIt(send shownSend) (refused string) {
	var made struct{ ID string }
	got := p.ask("POST", "/v1/sends/"+send.ID+"/retry", map[string]any{}, &made)
	p.mustNot(got, made.ID, "is a retry of what was edited since, or of a text that waits to go to the person already", noRetry)
	if got.status == http.StatusConflict {
		p.w.note(retryNo + got.problem.Code)
		return got.problem.Code
	}
	return ""
}

func (p *people) retryAll() {
	var run struct{ ID string }
	if p.ask("POST", "/v1/retries", map[string]any{}, &run).ok() {
		p.ask("POST", "/v1/retries/"+run.ID+"/start", map[string]any{}, nil)
	}
}

// resolve is a person who looked, and says what they saw; now and then they see wrong.
func (p *people) resolve() {
	if m := p.any(); m != nil {
		p.resolveIt(m, p.w.chance(wrongPersonShare), p.w.chance(0.2))
	}
}

// giveUp is people who see no copy while the machine that may still send one sleeps, take the risk, and send again.
func (p *people) giveUp(text string) {
	for _, m := range p.messages {
		if m.body != text {
			continue
		}
		p.resolveIt(m, false, true)
		if shown, ok := p.read(m); ok {
			p.retryIt(shown.Sends[len(shown.Sends)-1])
		}
	}
}

func (p *people) resolveIt(m *message, isWrong, acceptUnseen bool) {
	shown, ok := p.read(m)
	if !ok {
		return
	}
	send := shown.Sends[len(shown.Sends)-1]
	there := p.w.site.stands(m)
	says := there != isWrong
	outcome := map[bool]string{true: "delivered", false: "not_delivered"}[says]
	body := map[string]any{"outcome": outcome, "note": "I looked.", "accept_unseen": acceptUnseen}
	got := p.ask("POST", "/v1/sends/"+send.ID+"/resolution", body, nil)
	switch {
	case got.status == http.StatusConflict:
		p.w.note("a resolution was refused: " + got.problem.Code)
	case got.ok() || got.status == 0:
		p.w.note("a person said " + outcome)
		m.erred = m.erred || outcome == "not_delivered" && (there || acceptUnseen)
	}
}

// settleAll is people who look truly at what needs a look, and retry what has failed.
func (p *people) settleAll() {
	for _, m := range p.messages {
		shown, ok := p.read(m)
		if !ok {
			continue
		}
		switch last := shown.Sends[len(shown.Sends)-1]; last.Status {
		case rule.Unconfirmed:
			p.resolveIt(m, false, false)
		case rule.Failed:
			if p.ask("POST", "/v1/sends/"+last.ID+"/retry", map[string]any{}, nil).ok() {
				p.w.note("a person retried")
				// Two that are queued at one moment go out in the order of their ids, which are chance.
				p.w.pass(time.Millisecond)
			}
		}
	}
}

func (p *people) lookAgain() {
	m := p.any()
	if m == nil {
		return
	}
	if shown, ok := p.read(m); ok {
		p.ask("POST", "/v1/sends/"+shown.Sends[len(shown.Sends)-1].ID+"/check", map[string]any{}, nil)
	}
}

func (p *people) someAccount() string {
	return p.accounts[p.w.site.members[p.w.rng.IntN(len(p.w.site.members))]]
}

func (p *people) clear() {
	p.ask("POST", "/v1/accounts/"+p.someAccount()+"/clear", map[string]any{}, nil)
}
