package api

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/bulk"
	"sendonce/server/pause"
	"sendonce/server/sequence"
	"sendonce/server/web"
)

// Routes adds every route of the API, each with the right that it takes.
func (a *API) Routes(e *echo.Echo) {
	for _, r := range a.routes() {
		handler := r.open
		if handler == nil {
			handler = a.authorized(r.right, r.handle)
		}
		e.Add(r.method, r.path, handler)
	}
}

type route struct {
	method, path string
	right        access.Right
	handle       func(call) error
	open         echo.HandlerFunc // instead of handle: no token, the request brings its own proof; or its bounds are its own
}

const (
	get    = http.MethodGet
	post   = http.MethodPost
	patch  = http.MethodPatch
	put    = http.MethodPut
	remove = http.MethodDelete
)

func (a *API) routes() []route {
	return slices.Concat(a.openRoutes(), a.messageRoutes(), a.peopleRoutes(), a.templateRoutes(), a.importRoutes(), a.sequenceRoutes(), a.teamRoutes())
}

// openRoutes ask for no token.
func (a *API) openRoutes() []route {
	return []route{
		{get, "/healthz", "", nil, a.healthz},
		{get, "/readyz", "", nil, a.readyz},
		{get, "/v1/openapi.json", "", nil, a.showOpenAPI},
		{get, "/v1/receipt-keys", "", nil, web.Bounded(a.listReceiptKeys)},

		{post, "/v1/installs", "", nil, web.Bounded(a.createInstall)},
		{post, "/v1/installs/token", "", nil, web.Bounded(a.renewInstall)},
		{post, "/v1/callbacks/:id", "", nil, web.Bounded(a.receiveCallback)},
	}
}

// messageRoutes are about messages, their sends, and many of either at once.
func (a *API) messageRoutes() []route {
	return []route{
		{post, "/v1/messages", access.Propose, a.proposeMessage, nil},
		{get, "/v1/messages", access.Read, a.listMessages, nil},
		{get, "/v1/messages/:id", access.Read, a.getMessage, nil},
		{get, "/v1/messages/:id/receipt", access.Read, a.getReceipt, nil},
		{patch, "/v1/messages/:id", access.Propose, a.editMessage, nil},
		{post, "/v1/messages/:id/approval", access.Decide, a.approveMessage, nil},
		{post, "/v1/messages/:id/rejection", access.Decide, a.rejectMessage, nil},
		{post, "/v1/messages/:id/revocation", access.Decide, a.revokeApproval, nil},
		{post, "/v1/messages/:id/withdrawal", access.Decide, a.withdrawMessage, nil},
		{post, "/v1/messages/:id/closing", access.Decide, a.closeMessage, nil},

		{get, "/v1/sends", access.Read, a.listSends, nil},
		{get, "/v1/sends/:id", access.Read, a.getSend, nil},
		{post, "/v1/sends/:id/retry", access.Decide, a.retrySend, nil},
		{post, "/v1/sends/:id/resolution", access.Decide, a.resolveSend, nil},
		{post, "/v1/sends/:id/check", access.Decide, a.checkSend, nil},

		{post, "/v1/retries", access.Decide, a.previewRetries, nil},
		{get, "/v1/retries/:id", access.Read, a.getRun(bulk.Retry), nil},
		{get, "/v1/retries/:id/items", access.Read, a.listRunItems(bulk.Retry), nil},
		{post, "/v1/retries/:id/start", access.Decide, a.beginRun(bulk.Retry), nil},

		{post, "/v1/approvals", access.Decide, a.previewApprovals, nil},
		{get, "/v1/approvals/:id", access.Read, a.getRun(bulk.Approval), nil},
		{get, "/v1/approvals/:id/items", access.Read, a.listRunItems(bulk.Approval), nil},
		{post, "/v1/approvals/:id/start", access.Decide, a.beginRun(bulk.Approval), nil},
	}
}

// peopleRoutes are about people: who they are, and who must not be written to.
func (a *API) peopleRoutes() []route {
	return []route{
		{get, "/v1/people", access.Read, a.listPeople, nil},
		{get, "/v1/people/:id", access.Read, a.getPerson, nil},
		{patch, "/v1/people/:id", access.Decide, a.changePerson, nil},
		{get, "/v1/people/:id/merge", access.Decide, a.previewMerge, nil},
		{post, "/v1/people/:id/merge", access.Decide, a.mergePeople, nil},
		{get, "/v1/people/:id/removal", access.Forget, a.previewRemoval, nil},
		{post, "/v1/people/:id/removal", access.Forget, a.removePerson, nil},

		{post, "/v1/suppressions", access.Suppress, a.suppress, nil},
		{get, "/v1/suppressions", access.Read, a.listSuppressions, nil},
		{get, "/v1/suppressions/:id", access.Read, a.getSuppression, nil},
		{post, "/v1/suppressions/:id/lifting", access.Forget, a.liftSuppression, nil},
	}
}

