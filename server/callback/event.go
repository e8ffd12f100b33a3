package callback

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/delivery"
	"sendonce/server/problem"
)

// Hash is what makes two events the same fact of a source, whatever their ids. What a provider adds in its own words is no
// part of it: that may change from one try to the next.
func (e Event) Hash(source uuid.UUID) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%q\n%s\n%d", source, e.Kind, e.ProviderID, e.Message, e.At.UnixMicro()))
	return sum[:]
}

// yearMin is the first year in which something may have happened, in UTC. RFC 3339 has a year 0, an offset reaches behind it, and
// what was kept from there could be shown to nobody.
const yearMin = 1

// check refuses a whole callback for one bad event, by its path.
func check(events []Event, now time.Time) error {
	if len(events) == 0 || len(events) > config.CallbackEventsMax {
		return problem.Field("events", "it has %d; give 1 to %d", len(events), config.CallbackEventsMax)
	}
	told := map[string]Event{}
	for i, e := range events {
		if err := e.check(fmt.Sprintf("events.%d.", i), now); err != nil {
			return err
		}
		if e.ID == "" {
			continue
		}
		if before, twice := told[e.ID]; twice && !bytes.Equal(e.Hash(uuid.Nil), before.Hash(uuid.Nil)) {
			return problem.Field(fmt.Sprintf("events.%d.id", i), "another event of this callback has this id")
		}
		told[e.ID] = e
	}
	return nil
}

func (e Event) check(path string, now time.Time) error {
	switch {
	case !slices.Contains(delivery.Kinds(), e.Kind):
		return problem.Field(path+"type", "it must be one of %v", delivery.Kinds())
	case e.ProviderID == "":
		return problem.Field(path+"provider_id", "say which message it is about, by the provider's own id")
	case e.At.IsZero():
		return problem.Field(path+"at", "say when it happened")
	case e.At.UTC().Year() < yearMin:
		return problem.Field(path+"at", "its year in UTC must be %d or later", yearMin)
	case e.At.After(now.Add(config.CallbackClockSlack)):
		return problem.Field(path+"at", "it is later than now by more than %s", config.CallbackClockSlack)
	}
	for _, line := range []struct {
		name, value string
		most        int
	}{
		{"id", e.ID, config.EventIDRunesMax},
		{"provider_id", e.ProviderID, config.ProviderIDRunesMax},
		{"detail", e.Detail, config.EventDetailRunesMax},
	} {
		if err := checkLine(path+line.name, line.value, line.most); err != nil {
			return err
		}
	}
	return nil
}

// checkLine lets an id pass as it is: it is compared byte for byte, so nothing may be made canonical.
func checkLine(field, value string, most int) error {
	if count := utf8.RuneCountInString(value); count > most {
		return problem.Field(field, "it has %d characters; %d is the most", count, most)
	}
	isUnseen := func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }
	if value != "" && strings.TrimFunc(value, isUnseen) == "" {
		return problem.Field(field, "nobody can see what it is")
	}
	if at := strings.IndexFunc(value, unicode.IsControl); at >= 0 {
		return problem.Field(field, "it holds a control character; it must be one line of text")
	}
	return nil
}
