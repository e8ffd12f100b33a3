// Made from shared/statuses.json by "go run ./shared/generate". Change the table, not this file.

/** Identifies the rules (not their wording) to the server: sha256 over the canonical JSON of the table without "words". */
export const RULES_DIGEST = "sha256:51ccee0b9b19276d62d2bf3e6ba0805d8eaf528979e1f29b7b20f0e4bc79547b";

/** The table itself. Its meaning stands in core/rule.js. */
export const TABLE = Object.freeze({
  "version": 1,
  "actors": [
    "server",
    "sender",
    "observer",
    "operator"
  ],
  "statuses": {
    "queued": {
      "start": "never",
      "live": true
    },
    "leased": {
      "start": "never",
      "live": true
    },
    "started": {
      "start": "always",
      "live": true
    },
    "unconfirmed": {
      "start": "always",
      "live": true
    },
    "sent": {
      "start": "either",
      "live": true
    },
    "failed": {
      "start": "always",
      "live": false
    },
    "canceled": {
      "start": "never",
      "live": false
    }
  },
  "moves": [
    {
      "from": [
        "queued"
      ],
      "to": "leased",
      "by": [
        "server"
      ],
      "event": "lease"
    },
    {
      "from": [
        "leased"
      ],
      "to": "queued",
      "by": [
        "server"
      ],
      "event": "release, expiry"
    },
    {
      "from": [
        "queued",
        "leased"
      ],
      "to": "canceled",
      "by": [
        "server",
        "operator"
      ],
      "event": "cancel"
    },
    {
      "from": [
        "leased"
      ],
      "to": "started",
      "by": [
        "sender"
      ],
      "event": "start"
    },
    {
      "from": [
        "started"
      ],
      "to": "sent",
      "by": [
        "sender",
        "observer"
      ],
      "event": "confirmation"
    },
    {
      "from": [
        "started"
      ],
      "to": "failed",
      "by": [
        "sender"
      ],
      "event": "proof"
    },
    {
      "from": [
        "started"
      ],
      "to": "unconfirmed",
      "by": [
        "sender",
        "server"
      ],
      "event": "ambiguity, deadline"
    },
    {
      "from": [
        "unconfirmed"
      ],
      "to": "sent",
      "by": [
        "sender",
        "observer",
        "operator"
      ],
      "event": "late confirmation"
    },
    {
      "from": [
        "unconfirmed"
      ],
      "to": "failed",
      "by": [
        "sender",
        "operator"
      ],
      "event": "late proof, a person looked"
    },
    {
      "from": [
        "queued",
        "leased",
        "failed",
        "canceled"
      ],
      "to": "sent",
      "by": [
        "sender",
        "observer"
      ],
      "event": "late confirmation"
    }
  ],
  "looks": [
    "found",
    "absent",
    "impossible"
  ],
  "answer_kinds": [
    "status",
    "redirect",
    "sign_in",
    "none",
    "lost"
  ],
  "outcomes": [
    {
      "look": [
        "found"
      ],
      "copies": "many",
      "status": "sent",
      "code": "confirmed",
      "incident": "browser_repeated"
    },
    {
      "look": [
        "found"
      ],
      "double": true,
      "status": "sent",
      "code": "confirmed",
      "incident": "double_request"
    },
    {
      "look": [
        "found"
      ],
      "status": "sent",
      "code": "confirmed"
    },
    {
      "double": true,
      "status": "unconfirmed",
      "code": "double_request"
    },
    {
      "foreign": true,
      "status": "unconfirmed",
      "code": "foreign_request"
    },
    {
      "answer": [
        {
          "from": 429,
          "to": 429
        }
      ],
      "look": [
        "absent"
      ],
      "status": "failed",
      "code": "rate_limited"
    },
    {
      "answer": [
        {
          "from": 401,
          "to": 401
        },
        {
          "from": 403,
          "to": 403
        },
        {
          "from": 451,
          "to": 451
        },
        {
          "from": 999,
          "to": 999
        }
      ],
      "look": [
        "absent"
      ],
      "status": "failed",
      "code": "account_stopped"
    },
    {
      "answer": [
        {
          "from": 400,
          "to": 407
        },
        {
          "from": 409,
          "to": 424
        },
        {
          "from": 426,
          "to": 499
        }
      ],
      "look": [
        "absent"
      ],
      "status": "failed",
      "code": "refused_by_provider"
    },
    {
      "answer": [
        {
          "from": 400,
          "to": 407
        },
        {
          "from": 409,
          "to": 424
        },
        {
          "from": 426,
          "to": 499
        },
        {
          "from": 999,
          "to": 999
        }
      ],
      "look": [
        "impossible"
      ],
      "status": "unconfirmed",
      "code": "refusal_unproven"
    },
    {
      "answer": [
        {
          "from": 500,
          "to": 599
        }
      ],
      "status": "unconfirmed",
      "code": "server_error"
    },
    {
      "answer": [
        {
          "kind": "none"
        }
      ],
      "status": "unconfirmed",
      "code": "no_answer"
    },
    {
      "answer": [
        {
          "kind": "lost"
        }
      ],
      "status": "unconfirmed",
      "code": "sender_lost"
    },
    {
      "status": "unconfirmed",
      "code": "no_evidence"
    }
  ],
  "boxes": [
    "untouched",
    "cleared",
    "left",
    "emptied",
    "gone"
  ],
  "finds": [
    "none",
    "fresh",
    "old"
  ],
  "ends": [
    {
      "find": [
        "fresh"
      ],
      "status": "sent",
      "code": "already_there"
    },
    {
      "request": true,
      "status": "unconfirmed",
      "code": "foreign_request"
    },
    {
      "box": [
        "emptied"
      ],
      "status": "unconfirmed",
      "code": "foreign_request"
    },
    {
      "box": [
        "left",
        "gone"
      ],
      "status": "unconfirmed",
      "code": "draft_left"
    },
    {
      "unbroken": false,
      "status": "unconfirmed",
      "code": "sender_lost"
    },
    {
      "status": "failed",
      "code": "not_attempted"
    }
  ],
  "reasons": [
    "wrong_member",
    "wrong_person",
    "not_connected",
    "would_cost_inmail",
    "group_thread",
    "occupied_draft",
    "no_composer",
    "enter_to_send",
    "replied",
    "repeat_text",
    "signed_out",
    "too_late",
    "halted"
  ],
  "account_effects": [
    {
      "answer": [
        {
          "from": 401,
          "to": 401
        },
        {
          "from": 403,
          "to": 403
        },
        {
          "from": 451,
          "to": 451
        },
        {
          "from": 999,
          "to": 999
        },
        {
          "kind": "sign_in"
        }
      ],
      "effect": "stop"
    },
    {
      "answer": [
        {
          "from": 429,
          "to": 429
        }
      ],
      "effect": "cool_down"
    }
  ],
  "requeued_codes": [
    "rate_limited"
  ],
  "confirming_codes": [
    "confirmed",
    "already_there",
    "resolved_delivered"
  ],
  "machine_codes": [
    "deadline_passed",
    "resolved_not_delivered"
  ],
  "refusals": {
    "unknown_lease": "none",
    "stale_lease": "none",
    "lease_expired": "none",
    "already_started": "none",
    "superseded": "none",
    "not_granted": "none",
    "start_unrecorded": "none",
    "account_busy": "wait",
    "account_stopped": "wait",
    "breaker_tripped": "wait",
    "account_paused": "wait",
    "install_paused": "wait",
    "workspace_paused": "wait",
    "everything_paused": "wait",
    "account_cooling_down": "wait",
    "check_first": "wait",
    "too_early": "wait",
    "person_limit": "wait",
    "outside_hours": "wait",
    "day_limit": "wait",
    "hour_limit": "wait",
    "minimum_gap": "wait",
    "not_armed": "wait",
    "approval_missing": "cancel",
    "approval_expired": "cancel",
    "content_changed": "cancel",
    "withdrawn": "cancel",
    "closed": "cancel",
    "suppressed": "cancel",
    "owned_by_colleague": "cancel",
    "replied": "cancel",
    "window_closed": "cancel",
    "schedule_stale": "cancel",
    "sibling_exists": "cancel",
    "followed_sent": "cancel",
    "already_delivered": "cancel",
    "may_have_reached": "park",
    "released_too_often": "park"
  },
  "words": {
    "actors": {
      "server": "Sendonce itself",
      "sender": "the browser or mail sender that holds the attempt",
      "observer": "a check or a provider's notice",
      "operator": "a person"
    },
    "statuses": {
      "queued": {
        "label": "Queued",
        "text": "Approved and waiting its turn. Nothing has been sent."
      },
      "leased": {
        "label": "Leased",
        "text": "Handed to a browser, which has not begun. Nothing has been sent."
      },
      "started": {
        "label": "Started",
        "text": "Sending has begun. It will never go back to the queue."
      },
      "unconfirmed": {
        "label": "Needs a look",
        "text": "Sending started but was never confirmed. A person must look before anything else is done."
      },
      "sent": {
        "label": "Sent",
        "text": "There is evidence that it was delivered."
      },
      "failed": {
        "label": "Failed",
        "text": "It is certain that nothing was delivered. It may be retried."
      },
      "canceled": {
        "label": "Canceled",
        "text": "Stopped before sending began. Nothing was sent."
      }
    },
    "instructions": {
      "linkedin": "Sending started but was never confirmed, so it was not retried. Check LinkedIn before re-sending.",
      "email": "Sending started but was never confirmed, so it was not retried. Check the mailbox before re-sending."
    },
    "codes": {
      "confirmed": "The message was found in the conversation.",
      "already_there": "The same message already stood in the conversation, so it was not sent again.",
      "resolved_delivered": "A person looked and said that it was delivered.",
      "resolved_not_delivered": "A person looked and said that it was not delivered.",
      "double_request": "The page sent two requests for one click.",
      "foreign_request": "A request was seen that Sendonce did not make.",
      "rate_limited": "LinkedIn asked to slow down before it took the message.",
      "account_stopped": "LinkedIn refused this account. The account is stopped until a person clears it.",
      "refused_by_provider": "LinkedIn refused the message, and it does not stand in the conversation.",
      "refusal_unproven": "LinkedIn seemed to refuse the message, but the conversation could not be read to prove it.",
      "server_error": "LinkedIn answered with a server error. It may have taken the message.",
      "no_answer": "LinkedIn did not answer. It may have taken the message.",
      "sender_lost": "The browser stopped between the start and the end. The message may have gone out.",
      "no_evidence": "LinkedIn answered, but the message was not found in the conversation.",
      "draft_left": "The text was left in the message box and could not be cleared.",
      "deadline_passed": "No result arrived before the deadline. The message may have gone out.",
      "not_attempted": "Sendonce stopped before pressing Send, and its text was cleared."
    },
    "reasons": {
      "wrong_member": "Another member is signed in to LinkedIn in that browser.",
      "wrong_person": "The page belonged to someone else.",
      "not_connected": "You are not connected with this person.",
      "would_cost_inmail": "This message would have cost an InMail credit.",
      "group_thread": "The conversation has more than one other participant.",
      "occupied_draft": "There was already a draft in the message box.",
      "no_composer": "The message box was not found on the page.",
      "enter_to_send": "LinkedIn is set to send on Enter and shows no Send button.",
      "replied": "The person has replied since the approval.",
      "repeat_text": "The same text was sent to this person before, and the approval did not name the repeat.",
      "signed_out": "LinkedIn was signed out or asked for a check.",
      "too_late": "The time in which Send may be pressed had passed.",
      "halted": "It was stopped by a person or by the server."
    },
    "refusals": {
      "unknown_lease": "This lease was not issued by this server.",
      "stale_lease": "This lease is no longer the current one for the send.",
      "lease_expired": "The lease ran out before sending began.",
      "already_started": "Another attempt has already started this send.",
      "superseded": "A newer connection of the same install has taken over.",
      "not_granted": "This install does not serve that account.",
      "start_unrecorded": "The start could not be recorded, so nothing may be sent.",
      "account_busy": "Waiting: this account is working on another message.",
      "account_stopped": "Waiting: LinkedIn refused this account, or asked to sign in. A person must clear it.",
      "breaker_tripped": "Waiting: too many sends of this account came to no good end in a short time. A person must look, then clear it.",
      "account_paused": "Waiting: this account is paused.",
      "install_paused": "Waiting: the browser that may send it is paused.",
      "workspace_paused": "Waiting: sending is paused for the whole team.",
      "everything_paused": "Waiting: all sending by this server is paused.",
      "account_cooling_down": "Waiting: LinkedIn asked this account to slow down.",
      "check_first": "Waiting: a browser looks first what became of an earlier message of this account.",
      "too_early": "Waiting for its send window to open.",
      "person_limit": "Waiting: this person was written to as often as the team allows in so many days.",
      "outside_hours": "Waiting: these are not the working hours of this account.",
      "day_limit": "Waiting: this account has begun as many messages today as it may.",
      "hour_limit": "Waiting: this account has begun as many messages within an hour as it may.",
      "minimum_gap": "Waiting: this account leaves some time between two messages.",
      "not_armed": "Waiting: this database has not been armed for sending.",
      "approval_missing": "The message has no standing approval.",
      "approval_expired": "The approval has expired. Approve the message again.",
      "content_changed": "The text differs from what was approved.",
      "withdrawn": "The message was withdrawn.",
      "closed": "The message was closed: its work is done.",
      "suppressed": "This person must not be contacted.",
      "owned_by_colleague": "A colleague owns this person, or wrote to them lately. Approve the message again with the reason for writing as well.",
      "replied": "The person has replied since the approval.",
      "window_closed": "The send window has closed.",
      "schedule_stale": "It was scheduled for a time that is too long ago. Approve it again if it should still go out.",
      "sibling_exists": "Another send of this message is live or was delivered.",
      "followed_sent": "The message that this one follows proved delivered after the approval. Read both, then approve again or withdraw.",
      "already_delivered": "The identical text has already reached this person since the approval.",
      "may_have_reached": "Parked: the identical text may already have reached this person. Settle the unconfirmed send first.",
      "released_too_often": "Parked: five browsers in a row gave this message back. A person must look."
    },
    "requeues": {
      "later": "It is tried again by itself, by a new send.",
      "over": "It is not tried again by itself. Retry it once the account works again."
    },
    "stops": {
      "signed_out": "LinkedIn was signed out, or asked for a check. Sign in there and see that it works.",
      "sign_in": "LinkedIn led to its sign-in or to a check. Sign in there and see that it works.",
      "burst_server_error": "LinkedIn answered with server errors again and again, so the account was stopped.",
      "burst_rate_limited": "LinkedIn asked to slow down again and again, so the account was stopped.",
      "burst_no_evidence": "Messages never showed in their conversations again and again, so the account was stopped."
    }
  }
});
