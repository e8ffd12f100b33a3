//go:build full

package e2e_test

import (
	"fmt"
	"testing"

	"sendonce/e2e/standin"
)

// newerMessages are more than LinkedIn loads at first of a conversation.
const newerMessages = 27

// Goal: a message that was pushed out of the part of the conversation that is loaded at first is found all the same, in a tab
// that nobody sees.
func TestACheckReadsBack(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	r.attempt(t, r.install(), "far-back").isFoundFarBack()
}

func (s *struck) isFoundFarBack() {
	conversation, err := s.site.AddThread(rita.Slug, s.person.Slug, standin.Message{From: s.person.Slug, Text: "Hi Rita"})
	s.must(err)
	thread, typed := s.lagsBehind()
	newer := []string{s.person.Slug, rita.Slug}
	for i := range newerMessages {
		_, err := s.site.Say(conversation.ID, standin.Message{From: newer[i%len(newer)], Text: fmt.Sprintf("Later %d", i)})
		s.must(err)
	}
	thread.Release()
	s.must(s.database.Advance(s.ctx, nextLook))
	s.wantsSettledByALook(s.since.clicks+1, typed)
}
