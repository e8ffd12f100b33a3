package openapi

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sendonce/server/access"
	"sendonce/server/bulk"
	"sendonce/server/config"
	"sendonce/server/csv"
	"sendonce/server/delivery"
	"sendonce/server/event"
	"sendonce/server/imports"
	"sendonce/server/incident"
	"sendonce/server/instance"
	"sendonce/server/message"
	"sendonce/server/pace"
	"sendonce/server/pause"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/rule"
	"sendonce/server/send"
	"sendonce/server/sequence"
	"sendonce/server/template"
)

// Lengths that are no setting of ours.
const (
	nameMax          = 200 // of a principal or a workspace: the database holds no more
	suppressedMax    = 900 // of whom a suppression names: the database holds no more
	signatureLength  = 86  // 64 bytes in base64
	publicKeyLength  = 43  // 32 bytes in base64
	cursorLength     = 22  // 16 bytes in base64
	feedCursorLength = 43  // 32 bytes in base64
	digestLength     = 71  // sha256: and its hex digits
	httpStatusMax    = 599
	timeLength       = 5 // of a time of day
)

// lengths are the bounds of strings by the name of their field or parameter.
var lengths = map[string][]int{
	"Idempotency-Key": {config.IdempotencyKeyMax}, "X-Client-Release": {config.ClientReleaseRunes}, "cursor": {cursorLength, feedCursorLength},
	"NextCursor": {cursorLength}, "handle": {config.HandleRunesMax, config.ProfileURLRunesMax}, "member_urn": {config.URNRunesMax},
	"member_name": {config.FrameNameRunesMax}, "stopped_code": {config.TypedCodeRunesMax}, "code": {config.TypedCodeRunesMax},
	"reason": {config.TypedCodeRunesMax, config.NoteRunesMax}, "why": {config.WhyRunesMax, config.NoteRunesMax}, "outcome": {config.TypedCodeRunesMax}, "verdict": {config.TypedCodeRunesMax},
	"set_by": {nameMax}, "voided_by": {nameMax}, "rejected_by": {nameMax}, "account": {config.HandleRunesMax}, "paused_by": {nameMax}, "closed_by": {nameMax}, "created_by": {nameMax}, "by": {nameMax}, "approver": {nameMax}, "principal": {nameMax},
	"name": {nameMax, config.PersonNameRunesMax, config.TemplateNameRunesMax, config.VariableNameMax, config.ImportFileNameRunesMax}, "mapping": {config.VariableNameMax}, "as": {config.VariableNameMax}, "delimiter": {1}, "cells": {config.ImportCellRunesMax}, "default": {config.NoteRunesMax}, "missing": {config.VariableNameMax}, "changed_by": {nameMax}, "enrolled_by": {nameMax}, "person_name": {config.PersonNameRunesMax}, "because": {config.TypedCodeRunesMax},
	"additionalProperties": {config.NoteRunesMax, config.PersonFieldRunesMax}, "pause_note": {config.PauseNoteRunesMax}, "note": {config.PauseNoteRunesMax, config.NoteRunesMax},
	"linkedin": {config.ProfileURLRunesMax}, "email": {config.EmailBytesMax}, "purpose": {config.PurposeRunesMax}, "task": {config.TaskRunesMax},
	"subject": {config.SubjectRunesMax}, "body": {config.BodyRunesMax}, "client_release": {config.ClientReleaseRunes},
	"current_digest": {digestLength}, "attempt": {config.AttemptRunesMax}, "sender_version": {config.ExtensionVersionRunesMax},
	"extension_version": {config.ClientReleaseRunes, config.ExtensionVersionRunesMax}, "conversation": {config.ConversationRunesMax}, "provider_id": {config.ProviderIDRunesMax}, "seen_id": {config.ProviderIDRunesMax},
	"value": {config.HandleRunesMax, signatureLength, suppressedMax, config.NoteRunesMax}, "key_id": {config.TypedCodeRunesMax}, "public_key": {publicKeyLength}, "paired_by": {nameMax},
	"asked_by": {nameMax}, "refused": {config.TypedCodeRunesMax}, "waiting_for": {config.TypedCodeRunesMax}, "void_reason": {config.TypedCodeRunesMax},
	"id": {config.EventIDRunesMax}, "webhook-id": {config.EventIDRunesMax}, "detail": {config.EventDetailRunesMax, config.EnrolmentDetailRunesMax}, "source": {config.SourceNameRunesMax},
	"refresh_secret": {config.SecretRunesMax}, "token": {config.AccessTokenRunesMax},
	"seen": {2 * config.SeenBytes}, "company": {config.CompanyRunesMax}, "email_domain": {config.EmailBytesMax}, "owner": {nameMax}, "other": {nameMax},
	"lifted_by": {nameMax}, "lifted_why": {config.WhyRunesMax}, "override_of": {nameMax}, "override_why": {config.WhyRunesMax},
	"zone": {config.ZoneRunesMax}, "opens": {timeLength}, "closes": {timeLength},
	"after": {feedCursorLength}, "Last-Event-ID": {feedCursorLength}, "next_cursor": {feedCursorLength}, "from": {config.TypedCodeRunesMax}, "to": {config.TypedCodeRunesMax},
}

