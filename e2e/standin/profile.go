package standin

import "net/http"

// profileView is the main part of a profile page.
type profileView struct {
	Person Person
	Own    bool
	// CanMessage shows the three Message anchors.
	CanMessage bool
	NameInH1   bool
	// Decoy is someone else whose Message anchor stands in the aside, or nil;
	// DecoyInMain puts one outside of it too.
	Decoy       *Person
	DecoyInMain bool
}

func (s *Server) feedPage(w http.ResponseWriter, _ *http.Request, member Person) {
	s.mu.Lock()
	page := s.newShell(member, "", "Feed | LinkedIn")
	s.mu.Unlock()
	render(w, "feed", page)
}

func (s *Server) ownProfile(w http.ResponseWriter, r *http.Request, member Person) {
	http.Redirect(w, r, member.Path(), http.StatusFound)
}

// profilePage serves /in/<slug>/ and /in/<profile id>/ alike.
func (s *Server) profilePage(w http.ResponseWriter, r *http.Request, member Person) {
	s.mu.Lock()
	person, err := s.person(r.PathValue("slug"))
	if err != nil {
		s.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	v := s.variant(person.ID)
	page := s.newShell(member, person.ID, person.Name+" | LinkedIn")
	page.Blocks = append(page.Blocks, profileBlock(person))
	own := person.ID == member.ID
	page.Main = profileView{
		Person: person, Own: own, NameInH1: v.NameInH1, Decoy: s.decoy(member, person), DecoyInMain: v.DecoyInMain,
		CanMessage: !own && (person.Connected || v.PaidInMail || s.threadWith(member.ID, person.ID) != nil),
	}
	s.mu.Unlock()
	render(w, "profile", page)
}

// decoy returns someone who is neither the member nor the person shown. The
// caller holds s.mu.
func (s *Server) decoy(member, shown Person) *Person {
	for _, p := range s.people {
		if p.ID != member.ID && p.ID != shown.ID && !s.members[p.ID] {
			return &p
		}
	}
	return nil
}

func (s *Server) loginPage(w http.ResponseWriter, _ *http.Request) { render(w, "login", nil) }

func (s *Server) checkpointPage(w http.ResponseWriter, _ *http.Request) {
	render(w, "checkpoint", nil)
}
