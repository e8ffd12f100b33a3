package standin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"sendonce/e2e/standin"
)

const graphQL = "/voyager/api/voyagerMessagingGraphQL/graphql?queryId="

// elements reads one history answer's list.
func elements(t *testing.T, v *visitor, query, field string) []map[string]any {
	t.Helper()
	data := v.read(graphQL + query)["data"].(map[string]any)
	part, ok := data[field].(map[string]any)
	if !ok {
		t.Fatalf("the answer has no %s: %v", field, data)
	}
	var list []map[string]any
	for _, e := range part["elements"].([]any) {
		list = append(list, e.(map[string]any))
	}
	return list
}

func TestHistoryIsReadNewestFirstInPages(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	var messages []standin.Message
	for i := range 25 {
		from := rita.Slug
		if i%2 == 1 {
			from = ada.Slug
		}
		messages = append(messages, standin.Message{From: from, Text: fmt.Sprintf("message %d", i)})
	}
	thread, err := s.AddThread(rita.Slug, ada.Slug, messages...)
	if err != nil {
		t.Fatal(err)
	}
	owner := idOf(t, s, rita.Slug)
	urn := url.QueryEscape(fmt.Sprintf("urn:li:msg_conversation:(urn:li:fsd_profile:%s,%s)", owner, thread.ID))

	page := elements(t, v, "messengerMessages.abc&variables=(conversationUrn:"+urn+")", "messengerMessagesBySyncToken")
	if len(page) != 20 || text(page[0]) != "message 24" || text(page[19]) != "message 5" {
		t.Fatalf("the first page has %d messages, from %q to %q", len(page), text(page[0]), text(page[len(page)-1]))
	}
	for _, m := range page {
		own := m["sender"].(map[string]any)["hostIdentityUrn"] == "urn:li:fsd_profile:"+owner
		if own != (m["originToken"] != nil) {
			t.Errorf("%q: own %v, but origin token %v", text(m), own, m["originToken"])
		}
	}
	older := elements(t, v, fmt.Sprintf("messengerMessages.abc&variables=(deliveredAt:%.0f,conversationUrn:%s,countBefore:20,countAfter:0)",
		page[19]["deliveredAt"], urn), "messengerMessagesByAnchorTimestamp")
	if len(older) != 5 || text(older[0]) != "message 4" {
		t.Errorf("the second page has %d messages", len(older))
	}
	foreign := url.QueryEscape("urn:li:msg_conversation:(urn:li:fsd_profile:x," + thread.ID + ")")
	if list := elements(t, v, "messengerMessages.abc&variables=(conversationUrn:"+foreign+")", "messengerMessagesBySyncToken"); len(list) != 0 {
		t.Error("another mailbox's conversation was read")
	}
	v.get(graphQL+"messengerMessages.abc&variables=nothing", http.StatusBadRequest)
}

func TestAConversationIsFoundByItsRecipients(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	if _, err := s.AddGroup(rita.Slug, []string{ada.Slug, ben.Slug}, standin.Message{Text: "all"}); err != nil {
		t.Fatal(err)
	}
	thread, err := s.AddThread(rita.Slug, ada.Slug, standin.Message{Text: "old"}, standin.Message{From: ada.Slug, Text: "new"})
	if err != nil {
		t.Fatal(err)
	}
	mailbox := "(mailboxUrn:" + url.QueryEscape("urn:li:fsd_profile:"+idOf(t, s, rita.Slug))
	with := func(slug string) []map[string]any {
		recipient := url.QueryEscape("urn:li:fsd_profile:" + idOf(t, s, slug))
		return elements(t, v, "messengerConversations.def&variables="+mailbox+",recipients:List("+recipient+"))", "messengerConversationsByRecipients")
	}
	found := with(ada.Slug)
	if len(found) != 1 || found[0]["backendUrn"] != "urn:li:messagingThread:"+thread.ID {
		t.Fatalf("found %v, want the one thread with Ada alone", found)
	}
	last := found[0]["messages"].(map[string]any)["elements"].([]any)
	if len(last) != 1 || text(last[0].(map[string]any)) != "new" {
		t.Errorf("the conversation carries %v, want its last message alone", last)
	}
	if never := with(carl.Slug); len(never) != 0 {
		t.Errorf("a conversation with someone never written to: %v", never)
	}
	if all := elements(t, v, "messengerConversations.def&variables="+mailbox+")", "messengerConversationsBySyncToken"); len(all) != 2 {
		t.Errorf("the mailbox lists %d conversations, want 2", len(all))
	}
}

func text(message map[string]any) string {
	return message["body"].(map[string]any)["text"].(string)
}