// counts are the bounds of arrays, by the name of their field.
var counts = map[string][]int{
	"items": {config.PageSizeMax}, "history": {config.InstanceHistoryMax, config.ReceiptRowsMax, config.PersonEventsMax, config.EnrolmentEventsMax}, "timeline": {config.IncidentEventsMax},
	"yes_to": {config.YesesMax}, "auto_approve": {config.AutoApproveRulesMax}, "earlier": {config.IncidentsEarlierMax, 2},
	"events": {config.CallbackEventsMax}, "observations": {config.ReceiptRowsMax}, "versions": {config.ReceiptRowsMax}, "approvals": {config.ReceiptRowsMax}, "sends": {config.ReceiptRowsMax}, "incidents": {config.ReceiptRowsMax},
	"retries": {config.ReceiptRowsMax}, "deliveries": {config.ReceiptRowsMax}, "evidence": {config.ReceiptRowsMax},
	"meetings": {config.MeetingsShownMax}, "message_ids": {2}, "days": {len(pace.Weekdays)}, "holidays": {config.HolidaysMax},
	"variables": {config.TemplateVariablesMax}, "values": {config.TemplateVariablesMax}, "missing": {config.TemplateVariablesMax},
	"mapping": {config.ImportColumnsMax}, "columns": {config.ImportColumnsMax}, "cells": {config.ImportColumnsMax},
	"steps": {config.SequenceStepsMax}, "people": {config.EnrolAtOnceMax}, "enrolment_ids": {config.EnrolAtOnceMax},
}

// largest are the bounds of numbers, by the name of their field or parameter.
var largest = map[string]int{
	"limit": config.PageSizeMax, "total": config.BulkItemsMax, "cool_off_days": config.CoolOffDaysMax,
	"approval_lasts_seconds": int(config.ApprovalLastsMax / time.Second), "status": httpStatusMax, "wait": int(config.EventWaitMax / time.Second),
	"colleague_days": config.ColleagueDaysMax, "person_most": config.PersonMostMax, "person_days": config.PersonDaysMax, "content_days": config.ContentDaysMax,
	"meetings": config.MeetingsShownMax, "late_days": config.LateDaysMax,
	"per_day": config.PaceMost, "per_hour": config.PaceMost, "gap_seconds": config.PaceSecondsMax, "jitter_seconds": config.PaceSecondsMax,
	"warm_up_from": config.PaceMost, "warm_up_days": config.WarmUpDaysMax, "count": config.StepDelayMax,
}

