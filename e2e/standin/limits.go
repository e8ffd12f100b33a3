package standin

import "time"

// Every number of the stand-in, with its unit.
const (
	// maxBodyBytes bounds each request body.
	maxBodyBytes = 64 << 10
	// maxMessageRunes is the longest text that a delivery request may carry;
	// the real limit is reported as 8,000 characters, not captured.
	maxMessageRunes = 8000
	// maxRecords bounds the ledger, the clicks and the delivery requests
	// each; past it a delivery request is answered 507 and not accepted.
	maxRecords = 10_000
	// maxAccesses bounds the access log; the oldest entries go first.
	maxAccesses = 10_000
	// maxHold is how long a fault may hold a request.
	maxHold = 10 * time.Minute
	// minStatus and maxStatus bound the status numbers that a fault may answer.
	minStatus = 200
	maxStatus = 999
	// readHeaderTimeout bounds the wait for a request's header.
	readHeaderTimeout = 10 * time.Second
	// certificateLife is how long the certificate made at start is good.
	certificateLife = 24 * time.Hour

	// historyPage is how many messages one history answer holds.
	historyPage = 20
	// conversationPage is how many conversations one list answer holds.
	conversationPage = 20

	// originTokenLength and trackingIDLength are the lengths, in characters,
	// of the two ids that a delivery request carries.
	originTokenLength = 36
	trackingIDLength  = 16

	// seededAge and seededGap place seeded messages that name no time: the
	// newest is seededAge old, each earlier one seededGap older.
	seededAge = 24 * time.Hour
	seededGap = time.Minute
)
