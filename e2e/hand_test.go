package e2e_test

import (
	"fmt"
	"strings"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// texts puts the case's own message where the table says ours.
func (s *struck) texts(texts ...string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, strings.ReplaceAll(text, ours, s.body()))
	}
	return out
}

// What a recruiter does by hand in our tab: in the page's own world, as its own controls do it.
const (
	box      = `document.querySelector('.msg-form__contenteditable')`
	atTheEnd = box + `.focus(); getSelection().selectAllChildren(` + box + `); getSelection().collapseToEnd();`
	typeOwn  = atTheEnd + `document.execCommand('insertText', false, '` + ownWords + `');`
	press    = `document.querySelector('.msg-form__send-button').click();`
)

func types(s *struck)       { s.inTab(typeOwn) }
func sendsOwn(s *struck)    { s.inTab(typeOwn + press) }
func pressesSend(s *struck) { s.inTab(press) }
func closes(s *struck)      { s.must(s.in.CloseTab(s.ctx, s.tab())) }

// navigates returns when the page has gone: until then it does what it did.
func navigates(s *struck) {
	tab := s.tab()
	s.inTab(`location.href = '/feed/'; null`)
	s.must(s.in.AwaitLeft(s.ctx, tab, harness.LinkedIn+"/messaging/"))
}

func empties(s *struck) {
	s.inTab(box + `.focus(); getSelection().selectAllChildren(` + box + `); document.execCommand('delete');`)
}

// stops presses Stop in the popup, which pauses the browser as well.
func stops(s *struck) {
	_, err := s.in.Command(s.ctx, "stop")
	s.must(err)
	s.isPaused = true
}

// swaps changes the page to Ben's conversation, as a client does that keeps its document. Such a client may carry what
// stands in the box over to the other conversation.
func swaps(withText bool) func(*struck) {
	return func(s *struck) {
		thread, err := s.site.AddThread(rita.Slug, ben.Slug, standin.Message{From: ben.Slug, Text: "Hi Rita"})
		s.must(err)
		carry := ""
		if withText {
			carry = fmt.Sprintf(`%s document.execCommand('insertText', false, %q);`, atTheEnd, s.body())
		}
		s.inTab(fmt.Sprintf(`(async () => {
			const part = await fetch('/standin/pane/%[1]s');
			const page = new DOMParser().parseFromString(await part.text(), 'text/html');
			document.querySelector('[data-standin-pane]').replaceWith(document.adoptNode(page.querySelector('[data-standin-pane]')));
			history.pushState({}, '', '/messaging/thread/%[1]s/');
			%[2]s
			document.querySelector('.msg-form__send-button').disabled = false;
		})()`, thread.ID, carry))
	}
}
