package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"sendonce/client"
	"sendonce/server/config"
	"sendonce/server/key"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/problem"
)

// keyPrefix begins the key of every request that an agent makes.
const keyPrefix = "mcp"

// answer is what every tool about one message says of it.
type answer struct {
	MessageID string `json:"message_id"`
	State     string `json:"state"`
	WhatToDo  string `json:"what_to_do"`
	Authority string `json:"authority"`
	Version   int    `json:"version"`
	Person    string `json:"person"`
	Purpose   string `json:"purpose"`
	Body      string `json:"body"`
	// Known says that this very request had been made before.
	Known bool `json:"already_proposed,omitempty"`
}

func (t *tools) answerOf(m client.Message) answer {
	return answer{
		MessageID: m.ID, State: stateOf(m.Status), WhatToDo: whatToDo(m, t.page+m.ID), Authority: m.Authority, Version: m.Version,
		Person: addressOf(m.Person), Purpose: m.Purpose, Body: m.Body,
	}
}

func addressOf(p client.Person) string {
	return join(append(append([]string{p.Name}, p.LinkedIn...), p.Email...)...)
}

func (a answer) words() string {
	known := ""
	if a.Known {
		known = " This was asked for before; nothing new was made."
	}
	return fmt.Sprintf("%s: message %s, version %d, to %s.%s %s", a.State, a.MessageID, a.Version, a.Person, known, a.WhatToDo)
}

type proposal struct {
	AccountID  string     `json:"account_id"`
	LinkedIn   string     `json:"linkedin"`
	PersonName string     `json:"person_name"`
	Body       string     `json:"body"`
	Purpose    string     `json:"purpose"`
	Task       string     `json:"task"`
	SendAfter  *time.Time `json:"send_after"`
	SendBefore *time.Time `json:"send_before"`

	FollowsSend string `json:"follows_send"`
	FollowsWhy  string `json:"follows_why"`
}

// propose makes the message, or finds the one that was made of the same content.
func (t *tools) propose(ctx context.Context, in proposal) (answer, error) {
	p, err := canonical(in)
	if err != nil {
		return answer{}, err
	}
	made, err := keyOf("propose/"+p.AccountID, p)
	if err != nil {
		return answer{}, err
	}
	m, isReplay, err := t.api.Propose(ctx, made, p)
	return t.asItIsNow(ctx, m, isReplay, err)
}

// canonical writes the content as the server would keep it: two spellings of one proposal are one proposal.
func canonical(in proposal) (client.Proposal, error) {
	p := client.Proposal{AccountID: in.AccountID, SendAfter: inUTC(in.SendAfter), SendBefore: inUTC(in.SendBefore)}
	who, err := people.ParseLinkedIn("linkedin", in.LinkedIn)
	if err != nil {
		return p, err
	}
	p.Person.LinkedIn = who.ProfileURL()
	if in.FollowsSend != "" || in.FollowsWhy != "" {
		p.Follows = &client.Follows{Send: in.FollowsSend, Why: in.FollowsWhy}
	}
	if p.Body, err = bodyOf(in.Body); err != nil {
		return p, err
	}
	for _, line := range []struct {
		name, raw string
		most      int
		into      *string
	}{
		{"person_name", in.PersonName, config.PersonNameRunesMax, &p.Person.Name},
		{"purpose", in.Purpose, config.PurposeRunesMax, &p.Purpose},
		{"task", in.Task, config.TaskRunesMax, &p.Task},
	} {
		if err := whole(line.name, line.raw); err != nil {
			return p, err
		}
		if *line.into, err = message.CanonicalLine(line.name, line.raw, line.most); err != nil {
			return p, err
		}
	}
	return p, nil
}

func bodyOf(raw string) (string, error) {
	if err := whole("body", raw); err != nil {
		return "", err
	}
	return message.CanonicalBody("body", raw)
}

// whole refuses a text that lost a character on its way here: half a surrogate pair, and bytes that are no UTF-8, arrive as U+FFFD.
func whole(field, text string) error {
	if strings.ContainsRune(text, utf8.RuneError) {
		return problem.Field(field, "a character of it was lost on the way (U+FFFD); write it anew")
	}
	return nil
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// keyOf is the same key for the same request, whoever asks again: a process that was started anew too.
func keyOf(item string, request any) (string, error) {
	payload, err := json.Marshal(request)
	if err != nil {
		return "", fmt.Errorf("write the request: %w", err)
	}
	return key.Make(keyPrefix, item, payload)
}

type revision struct {
	MessageID string `json:"message_id"`
	Version   int    `json:"version"`
	Body      string `json:"body"`
}

// revise makes the next version. The version stands in the key: to change a text back is another request than to repeat one.
func (t *tools) revise(ctx context.Context, in revision) (answer, error) {
	body, err := bodyOf(in.Body)
	if err != nil {
		return answer{}, err
	}
	r := client.Revision{Version: in.Version, Body: body}
	made, err := keyOf("revise/"+in.MessageID, r)
	if err != nil {
		return answer{}, err
	}
	m, isReplay, err := t.api.Revise(ctx, made, in.MessageID, r)
	return t.asItIsNow(ctx, m, isReplay, err)
}

// asItIsNow answers with the message of now, not of the moment when the request was first made.
func (t *tools) asItIsNow(ctx context.Context, m client.Message, isReplay bool, err error) (answer, error) {
	if err == nil && isReplay {
		m, err = t.api.Message(ctx, m.ID)
	}
	if err != nil {
		return answer{}, err
	}
	a := t.answerOf(m)
	a.Known = isReplay
	return a, nil
}
