package standin

// Variant says how the pages about one person differ from the plain ones. The
// zero Variant is: English, full-page messaging, one composer, a Send button,
// a placeholder whose data-event-urn is changed in place.
type Variant struct {
	// Locale is the page language, "en" (or empty), "de" or "ar".
	Locale string
	// NameInH1 puts the profile's name in h1; it moved to h2 in 2026-09.
	NameInH1 bool
	// StaleBubbleOf is the slug or id of someone else, whose minimised message
	// bubble stands on the page with StaleDraft in its composer: in the light
	// DOM of messaging pages, in the shadow root of the others.
	StaleBubbleOf, StaleDraft string
	// StaleOpen leaves that bubble open, and StaleInShadow puts it in the
	// shadow root of messaging pages too.
	StaleOpen, StaleInShadow bool
	// InBubble shows the person's conversation as an open bubble in the shadow
	// root of a page that has no conversation of its own.
	InBubble bool
	// TwoPanes puts a second pane of the person, composer included, below.
	TwoPanes bool
	// LeadsTo is the id of the thread that the person's compose page leads to.
	LeadsTo string
	// HeaderShowsOne makes a group's page name and link only its first person.
	HeaderShowsOne bool
	// DecoyInMain puts the Message anchor of someone else in the main part of
	// the profile too.
	DecoyInMain bool
	// KeepsSpaces makes the composer show spaces as they are typed, so that the
	// editor puts no no-break spaces.
	KeepsSpaces bool
	// Rewrite makes the page change what was typed: "emoji", "quotes", "trim",
	// "keep_together" (no-break spaces) or "decorate" (markup alone). RewriteAt
	// says when: "typed", "after_typing" (the next task) or "sent" (after the
	// click).
	Rewrite, RewriteAt string
	// SwapsTo is the slug or id of someone else, whom the page names in its
	// header or as its recipient, and writes to, as soon as something is typed.
	SwapsTo string
	// HiddenCopy adds the never displayed /preload frame with a composer that
	// takes text and sends nothing.
	HiddenCopy bool
	// Draft is text that already stands in the person's composer.
	Draft string
	// EnterToSend takes the Send button away, as the member's setting does.
	EnterToSend bool
	// PaidInMail makes the compose page of someone not connected one that
	// spends a credit, with a subject field.
	PaidInMail bool
	// ReplaceNode makes the page replace a placeholder item by a new node when
	// the answer comes, instead of changing its data-event-urn.
	ReplaceNode bool
	// AnimationFrames makes the page change its DOM in requestAnimationFrame
	// callbacks, which never come in a hidden tab.
	AnimationFrames bool
	// PostsTwice makes the page send two delivery requests, with two origin
	// tokens, for one click.
	PostsTwice bool
	// PostsItself makes the page send what is typed at once, without a click,
	// and empty the composer (with HoldSend it is sent when that is released),
	// or with KeepsTyped leave it there.
	PostsItself, KeepsTyped bool
	// PostsAnother makes the page send a text of its own beside the one that
	// was clicked for.
	PostsAnother bool
	// KeepsDraft makes the page put the person's draft back as soon as someone
	// empties the composer. Sending empties it for good.
	KeepsDraft bool
	// HoldData keeps the page from knowing who is signed in, HoldSend from
	// enabling Send for what was typed, until released. See State.Reached.
	HoldData, HoldSend *Gate
}

// SetVariant changes the pages about a person (slug or id), or with "" every
// page whose person has no variant, the feed and the inbox included.
func (s *Server) SetVariant(person string, v Variant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := localeOf(v.Locale); err != nil {
		return err
	}
	for _, name := range []string{person, v.StaleBubbleOf, v.SwapsTo} {
		if name == "" {
			continue
		}
		if _, err := s.person(name); err != nil {
			return err
		}
	}
	id := ""
	if person != "" {
		p, _ := s.person(person) // found above
		id = p.ID
	}
	s.variants[id] = v
	return nil
}

// variant returns the variant of pages about a person's id, or of the rest
// for "". The caller holds s.mu.
func (s *Server) variant(personID string) Variant {
	if v, ok := s.variants[personID]; ok {
		return v
	}
	return s.variants[""]
}
