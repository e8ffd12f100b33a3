package main

import "slices"

// extensionMutants break what the extension checks before and after it clicks.
func extensionMutants() []mutant {
	return slices.Concat(gateMutants(), driverMutants(), attemptMutants())
}

func gateMutants() []mutant {
	const gate = "extension/linkedin/gate.js"
	tests := nodeTest("extension/test/gate.test.js")
	return []mutant{
		{
			name: "dead-worker-clicks", breaks: "a frozen tab wakes after its worker died, and clicks", file: gate,
			find: "if (!moment.alive || moment.spent)", replace: "if (moment.spent)", test: tests,
		},
		{
			name: "second-click", breaks: "one page script clicks twice", file: gate,
			find: "if (!moment.alive || moment.spent)", replace: "if (!moment.alive)", test: tests,
		},
		{
			name: "late-click", breaks: "Send is pressed after the touch window", file: gate,
			find: "mono <= go.window_ms && wall >= 0 && wall <= go.window_ms", replace: "wall >= 0", test: tests,
		},
		{
			name: "sleep-goes-unseen", breaks: "a machine that slept clicks on waking", file: gate,
			find: "&& Math.abs(wall - mono) <= go.apart_max_ms", replace: "", test: tests,
		},
		{
			name: "any-member-sends", breaks: "another member's account sends the message", file: gate,
			find: "facts.members.length === 0 || facts.members.some(", replace: "facts.members.length === 0 && facts.members.some(", test: tests,
		},
		{
			name: "first-message-changes-hands", breaks: "a first message goes to whom the page named in the last moment", file: gate,
			find: "(facts.recipients === 1 && same)", replace: "facts.recipients === 1", test: tests,
		},
		{
			name: "other-text-goes-out", breaks: "what stands in the box is not what was approved", file: gate,
			find: "if (!page.sameBytes(box, go.text)) return 'halted';", replace: "", test: tests,
		},
		{
			name: "reply-in-the-last-moment", breaks: "a message crosses the reply that just arrived", file: gate,
			find: "if ((last?.urn ?? null) !== go.last_id)", replace: "if (false)", test: tests,
		},
	}
}

func driverMutants() []mutant {
	const driver = "extension/linkedin/driver.js"
	tests := nodeTest("extension/test/driver.test.js")
	return []mutant{
		{
			name: "emptied-box-was-cleared", breaks: "a text that another hand took out, and may have sent, counts as not sent", file: driver,
			find: "if (text.trim() === '') return 'emptied';", replace: "if (text.trim() === '') return 'cleared';", test: tests,
		},
		{
			name: "taken-out-as-it-is-typed", breaks: "a text that the page took, and may have sent, counts as never put in", file: driver,
			find: "if (inserted && now.trim() === '')", replace: "if (false)", test: tests,
		},
	}
}

func attemptMutants() []mutant {
	tests := nodeTest("extension/test/attempt.test.js", "extension/test/attempt_walk.test.js", "extension/test/install.test.js")
	return []mutant{
		{
			name: "touched-before-started", breaks: "LinkedIn is opened before the start was acknowledged", file: "extension/core/attempt/ask.js",
			find: "  s.phase = 'asking';\n", replace: "  s.phase = 'asking';\n  openTab(turn);\n", test: tests,
		},
		{
			name: "another-attempts-ack-counts", breaks: "an acknowledgement of somebody else's attempt is taken", file: "extension/core/attempt/ask.js",
			find: "type === 'started' && event.frame.attempt === s.attempt", replace: "type === 'started'", test: tests,
		},
		{
			name: "revived-worker-says-absent", breaks: "a restarted worker proves that nothing was delivered", file: "extension/core/attempt/close.js",
			find: "!s.live && look === 'absent' ? 'impossible' : look", replace: "look", test: tests,
		},
		{
			name: "double-answer-says-the-first", breaks: "of two answers to one click the one that stops the account goes unheard", file: "extension/core/attempt/seen.js",
			find: "ours.find(({ answer }) => answer !== null && accountEffect(answer) !== null) ?? ours[0]", replace: "ours[0]", test: tests,
		},
		{
			name: "stop-after-go-is-no-click", breaks: "a stop after \"go\" is reported as not sent", file: "extension/core/attempt/act.js",
			find:    "  if (heardWord(turn, event)) return;\n  if (event.type === 'timer' && event.name === 'box') watch(turn);",
			replace: "  if (heardWord(turn, event)) return;\n  if (interrupted(turn, event)) return;\n  if (event.type === 'timer' && event.name === 'box') watch(turn);", test: tests,
		},
	}
}
