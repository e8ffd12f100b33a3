// Package config holds every number of the server in one place: fixed limits here, settings that an operator may change
// in settings.go.
package config

import "time"

// Limits of what strangers may send.
const (
	FrameBytesMax             = 64 << 10
	AttemptRunesMax           = 64
	FrameIDLengthMax          = 64
	RequestBodyBytesMax       = 256 << 10
	BodyRunesMax              = 8000 // as LinkedIn counts them: an emoji is two
	BodyLinesMax              = 500  // lines; a browser takes seconds over as many, and over a minute over ten times as many
	SubjectRunesMax           = 300
	PurposeRunesMax           = 200
	TaskRunesMax              = 200
	WhyRunesMax               = 300 // of a closing, and of what a message follows; the database holds no more
	PersonNameRunesMax        = 300
	CompanyRunesMax           = 200 // folded, at most three times as many; the database holds no more
	ProfileURLRunesMax        = 2000
	SlugRunesMax              = 150
	EmailBytesMax             = 254
	ClientReleaseRunes        = 100
	TemplateNameRunesMax      = 100
	SequenceNameRunesMax      = 100
	SequenceStepsMax          = 20
	StepDelayMax              = 365 // days
	EnrolmentDetailRunesMax   = 1000
	EnrolmentEventsMax        = 200      // shown of one enrolment, the newest
	EnrolAtOnceMax            = 200      // people, of one request
	TemplateVariablesMax      = 50       // of one template
	VariableNameMax           = 40       // also in the pattern of their names
	PersonFieldsMax           = 50       // of one person, beside name and company
	ImportBytesMax            = 16 << 20 // of one file
	ImportRowsMax             = 50_000   // of one file
	ImportColumnsMax          = 100
	ImportCellRunesMax        = 2000
	ImportFileNameRunesMax    = 200
	ImportChunkRows           = 500   // looked at, or carried out, in one transaction
	ImportWhyRunesMax         = 300   // of why a row is left out; the database holds no more
	ImportTriesMax            = 5     // of one chunk that meets others who make the same people
	ImportsForgottenAtOnce    = 2_000 // rows
	PersonFieldRunesMax       = 500
	IdempotencyKeyMax         = 200
	KeyPrefixMax              = 40  // characters of a readable Idempotency-Key, before its item
	AnswersForgottenAtOnce    = 500 // in one transaction
	PageSizeDefault           = 50
	PageSizeMax               = 200
	OverviewCardsMax          = 20
	AccountsPerHelloMax       = 8
	OpenLeasesPerHello        = 16
	CopiesPerReportMax        = 20
	CallbackEventsMax         = 200 // of one callback
	CallbackSecretsMax        = 10  // of one source that are good at one time, the newest
	CallbackSecretBytesMin    = 24  // as Standard Webhooks asks for
	CallbackSecretBytesMax    = 64  // the same
	SourceNameRunesMax        = 100
	SourcesShownMax           = 200 // of a workspace, the newest
	EventIDRunesMax           = 200
	EventDetailRunesMax       = 500
	ProviderIDRunesMax        = 500      // the database holds no more
	CheckTextsMax             = 4        // versions of one message that are looked for at one time
	CheckTextBytesMax         = 16 << 10 // of all their texts but a longer own one: JSON may double them, and the frame holds 100 provider ids as well
	HeldIDsPerLeaseMax        = 100      // the newest; with HeldIDsPerFrameMax the longest text would not fit into the frame
	ObservationsPerInstallMax = 1000     // reports that settle nothing
	ObservedPerFrameMax       = 20       // replies and messages by hand after one of ours, the newest; also in extension/core/limits.js
	ObservedWaitingMax        = 1000     // facts of one install that are about no known message
	ObservedPerCopyMax        = 200      // facts of all installs about one copy of ours
	OutgoingFramesMax         = 32
	FramesPerSecond           = 20
	FramesBurst               = 60
	DatabaseConnectionsMax    = 16 // of one server; pool_max_conns in DATABASE_URL changes it
	LeaseCandidatesMax        = 16
	SweepRowsMax              = 500
	BulkItemsMax              = 10_000 // of one "retry all" or "approve all"
	EnrolmentChunkRows        = 200    // that are looked at before the next ones are asked for
	BulkChunkRows             = 200    // of such a run: read, or done, at one time
	ReleasesBeforePark        = 5
	EventsRemembered          = 64     // acknowledged ones; more than there are connections to the database
	InstanceHistoryMax        = 50     // events shown
	IncidentsEarlierMax       = 20     // earlier ones of a kind and subject that are shown with an incident
	IncidentEventsMax         = 200    // of a timeline that are shown, the newest
	IncidentConditionsMax     = 5_000  // that hold at one time; of more, none is closed
	IncidentsLoggedMax        = 500    // at one look
	IncidentCountMax          = 1_000  // sends that are counted for one condition of an account
	EarlierMessagesMax        = 200    // to one person, that an approval looks at: those with its text first, then the newest
	AutoApproveRulesMax       = 50     // of one policy
	ColleagueDaysMax          = 365    // of a policy; the database holds no more
	PersonMostMax             = 1000   // messages to one person in PersonDays of a policy; the database holds no more
	PersonDaysMax             = 365    // of a policy; the database holds no more
	ContentDaysMax            = 3650   // of a policy; the database holds no more
	MeetingsShownMax          = 20     // pairs of messages that keep two people from being merged
	SuppressedAtOnce          = 200    // messages that a suppression calls off in one transaction
	TextsExpiredAtOnce        = 500    // in one transaction
	WaitingForgottenAtOnce    = 500    // facts about no known message, in one transaction
	PersonEventsMax           = 200    // of a person that are shown, the newest
	SeenBytes                 = 8      // of the hash that names what a person was shown
	CoolOffDaysMax            = 365    // of a policy; the database holds no more
	PaceMost                  = 10_000 // messages of an account's limits; the database holds no more
	PaceSecondsMax            = 86_400 // of a gap and of its jitter; the database holds no more
	WarmUpDaysMax             = 90     // the database holds no more
	ZoneRunesMax              = 64     // the database holds no more
	HolidaysMax               = 100    // of an account's hours; the database holds no more
	LateDays                  = 2      // working days that a scheduled message may be late, unless somebody sets others
	LateDaysMax               = 30     // the database holds no more
	YesesMax                  = 20     // earlier messages that one approval may name
	PauseNoteRunesMax         = 300    // the database holds no more
	NoteRunesMax              = 2000   // of a resolution, which the database holds no more of, and of a value of a template
	ScrapedSendsMax           = 10_000 // of the queue, and of the unconfirmed, counted for one answer of /metrics
	MetricsTokenMin           = 16     // characters
	HeaderBytesMax            = 32 << 10
	ReceiptRowsMax            = 200      // of each list of a receipt, and of a message that is shown alone, the newest
	ListedRowsMax             = 20       // of each list of a message in a page of them, the newest
	ReceiptBytesMax           = 32 << 20 // of a receipt that is verified; more than the longest that ReceiptRowsMax allows
	ReceiptKeysBytesMax       = 64 << 10 // of a file with public keys
	SignInAttemptsPerMin      = 10
	EventReadersMax           = 256   // of one server, that wait or stream
	EventReadersPerPrincipal  = 8     // of them
	EventsForgottenAtOnce     = 5_000 // rows

	PairingTriesPerMin   = 10     // from one remote address
	AttemptPlacesMax     = 10_000 // remote addresses whose tries are counted at one time
	PairingCodeLetters   = 10     // 50 random bits that live for PairingCodeLasts
	SocketsUnprovenMax   = 1024   // sockets that have not said a good hello
	FramesBeforeHelloMax = 4      // pair, token, hello, and one of them again
	ReadyAccountsMax     = 64     // of one session
	LeasesUnansweredMax  = 3      // in a row, before a session that is not heard of gets no more
	DispatchersMax       = 16     // leases that are asked of the database at one time
	DisconnectsAtOnceMax = 8      // closed sessions whose leases are given back at one time
	DisconnectTriesMax   = 5
	SilenceLooks         = 10      // within SessionSilenceMax
	SocketReadBuffer     = 512     // bytes; frames may be longer
	SocketWriteBuffer    = 4 << 10 // bytes, shared by all sockets through a pool
	NotifyPayloadMax     = 7_900   // bytes; Postgres refuses 8,000
)

