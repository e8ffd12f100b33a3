// Package rule is the pure rule over shared/statuses.json: which moves exist and who may make them, what an outcome
// means, what a refused start does to its row, and the words people read. It knows no database, no clock and no socket.
//
// This package and extension/core/rule.js are the only places besides the table where a status is written as a literal.
package rule

import "fmt"

// Status is the status of a send. Its meaning, in words, stands in the table.
type Status string

// The statuses of a send. init panics if they differ from the table.
const (
	Queued      Status = "queued"
	Leased      Status = "leased"
	Started     Status = "started"
	Unconfirmed Status = "unconfirmed"
	Sent        Status = "sent"
	Failed      Status = "failed"
	Canceled    Status = "canceled"
)

// Actor is who makes a move.
type Actor string

// The actors of the table.
const (
	// Server is Sendonce itself: leasing, releasing, expiring, the deadline sweep.
	Server Actor = "server"
	// Sender is the browser install or the mail sender that holds the attempt.
	Sender Actor = "sender"
	// Observer is a check or a provider's notice.
	Observer Actor = "observer"
	// Operator is a person.
	Operator Actor = "operator"
)

// Statuses lists every status in the order of a send's life.
func Statuses() []Status {
	return []Status{Queued, Leased, Started, Unconfirmed, Sent, Failed, Canceled}
}

// Actors lists every actor.
func Actors() []Actor { return []Actor{Server, Sender, Observer, Operator} }

// Live reports whether a send in this status keeps every other send of its message from beginning.
func (s Status) Live() bool { return theTable.Statuses[s].Live }

// AdmitsStart reports whether a row in this status may have (started true) or lack (false) a recorded start.
func (s Status) AdmitsStart(started bool) bool {
	switch theTable.Statuses[s].Start {
	case "always":
		return started
	case "never":
		return !started
	default:
		return true
	}
}

// Allowed reports whether actor may move a send from one status to another. started says whether the row has a recorded
// start: a row that contradicts its own status may not move at all.
func Allowed(from, to Status, actor Actor, started bool) bool {
	by, listed := theTable.moves[move{from, to}]
	return listed && from.AdmitsStart(started) && by[actor]
}

// MoveError says that a move is not in the table for that actor.
type MoveError struct {
	From, To Status
	Actor    Actor
	Started  bool
}

func (e *MoveError) Error() string {
	return fmt.Sprintf("a send may not go from %s to %s by %s (start recorded: %t); shared/statuses.json lists the moves",
		e.From, e.To, e.Actor, e.Started)
}

// Next returns to when the move is allowed and a *MoveError otherwise. Every status the server writes passes through it.
func Next(from, to Status, actor Actor, started bool) (Status, error) {
	if !Allowed(from, to, actor, started) {
		return from, &MoveError{From: from, To: to, Actor: actor, Started: started}
	}
	return to, nil
}

// Pair is one legal move, whoever makes it.
type Pair struct{ From, To Status }

// Pairs lists every legal move in a fixed order: the union over the actors, which is all that a database can see.
func Pairs() []Pair {
	var pairs []Pair
	for _, from := range Statuses() {
		for _, to := range Statuses() {
			if _, ok := theTable.moves[move{from, to}]; ok {
				pairs = append(pairs, Pair{from, to})
			}
		}
	}
	return pairs
}
