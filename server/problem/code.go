package problem

import (
	"slices"

	"sendonce/server/rule"
)

// Code is the stable name of a problem: programs branch on it, wording may change.
type Code string

// Every code there is.
const (
	InvalidJSON        Code = "invalid_json"
	InvalidField       Code = "invalid_field"
	UnknownField       Code = "unknown_field"
	InvalidCursor      Code = "invalid_cursor"
	CursorExpired      Code = "cursor_expired"
	CursorOfAnother    Code = "cursor_of_another_history"
	TooManyReaders     Code = "too_many_readers"
	KeyMissing         Code = "idempotency_key_missing"
	KeyInvalid         Code = "idempotency_key_invalid"
	KeyReused          Code = "idempotency_key_reused"
	StillRunning       Code = "still_running"
	BodyTooLarge       Code = "body_too_large"
	UnsupportedMedia   Code = "unsupported_media_type"
	NotFound           Code = "not_found"
	MethodNotAllowed   Code = "method_not_allowed"
	WrongHost          Code = "wrong_host"
	CrossOrigin        Code = "cross_origin"
	Unauthenticated    Code = "unauthenticated"
	Forbidden          Code = "forbidden"
	BadCode            Code = "bad_code"
	BadSecret          Code = "bad_secret"
	InstallRevoked     Code = "install_revoked"
	TooManyAttempts    Code = "too_many_attempts"
	AccountExists      Code = "account_exists"
	PersonConflict     Code = "person_conflict"
	PersonRemoved      Code = "person_removed"
	OwnedByAnother     Code = "owned_by_another"
	IntentsMeet        Code = "intents_meet"
	AlreadyLifted      Code = "already_lifted"
	SequenceOver       Code = "sequence_over"
	SequenceEmpty      Code = "sequence_empty"
	SequencePaused     Code = "sequence_paused"
	StepHad            Code = "step_had"
	AlreadyEnrolled    Code = "already_enrolled"
	EnrolmentOver      Code = "enrolment_over"
	VariableMissing    Code = "variable_missing"
	ImportNotReady     Code = "import_not_ready"
	ImportBegun        Code = "import_begun"
	ImportForgotten    Code = "import_forgotten"
	ContentExpired     Code = "content_expired"
	VersionNotCurrent  Code = "version_not_current"
	MessageWithdrawn   Code = "message_withdrawn"
	MessageClosed      Code = "message_closed"
	IntentWaits        Code = "intent_waits"
	FollowLatest       Code = "follow_latest"
	AlreadyApproved    Code = "already_approved"
	AlreadyRejected    Code = "already_rejected"
	RepeatNeedsYes     Code = "repeat_needs_yes"
	CoolingOffNeedsYes Code = "cooling_off_needs_yes"
	NotYourAccount     Code = "account_not_granted"
	TooLateToChange    Code = "too_late_to_change"
	WindowClosed       Code = "window_closed"
	AlreadyRetried     Code = "already_retried"
	NotEnded           Code = "not_ended"
	NeedsALook         Code = "needs_a_look"
	IdenticalWaits     Code = "identical_waits"
	AlreadySettled     Code = "already_settled"
	NotUnconfirmed     Code = "not_unconfirmed"
	ResolvedTooEarly   Code = "too_early"
	UnseenBrowser      Code = "browser_not_seen"
	WorldMoved         Code = "world_moved"
	InstallsUnreported Code = "installs_unreported"
	AlreadyClosed      Code = "already_closed"
	EndsByItself       Code = "ends_by_itself"
	SourceExists       Code = "source_exists"
	SourceEnded        Code = "source_ended"
	BadSignature       Code = "bad_signature"
	MadeUpOnly         Code = "made_up_only"
	Busy               Code = "busy"
	DatabaseNotReady   Code = "database_not_ready"
	InternalDefect     Code = "internal"
)

type meaning struct {
	status int
	title  string
}

