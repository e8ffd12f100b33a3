package api_test

import (
	"fmt"
	"strings"
)

// request is one thing to be asked of a route that writes.
type request struct {
	path, body string
	// other is another body that the route takes as well, or "" where there is none.
	other string
	// now is where a GET shows the object, with %s for its id in the answer and # before the member that it is, if it is one; ""
	// is where no GET shows it.
	now string
}

// ownProof are the routes without a principal, so that no key of theirs is kept: what they are shown is used up by the first who
// shows it, and a callback is known again by its events.
var ownProof = []string{"POST /v1/installs", "POST /v1/installs/token", "POST /v1/callbacks/:id"}

// filesTaken are the routes whose body is a file: their own tests try them twice.
var filesTaken = []string{"POST /v1/imports"}

// writingRoutes is every other route that writes, each with something new to ask of it. A route that is not here is one whose
// repetition nobody has tried.
var writingRoutes = map[string]func(s *server, slug string) request{
	"POST /v1/workspace/pause": func(*server, string) request { return paused("/v1/workspace") },
	"PATCH /v1/workspace/policy": func(*server, string) request {
		return request{"/v1/workspace/policy", `{"cool_off_days":30}`, `{"cool_off_days":31}`, "/v1/workspace#policy"}
	},
	"POST /v1/workspace/resume": func(*server, string) request { return bare("/v1/workspace/resume", "/v1/workspace") },

	"POST /v1/accounts": func(_ *server, slug string) request {
		const body = `{"channel":"linkedin","handle":"/in/%s-%s"}`
		return request{"/v1/accounts", fmt.Sprintf(body, slug, "one"), fmt.Sprintf(body, slug, "two"), "/v1/accounts/%s"}
	},
	"POST /v1/accounts/:id/clear": func(s *server, _ string) request { return s.ofAccount("/clear") },
	"PUT /v1/accounts/:id/hours": func(s *server, _ string) request {
		path := "/v1/accounts/" + s.account + "/hours"
		return request{path, hoursBody, `{"zone":"UTC","opens":"00:00","closes":"24:00","days":["sunday"]}`, path}
	},
	"PUT /v1/accounts/:id/limits": func(s *server, _ string) request {
		path := "/v1/accounts/" + s.account + "/limits"
		return request{path, limitsBody, strings.Replace(limitsBody, `"per_hour":3`, `"per_hour":2`, 1), path}
	},
	"POST /v1/accounts/:id/pause":  func(s *server, _ string) request { return paused("/v1/accounts/" + s.account) },
	"POST /v1/accounts/:id/resume": func(s *server, _ string) request { return s.ofAccount("/resume") },

	"PATCH /v1/people/:id": func(s *server, slug string) request {
		path := "/v1/people/" + s.proposeTo(slug).personOf()
		return request{path, `{"name":"Ada"}`, `{"name":"Bea"}`, path}
	},
	"POST /v1/people/:id/merge": func(s *server, slug string) request {
		kept, gone := s.proposeTo(slug).personOf(), s.to(slug+"-too", "another purpose", "Good day").personOf()
		path := "/v1/people/" + kept
		return request{path + "/merge", fmt.Sprintf(`{"other":%q,"seen":%q}`, gone, s.preview(kept, gone).text("seen")), fmt.Sprintf(`{"other":%q,"seen":"00"}`, gone), path}
	},
	"POST /v1/people/:id/removal": func(s *server, slug string) request {
		id := s.proposeTo(slug).personOf()
		return request{"/v1/people/" + id + "/removal", fmt.Sprintf(`{"seen":%q}`, s.previewRemoval(id).text("seen")), `{"seen":"00"}`, "/v1/people/" + id}
	},

	"POST /v1/suppressions": func(_ *server, slug string) request {
		const body = `{"email":"%s@%s.example","why":"they said no"}`
		return request{"/v1/suppressions", fmt.Sprintf(body, slug, "one"), fmt.Sprintf(body, slug, "two"), "/v1/suppressions/%s"}
	},
	"POST /v1/suppressions/:id/lifting": func(s *server, slug string) request {
		path := "/v1/suppressions/" + s.suppress(fmt.Sprintf(`"email":"%s@three.example"`, slug)).text("id")
		return request{path + "/lifting", `{"why":"they asked for it"}`, `{"why":"they said yes"}`, path}
	},

	"POST /v1/templates": func(_ *server, slug string) request {
		const body = `{"name":%q,"body":"Hello {{first_name}}"}`
		return request{"/v1/templates", fmt.Sprintf(body, slug), fmt.Sprintf(body, slug+" too"), "/v1/templates/%s"}
	},
	"PATCH /v1/templates/:id": func(s *server, _ string) request {
		path := "/v1/templates/" + s.template("Hello {{first_name}}").text("id")
		return request{path, `{"body":"Good day"}`, `{"body":"Hello again"}`, path}
	},

	"PATCH /v1/imports/:id": func(s *server, slug string) request {
		path := "/v1/imports/" + s.previewed("linkedin,name\n/in/"+slug+",Ada\n").text("id")
		return request{path, `{"mapping":["linkedin","name"]}`, `{"mapping":["linkedin",null]}`, path}
	},
	"POST /v1/imports/:id/start": func(s *server, slug string) request {
		path := "/v1/imports/" + s.previewed("linkedin,name\n/in/"+slug+",Ada\n").text("id")
		return bare(path+"/start", path)
	},

	"POST /v1/sequences": func(_ *server, slug string) request {
		return request{"/v1/sequences", fmt.Sprintf(`{"name":%q}`, slug), fmt.Sprintf(`{"name":%q}`, slug+" too"), "/v1/sequences/%s"}
	},
	"PUT /v1/sequences/:id/steps": func(s *server, _ string) request {
		path := "/v1/sequences/" + s.sequence()
		template := s.template("Hello again").text("id")
		return request{path + "/steps", stepsOf(template, 1), stepsOf(template, 2), path}
	},
	"POST /v1/sequences/:id/pause":  func(s *server, _ string) request { return s.ofSequence("/pause") },
	"POST /v1/sequences/:id/resume": func(s *server, _ string) request { return s.ofSequence("/resume") },
	"POST /v1/sequences/:id/finish": func(s *server, _ string) request { return s.ofSequence("/finish") },
	"POST /v1/sequences/:id/stop":   func(s *server, _ string) request { return s.ofSequence("/stop") },
	"POST /v1/sequences/:id/enrolments": func(s *server, slug string) request {
		path, person := "/v1/sequences/"+s.sequence(), s.proposeTo(slug).personOf()
		return request{path + "/enrolments", fmt.Sprintf(`{"account_id":%q,"people":[%q]}`, s.account, person), fmt.Sprintf(`{"account_id":%q,"people":[%[2]q,%[2]q]}`, s.account, person), path}
	},
	"POST /v1/enrolments": func(s *server, slug string) request {
		person := s.proposeTo(slug).personOf()
		return request{"/v1/enrolments", s.enrolmentOf(s.sequence(), person), s.enrolmentOf(s.sequence(), person), "/v1/enrolments/%s"}
	},
	"POST /v1/enrolments/:id/pause":  func(s *server, slug string) request { return s.ofEnrolment(slug, "/pause") },
	"POST /v1/enrolments/:id/resume": func(s *server, slug string) request { return s.ofEnrolment(slug, "/resume") },
	"POST /v1/enrolments/:id/stop":   func(s *server, slug string) request { return s.ofEnrolment(slug, "/stop") },

	"POST /v1/messages": func(s *server, slug string) request {
		return request{"/v1/messages", s.proposalTo(slug, "Hello "+slug), s.proposalTo(slug, "Good day"), "/v1/messages/%s"}
	},
	"PATCH /v1/messages/:id": func(s *server, slug string) request {
		path := "/v1/messages/" + s.proposeTo(slug).text("id")
		return request{path, `{"body":"Hello again","subject":null}`, `{"body":"Good day"}`, path}
	},
	"POST /v1/messages/:id/approval": func(s *server, slug string) request {
		m := s.proposeTo(slug)
		path := "/v1/messages/" + m.text("id")
		return request{path + "/approval", yes(m), `{"version":1,"digest":"sha256:00"}`, path}
	},
	"POST /v1/messages/:id/rejection": func(s *server, slug string) request {
		m := s.proposeTo(slug)
		path := "/v1/messages/" + m.text("id")
		return request{path + "/rejection", no(m, "Too pushy"), `{"version":1,"digest":"sha256:00"}`, path}
	},
	"POST /v1/messages/:id/revocation": func(s *server, slug string) request {
		path := "/v1/messages/" + s.approve(s.proposeTo(slug)).text("id")
		return bare(path+"/revocation", path)
	},
	"POST /v1/messages/:id/withdrawal": func(s *server, slug string) request {
		path := "/v1/messages/" + s.proposeTo(slug).text("id")
		return bare(path+"/withdrawal", path)
	},
	"POST /v1/messages/:id/closing": func(s *server, slug string) request {
		path := "/v1/messages/" + s.proposeTo(slug).text("id")
		return request{path + "/closing", `{"why":"They have a job"}`, `{"why":"The task is done"}`, path}
	},

	"POST /v1/sends/:id/retry": func(s *server, slug string) request {
		return bare("/v1/sends/"+s.sendTo(slug, lease, start, prove, fail)+"/retry", "/v1/sends/%s")
	},
	"POST /v1/sends/:id/resolution": func(s *server, slug string) request {
		path := "/v1/sends/" + s.sendTo(slug, lease, start, unconfirm)
		return request{path + "/resolution", resolution("delivered", "It stands there"), resolution("delivered", "I saw it"), path}
	},
	"POST /v1/sends/:id/check": func(s *server, slug string) request {
		path := "/v1/sends/" + s.sendTo(slug, lease, start, unconfirm)
		return bare(path+"/check", path)
	},

	"POST /v1/retries": func(*server, string) request {
		return request{"/v1/retries", `{"code":"rate_limited"}`, `{}`, "/v1/retries/%s"}
	},
	"POST /v1/retries/:id/start": func(s *server, _ string) request {
		path := "/v1/retries/" + s.ask("POST", "/v1/retries", `{"code":"rate_limited"}`).text("id")
		return bare(path+"/start", path)
	},

	"POST /v1/approvals": func(*server, string) request {
		return request{"/v1/approvals", `{"purpose":"nothing like it"}`, `{}`, "/v1/approvals/%s"}
	},
	"POST /v1/approvals/:id/start": func(s *server, _ string) request {
		path := "/v1/approvals/" + s.ask("POST", "/v1/approvals", `{"purpose":"nothing like it"}`).text("id")
		return bare(path+"/start", path)
	},

	"POST /v1/pairing-codes": func(*server, string) request { return bare("/v1/pairing-codes", "") },
	"DELETE /v1/installs/:id": func(s *server, _ string) request {
		return bare("/v1/installs/"+s.addInstall(), "")
	},
	"POST /v1/installs/:id/pause": func(s *server, _ string) request { return paused("/v1/installs/" + s.addInstall()) },
	"POST /v1/installs/:id/resume": func(s *server, _ string) request {
		path := "/v1/installs/" + s.addInstall()
		return bare(path+"/resume", path)
	},

	"POST /v1/instance/arming": func(s *server, _ string) request {
		s.disarm()
		return request{"/v1/instance/arming", `{"epoch":1,"accept_unseen":true}`, `{"epoch":9}`, "/v1/instance"}
	},
	"POST /v1/incidents/:id/closing": func(s *server, slug string) request {
		path := "/v1/incidents/" + s.addIncident("delivered_twice", s.proposeTo(slug).text("id"))
		return request{path + "/closing", `{"note":"Both were read"}`, `{"note":"Seen"}`, path}
	},
}

func paused(path string) request {
	return request{path + "/pause", `{"note":"until Monday"}`, `{"note":"until Tuesday"}`, path}
}

// bare asks for what takes no fields.
func bare(path, now string) request { return request{path, "{}", "", now} }

func (s *server) ofAccount(what string) request {
	path := "/v1/accounts/" + s.account
	return bare(path+what, path)
}

func (s *server) proposalTo(slug, body string) string {
	return fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"https://www.linkedin.com/in/%s"},"body":%q,"purpose":"first contact"}`, s.account, slug, body)
}

func (s *server) proposeTo(slug string) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/messages", s.proposalTo(slug, "Hello "+slug))
}

// sendTo is the first send of an approved message, moved by hand.
func (s *server) sendTo(slug string, moves ...string) (send string) {
	s.t.Helper()
	send = s.approve(s.proposeTo(slug)).text("sends.0.id")
	s.move(send, moves...)
	return send
}
