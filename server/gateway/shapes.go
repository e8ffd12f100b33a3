package gateway

import (
	"sendonce/server/config"
	"sendonce/server/delivery"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// protocolVersion is the only version spoken.
const protocolVersion = 1

// safeIntegerMax is the largest integer that JavaScript holds exactly.
const safeIntegerMax = 1<<53 - 1

// momentMSMax is the last moment of 13 digits, as LinkedIn's message ids have: in the year 2286.
const momentMSMax = 9_999_999_999_999

func textOf(most int64) shape        { return shape{kind: text, min: 1, max: most} }
func textOrEmpty(most int64) shape   { return shape{kind: text, max: most} }
func wordOf(words ...string) shape   { return shape{kind: word, words: words} }
func listOf(of shape, m int64) shape { return shape{kind: list, of: &of, max: m} }
func objectOf(f ...field) shape      { return shape{kind: object, fields: f} }
func integerOf(least, most int64) shape {
	return shape{kind: integer, min: least, max: most}
}

func orNull(s shape) shape {
	s.orNull = true
	return s
}

var (
	flagShape     = shape{kind: flag}
	digestShape   = shape{kind: digest}
	countShape    = integerOf(0, safeIntegerMax)
	momentShape   = integerOf(0, momentMSMax)
	durationShape = integerOf(1, config.FrameDurationMax.Milliseconds())
	waitShape     = integerOf(0, config.FrameDurationMax.Milliseconds())

	idShape           = textOf(config.FrameIDLengthMax)
	attemptShape      = shape{kind: text, min: config.AttemptRunesMin, max: config.AttemptRunesMax}
	leaseTokenShape   = textOf(config.LeaseTokenRunesMax)
	accessTokenShape  = textOf(config.AccessTokenRunesMax)
	secretShape       = textOf(config.SecretRunesMax)
	urnShape          = textOf(config.URNRunesMax)
	slugShape         = textOf(config.FrameSlugRunesMax)
	nameShape         = textOrEmpty(config.FrameNameRunesMax)
	conversationShape = textOf(config.ConversationRunesMax)
	sentenceShape     = textOf(config.SentenceRunesMax)
	versionShape      = textOf(config.ExtensionVersionRunesMax)
	reasonShape       = wordOf(rule.Reasons()...)
	statusShape       = wordOf(texts(rule.Statuses())...)
)

func texts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

var copiesShape = listOf(objectOf(
	field{"provider_id", urnShape}, field{"sent_at_ms", momentShape},
), config.CopiesPerReportMax)

var personShape = objectOf(
	field{"id", idShape}, field{"name", nameShape}, field{"slug", orNull(slugShape)}, field{"urn", orNull(urnShape)},
)

var answerShape = shape{kind: choice, by: "kind", cases: map[string]fields{
	rule.AnswerStatus:   {{"status", integerOf(config.AnswerStatusMin, config.AnswerStatusMax)}},
	rule.AnswerRedirect: {}, rule.AnswerSignIn: {}, rule.AnswerNone: {}, rule.AnswerLost: {},
}}

var actedShape = objectOf(
	field{"answer", answerShape}, field{"double", flagShape}, field{"foreign", flagShape},
	field{"look", wordOf(texts(rule.Looks())...)}, field{"copies", copiesShape},
	field{"conversation", orNull(conversationShape)}, field{"origin_token", orNull(textOf(config.OriginTokenRunesMax))},
	field{"retry_after_ms", orNull(waitShape)}, field{"acted_at_ms", orNull(momentShape)},
)

var unactedShape = objectOf(
	field{"reason", reasonShape}, field{"find", wordOf(texts(rule.Finds())...)}, field{"box", wordOf(texts(rule.Boxes())...)},
	field{"request", flagShape}, field{"unbroken", flagShape}, field{"copies", copiesShape},
	field{"conversation", orNull(conversationShape)},
)

// The ends of a report.
const (
	endActed   = "acted"
	endUnacted = "unacted"
)

// laterShape is one message after one of ours. Of the person's own words not even a digest leaves the browser.
var laterShape = shape{kind: choice, by: "kind", cases: map[string]fields{
	string(delivery.Replied): {{"provider_id", urnShape}, {"at_ms", momentShape}},
	string(delivery.Manual):  {{"provider_id", urnShape}, {"at_ms", momentShape}, {"text_digest", digestShape}},
}}

func reportOf(evidence shape) fields {
	return fields{
		{"lease_token", leaseTokenShape},
		{"attempt", orNull(attemptShape)},
		{"outcome", objectOf(
			field{"status", statusShape}, field{"code", wordOf(rule.ReportCodes()...)}, field{"reason", orNull(reasonShape)},
		)},
		{"evidence", evidence},
	}
}

// fromInstall has the shape of every frame that an install may say, without the head.
var fromInstall = map[string]shape{
	"pair":  objectOf(field{"code", textOf(config.TypedCodeRunesMax)}, field{"extension_version", versionShape}),
	"token": objectOf(field{"install", idShape}, field{"refresh_secret", secretShape}),
	"hello": objectOf(
		field{"access_token", accessTokenShape}, field{"install", idShape}, field{"extension_version", versionShape},
		field{"rules_digest", digestShape},
		field{"accounts", listOf(objectOf(
			field{"member_urn", urnShape}, field{"slug", slugShape}, field{"name", nameShape},
		), config.AccountsPerHelloMax)},
		field{"open", listOf(objectOf(
			field{"lease_token", leaseTokenShape}, field{"attempt", orNull(attemptShape)},
			field{"phase", wordOf("leased", "asked", "acked", "go_sent", "done")},
		), config.OpenLeasesPerHello)},
		field{"mark", objectOf(field{"epoch", countShape}, field{"event", countShape})},
	),
	"renew": objectOf(),
	"ready": objectOf(field{"accounts", listOf(idShape, config.ReadyAccountsMax)}),
	"release": objectOf(
		field{"lease_token", leaseTokenShape},
		field{"code", wordOf("paused", "stopped", "signed_out", "busy", "refused", "expired")},
	),
	"start": objectOf(field{"lease_token", leaseTokenShape}, field{"attempt", attemptShape}, field{"digest", digestShape}),
	"resolved": objectOf(
		field{"lease_token", leaseTokenShape}, field{"attempt", attemptShape}, field{"person_urn", urnShape},
		field{"slug", orNull(slugShape)}, field{"name", nameShape}, field{"connected", flagShape},
		field{"participants", countShape},
	),
	"report": {kind: choice, by: "end", cases: map[string]fields{
		endActed: reportOf(actedShape), endUnacted: reportOf(unactedShape),
	}},
	"gone": objectOf(field{"lease_token", leaseTokenShape}),
	"checked": objectOf(
		field{"check_token", leaseTokenShape}, field{"result", wordOf(texts(send.CheckResults())...)},
		field{"evidence", objectOf(
			field{"reason", orNull(wordOf(send.CheckReasons()...))},
			field{"copies", listOf(objectOf(
				field{"version", countShape}, field{"provider_id", urnShape}, field{"sent_at_ms", momentShape},
			), config.CopiesPerReportMax)},
			field{"conversation", orNull(conversationShape)}, field{"messages", countShape},
			field{"oldest_at_ms", orNull(momentShape)}, field{"looked_at_ms", momentShape},
		)},
	),
	"observed": objectOf(
		field{"token", leaseTokenShape}, field{"member_urn", urnShape}, field{"person_urn", urnShape}, field{"about", urnShape},
		field{"read", flagShape},
		field{"messages", listOf(laterShape, config.ObservedPerFrameMax)},
		field{"looked_at_ms", momentShape},
	),
	"ping": objectOf(),
}

// fromServer has the shape of every frame that the server may say, without the head.
var fromServer = map[string]shape{
	"paired": objectOf(field{"install", idShape}, field{"refresh_secret", secretShape}),
	"token": objectOf(
		field{"access_token", accessTokenShape}, field{"expires_in_ms", durationShape}, field{"refresh_secret", secretShape},
	),
	"welcome": objectOf(
		field{"session", idShape}, field{"epoch", countShape}, field{"rules", wordOf("current", "previous", "outdated")},
		field{"settings", objectOf(
			field{"ping_every_ms", durationShape}, field{"pong_within_ms", durationShape},
			field{"touch_within_ms", durationShape}, field{"answer_within_ms", durationShape},
			field{"look_within_ms", durationShape},
		)},
		field{"accounts", listOf(objectOf(
			field{"account", idShape}, field{"handle", textOf(config.HandleRunesMax)},
			field{"member_urn", orNull(urnShape)}, field{"state", wordOf("ready", "stopped", "other_member")},
		), config.ReadyAccountsMax)},
		field{"open", listOf(objectOf(
			field{"lease_token", leaseTokenShape}, field{"status", orNull(statusShape)}, field{"held", flagShape},
		), config.OpenLeasesPerHello)},
	),
	"renewed": objectOf(field{"access_token", accessTokenShape}, field{"expires_in_ms", durationShape}),
	"lease": objectOf(
		field{"send", idShape}, field{"lease_token", leaseTokenShape}, field{"expires_in_ms", durationShape},
		field{"account", idShape}, field{"member_urn", urnShape},
		field{"person", personShape},
		field{"conversation", orNull(conversationShape)}, field{"body", textOf(config.BodyRunesMax)},
		field{"digest", digestShape}, field{"approved_at_ms", momentShape}, field{"repeat_approved", flagShape},
		field{"held_ids", listOf(urnShape, config.HeldIDsPerFrameMax)},
	),
	"check": objectOf(
		field{"send", idShape}, field{"check_token", leaseTokenShape}, field{"account", idShape}, field{"member_urn", urnShape},
		field{"person", personShape}, field{"conversation", orNull(conversationShape)},
		field{"wanted", listOf(objectOf(
			field{"version", countShape}, field{"body", textOf(config.BodyRunesMax)}, field{"approved_at_ms", momentShape},
		), config.CheckTextsMax)},
		field{"held_ids", listOf(urnShape, config.HeldIDsPerFrameMax)},
	),
	"released": objectOf(), "noted": objectOf(), "pong": objectOf(), "proceed": objectOf(),
	"started": objectOf(
		field{"attempt", attemptShape}, field{"touch_within_ms", durationShape}, field{"deadline_ms", durationShape},
		field{"epoch", countShape}, field{"event", countShape},
	),
	"refused": objectOf(field{"code", wordOf(texts(rule.Refusals())...)}, field{"text", sentenceShape}),
	"halt":    objectOf(field{"code", reasonShape}),
	"recorded": objectOf(
		field{"send", idShape}, field{"status", statusShape}, field{"code", textOf(config.FrameIDLengthMax)},
		field{"epoch", countShape}, field{"event", countShape},
	),
	"pause":      objectOf(field{"on", flagShape}),
	"superseded": objectOf(),
	"error": objectOf(
		field{"code", wordOf(errorCodes...)}, field{"text", sentenceShape},
		field{"field", orNull(textOf(config.FieldPathRunesMax))},
	),
}
