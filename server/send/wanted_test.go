package send

import (
	"strings"
	"testing"

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
