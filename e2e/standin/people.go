package standin

import (
	"fmt"
	"net/url"
	"strings"
)

// Person is someone with a profile. A member is a person who can sign in.
type Person struct {
	// Slug is the public name in /in/<slug>/, decoded.
	Slug string
	// ID is the 39-character profile id; empty makes one from seed and slug.
	ID string
	// Name is the full name as pages show it.
	Name string
	// Connected says that every member is connected to this person.
	Connected bool
}

func (p Person) firstName() string {
	first, _, _ := strings.Cut(p.Name, " ")
	return first
}

func (p Person) lastName() string {
	_, last, _ := strings.Cut(p.Name, " ")
	return last
}

// Path is the person's profile path by slug, encoded.
func (p Person) Path() string { return "/in/" + url.PathEscape(p.Slug) + "/" }

// IDPath is the person's profile path by profile id, as messaging pages link it.
func (p Person) IDPath() string { return "/in/" + p.ID + "/" }

// ComposePath is the href of the person's Message control.
func (p Person) ComposePath() string {
	return "/messaging/compose/?profileUrn=" + profileURN(p.ID) + "&recipient=" + p.ID +
		"&screenContext=NON_SELF_PROFILE_VIEW&interop=msgOverlay"
}

// AddPerson adds a person, or changes the one who has that slug, and returns
// it with its id.
func (s *Server) AddPerson(p Person) (Person, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addPerson(p)
}

// AddMember adds a person who can sign in.
func (s *Server) AddMember(p Person) (Person, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.addPerson(p)
	if err == nil {
		s.members[p.ID] = true
	}
	return p, err
}

func (s *Server) addPerson(p Person) (Person, error) {
	if p.Slug == "" || p.Name == "" {
		return Person{}, fmt.Errorf("a person needs slug and name, got slug %q and name %q", p.Slug, p.Name)
	}
	for i, known := range s.people {
		if known.Slug != p.Slug {
			continue
		}
		if p.ID != "" && p.ID != known.ID {
			return Person{}, fmt.Errorf("person %q has id %s already", p.Slug, known.ID)
		}
		p.ID = known.ID
		s.people[i] = p
		return p, nil
	}
	if p.ID == "" {
		p.ID = profileID(s.seed, p.Slug)
	}
	if known, err := s.person(p.ID); err == nil { // who had that slug before
		p.ID = profileID(s.seed, p.Slug+" after "+known.Slug)
	}
	s.people = append(s.people, p)
	return p, nil
}

// Rename gives a person (slug or id) another slug. The old one is free, and
// AddPerson may give it to someone else, as happens on the real site.
func (s *Server) Rename(slugOrID, slug string) (Person, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(slugOrID)
	if err != nil {
		return Person{}, err
	}
	if taken, err := s.person(slug); err == nil {
		return Person{}, fmt.Errorf("slug %q is %s's", slug, taken.Name)
	}
	for i := range s.people {
		if s.people[i].ID == p.ID {
			s.people[i].Slug, p.Slug = slug, slug
		}
	}
	return p, nil
}

// Person returns the person with that slug or profile id.
func (s *Server) Person(slugOrID string) (Person, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.person(slugOrID)
}

func (s *Server) person(slugOrID string) (Person, error) {
	for _, p := range s.people {
		if p.ID == slugOrID || p.Slug == slugOrID {
			return p, nil
		}
	}
	return Person{}, fmt.Errorf("no person with slug or id %q; add them first", slugOrID)
}

// personOfPath returns the id of the person whose profile a path names, or "".
// The caller holds s.mu.
func (s *Server) personOfPath(path string) string {
	slug, ok := strings.CutPrefix(path, "/in/")
	if !ok {
		return ""
	}
	p, err := s.person(strings.TrimSuffix(slug, "/"))
	if err != nil {
		return ""
	}
	return p.ID
}
