package sim

import "time"

// What people do at LinkedIn, in the popup, and in our tabs.

// reply is a person who answers, having seen what stands there; often one to whom a message is on its way.
func (p *people) reply() {
	m := p.any()
	if m == nil {
		return
	}
	t := p.w.site.find(m.member, m.person)
	if t == nil {
		return
	}
	for _, c := range t.copies {
		if c.own && !c.visible.After(time.Now()) {
			t.seen = c
		}
	}
	p.w.site.accept(t.member, t.person, &copied{text: "Thank you."}, true)
	p.w.tell("people: %s replies", t.person.slug)
}

// byTheWay is what recruiters write themselves.
const byTheWay = "By the way."

// writeByHand is a recruiter who writes themself, now and then the very text.
func (p *people) writeByHand() {
	m := p.any()
	if m == nil {
		return
	}
	text := byTheWay
	if p.w.chance(0.3) {
		text = m.body
	}
	p.w.site.accept(m.member, m.person, &copied{own: true, text: text}, true)
	p.w.tell("people: %s writes to %s by hand", m.member.slug, m.person.slug)
}

func (p *people) someBrowser() *browser { return p.w.browsers[p.w.rng.IntN(len(p.w.browsers))] }

func (p *people) popup(b *browser, command string) {
	if b.running {
		p.w.tell("people: %s in the popup of %s", command, b.name)
		b.command(map[string]string{"what": command})
	}
}

func (p *people) lookIntoPopup() { p.popup(p.someBrowser(), "view") }

func (p *people) stopInPopup() { p.popup(p.someBrowser(), "stop") }

func (p *people) pauseInPopup() {
	p.popup(p.someBrowser(), []string{"pause", "resume", "resume", "resume"}[p.w.rng.IntN(4)])
}

// hand is a recruiter who touches one of our tabs.
func (p *people) hand() {
	w := p.w
	b := w.browsers[w.rng.IntN(len(w.browsers))]
	tabs := b.ourTabs()
	if len(tabs) == 0 {
		return
	}
	t := tabs[w.rng.IntN(len(tabs))]
	switch w.rng.IntN(5) {
	case 0:
		w.tell("people: a hand closes a tab of %s", b.name)
		t.close()
	case 1:
		if t.doc != nil {
			w.tell("people: a hand presses Send in %s", b.name)
			t.doc.click(false)
		}
	case 2:
		if t.doc != nil && t.doc.hasBox() {
			w.tell("people: a hand types in %s", b.name)
			t.doc.box += " and more"
			t.doc.changed()
		}
	case 3:
		if t.doc != nil {
			w.tell("people: a hand empties the box in %s", b.name)
			t.doc.box = ""
			t.doc.changed()
		}
	default:
		w.tell("people: a hand leads a tab of %s elsewhere", b.name)
		t.navigate(origin + "/feed/")
	}
}
