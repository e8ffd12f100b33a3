package client

import "time"

// TriesMax and AnswerMax are for tests.
const (
	TriesMax  = triesMax
	AnswerMax = answerMax
)

// Hurry has it ask again at once.
func (c *Client) Hurry() { c.pause = time.Millisecond }