// unbounded are strings and arrays without a bound of their own.
var unbounded = map[string]string{
	"components/schemas/Sentence":                               "the server writes it",
	"components/schemas/FieldProblem/properties/field":          "a path in the request's body, which is bounded",
	"components/schemas/Yes/properties/digest":                  "of the request's body, which is bounded; what is no digest is not the current one",
	"components/schemas/No/properties/digest":                   "of the request's body, which is bounded; what is no digest is not the current one",
	"components/schemas/Pairing/properties/code":                "of the request's body, which is bounded; what is no code is wrong",
	"components/schemas/Renewal/properties/refresh_secret":      "of the request's body, which is bounded; what is no secret is wrong",
	"components/schemas/Message/properties/sends":               "one per retry",
	"components/schemas/Message/properties/history":             "it is never cut off",
	"components/schemas/Person/properties/linkedin":             "one per address that a program has named",
	"components/schemas/Person/properties/email":                "one per address that a program has named",
	"components/schemas/FoundPersonMembers/properties/linkedin": "one per address that a program has named",
	"components/schemas/FoundPersonMembers/properties/email":    "one per address that a program has named",
	"components/schemas/FoundPersonMembers/properties/ids":      "one per person who was merged into them",
	"components/schemas/Stakes/properties/ids":                  "one per person who was merged into them",
	"components/schemas/PersonStory/properties/suppressions":    "one per address, domain and company of theirs",
	"components/schemas/Meeting/properties/purpose":             "of a message, which is bounded, and folded",
	"components/schemas/Merge/properties/effects":               "one for each kind of thing that would happen",
	"components/schemas/Removal/properties/effects":             "one for each kind of thing that would happen",
	"components/schemas/ReceiptPerson/properties/identities":    "one per address that a program has named",
	"components/schemas/Evidence/properties/deliveries":         "it is never cut off",
	"components/schemas/Evidence/properties/said":               "it is never cut off",
	"components/parameters/Status/schema":                       "of the request's address, which is bounded",
	"paths//v1/messages/get/parameters/1/schema":                "of the request's address, which is bounded",
}

// The limits that the document names are those that the server has, and there is one of everything that could be long.
func TestLimitsAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	excused := map[string]bool{}
	root := read(t)
	walk(nil, root, func(at []string, o object) {
		where := strings.Join(at, "/")
		kinds, _ := o["type"].([]any)
		if kind, ok := o["type"].(string); ok {
			kinds = []any{kind}
		}
		name := fieldOf(root, at)
		if length, ok := o["maxLength"].(float64); ok && !slices.Contains(lengths[name], int(length)) {
			t.Errorf("%s: maxLength %v of %s is not one of %v", where, length, name, lengths[name])
		}
		if count, ok := o["maxItems"].(float64); ok && !slices.Contains(counts[name], int(count)) {
			t.Errorf("%s: maxItems %v of %s is not one of %v", where, count, name, counts[name])
		}
		if most, ok := o["maximum"].(float64); ok && int(most) != largest[name] {
			t.Errorf("%s: the maximum %v of %s is not %d", where, most, name, largest[name])
		}
		isBounded := o["maxLength"] != nil || o["maxItems"] != nil || o["format"] != nil || o["pattern"] != nil
		if (slices.Contains(kinds, "string") || slices.Contains(kinds, "array")) && !isBounded {
			if unbounded[where] == "" {
				t.Errorf("%s has no bound", where)
			}
			excused[where] = true
		}
	})
	for where := range unbounded {
		if !excused[where] {
			t.Errorf("%s is excused for nothing", where)
		}
	}
	if got := root["components"].(object)["parameters"].(object)["Limit"].(object)["schema"].(object)["default"].(float64); int(got) != config.PageSizeDefault {
		t.Errorf("the default of limit is %v, want %d", got, config.PageSizeDefault)
	}
}