// Lengths in frames, in Unicode code points. The same numbers stand in extension/core/frames.js.
const (
	LeaseTokenRunesMax       = 2048
	AccessTokenRunesMax      = 4096
	SecretRunesMax           = 256
	URNRunesMax              = 256
	FrameSlugRunesMax        = 200
	FrameNameRunesMax        = 200
	ConversationRunesMax     = 512
	SentenceRunesMax         = 500
	ExtensionVersionRunesMax = 32
	OriginTokenRunesMax      = 128
	HeldIDsPerFrameMax       = 200
	TypedCodeRunesMax        = 64
	HandleRunesMax           = 320
	FieldPathRunesMax        = 200
	AttemptRunesMin          = 16 // the database asks for it
	AnswerStatusMin          = 100
	AnswerStatusMax          = 999
	FrameDurationMax         = 30 * 24 * time.Hour
)

// Times that are no settings.
const (
	HelloWithin         = 5 * time.Second
	HandshakeStepWithin = 5 * time.Second // an answer before welcome; must be below HANDSHAKE_WITHIN_MS of the extension
	PingEvery           = 20 * time.Second
	SessionSilenceMax   = 50 * time.Second
	SocketWriteWithin   = 10 * time.Second
	AccessTokenLasts    = 15 * time.Minute
	PairingCodeLasts    = 10 * time.Minute
	SignInLinkLasts     = 30 * time.Minute
	ConsoleSessionLasts = 12 * time.Hour
	RequestWithin       = 30 * time.Second
	AnswerWrittenWithin = 2 * RequestWithin // from the request's header to the last byte of its answer
	IdleConnectionLasts = 2 * time.Minute
	ReadyWithin         = 3 * time.Second
	ScrapeWithin        = 5 * time.Second
	StatementWithin     = 10 * time.Second
	LockWaitMax         = 5 * time.Second
	ShutdownWithin      = 15 * time.Second
	WakeCoalesceWindow  = 5 * time.Millisecond
	ListenRetryEvery    = 2 * time.Second
	ApprovalLastsMin    = time.Minute // of a policy; the database holds no less
	ApprovalLastsMax    = 90 * 24 * time.Hour
	RateLimitBackoffMin = time.Minute
	RateLimitBackoffMax = 6 * time.Hour
	CallbackClockSlack  = 5 * time.Minute // between a provider's clock and ours; an older callback is a replay
	ApprovalSlack       = 5 * time.Minute // LinkedIn's clock may differ from the server's by it; also in extension/core/limits.js

	RateLimitRequeuesMax = 3   // in a row by a machine; then a person decides
	RateLimitJitterPart  = 0.2 // of the wait, at most, is added to it
	RateLimitJitterMax   = 10 * time.Minute

	CallbackSecretOverlap = 24 * time.Hour      // a secret is good for after the next one was made
	CallbackJoinWithin    = 30 * 24 * time.Hour // what names no known message is looked at for so long, and then forgotten; the database keeps it as long

	TokenLeeway          = 5 * time.Second  // between the clocks of two servers
	SocketCloseWithin    = time.Second      // the peer's answer to a close is waited for
	CheckRestMax         = 2 * time.Minute  // a browser that is asked a check gets no lease beside it; more than CHECK_WITHIN_MS of the extension and the closing of its tab
	StandingLookEvery    = 30 * time.Second // the net under a lost notice that an install was revoked or connected elsewhere
	LastSeenEvery        = time.Minute
	InstanceLookEvery    = 10 * time.Second    // the database is held against what this server remembers, and that is written down
	LapseLookAgain       = time.Hour           // at a message that had begun when its time was over: it may fail since
	ImportsKept          = 30 * 24 * time.Hour // an uploaded file; what became of each of its rows stays
	AnswersLookEvery     = 10 * time.Minute    // old answers and facts about no message are forgotten, and texts that a policy keeps no longer expire
	BulkRunsLookEvery    = 30 * time.Second    // the net under a "retry all" or "approve all" whose server died
	IncidentCountEvery   = time.Hour           // a condition that grows is counted anew
	RestartSpreadMax     = 30 * time.Second    // a stopping server asks its installs to come back at a random time within
	DisconnectRetryFirst = 500 * time.Millisecond
	EnrolmentsPollEvery  = 2 * time.Second  // for enrolments whose moment has come
	EnrolmentTryAgain    = time.Minute      // one that waits for another message, or could not be looked at
	EnrolmentLookEvery   = 10 * time.Minute // at one that waits: the net under a lost word of what it waits for

	TransactionIdleMax  = 10 * time.Second       // between two statements; a server that is cut off holds its locks, and the feed, no longer
	EventWaitMax        = 30 * time.Second       // of one request
	EventLookRest       = 20 * time.Millisecond  // between two looks for what is new
	EventPollEvery      = 2 * time.Second        // the net under a lost notice that something was written
	EventNoticeEvery    = 200 * time.Millisecond // the other servers are told no more often that something was written
	EventHeartbeatEvery = 15 * time.Second       // of a stream; the token is looked at again
	EventStreamLasts    = time.Hour              // then the reader comes back with its cursor
	EventsForgetEvery   = time.Hour
)

// CheckPauses are the pauses between the looks at one unconfirmed send, while none settles it. The first look is at once;
// the fourth is after the deadline and the grace, so that an absence it sees counts when the tab was gone in time.
func CheckPauses() []time.Duration {
	return []time.Duration{
		time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour,
	}
}

// Limits of what an agent's tools take, beside those of the API's fields.
const (
	AgentLineBytesMax   = 1 << 20 // of one message on standard input
	AgentIDRunes        = 36      // of a UUID
	AgentCursorRunesMax = 64
	AgentMomentRunesMax = 40
	AgentVersionMax     = 1_000_000 // of a message
	// AgentAnswersWithin bounds the answers that are still to come when the input has ended: longer than all tries of one call.
	AgentAnswersWithin = 3 * time.Minute
)
