package standin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// history answers the two reads of the page's own script: messages of a
// conversation and conversations of a mailbox. The hash in queryId changes
// with releases, so only the name before the dot counts.
func (s *Server) history(w http.ResponseWriter, r *http.Request, member Person) {
	variables, err := parseTuple(variablesOf(r.URL.RawQuery))
	if err != nil {
		writeRefusal(w, refuse(http.StatusBadRequest, err.Error()))
		return
	}
	name, _, _ := strings.Cut(r.URL.Query().Get("queryId"), ".")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name {
	case "messengerMessages":
		field, elements := s.messagesRead(member, variables)
		writeHistory(w, field, elements)
	case "messengerConversations":
		field, elements := s.conversationsRead(member, variables)
		writeHistory(w, field, elements)
	default:
		writeRefusal(w, refuse(http.StatusBadRequest, "unknown queryId"))
	}
}

func writeHistory(w http.ResponseWriter, field string, elements []any) {
	writeJSON(w, http.StatusOK, map[string]any{"data": map[string]any{
		field: map[string]any{"elements": append([]any{}, elements...)},
	}})
}

// first returns a variable's first value, or "".
func first(variables map[string][]string, key string) string {
	if len(variables[key]) == 0 {
		return ""
	}
	return variables[key][0]
}

// messagesRead returns the newest page, newest first, or the one before an
// anchor time. A conversation that is not the member's reads as empty. The
// caller holds s.mu.
func (s *Server) messagesRead(member Person, variables map[string][]string) (field string, elements []any) {
	field = "messengerMessagesBySyncToken"
	before := int64(0)
	if anchor := first(variables, "deliveredAt"); anchor != "" {
		field = "messengerMessagesByAnchorTimestamp"
		before, _ = strconv.ParseInt(anchor, 10, 64)
	}
	owner, id, _ := idsInConversationURN(first(variables, "conversationUrn"))
	t := s.thread(id)
	if t == nil || owner != member.ID || !slices.Contains(t.Participants, member.ID) {
		return field, nil
	}
	for _, m := range slices.Backward(t.visible()) {
		if before != 0 && m.At.UnixMilli() >= before {
			continue
		}
		if len(elements) == historyPage {
			break
		}
		elements = append(elements, s.messageElement(member, t, m))
	}
	return field, elements
}

// conversationsRead returns the member's conversations, or those with one
// recipient. The caller holds s.mu.
func (s *Server) conversationsRead(member Person, variables map[string][]string) (field string, elements []any) {
	field = "messengerConversationsBySyncToken"
	recipients := variables["recipients"]
	if len(recipients) > 0 {
		field = "messengerConversationsByRecipients"
	}
	if first(variables, "mailboxUrn") != profileURN(member.ID) {
		return field, nil
	}
	for _, t := range s.threadsOf(member.ID) {
		if len(elements) == conversationPage {
			break
		}
		if len(recipients) == 0 || sameRecipients(t.others(member.ID), recipients) {
			elements = append(elements, s.conversationElement(member, t))
		}
	}
	return field, elements
}

func sameRecipients(ids, urns []string) bool {
	if len(ids) != len(urns) {
		return false
	}
	for _, id := range ids {
		if !slices.Contains(urns, profileURN(id)) {
			return false
		}
	}
	return true
}

func (s *Server) messageElement(viewer Person, t *Thread, m Message) map[string]any {
	element := map[string]any{
		"entityUrn":               messageURN(viewer.ID, m.ID),
		"backendUrn":              oldMessagePrefix + m.ID,
		"backendConversationUrn":  threadPrefix + t.ID,
		"conversation":            map[string]any{"entityUrn": conversationURN(viewer.ID, t.ID)},
		"body":                    textBody(m.Text),
		"subject":                 nil,
		"deliveredAt":             m.At.UnixMilli(),
		"actor":                   nil,
		"sender":                  map[string]any{"entityUrn": participantURN(m.From), "hostIdentityUrn": profileURN(m.From)},
		"originToken":             nil,
		"messageBodyRenderFormat": "DEFAULT",
		"renderContent":           []any{},
		"reactionSummaries":       []any{},
		"incompleteRetriableData": false,
	}
	if m.From == viewer.ID {
		element["originToken"] = m.OriginToken // told to the sender only
	}
	return element
}

// conversationElement carries only the last message. The caller holds s.mu.
func (s *Server) conversationElement(viewer Person, t *Thread) map[string]any {
	participants := []any{}
	for _, id := range t.Participants {
		p, _ := s.person(id)
		participants = append(participants, map[string]any{
			"entityUrn":       participantURN(p.ID),
			"hostIdentityUrn": profileURN(p.ID),
			"participantType": map[string]any{"member": map[string]any{
				"firstName":  map[string]any{"text": p.firstName()},
				"lastName":   map[string]any{"text": p.lastName()},
				"profileUrl": "https://" + hostName + "/in/" + p.ID,
			}},
		})
	}
	last := []any{}
	if visible := t.visible(); len(visible) > 0 {
		last = append(last, s.messageElement(viewer, t, visible[len(visible)-1]))
	}
	return map[string]any{
		"entityUrn":                conversationURN(viewer.ID, t.ID),
		"backendUrn":               threadPrefix + t.ID,
		"groupChat":                t.group(),
		"conversationParticipants": participants,
		"lastActivityAt":           t.lastAt().UnixMilli(),
		"messages":                 map[string]any{"elements": last},
	}
}