// meanings is the one place that says which HTTP status a code is answered with.
var meanings = withRefusals(map[Code]meaning{
	InvalidJSON:        {400, "The body is not the JSON that was expected"},
	InvalidField:       {422, "A field is not valid"},
	UnknownField:       {422, "A field is not known"},
	InvalidCursor:      {400, "The cursor was not made by this server"},
	CursorExpired:      {410, "What follows this cursor is kept no longer"},
	CursorOfAnother:    {410, "The cursor belongs to another history"},
	TooManyReaders:     {429, "Too many readers wait for events"},
	KeyMissing:         {400, "The Idempotency-Key header is missing"},
	KeyInvalid:         {400, "The Idempotency-Key header is not valid"},
	KeyReused:          {422, "The Idempotency-Key was used for another request"},
	StillRunning:       {409, "A request with this Idempotency-Key is still running"},
	BodyTooLarge:       {413, "The body is too large"},
	UnsupportedMedia:   {415, "The body is of a kind that is not taken here"},
	NotFound:           {404, "There is no such thing"},
	MethodNotAllowed:   {405, "The method is not allowed here"},
	WrongHost:          {421, "This server does not answer for that host"},
	CrossOrigin:        {403, "The request came from another site"},
	Unauthenticated:    {401, "Nobody is signed in"},
	Forbidden:          {403, "This role may not do that"},
	BadCode:            {401, "The code is not valid"},
	BadSecret:          {401, "The secret is not valid"},
	InstallRevoked:     {401, "The install was revoked"},
	TooManyAttempts:    {429, "Too many attempts"},
	AccountExists:      {409, "The account exists already"},
	PersonConflict:     {409, "These identities belong to different people"},
	PersonRemoved:      {409, "The person was removed"},
	OwnedByAnother:     {409, "Somebody else says whose this person is"},
	IntentsMeet:        {409, "Both have a message for one intent that may still go out"},
	AlreadyLifted:      {409, "The suppression was lifted before"},
	SequenceOver:       {409, "The sequence takes nobody"},
	SequenceEmpty:      {409, "The sequence has no steps"},
	SequencePaused:     {409, "What the message is a step of is paused, or over"},
	StepHad:            {409, "The person has had this step"},
	AlreadyEnrolled:    {409, "The person is in the sequence"},
	EnrolmentOver:      {409, "The enrolment is over"},
	VariableMissing:    {422, "The template needs a value that is not known"},
	ImportNotReady:     {409, "The import has not been looked at"},
	ImportBegun:        {409, "The import was begun before"},
	ImportForgotten:    {410, "The file is kept no longer"},
	ContentExpired:     {409, "The text is gone"},
	VersionNotCurrent:  {409, "This is not the current version"},
	MessageWithdrawn:   {409, "The message was withdrawn"},
	MessageClosed:      {409, "The message is closed"},
	IntentWaits:        {409, "A message for the same intent waits already"},
	FollowLatest:       {409, "A further message for the same intent must say what it follows"},
	AlreadyApproved:    {409, "The version was approved before"},
	AlreadyRejected:    {409, "The version was rejected before"},
	RepeatNeedsYes:     {409, "This person has had the same text before"},
	CoolingOffNeedsYes: {409, "Another message for the same purpose went to this person, or waits to"},
	NotYourAccount:     {403, "The account was not granted to you"},
	TooLateToChange:    {409, "The message can no longer be changed"},
	WindowClosed:       {409, "The send window has closed"},
	AlreadyRetried:     {409, "The send was retried before"},
	NotEnded:           {409, "The send has not ended"},
	NeedsALook:         {409, "A person must look first"},
	IdenticalWaits:     {409, "The same text already waits to go to this person"},
	AlreadySettled:     {409, "The send was settled before"},
	NotUnconfirmed:     {409, "There is nothing to settle"},
	ResolvedTooEarly:   {409, "It is too early to say that"},
	UnseenBrowser:      {409, "The browser has not been seen since"},
	WorldMoved:         {409, "Something changed since the preview"},
	InstallsUnreported: {409, "Not every browser has said what it remembers"},
	AlreadyClosed:      {409, "The incident is closed already"},
	EndsByItself:       {409, "The incident ends with its cause"},
	SourceExists:       {409, "There is such a source already"},
	SourceEnded:        {410, "The source has ended"}, // Standard Webhooks: a 410 asks the provider to stop
	BadSignature:       {401, "The signature is not valid"},
	MadeUpOnly:         {409, "No real browser is paired with the sandbox"},
	Busy:               {409, "Another change of the same thing is under way"},
	DatabaseNotReady:   {503, "The database is not ready"},
	InternalDefect:     {500, "Something is wrong inside Sendonce"},
})

// refusedTitle is the title of every refusal of the table.
const refusedTitle = "It may not go out"

// withRefusals adds the refusals of the table: whoever asks for what a start would be refused hears the same word.
func withRefusals(all map[Code]meaning) map[Code]meaning {
	for _, refusal := range rule.Refusals() {
		if _, own := all[Code(refusal)]; !own {
			all[Code(refusal)] = meaning{409, refusedTitle}
		}
	}
	return all
}

// HTTPStatus is the status number the API answers with.
func (c Code) HTTPStatus() int { return meanings[c].status }

// Title is one short sentence that is the same for every problem with this code.
func (c Code) Title() string { return meanings[c].title }

// Meaning is a sentence for the code alone: the table's, where it is a refusal of the table.
func (c Code) Meaning() string {
	if title := c.Title(); title != refusedTitle {
		return title + "."
	}
	return rule.Refusal(c).Text()
}

// Codes lists every code in alphabetical order.
func Codes() []Code {
	codes := make([]Code, 0, len(meanings))
	for code := range meanings {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}
