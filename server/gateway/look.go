package gateway

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// pollQueue is the net under lost wake-ups: one query for all accounts that some session is ready for.
func (g *Gateway) pollQueue(ctx context.Context) {
	ticker := time.NewTicker(g.settings.PollEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-g.pollNow:
		}
		if err := g.pollOnce(ctx, g.age()); err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "the queue could not be looked at", "error", err)
		}
	}
}

func (g *Gateway) pollOnce(ctx context.Context, now time.Duration) error {
	for _, s := range g.hub.wakeOverslept(now) {
		g.log.WarnContext(ctx, "an install did not answer a check; it is given leases again", "install", s.info.Install, "session", s.info.ID)
	}
	accounts := g.hub.readyAccounts()
	if len(accounts) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, config.StatementWithin)
	defer cancel()
	due, err := g.queue.DueAccounts(ctx, accounts)
	if err != nil {
		return err
	}
	for _, account := range due {
		g.Wake(account)
	}
	return nil
}

// lookAtStandings ends sessions that a newer one replaced, those of revoked installs, and all when the database was armed or
// disarmed, and tells installs that they were paused or resumed: as soon as it is told, and now and then in case it was not.
func (g *Gateway) lookAtStandings(ctx context.Context) {
	ticker := time.NewTicker(config.StandingLookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.hub.doubtAll()
		case <-g.lookNow:
		}
		if err := g.lookOnce(ctx); err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "what became of the installs could not be read", "error", err)
		}
	}
}

func (g *Gateway) lookOnce(ctx context.Context) error {
	// Before the query: a session that is listed here had its hello committed, so that the database knows it or a newer.
	sessions := g.hub.takeDoubtful()
	if len(sessions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, config.StatementWithin)
	defer cancel()
	standings, err := g.directory.Standings(ctx, installsOf(sessions))
	if err != nil {
		return err
	}
	for _, s := range sessions {
		standing, known := standings[s.info.Install]
		switch {
		case !known || standing.Revoked:
			g.log.InfoContext(ctx, "a session of a revoked install is closed", "install", s.info.Install, "session", s.info.ID)
			g.hub.end(s, false)
			s.refuseRevoked(frame{})
		case standing.Turn != s.turn:
			// What an install remembers is said in its hello alone, and only there does it hear the new epoch. A database that
			// was put back names an older session, which replaced nothing: who is called superseded rests for long.
			g.hub.end(s, standing.Session != s.info.ID)
			s.askBack()
		case standing.Session != s.info.ID:
			g.log.InfoContext(ctx, "a session was superseded", "install", s.info.Install, "session", s.info.ID, "by", standing.Session)
			g.hub.end(s, true)
			s.say(&noticeFrame{unasked("superseded")})
			s.close(closeSuperseded, "superseded")
		default:
			g.setPaused(s, standing.Paused)
		}
	}
	return nil
}

// setPaused tells an install whether a person has paused it. Others take what it was ready for.
func (g *Gateway) setPaused(s *session, paused bool) {
	accounts, changed := g.hub.setPaused(s, paused)
	if !changed {
		return
	}
	s.say(&pauseFrame{unasked("pause"), paused})
	for _, account := range accounts {
		g.Wake(account)
	}
}

func installsOf(sessions []*session) []uuid.UUID {
	ids := make([]uuid.UUID, len(sessions))
	for i, s := range sessions {
		ids[i] = s.info.Install
	}
	return ids
}

// lookForSilence is the one pinger of all sessions: installs ping, and who has not for too long is gone. A browser that
// lost its network leaves a connection that looks open for many minutes.
func (g *Gateway) lookForSilence(ctx context.Context) {
	ticker := time.NewTicker(g.settings.SessionSilenceMax / config.SilenceLooks)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, s := range g.hub.sessions() {
			if s.silentFor() > g.settings.SessionSilenceMax && !s.isClosing() {
				g.log.InfoContext(ctx, "a silent session is closed", "install", s.info.Install, "session", s.info.ID)
				g.hub.end(s, false)
				s.close(closeSilent, "no ping")
			}
		}
	}
}

// noteSeen keeps "last seen" true to a minute, in one statement for all.
func (g *Gateway) noteSeen(ctx context.Context) {
	ticker := time.NewTicker(config.LastSeenEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := g.seenOnce(ctx); err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "it could not be noted which installs are connected", "error", err)
		}
	}
}

func (g *Gateway) seenOnce(ctx context.Context) error {
	sessions := g.hub.sessions()
	if len(sessions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, config.StatementWithin)
	defer cancel()
	return g.directory.Seen(ctx, installsOf(sessions))
}
