package sim

// scope is what a person pauses: its address, and which sends it holds.
type scope struct{ path, where, id string }

func accountScope(id string) scope { return scope{"/v1/accounts/" + id, "account_id::text = $1", id} }

// scope has no id while the browser is not paired.
func (b *browser) scope() scope {
	id := b.install()
	return scope{"/v1/installs/" + id, "lease_holder::text = $1", id}
}

var workspaceScope = scope{"/v1/workspace", "$1 = ''", ""}

func (p *people) pause() { p.pauseIt(accountScope(p.someAccount())) }

func (p *people) pauseWorkspace() { p.pauseIt(workspaceScope) }

func (p *people) pauseInstall() {
	if s := p.someBrowser().scope(); s.id != "" {
		p.pauseIt(s)
	}
}

// pauseIt pauses, and remembers what had begun when that was answered: nothing more may begin.
func (p *people) pauseIt(s scope) {
	if p.ask("POST", s.path+"/pause", map[string]any{"note": "a pause"}, nil).ok() {
		p.paused[s] = p.begun(s)
	}
}

// begun counts the sends of a scope that have ever started.
func (p *people) begun(s scope) (count int) {
	p.w.must(p.w.owner.QueryRow(p.w.ctx, "SELECT count(*) FROM sends WHERE started_at IS NOT NULL AND "+s.where, s.id).Scan(&count))
	return count
}

func (p *people) resumeIt(s scope) {
	if before, isPaused := p.paused[s]; isPaused {
		if now := p.begun(s); now != before {
			p.w.breach("%d sends began while %s was paused", now-before, s.path)
		}
		delete(p.paused, s)
	}
	p.ask("POST", s.path+"/resume", map[string]any{}, nil)
}

// resume takes a pause of an account back, and those of everything around it.
func (p *people) resume() {
	p.resumeIt(accountScope(p.someAccount()))
	p.resumeAround()
}

func (p *people) resumeAround() {
	p.resumeIt(workspaceScope)
	for _, b := range p.w.browsers {
		if s := b.scope(); s.id != "" {
			p.resumeIt(s)
		}
	}
}

// letGoOn takes back every pause and every stop of an account.
func (p *people) letGoOn() {
	for _, m := range p.w.site.members {
		p.resumeIt(accountScope(p.accounts[m]))
		p.ask("POST", "/v1/accounts/"+p.accounts[m]+"/clear", map[string]any{}, nil)
	}
	p.resumeAround()
	for _, b := range p.w.browsers {
		p.popup(b, "resume")
		p.popup(b, "view")
	}
}
