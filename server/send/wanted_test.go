package send

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// The texts of several versions fit into one frame, and the send's own is never left out, however long.
func TestWhatIsLookedForFitsIntoAFrame(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]string{
		"short": "Hello Ada", "long": strings.Repeat("\"", config.BodyRunesMax), "longest": strings.Repeat("🙂", config.BodyRunesMax),
	} {
		var tried []Tried
		for version := 6; version > 0; version-- {
			tried = append(tried, Tried{Send: uuid.New(), Version: version, Body: strings.Repeat("\n", config.BodyRunesMax/2)})
		}
		tried[5].Body = own
		wanted := wantedOf(tried, tried[5].Send)
		others := 0
		for _, w := range wanted[1:] {
			others += len(w.Body)
		}
		if wanted[0].Body != own || len(wanted) > config.CheckTextsMax || others > 0 && len(own)+others > config.CheckTextBytesMax {
			t.Errorf("%s: %d texts, %d bytes beside the %d of its own", name, len(wanted), others, len(wanted[0].Body))
		}
		if name == "short" && len(wanted) < 2 {
			t.Error("no other text is looked for")
		}
	}
}

// One copy of two versions with the same text is one attempt's: the first that it was looked for.
func TestOneCopyIsOneAttempts(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_795_982_300_000)
	tried := []Tried{{Send: uuid.New(), Version: 2, StartedAt: at, ApprovedAt: at}, {Send: uuid.New(), Version: 1, StartedAt: at, ApprovedAt: at}}
	one := Copy{ProviderID: "urn:1", SentAt: at.Add(time.Second)}
	of := attribute([]Seen{{one, 2}, {one, 1}}, tried, nil)
	if len(of) != 1 || len(of[tried[0].Send]) != 1 {
		t.Errorf("%v", of)
	}
}

// Of two messages with one text, a copy is the one's only where the other cannot have left it: whichever began first.
func TestACopyThatARivalMayHaveLeftIsNobodys(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	start := time.UnixMilli(1_795_982_300_000)
	own := Tried{Send: uuid.New(), Version: 1, StartedAt: start, ApprovedAt: start.Add(-2 * day)}
	rival := func(version int, begins time.Duration) []Rival {
		return []Rival{{Version: version, StartedAt: start.Add(begins), Until: start.Add(begins + day)}}
	}
	for name, c := range map[string]struct {
		rivals []Rival
		at     time.Duration
		isOurs bool
	}{
		"nobody else has this text":                      {nil, time.Hour, true},
		"after a later rival began":                      {rival(1, time.Hour), time.Hour + time.Second, false},
		"as long before it as two clocks may differ":     {rival(1, time.Hour), time.Hour - 4*time.Minute, false},
		"longer before it":                               {rival(1, time.Hour), time.Hour - 5*time.Minute, true},
		"after an earlier rival began":                   {rival(1, -time.Hour), time.Second, false},
		"before ours began, by an earlier rival":         {rival(1, -time.Hour), -30 * time.Minute, false},
		"after an earlier rival's copy can have arrived": {rival(1, -2*day), time.Second, true},
		"the rival has another version's text":           {rival(2, time.Hour), 2 * time.Hour, true},
	} {
		one := Seen{Copy{ProviderID: "urn:1", SentAt: start.Add(c.at)}, 1}
		of := attribute([]Seen{one}, []Tried{own}, c.rivals)
		if isOurs := len(of[own.Send]) == 1; isOurs != c.isOurs || len(of) > 1 {
			t.Errorf("%s: ours %v, want %v", name, isOurs, c.isOurs)
		}
	}
}
