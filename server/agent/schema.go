package agent

import (
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"sendonce/server/config"
)

type properties map[string]*jsonschema.Schema

// object takes these members and no others.
func object(members properties, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Properties: members, Required: required, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

func text(about string, most int) *jsonschema.Schema {
	least := 1
	return &jsonschema.Schema{Type: "string", Description: about, MinLength: &least, MaxLength: &most}
}

func idOf(what string) *jsonschema.Schema {
	s := text(fmt.Sprintf("the id of the %s", what), config.AgentIDRunes)
	s.Pattern = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
	return s
}

func moment(about string) *jsonschema.Schema {
	return text(about+", like 2026-01-02T15:04:05Z", config.AgentMomentRunesMax)
}

var (
	cursorSchema   = text("next_cursor of the page before, as it is", config.AgentCursorRunesMax)
	linkedInSchema = text("the address of their LinkedIn profile, like https://www.linkedin.com/in/ada-example", config.ProfileURLRunesMax)
	emailSchema    = text("their mail address", config.EmailBytesMax)
)

func versionSchema() *jsonschema.Schema {
	least, most := 1.0, float64(config.AgentVersionMax)
	return &jsonschema.Schema{Type: "integer", Description: "the version that you read; another one is refused", Minimum: &least, Maximum: &most}
}

var proposeSchema = object(properties{
	"account_id":  idOf("account that sends it; list_accounts names them"),
	"linkedin":    linkedInSchema,
	"person_name": text("the person's name", config.PersonNameRunesMax),
	"body":        text("the whole text, as it is to arrive", config.BodyRunesMax),
	"purpose":     text("what the message is for, like \"first contact\"; people read it when they approve", config.PurposeRunesMax),
	"task":        text("the task or campaign that it belongs to; another task is another message", config.TaskRunesMax),
	"send_after":  moment("not before this moment"),
	"send_before": moment("not after this moment"),

	"follows_send": idOf("send that this further message for the same purpose follows; read_message names it"),
	"follows_why":  text("why the person is written to once more", config.WhyRunesMax),
}, "account_id", "linkedin", "body", "purpose")

var reviseSchema = object(properties{
	"message_id": idOf("message"), "version": versionSchema(), "body": text("the whole new text", config.BodyRunesMax),
}, "message_id", "version", "body")
