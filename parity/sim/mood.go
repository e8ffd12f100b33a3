package sim

// mood is what a world has more of than another. What is rare everywhere meets nothing else that is rare: so each world has one thing often.
type mood struct {
	name                                        string
	providerFaults, sameText, faults, crossings float64 // shares, as those in limits.go
	hasty                                       int     // how much more often people retry, resolve and clear
	persons                                     int     // who is written to
}

func moods() []mood {
	usual := mood{"as always", providerFaultShare, sameTextShare, faultShare, crossingShare, 1, 4}
	refusing, alike, failing, crossing, hasty, few := usual, usual, usual, usual, usual, usual
	refusing.name, refusing.providerFaults = "LinkedIn answers much that is not yes", 0.9
	alike.name, alike.sameText, alike.persons = "one text is asked for again and again", 0.7, 2
	failing.name, failing.faults = "machines fail often", 0.12
	crossing.name, crossing.crossings = "much changes while a start is on its way", 0.5
	hasty.name, hasty.hasty, hasty.providerFaults = "people are in a hurry, and LinkedIn is not well", 6, 0.7
	few.name, few.persons, few.sameText, few.hasty = "one person is written to by many", 1, 0.4, 3
	return []mood{usual, refusing, alike, failing, crossing, hasty, few}
}
