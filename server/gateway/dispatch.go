package gateway

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/send"
)

// releasedUnread is why the server itself gives a lease back that could not be handed over.
const releasedUnread = "refused"

// dispatch is the list of accounts for which a lease is to be asked. An account is asked for by one dispatcher at a time,
// and again if it was woken meanwhile. Dispatchers exist while there is work. The hub's lock guards it.
type dispatch struct {
	due         []uuid.UUID
	waits       map[uuid.UUID]bool // the accounts in due
	asking      map[uuid.UUID]bool
	again       map[uuid.UUID]bool // of those in asking: woken meanwhile
	dispatchers int
}

func newDispatch() dispatch {
	return dispatch{waits: map[uuid.UUID]bool{}, asking: map[uuid.UUID]bool{}, again: map[uuid.UUID]bool{}}
}

func (d *dispatch) add(account uuid.UUID) {
	if d.asking[account] {
		d.again[account] = true
	} else if !d.waits[account] {
		d.due, d.waits[account] = append(d.due, account), true
	}
}

// wake notes that a lease is to be asked for the account, if a session is ready for it. true: a dispatcher must be begun.
func (h *hub) wake(account uuid.UUID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ready[account]) == 0 {
		return false
	}
	h.dispatch.add(account)
	if len(h.dispatch.due) == 0 || h.dispatch.dispatchers == config.DispatchersMax {
		return false
	}
	h.dispatch.dispatchers++
	return true
}

// take gives a dispatcher its next account. false: there is none, and the dispatcher ends.
func (h *hub) take() (uuid.UUID, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := &h.dispatch
	if len(d.due) == 0 {
		d.due = nil
		d.dispatchers--
		return uuid.Nil, false
	}
	account := d.due[0]
	d.due = d.due[1:]
	delete(d.waits, account)
	d.asking[account] = true
	return account, true
}

func (h *hub) done(account uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := &h.dispatch
	delete(d.asking, account)
	if d.again[account] {
		delete(d.again, account)
		d.add(account)
	}
}

// Wake says that the account may have work. It never blocks.
func (g *Gateway) Wake(account uuid.UUID) {
	if !g.hub.wake(account) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.stopping {
		g.spawn(g.dispatchDue)
	}
}

// WakeAll says that any account may have work. It never blocks.
func (g *Gateway) WakeAll() { signal(g.pollNow) }

func (g *Gateway) dispatchDue() {
	for {
		account, found := g.hub.take()
		if !found {
			return
		}
		g.leaseOut(account)
		g.hub.done(account)
	}
}

// leaseOut asks for the account's next lease and hands it to a session that is ready. With nothing to send there may be
// something to look at.
func (g *Gateway) leaseOut(account uuid.UUID) {
	s := g.hub.next(account)
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), config.RequestWithin)
	defer cancel()
	lease, err := g.installs.Lease(ctx, s.info, account)
	if err != nil {
		g.log.WarnContext(ctx, "no lease could be asked; the slow poll asks again", "account", account, "session", s.info.ID, "error", err)
		return
	}
	if lease == nil {
		g.checkOut(ctx, s, account)
		return
	}
	if !g.hub.leased(s) {
		g.log.WarnContext(ctx, "an install takes leases and does nothing with them; it gets no more until it does",
			"install", s.info.Install, "session", s.info.ID, "leases", config.LeasesUnansweredMax)
	}
	// The hub is asked last: a session that ended before may have given its leases back without this one, and one that ends
	// later gives this one back with them.
	if s.say(leaseFrameOf(*lease)) && !g.hub.hasEnded(s) {
		return
	}
	if err := g.installs.Release(ctx, s.info, lease.Token, releasedUnread); err != nil {
		g.log.WarnContext(ctx, "a lease that could not be handed over was not given back; it will expire", "send", lease.Send, "error", err)
	}
}

func leaseFrameOf(lease send.Lease) *leaseFrame {
	return &leaseFrame{
		head: unasked("lease"), Send: lease.Send.String(), LeaseToken: lease.Token,
		ExpiresInMS: lease.ExpiresIn.Milliseconds(), Account: lease.Account.String(), MemberURN: lease.MemberURN,
		Person: personOf(lease.Person), Conversation: orNil(lease.Conversation), Body: lease.Body, Digest: lease.Digest,
		ApprovedAtMS: lease.ApprovedAt.UnixMilli(), RepeatApproved: lease.RepeatApproved, HeldIDs: orEmpty(lease.HeldIDs),
	}
}

func personOf(person send.Recipient) leasePerson {
	return leasePerson{
		ID: person.ID.String(), Name: shortened(person.Name, config.FrameNameRunesMax),
		Slug: orNil(person.Slug), URN: orNil(person.URN),
	}
}

// orEmpty is how a list that holds nothing is written: [].
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// setReady takes a session's list of ready accounts, and asks for their leases.
func (g *Gateway) setReady(s *session, accounts []uuid.UUID) {
	g.hub.setReady(s, accounts)
	for _, account := range accounts {
		g.Wake(account)
	}
}

// answered: the session started or released what it was given.
func (g *Gateway) answered(s *session) { g.hub.answered(s) }
