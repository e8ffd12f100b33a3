package config

// PaceDefault is what holds for the accounts of a channel before anybody has set limits for them. The database holds the same numbers:
// migrating it writes them there.
type PaceDefault struct {
	Channel string
	// PerDay and PerHour are how many messages begin at most; PerDay in a day of the account's own time zone.
	PerDay, PerHour int
	// GapSeconds is from one message to the next at least, and a part of JitterSeconds is added to it.
	GapSeconds, JitterSeconds int
	// WarmUpFrom begin on the day of the first; from there it grows to PerDay within WarmUpDays.
	WarmUpFrom, WarmUpDays int
}

// PaceDefaults are the most careful numbers that tools of this kind are known to use. No provider says any: LinkedIn has none for messages a
// day, and what people write about it lies between 30 and 300.
//
//   - PerDay: a tool that drives the same pages sends 15 a day unless told otherwise, warns above 20 and refuses above 50; others have 30 and 40
//     in 24 hours. A service that speaks for LinkedIn's own limits says about 100.
//   - GapSeconds and JitterSeconds: the same tool leaves 20 to 45 minutes between two.
//   - PerHour: what that gap makes of an hour, so that a shorter gap alone is no faster hour. Another tool stops at 20.
//   - WarmUpFrom and WarmUpDays have no source: a third of the day, and as many days as that takes by one more each.
//
// Nothing is known of mailboxes: they have the same until there is.
func PaceDefaults() []PaceDefault {
	both := PaceDefault{PerDay: 15, PerHour: 3, GapSeconds: 20 * 60, JitterSeconds: 25 * 60, WarmUpFrom: 5, WarmUpDays: 10}
	linkedIn, email := both, both
	linkedIn.Channel, email.Channel = "linkedin", "email"
	return []PaceDefault{linkedIn, email}
}
