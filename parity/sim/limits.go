package sim

import "time"

const (
	// worldBegins is long after the year 2000, in which a bubble's clock begins: LinkedIn's ids have times of 13 digits.
	worldBegins = 27 * 365 * 24 * time.Hour
	// followEvery is how often the follower of the feed reads, and followedAtOnce how much: so little that an answer is one read of
	// its connection, since a server may die between two. followTriesMax bounds how often it reads at the end.
	followEvery    = 179 * time.Second
	followedAtOnce = 20
	followTriesMax = 2_000
	// longestStep bounds how far the clock moves at once: the server's own timers fall in between.
	longestStep = 20 * time.Second
	// quietFor is how long the world goes on without faults at its end: past the deadline, the grace and the checks after it.
	quietFor = 32 * time.Minute
	// restWithin is how long something may wait to be seen to: longer than any loop's pause.
	restWithin = 2 * incidentsEvery
	// pollEvery is the server's slow poll. Long, because a world lives through hours.
	pollEvery = 2*time.Minute + time.Second
	// sweepEvery is how often the world has a server sweep.
	sweepEvery = 47 * time.Second
	// incidentsEvery, pingEvery and silenceMax are longer than the server's own for the same reason.
	incidentsEvery = 5*time.Minute + 3*time.Second
	pingEvery      = 100 * time.Second
	silenceMax     = 250 * time.Second
	// clocksApart is how far a browser's two clocks may be apart at a click, and more than a start takes.
	clocksApart = 5 * time.Second
	// idleAfter: with nothing to do for so long, people find something.
	idleAfter = 3 * time.Second
	// eventsKept of a timeline are shown when a seed fails.
	eventsKept = 1500
	// stepsMax bounds a world: what goes on longer never rests.
	stepsMax = 60_000
	// alarmEvery is how long a dead worker stays so; Chrome's alarm rings every 30 s.
	alarmEvery = 2 * time.Minute
	// networkTakesMax is how long a frame or an answer usually takes at most.
	networkTakesMax = 300 * time.Millisecond
	// requestLateMax is how late a request may leave the machine: measured, a minute; here past the deadline as well.
	requestLateMax = 8 * time.Minute
	// unseenFor is so much shorter than an operator's day that people take the risk of a tab that nobody saw close within the hour
	// of a world, and are wrong.
	unseenFor = 10*time.Minute + time.Second
	// givenUpMin is past the deadline and unseenFor of what had just begun. A machine that fell asleep with a request that has not
	// left it sleeps longer than that.
	givenUpMin    = 17 * time.Minute
	sleepsOnItMin = 20 * time.Minute
	sleepsOnItMax = 28 * time.Minute

	// Shares of what happens that are faults, acts of people, and each kind of either.
	faultShare         = 0.03
	peopleShare        = 0.02
	peopleIdleShare    = 0.4
	repeatShare        = 0.02
	slowShare          = 0.01
	slowDiskShare      = 0.02
	brokenPageShare    = 0.02
	providerFaultShare = 0.35
	doublePostShare    = 0.02
	sleepsOnItShare    = 0.05 // of requests: their machine falls asleep before they leave
	lagShare           = 0.15
	sameTextShare      = 0.15
	secondMessageShare = 0.8 // of the approvals that are shown an earlier message to the person, and say yes to it
	wrongPersonShare   = 0.15
	byHandShare        = 0.2 // of the texts that are asked for again: one that recruiters write by hand as well
	namedShare         = 0.5 // of a provider's facts that name our message
	crossingShare      = 0.1 // of leases and starts that something crosses on their way
	inFlightShare      = 0.4 // of people's acts that concern a message on its way
	windowShare        = 0.1 // of messages that may go out for a short time only
	followerDiesShare  = 0.1 // of the pages that the follower of the feed reads
	mergeShare         = 0.3 // of the times that somebody thinks of a merge
	pacedShare         = 0.2 // of worlds whose accounts have narrow hours and limits
	limitShare         = 0.2 // of worlds whose team allows personMost messages to one person

	personMost = 3

	slowMax = 40 * time.Second
	// crossedMax holds a frame for longer than a lease lasts.
	crossedMax = 2 * time.Minute
	// windowMin and windowMax bound how long a message may go out that may do so for a short time only.
	windowMin, windowMax = 30 * time.Second, 10 * time.Minute
	// databaseAheadMax is how far the database's clock is set ahead.
	databaseAheadMax = 5 * time.Minute
	lagMax           = 3 * time.Minute
	lostWritesMax    = 3
	messagesMax      = 25
	callbackFactsMax = 4
	browsersMax      = 4
	connectionsMax   = 1  // of a server to Postgres: in a world one transaction follows the other
	callsMax         = 12 // words to Chrome before a worker that is about to die does
	tripsMax         = 12 // round trips before a server that is about to die does
)