// templateRoutes are about what many messages say.
func (a *API) templateRoutes() []route {
	return []route{
		{post, "/v1/templates", access.Compose, a.createTemplate, nil},
		{get, "/v1/templates", access.Read, a.listTemplates, nil},
		{get, "/v1/templates/:id", access.Read, a.getTemplate, nil},
		{patch, "/v1/templates/:id", access.Compose, a.changeTemplate, nil},
		{get, "/v1/templates/:id/preview", access.Read, a.previewTemplate, nil},
	}
}

// importRoutes are about people who come in a file. What is in it is shown to whoever may import it.
func (a *API) importRoutes() []route {
	return []route{
		{post, "/v1/imports", access.Import, a.uploadImport, nil},
		{get, "/v1/imports", access.Import, a.listImports, nil},
		{get, "/v1/imports/:id", access.Import, a.getImport, nil},
		{patch, "/v1/imports/:id", access.Import, a.mapImport, nil},
		{get, "/v1/imports/:id/rows", access.Import, a.listImportRows, nil},
		{post, "/v1/imports/:id/start", access.Import, a.beginImport, nil},
		{get, "/v1/imports/:id/results", access.Import, a.saveImportResults, nil},
	}
}

// sequenceRoutes are about what is written one step after the other, and to whom.
func (a *API) sequenceRoutes() []route {
	return []route{
		{post, "/v1/sequences", access.Compose, a.createSequence, nil},
		{get, "/v1/sequences", access.Read, a.listSequences, nil},
		{get, "/v1/sequences/:id", access.Read, a.getSequence, nil},
		{put, "/v1/sequences/:id/steps", access.Compose, a.setSteps, nil},
		{post, "/v1/sequences/:id/pause", access.Decide, a.moveSequence(sequence.Paused), nil},
		{post, "/v1/sequences/:id/resume", access.Decide, a.moveSequence(sequence.Running), nil},
		{post, "/v1/sequences/:id/finish", access.Decide, a.moveSequence(sequence.Finished), nil},
		{post, "/v1/sequences/:id/stop", access.Decide, a.moveSequence(sequence.Stopped), nil},
		{post, "/v1/sequences/:id/enrolments", access.Propose, a.enrolMany, nil},

		{post, "/v1/enrolments", access.Propose, a.enrol, nil},
		{get, "/v1/enrolments", access.Read, a.listEnrolments, nil},
		{get, "/v1/enrolments/:id", access.Read, a.getEnrolment, nil},
		{post, "/v1/enrolments/:id/pause", access.Decide, a.moveEnrolment(sequence.Paused), nil},
		{post, "/v1/enrolments/:id/resume", access.Decide, a.moveEnrolment(sequence.Running), nil},
		{post, "/v1/enrolments/:id/stop", access.Decide, a.moveEnrolment(sequence.Stopped), nil},
	}
}

// teamRoutes are about the team's workspace, what it sends with, what a person must know, and the feed of all of it.
func (a *API) teamRoutes() []route {
	return []route{
		{get, "/v1/workspace", access.Read, a.getWorkspace, nil},
		{patch, "/v1/workspace/policy", access.SetPolicy, a.setPolicy, nil},
		{post, "/v1/workspace/pause", access.Manage, a.pauseIt(pause.Workspace), nil},
		{post, "/v1/workspace/resume", access.Manage, a.resumeIt(pause.Workspace), nil},

		{post, "/v1/accounts", access.Manage, a.createAccount, nil},
		{get, "/v1/accounts", access.Read, a.listAccounts, nil},
		{get, "/v1/accounts/:id", access.Read, a.getAccount, nil},
		{post, "/v1/accounts/:id/clear", access.Manage, a.clearAccount, nil},
		{get, "/v1/accounts/:id/hours", access.Read, a.getHours, nil},
		{put, "/v1/accounts/:id/hours", access.Manage, a.setHours, nil},
		{get, "/v1/accounts/:id/limits", access.Read, a.getLimits, nil},
		{put, "/v1/accounts/:id/limits", access.Manage, a.setLimits, nil},
		{post, "/v1/accounts/:id/pause", access.Manage, a.pauseIt(pause.Account), nil},
		{post, "/v1/accounts/:id/resume", access.Manage, a.resumeIt(pause.Account), nil},

		{post, "/v1/pairing-codes", access.Manage, a.createPairingCode, nil},
		{get, "/v1/installs", access.Read, a.listInstalls, nil},
		{get, "/v1/installs/:id", access.Read, a.getInstall, nil},
		{remove, "/v1/installs/:id", access.Manage, a.revokeInstall, nil},
		{post, "/v1/installs/:id/pause", access.Manage, a.pauseIt(pause.Install), nil},
		{post, "/v1/installs/:id/resume", access.Manage, a.resumeIt(pause.Install), nil},

		{get, "/v1/instance", access.Read, a.getInstance, nil},
		{post, "/v1/instance/arming", access.Arm, a.armInstance, nil},

		{get, "/v1/incidents", access.Read, a.listIncidents, nil},
		{get, "/v1/incidents/:id", access.Read, a.getIncident, nil},
		{post, "/v1/incidents/:id/closing", access.Decide, a.closeIncident, nil},

		{get, "/v1/events", access.Read, nil, a.lasting(access.Read, a.readEvents)},
	}
}
