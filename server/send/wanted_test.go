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
	of := attribute([]Seen{{one, 2}, {one, 1}}, tried)
	if len(of) != 1 || len(of[tried[0].Send]) != 1 {
		t.Errorf("%v", of)
	}
}
