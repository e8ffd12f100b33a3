package incident

import "slices"

// Kind is what sort of thing it is: programs branch on it, wording may change.
type Kind string

// The facts. The database, and the outcome table in shared/, name some of them too.
const (
	DeliveredTwice  Kind = "delivered_twice"
	BrowserRepeated Kind = "browser_repeated"
	DoubleRequest   Kind = "double_request"
	SecondMessage   Kind = "second_message"
	SecretReused    Kind = "secret_reused"
)

// The conditions.
const (
	NotArmed           Kind = "not_armed"
	AccountStopped     Kind = "account_stopped"
	DueNotMoving       Kind = "due_not_moving"
	UnconfirmedTooLong Kind = "unconfirmed_too_long"
	InstallSilent      Kind = "install_silent"
	Parked             Kind = "parked"
)

// meaning is what a person reads. ends says what ends a condition; a fact has none.
type meaning struct{ text, do, ends string }

// meanings is the one place that says which kinds there are.
var meanings = map[Kind]meaning{
	DeliveredTwice: {
		text: "Two attempts of one message were both delivered.",
		do:   "Open the conversation, see both copies, and tell the person if it needs a word. Then look at the message's history: it says on what evidence the second attempt began.",
	},
	BrowserRepeated: {
		text: "One click left more than one copy in the conversation.",
		do:   "Open the conversation and see the copies. A browser repeats a request by itself when its connection dies; nothing is sent again from here.",
	},
	DoubleRequest: {
		text: "The page sent two requests for one click; one copy was found.",
		do:   "Open the conversation and look whether a second copy has arrived since. If it happens again, update the extension.",
	},
	SecondMessage: {
		text: "More than one message for the same purpose reached the same person within a day.",
		do:   "Open the person's messages and see whether both were meant. If not, withdraw what still waits for them.",
	},
	SecretReused: {
		text: "An install's secret was used after it had been replaced. The install is stopped.",
		do:   "Two browsers hold one pairing, perhaps a copied profile. Pair each browser anew on the page Browsers.",
	},
	NotArmed: {
		text: "This database has not been armed for sending: nothing goes out.",
		do:   "It was restored or copied. Let every browser connect and report what it knows, then arm it.",
		ends: "arming the database",
	},
	AccountStopped: {
		text: "This account is stopped, so nothing is sent from it.",
		do:   "Open LinkedIn as this member, settle what it asks for, then clear the account on the page Accounts.",
		ends: "clearing the account",
	},
	DueNotMoving: {
		text: "Messages are due, the account may send, and none of them begins.",
		do:   "See on the page Browsers whether a browser of this account is connected, open LinkedIn in it, and look into the extension's popup for what it waits for.",
		ends: "the next send that begins, or nothing being due any more",
	},
	UnconfirmedTooLong: {
		text: "Sends have been unconfirmed for a long time: nobody knows whether they arrived.",
		do:   "Open each conversation and say what you see. Nothing is sent again before that.",
		ends: "settling the account's old unconfirmed sends",
	},
	InstallSilent: {
		text: "A browser that has work, or an attempt that it alone can settle, has not been heard of for a long time.",
		do:   "Open that browser and see that the extension is connected. If it is gone for good, revoke it on the page Browsers.",
		ends: "the browser connecting again, being revoked, or having nothing left to do",
	},
	Parked: {
		text: "A message is parked until a person acts.",
		do:   "Open the message, read what it waits for, then approve it anew or withdraw it.",
		ends: "the message being approved anew, withdrawn or sent",
	},
}

// Text says in a sentence what has happened or lasts.
func (k Kind) Text() string { return meanings[k].text }

// Do says what a person does about it.
func (k Kind) Do() string { return meanings[k].do }

// Ends says what ends a condition: "" for a fact.
func (k Kind) Ends() string { return meanings[k].ends }

// IsCondition reports whether an incident of this kind ends by itself.
func (k Kind) IsCondition() bool { return k.Ends() != "" }

// Kinds lists every kind in alphabetical order.
func Kinds() []Kind { return kindsWhere(func(Kind) bool { return true }) }

// Facts lists the kinds that a person closes.
func Facts() []Kind { return kindsWhere(func(k Kind) bool { return !k.IsCondition() }) }

// Conditions lists the kinds that end by themselves.
func Conditions() []Kind { return kindsWhere(Kind.IsCondition) }

func kindsWhere(is func(Kind) bool) []Kind {
	var found []Kind
	for kind := range meanings {
		if is(kind) {
			found = append(found, kind)
		}
	}
	slices.Sort(found)
	return found
}