// fieldOf is the name of the field, parameter or component that a schema belongs to.
func fieldOf(root object, at []string) string {
	for len(at) > 1 && (at[len(at)-1] == "items" && !isField(at) || at[len(at)-1] == "schema") {
		at = at[:len(at)-1]
	}
	if len(at) > 4 && at[0] == "paths" && at[3] == "parameters" {
		o := root["paths"].(object)[at[1]].(object)[at[2]].(object)
		name, _ := o["parameters"].([]any)[int(at[4][0]-'0')].(object)["name"].(string) // none where it is a reference
		return name
	}
	if len(at) == 3 && at[1] == "parameters" {
		return root["components"].(object)["parameters"].(object)[at[2]].(object)["name"].(string)
	}
	if len(at) == 0 {
		return ""
	}
	return at[len(at)-1]
}

// The words that the document lists are those of the code, all of them.
func TestWordsAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	schemas := read(t)["components"].(object)["schemas"].(object)
	for path, want := range map[string][]string{
		"Status":             texts(rule.Statuses()),
		"Refusal":            texts(rule.Refusals()),
		"Authority":          texts(message.Authorities()),
		"IncidentKind":       texts(incident.Kinds()),
		"HoldsFire":          texts([]instance.Code{instance.Moved, instance.UnknownOrigin, instance.OtherHistory, instance.FolderCopied, instance.EventMissing, instance.InstallAhead}),
		"CallbackEvent/type": texts(delivery.Kinds()),
		"EventType": texts([]event.Type{
			event.Send, event.Authority, event.Closed, event.ApprovalRequested, event.Approved, event.ApprovalVoided, event.Completed,
			event.Delivery, event.DeliveryTrouble, event.WrittenByHand, event.IncidentOpened, event.IncidentClosed,
			event.AccountStopped, event.AccountCleared, event.AccountPaused, event.AccountResumed,
			event.InstallRevoked, event.InstallPaused, event.InstallResumed,
			event.WorkspacePaused, event.WorkspaceResumed, event.EverythingPaused, event.EverythingResumed,
			event.PersonReplied, event.PersonSuppressed, event.PersonUnsuppressed, event.PersonMerged, event.PersonRemoved, event.Sequence, event.Enrolment,
		}),
		"Event/actor":        append(texts(rule.Actors()), "sql"),
		"Look/result":        texts(send.CheckResults()),
		"Principal/role":     texts(access.Roles()),
		"RetryRun/state":     texts([]bulk.State{bulk.Previewed, bulk.Running, bulk.Done}),
		"Pause/scope":        texts([]pause.Kind{pause.Account, pause.Install, pause.Workspace}),
		"ContactLevel":       texts([]people.Level{people.Free, people.TooOften, people.Owned, people.DoNotContact}),
		"PersonEvent/what":   texts([]person.Did{person.WasSuppressed, person.WasUnsuppressed, person.WasOwned, person.WasDisowned, person.WasMerged, person.WasRemoved}),
		"Suppression/scope":  append(texts([]people.Kind{people.LinkedInURN, people.LinkedInSlug, people.Email}), texts([]person.Scope{person.OfPerson, person.OfDomain, person.OfCompany})...),
		"ImportState":        texts(imports.States()),
		"ImportVerdict":      texts(imports.Verdicts()),
		"ImportOutcome":      texts(imports.Outcomes()),
		"Import/encoding":    texts(csv.Encodings()),
		"TemplateValue/from": texts(template.Sources()),
		"SequenceState":      texts(sequence.SequenceStates()),
		"EnrolmentState":     texts(sequence.EnrolmentStates()),
		"Delay/unit":         texts(sequence.Units()),
		"Resolution/outcome": {send.AnswerDelivered, send.AnswerNotDelivered},
	} {
		name, field, _ := strings.Cut(path, "/")
		schema := schemas[name].(object)
		if field != "" {
			schema = schema["properties"].(object)[field].(object)
		}
		var got []string
		for _, one := range schema["enum"].([]any) {
			got = append(got, one.(string))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", path, got, want)
		}
	}
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, one := range values {
		out[i] = string(one)
	}
	return out
}
