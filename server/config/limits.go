// Package config holds every number of the server in one place: fixed limits here, settings that an operator may change
// in settings.go.
package config

import "time"

// Limits of what strangers may send.
const (
	FrameBytesMax        = 64 << 10
	FrameIDLengthMax     = 64
	RequestBodyBytesMax  = 256 << 10
	BodyRunesMax         = 8000
	SubjectRunesMax      = 300
	PurposeRunesMax      = 200
	TaskRunesMax         = 200
	PersonNameRunesMax   = 300
	ClientReleaseRunes   = 100
	IdempotencyKeyMax    = 200
	PageSizeDefault      = 50
	PageSizeMax          = 200
	AccountsPerHelloMax  = 8
	OpenLeasesPerHello   = 16
	CopiesPerReportMax   = 16
	HeldIDsPerLeaseMax   = 200
	ProviderIDLengthMax  = 500
	OutgoingFramesMax    = 32
	FramesPerSecond      = 20
	FramesBurst          = 60
	LeaseCandidatesMax   = 16
	SweepRowsMax         = 500
	ReleasesBeforePark   = 5
	IncidentsPerPageMax  = 200
	HeaderBytesMax       = 32 << 10
	SignInAttemptsPerMin = 10
)

// Times that are no settings.
const (
	HelloWithin          = 5 * time.Second
	PingEvery            = 20 * time.Second
	SessionSilenceMax    = 50 * time.Second
	SocketWriteWithin    = 10 * time.Second
	AccessTokenLasts     = 15 * time.Minute
	PairingCodeLasts     = 10 * time.Minute
	SignInLinkLasts      = 30 * time.Minute
	ConsoleSessionLasts  = 12 * time.Hour
	RequestWithin        = 30 * time.Second
	StatementWithin      = 10 * time.Second
	LockWaitMax          = 5 * time.Second
	ShutdownWithin       = 15 * time.Second
	WakeCoalesceWindow   = 5 * time.Millisecond
	ListenRetryEvery     = 2 * time.Second
	ClockSkewAllowed     = 5 * time.Minute
	RateLimitBackoffMin  = time.Minute
	RateLimitBackoffMax  = 6 * time.Hour
	AccountCoolDownMin   = time.Minute
	IdempotencyAnswerTTL = 30 * 24 * time.Hour
)
