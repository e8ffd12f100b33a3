package harness

import "time"

// Every number of the harness, with its unit.
const (
	// pollEvery is the pause between two looks at something that gives no signal.
	pollEvery = 200 * time.Millisecond
	// startWithin bounds the start of a server or of a browser, with a busy machine in mind.
	startWithin = 60 * time.Second
	// stopWithin is how long a process may take to end by itself before it is killed.
	stopWithin = 20 * time.Second
	// pairWithin bounds everything that is done on the options page.
	pairWithin = 40 * time.Second
	// requestWithin bounds one request of the API client.
	requestWithin = 15 * time.Second
	// dialWithin bounds the proxy's connection to the server.
	dialWithin = 5 * time.Second
	// logLinesKept is how much of a process's log a failed test shows.
	logLinesKept = 40
	// lineBytesMax is where a line of a process that never ends is cut.
	lineBytesMax = 64 << 10
	// answerBytesMax bounds an answer of the API.
	answerBytesMax = 1 << 20
	// frameBytesMax bounds a frame through the proxy; both sides allow 64 KiB.
	frameBytesMax = 128 << 10
	// framesKept bounds the proxy's record of one test.
	framesKept = 10_000
	// wireBuffer is how many bytes a wire passes on at one time.
	wireBuffer = 16 << 10
	// clusterConnections is how many connections a test's own cluster takes.
	clusterConnections = 60
)
