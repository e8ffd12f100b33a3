package agent

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// add gives the server every tool there is.
func (t *tools) add(server *mcp.Server) {
	addTool(server, reads("list_accounts", "The accounts that messages can be sent from, and what holds them.",
		object(properties{"cursor": cursorSchema})), t.listAccounts)
	addTool(server, reads("find_person", "Who has exactly that LinkedIn address or mail address, in any spelling of it. A person need not be known to be written to.",
		object(properties{"linkedin": linkedInSchema, "email": emailSchema})), t.findPerson)
	addTool(server, writes("propose_message", "Propose one message to one person. Nothing is sent before a person approves it, or a rule that a person made. The same call again is the same message.",
		false, proposeSchema), t.propose)
	addTool(server, writes("revise_message", "Give a message that has not begun another text. An approval of the former text is void.",
		true, reviseSchema), t.revise)
	addTool(server, reads("read_message", "What became of a message, with its text, its sends and its history.",
		object(properties{"message_id": idOf("message")}, "message_id")), t.read)
	addTool(server, reads("read_receipt", "The signed receipt of a message: its whole story, to keep or to hand to somebody who can verify it.",
		object(properties{"message_id": idOf("message")}, "message_id")), t.readReceipt)
	addTool(server, reads("list_unconfirmed", "Messages that may or may not have arrived, each with what a person must do.",
		object(properties{"cursor": cursorSchema})), t.listUnconfirmed)
}

func reads(name, about string, in *jsonschema.Schema) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: about, InputSchema: in, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}}
}

// writes: what it does is proposed to a person, and doing it again changes nothing. destroys says that it may take something back, such
// as an approval.
func writes(name, about string, destroys bool, in *jsonschema.Schema) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: about, InputSchema: in, Annotations: &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: &destroys}}
}

// addTool answers with words for the model beside the members for programs. A refusal is an answer too: the model is to read it.
func addTool[In any, Out worded](server *mcp.Server, tool *mcp.Tool, do func(context.Context, In) (Out, error)) {
	mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := do(ctx, in)
		if err != nil {
			var none Out
			return nil, none, refusal(err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out.words()}}}, out, nil
	})
}

// worded is an answer that can be read aloud.
type worded interface{ words() string }
