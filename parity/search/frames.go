package search

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// frame is one frame on its way. A frame that is said again is the same one.
type frame struct {
	kind      string
	install   uint8 // who said it, or for whom it is
	toServer  bool
	lease     uint8
	attempt   uint8
	id, event string // event: how the extension is told of it
	report    send.Report
}

func (f frame) String() string {
	text := fmt.Sprintf("%s of lease %d", f.kind, f.lease)
	if f.attempt > 0 {
		text += fmt.Sprintf(" (attempt of worker %d)", f.attempt%workersMax)
	}
	switch {
	case f.kind != "report":
	case f.report.Acted != nil:
		text += fmt.Sprintf(" %q", rule.Classify(*f.report.Acted).Code)
	default:
		text += fmt.Sprintf(" %q", rule.End(*f.report.Unacted).Code)
	}
	return text
}

// frames gives each frame a number. 0 is none.
type frames struct {
	all   []frame
	known map[string]uint16
}

func newFrames() *frames { return &frames{all: []frame{{}}, known: map[string]uint16{}} }

func (fs *frames) add(key string, make func() frame) uint16 {
	if number, is := fs.known[key]; is {
		return number
	}
	number := uint16(len(fs.all))
	fs.all = append(fs.all, make())
	fs.known[key] = number
	return number
}

// answer is a frame of the server that answers one of the install's.
func (fs *frames) answer(to frame, kind string, fields map[string]any) uint16 {
	fields["type"], fields["re"] = kind, to.id
	return fs.toInstall(to.install, to.lease, to.attempt, map[string]any{"do": "frame", "frame": fields})
}

func (fs *frames) toInstall(install, lease, attempt uint8, event map[string]any) uint16 {
	text := encoded(event)
	kind, _ := event["frame"].(map[string]any)["type"].(string)
	if kind == "" {
		kind = "lease"
	}
	return fs.add(fmt.Sprint("to ", install, text), func() frame {
		return frame{kind: kind, install: install, lease: lease, attempt: attempt, event: text}
	})
}

func (fs *frames) fromInstall(install uint8, text json.RawMessage) uint16 {
	return fs.add(fmt.Sprint("from ", install, string(text)), func() frame { return readFrame(install, text) })
}

// said is a frame of an install, as the gateway reads it.
type said struct {
	ID         string
	Type       string
	LeaseToken string `json:"lease_token"`
	Attempt    string
	End        string
	Evidence   struct {
		Answer          rule.Answer
		Double, Foreign bool
		Look            rule.Look
		Reason          string
		Find            rule.Find
		Box             rule.Box
		Request         bool
		Unbroken        bool
		Copies          []struct {
			ProviderID string `json:"provider_id"`
			SentAtMS   int64  `json:"sent_at_ms"`
		}
	}
}

func readFrame(install uint8, text json.RawMessage) frame {
	var s said
	if err := json.Unmarshal(text, &s); err != nil {
		panic(fmt.Sprintf("the extension said %s: %v", text, err))
	}
	f := frame{
		kind: s.Type, install: install, toServer: true, lease: numberIn(s.LeaseToken), attempt: numberIn(s.Attempt), id: s.ID,
	}
	if s.Type != "report" {
		return f
	}
	f.report = send.Report{LeaseToken: s.LeaseToken, Attempt: s.Attempt}
	for _, c := range s.Evidence.Copies {
		f.report.Copies = append(f.report.Copies, send.Copy{ProviderID: c.ProviderID, SentAt: time.UnixMilli(c.SentAtMS)})
	}
	e := s.Evidence
	if s.End == "acted" {
		f.report.Acted = &rule.Acted{Answer: e.Answer, Double: e.Double, Foreign: e.Foreign, Look: e.Look, Copies: len(e.Copies)}
	} else {
		f.report.Unacted = &rule.Unacted{Reason: e.Reason, Find: e.Find, Box: e.Box, Request: e.Request, Unbroken: e.Unbroken}
	}
	return f
}

// leaseName is a token of its own for each lease.
func leaseName(lease uint8) string { return fmt.Sprintf("lease-%d", lease) }

// An attempt is told by its lease and by which worker of the browser made it: no worker takes up a lease twice. 0: none.
const workersMax = 10

func attemptOf(lease, life uint8) uint8 { return workersMax*lease + life }

// attemptName has the length that the protocol asks for.
func attemptName(attempt uint8) string {
	if attempt == 0 {
		return ""
	}
	return fmt.Sprintf("attempt-number-%d", attempt)
}

// numberIn is the number at the end of such a name, 0 of "".
func numberIn(name string) uint8 {
	if name == "" {
		return 0
	}
	number, err := strconv.ParseUint(name[strings.LastIndex(name, "-")+1:], 10, 8)
	if err != nil {
		panic("a name without a number: " + name)
	}
	return uint8(number)
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a frame: %v", err))
	}
	return string(text)
}
