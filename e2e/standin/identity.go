package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// me answers GET /voyager/api/me.
func (s *Server) me(w http.ResponseWriter, _ *http.Request, member Person) {
	writeJSON(w, http.StatusOK, meAnswer(member))
}

func meAnswer(member Person) map[string]any {
	return map[string]any{
		"data": map[string]any{
			"plainId":      plainID(member.ID),
			"*miniProfile": miniProfilePrefix + member.ID,
			"$type":        "com.linkedin.voyager.common.Me",
		},
		"included": []any{miniProfile(member)},
	}
}

func miniProfile(p Person) map[string]any {
	return map[string]any{
		"$type":            "com.linkedin.voyager.identity.shared.MiniProfile",
		"entityUrn":        miniProfilePrefix + p.ID,
		"dashEntityUrn":    profileURN(p.ID),
		"objectUrn":        fmt.Sprintf("urn:li:member:%d", plainID(p.ID)),
		"publicIdentifier": p.Slug,
		"firstName":        p.firstName(),
		"lastName":         p.lastName(),
	}
}

// dataBlock is one answer that a server-rendered page carries for its own
// script: a hidden <code> with the JSON, and one that says what it answers.
type dataBlock struct{ ID, Body, Request string }

// identityBlock tells the page who is signed in.
func identityBlock(member Person) dataBlock {
	return newDataBlock(1234, "/voyager/api/me", meAnswer(member))
}

// profileBlock tells a profile page whose profile it shows: the same shape
// about someone else, which must not be taken for the member.
func profileBlock(p Person) dataBlock {
	return newDataBlock(1235, "/voyager/api/identity/dash/profiles", map[string]any{
		"data":     map[string]any{"*elements": []string{profileURN(p.ID)}},
		"included": []any{miniProfile(p)},
	})
}

func newDataBlock(number int, path string, answer map[string]any) dataBlock {
	id := fmt.Sprintf("bpr-guid-%d", number)
	return dataBlock{
		ID:      id,
		Body:    jsonText(answer),
		Request: jsonText(map[string]any{"request": path, "status": http.StatusOK, "body": id, "method": http.MethodGet}),
	}
}

// jsonText encodes values that are known to encode.
func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
