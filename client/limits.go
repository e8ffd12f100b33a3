package client

import "time"

const (
	triesMax       = 4                      // of one request whose answer is not known
	againFirst     = 200 * time.Millisecond // before the second try; each later pause is twice as long
	jitterPart     = 0.5                    // of the pause, at most, is added to it
	tryWithin      = 40 * time.Second       // one try: more than the server takes at most
	requestMax     = 256 << 10              // bytes of a body; the server takes no more
	answerMax      = 8 << 20                // bytes
	problemTextMax = 500                    // bytes of an answer that is no problem, as they are shown
)
