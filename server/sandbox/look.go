package sandbox

import (
	"slices"
	"time"

	"sendonce/server/config"
	"sendonce/server/send"
)

// look is a check that the server has asked for. It waits until no attempt is in hand.
type look struct {
	check heard
	due   time.Time
	said  string         // the id of the frame that says what it came to
	found map[string]any // what it came to, once the conversation was read
}

// lookNow reads the conversation and says what stands there, until that was noted. It takes as long as the conversation needs
// to show everything.
func (b *Browser) lookNow(c *connection, now time.Time) error {
	l := b.look
	person := l.check.person()
	if shown := b.site.shownFrom(person); l.found == nil && shown.After(l.due) {
		l.due = shown
	}
	if now.Before(l.due) {
		return nil
	}
	if l.found == nil {
		l.found = b.read(l.check, now)
	}
	l.due = now.Add(config.SandboxAgainEvery)
	return c.sayAs(l.said, "checked", l.found)
}

func (b *Browser) read(check heard, now time.Time) map[string]any {
	copies := []any{}
	for _, wanted := range check.Wanted {
		for _, found := range b.site.copies(check.person(), wanted.Body, now) {
			if !slices.Contains(check.HeldIDs, found.ProviderID) {
				copies = append(copies, map[string]any{
					"version": wanted.Version, "provider_id": found.ProviderID, "sent_at_ms": found.At.UnixMilli(),
				})
			}
		}
	}
	result := send.CheckAbsent
	if len(copies) > 0 {
		result = send.CheckFound
	}
	copies = copies[:min(len(copies), config.CopiesPerReportMax)]
	return map[string]any{
		"check_token": check.CheckToken, "result": result,
		"evidence": map[string]any{
			"reason": nil, "copies": copies, "conversation": nil, "messages": len(copies), "oldest_at_ms": nil, "looked_at_ms": now.UnixMilli(),
		},
	}
}
