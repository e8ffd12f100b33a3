package standin

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	profilePrefix      = "urn:li:fsd_profile:"
	miniProfilePrefix  = "urn:li:fs_miniProfile:"
	conversationPrefix = "urn:li:msg_conversation:"
	messagePrefix      = "urn:li:msg_message:"
	participantPrefix  = "urn:li:msg_messagingParticipant:"
	threadPrefix       = "urn:li:messagingThread:"
	oldMessagePrefix   = "urn:li:messagingMessage:"
)

func profileURN(id string) string     { return profilePrefix + id }
func participantURN(id string) string { return participantPrefix + profileURN(id) }

// conversationURN and messageURN name the mailbox owner, never the sender:
// each participant sees the same thread and message under an own URN.
func conversationURN(owner, thread string) string {
	return fmt.Sprintf("%s(%s,%s)", conversationPrefix, profileURN(owner), thread)
}

func messageURN(owner, message string) string {
	return fmt.Sprintf("%s(%s,%s)", messagePrefix, profileURN(owner), message)
}

// idInProfileURN returns the profile id of a profile URN.
func idInProfileURN(urn string) (id string, ok bool) {
	id, ok = strings.CutPrefix(urn, profilePrefix)
	return id, ok && id != ""
}

// idsInConversationURN returns the mailbox owner and the thread id of a
// conversation URN.
func idsInConversationURN(urn string) (owner, thread string, ok bool) {
	inner, ok := strings.CutPrefix(urn, conversationPrefix+"(")
	if !ok {
		return "", "", false
	}
	inner, ok = strings.CutSuffix(inner, ")")
	if !ok {
		return "", "", false
	}
	ownerURN, thread, ok := strings.Cut(inner, ",")
	if !ok || thread == "" {
		return "", "", false
	}
	owner, ok = idInProfileURN(ownerURN)
	return owner, thread, ok
}

// profileID makes the 39-character id of a person from the seed and the slug,
// so that the same fixture has the same id in every run.
func profileID(seed uint64, slug string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%s", seed, slug))
	return "ACoAA" + base64.RawURLEncoding.EncodeToString(sum[:])[:34]
}

// plainID makes the numeric member id that stands beside a profile id.
func plainID(profile string) int64 {
	sum := sha256.Sum256([]byte(profile))
	return 100_000_000 + int64(sum[0])<<16 + int64(sum[1])<<8 + int64(sum[2])
}

// newUUID draws a UUID from the seeded source. The caller holds s.mu.
func (s *Server) newUUID() string {
	var raw [16]byte
	for i := range raw {
		raw[i] = byte(s.rand.Uint32())
	}
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	return uuid.UUID(raw).String()
}

// newThreadID draws a thread id: "2-" and the base64 of "<uuid>_<3 digits>".
// These characters never encode to "/" or "+", so the id stands in a path as
// it is, padding included. The caller holds s.mu.
func (s *Server) newThreadID() string {
	inner := fmt.Sprintf("%s_%03d", s.newUUID(), s.rand.IntN(1000))
	return "2-" + base64.StdEncoding.EncodeToString([]byte(inner))
}

// newMessageID draws a message id, which carries its time in milliseconds and
// the thread's decoded part. The caller holds s.mu.
func (s *Server) newMessageID(thread string, at time.Time) string {
	s.messageCount++
	decoded, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(thread, "2-"))
	inner := fmt.Sprintf("%013db%05d-%03d&%s", at.UnixMilli(), s.messageCount%100_000, s.rand.IntN(1000), decoded)
	return "2-" + base64.StdEncoding.EncodeToString([]byte(inner))
}
