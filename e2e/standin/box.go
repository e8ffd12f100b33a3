package standin

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// Box is what stood in a message box after a change. The page tells it, as
// LinkedIn's pages keep drafts.
type Box struct {
	At time.Time `json:"-"`
	// Document is one load of a page, Form one composer in it, Count the
	// number of the change.
	Document string `json:"document"`
	Form     string `json:"form"`
	Count    int    `json:"count"`
	// To is whom the box writes to: profile ids, joined by commas.
	To string `json:"to"`
	// Text is a line per block, with the no-break spaces that an editor puts.
	Text string `json:"text"`
}

// Typed returns the changes of boxes that write to a recipient (profile id).
func (s State) Typed(recipientID string) []Box {
	var typed []Box
	for _, box := range s.Boxes {
		if box.To == recipientID {
			typed = append(typed, box)
		}
	}
	return typed
}

// Left returns the texts that changed boxes held when they were last heard of,
// whomever they write to.
func (s State) Left() []string {
	type place struct{ document, form string }
	last := map[place]Box{}
	for _, box := range s.Boxes { // beacons may overtake each other
		at := place{box.Document, box.Form}
		if known, ok := last[at]; !ok || box.Count > known.Count {
			last[at] = box
		}
	}
	var left []string
	for _, box := range last {
		if box.Text != "" {
			left = append(left, box.Text)
		}
	}
	return left
}

// box takes the page's beacon about a message box.
func (s *Server) box(w http.ResponseWriter, r *http.Request) {
	var told Box
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil || json.Unmarshal(body, &told) != nil || told.Document == "" || told.Form == "" {
		http.Error(w, "a box needs a document and a form", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records.Boxes) < maxRecords {
		told.At = time.Now()
		s.records.Boxes = append(s.records.Boxes, told)
		s.signal()
	}
	w.WriteHeader(http.StatusNoContent)
}
